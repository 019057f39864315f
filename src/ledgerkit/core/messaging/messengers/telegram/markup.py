"""Messages as Telegram shows them: HTML, bounded as Telegram counts, and the keyboard under it.

Source: Bot API, "Formatting options" (HTML style), "sendMessage" and "InlineKeyboardButton".
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from ledgerkit.core.messaging.messengers.messenger import BotMessage, ChatButton, PageButton
from ledgerkit.core.platform.api_types.fields import is_storable

LONGEST_TEXT = 4096
LONGEST_CAPTION = 1024
LONGEST_LABEL = 64
"""Characters of a button's label: phones show fewer."""
LONGEST_NAME = 120
"""Characters of a document's name."""

Keyboard = Sequence[Sequence[Mapping[str, str]]]

_ELLIPSIS = "…"
_EMBEDDINGS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Marks that reverse the order of what follows them. The weak ones, as Arabic and Hebrew names have them, stay."""


class _Part(NamedTuple):
    words: str
    is_strong: bool = False


def length(words: str) -> int:
    """Return the characters of a text as Telegram counts them, in units of UTF-16."""
    return len(words.encode("utf-16-le", "surrogatepass")) // 2


def plain(words: str) -> str:
    """Return a text without what no screen shows or what misleads: control characters, marks that reverse the order."""
    shown = words.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if not is_storable(shown):
        shown = "".join(sign for sign in shown if is_storable(sign))
    return _EMBEDDINGS.sub("", shown).replace("\r\n", "\n").replace("\r", "\n")


def one_line(words: str, longest: int) -> str:
    """Return a text on one line, of `longest` characters at most."""
    return cut(" ".join(plain(words).split()), longest)


def cut(words: str, longest: int) -> str:
    """Return a text of `longest` characters at most; one that was cut ends with an ellipsis."""
    if length(words) <= longest:
        return words
    room, end = longest - 1, 0
    for sign in words:
        room -= length(sign)
        if room < 0:
            break
        end += 1
    return words[:end] + _ELLIPSIS


def fits(message: BotMessage, longest: int) -> bool:
    """Return True when the texts of a message need not be cut."""
    return sum(length(part.words) for part in _parts(message)) <= longest


def rendered(message: BotMessage, longest: int) -> str:
    """Return the texts of a message as HTML that shows `longest` characters at most."""
    markup, room = "", longest
    for part in _parts(message):
        words = cut(part.words, room) if room > 0 else ""
        escaped = html.escape(words, quote=False)
        markup += f"<b>{escaped}</b>" if part.is_strong and words else escaped
        room -= length(words)
        if words != part.words:
            break
    return markup


def keyboard(message: BotMessage) -> Keyboard:
    """Return the buttons that Telegram accepts; the other links are lines of the text."""
    rows = [[_key(button) for button in row if not _is_line(button)] for row in message.buttons]
    return [row for row in rows if row]


def _key(button: ChatButton | PageButton) -> Mapping[str, str]:
    label = one_line(button.label, LONGEST_LABEL) or _ELLIPSIS
    if isinstance(button, PageButton):
        return {"text": label, "url": button.url}
    return {"text": label, "callback_data": button.data}


def _is_line(button: ChatButton | PageButton) -> bool:
    """Return True for a link that Telegram refuses as a button, and with it the message: `http://localhost`.

    The host's name has a dot, or is an address.
    """
    if isinstance(button, ChatButton):
        return False
    try:
        parts = urlsplit(button.url)
    except ValueError:
        return True
    host = parts.hostname or ""
    return parts.scheme not in {"http", "https"} or not ("." in host or ":" in host) or plain(button.url) != button.url


def _parts(message: BotMessage) -> Iterator[_Part]:
    """Yield the title and the lines, with line breaks between them."""
    links = (button for row in message.buttons for button in row if isinstance(button, PageButton) and _is_line(button))
    lines = [*message.lines, *(f"{link.label}: {link.url}" for link in links)]
    title = plain(message.title).strip()
    if title:
        yield _Part(title, is_strong=True)
    if lines:
        text = plain("\n".join(lines))
        yield _Part(f"\n{text}" if title else text)

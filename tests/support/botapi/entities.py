"""Texts of a bot as people see them: HTML is parsed by Telegram's rules, and limits are counted in its way.

Stricter than Telegram, whose manual says the same: a sign `&` or `>` that is not written as an entity is refused.
"""

import re
from dataclasses import dataclass
from typing import Any

from support.botapi.faults import bad_request

MAX_BYTES = 1 << 15
"""Bytes of a text before its entities are parsed."""

TAGS = {
    *("a", "b", "blockquote", "code", "del", "em", "i", "ins", "pre", "s", "span", "strike", "strong", "tg-emoji"),
    *("tg-spoiler", "tg-time", "u"),
}

_TOKEN = re.compile(
    r"(?P<text>[^<>&]+)|(?P<entity>&(?:lt|gt|amp|quot|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)"
    r"|</(?P<end>[^\s>]*)\s*>|<(?P<start>[^\s/>]+)(?P<attributes>(?:\s[^>]*)?)>"
)
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}


@dataclass(frozen=True)
class Formatted:
    """A text as it is seen, and the passages that stand out: tag and words."""

    text: str
    passages: tuple[tuple[str, str], ...] = ()

    @property
    def strong(self) -> list[str]:
        return [words for tag, words in self.passages if tag in {"b", "strong"}]


def units(text: str) -> int:
    """Length as Telegram counts it: units of UTF-16."""
    return len(text.encode("utf-16-le")) // 2


def formatted(text: Any, parse_mode: str | None, limit: int, *, is_caption: bool = False) -> Formatted:
    """The text of a call. Raises ApiError as Telegram refuses it."""
    if not isinstance(text, str) or not _is_utf8(text):
        raise bad_request("strings must be encoded in UTF-8")
    if len(text.encode()) > MAX_BYTES:
        raise bad_request("text is too long")
    if parse_mode not in {None, "", "HTML"}:
        raise bad_request("unsupported parse_mode")
    seen = parsed(text) if parse_mode else Formatted(text)
    seen = Formatted(seen.text.strip(), seen.passages)
    if not seen.text and not is_caption:
        raise bad_request("message text is empty")
    if units(seen.text) > limit:
        raise bad_request("message caption is too long" if is_caption else "message is too long")
    return seen


def parsed(markup: str) -> Formatted:
    """Text and passages of HTML. Raises ApiError."""
    text, position = "", 0
    opened: list[tuple[str, int]] = []
    passages: list[tuple[str, str]] = []
    while position < len(markup):
        token = _TOKEN.match(markup, position)
        offset = len(markup[:position].encode())
        if token is None:
            raise _malformed(markup[position], offset)
        if token["start"]:
            opened.append((_known(token["start"].lower(), offset), len(text)))
        elif token["end"] is not None:
            tag, begin = _ended(opened, token["end"].lower(), offset)
            passages.append((tag, text[begin:]))
        else:
            text += token["text"] or _decoded(token["entity"][1:-1])
        position = token.end()
    if opened:
        raise bad_request(f"can't parse entities: Can't find end tag corresponding to start tag \"{opened[-1][0]}\"")
    return Formatted(text, tuple(passages))


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _malformed(sign: str, offset: int) -> Exception:
    reason = "Unclosed start tag" if sign == "<" else f'Unescaped "{sign}"'
    return bad_request(f"can't parse entities: {reason} at byte offset {offset}")


def _known(tag: str, offset: int) -> str:
    if tag not in TAGS:
        raise bad_request(f'can\'t parse entities: Unsupported start tag "{tag}" at byte offset {offset}')
    return tag


def _ended(opened: list[tuple[str, int]], end: str, offset: int) -> tuple[str, int]:
    if not opened:
        raise bad_request(f"can't parse entities: Unexpected end tag at byte offset {offset}")
    tag, begin = opened.pop()
    if end not in {"", tag}:
        raise bad_request(
            f'can\'t parse entities: Unmatched end tag at byte offset {offset}, expected "</{tag}>", found "</{end}>"'
        )
    return tag, begin


def _decoded(entity: str) -> str:
    if entity in _NAMED:
        return _NAMED[entity]
    return chr(int(f"0{entity[1:]}", 0) if entity[1] == "x" else int(entity[1:]))

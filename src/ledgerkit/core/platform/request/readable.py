"""Texts as a summary shows them: on one line, without what a person cannot check, and cut."""

import re
import unicodedata

LONGEST_LINE = 300
"""Most characters in a line of a summary, but for those with a long text."""

_CONTROLS = {"Cc", "Cf", "Co", "Cs"}
"""Categories of signs that are not seen."""

_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Signs that are not seen, although they count as letters, marks or symbols: fillers and selectors of variants."""

_UNREADABLE = re.compile(
    r"(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b(?!@)"  # ids, but not in an address
    r"|\b[0-9a-f]{32,}\b(?!@)"  # ids without hyphens, and fingerprints
    r"|(?:\b[a-z][a-z0-9+.-]{0,20})?://\S*|\bwww\.\S+"  # links
    r"|(?<![\w-])(?<![\w-]\.)(?:[\w-]++\.)++(?:xn--[a-z0-9-]{1,59}+|[^\W\d_]{2,63}+)"  # and those without a beginning:
    r"(?::\d{1,5}+)?(?:/|[?#](?=\w))\S*"  # a site with a path; a company may have the name of a site
)
"""Parts of texts that a person cannot check, or should not follow from where they agree to something.

Whoever writes the texts must not be able to make the search slow: its time grows with their length only.
"""


def readable(words: str) -> str:
    """Return a text on one line, so that a name with line breaks cannot imitate lines of the summary.

    Signs that are not seen, or that turn the direction of writing, are left out.
    """
    visible = _UNSEEN.sub("", words)
    if not visible.isprintable():
        visible = "".join(sign for sign in visible if sign.isspace() or unicodedata.category(sign) not in _CONTROLS)
    return " ".join(visible.split())


def has_unreadable(line: str) -> bool:
    """Return True if a line of a summary does not show all of this text, because an id or a link is in it."""
    return _UNREADABLE.search(line) is not None


def as_line(words: str, most: int = LONGEST_LINE) -> str:
    """Return a line of a summary, of at most `most` characters, without ids and links."""
    return cut(_UNREADABLE.sub("[…]", readable(words)), most)


def cut(words: str, most: int) -> str:
    """Return the words, or their beginning and a sign that there are more."""
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"

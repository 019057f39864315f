"""Texts as a summary shows them: on one line, without what a person cannot check, and cut."""

import re
import unicodedata

LONGEST_LINE = 300
"""Most characters in a line of a summary, but for those with a long text."""

_UNREADABLE = re.compile(
    r"(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b(?!@)"  # ids, but not in an address
    r"|\b[0-9a-f]{32,}\b(?!@)"  # ids without hyphens, and fingerprints
    r"|\b[a-z][a-z0-9+.-]*://\S*|\bwww\.\S+"  # links
)
"""Parts of texts that a person cannot check, or should not follow from where they agree to something."""


def readable(words: str) -> str:
    """Return a text on one line, so that a name with line breaks cannot imitate lines of the summary.

    Signs that are not seen, or that turn the direction of writing, are left out.
    """
    joined = " ".join(words.split())
    if joined.isprintable():
        return joined
    return "".join(sign for sign in joined if unicodedata.category(sign) not in {"Cc", "Cf", "Co", "Cs"})


def as_line(words: str, most: int = LONGEST_LINE) -> str:
    """Return a line of a summary, of at most `most` characters, without ids and links."""
    return cut(_UNREADABLE.sub("[…]", readable(words)), most)


def cut(words: str, most: int) -> str:
    """Return the words, or their beginning and a sign that there are more."""
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"

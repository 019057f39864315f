"""Words of a message: as written for titles and names, and in lower case without accents for the grammar."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

MOST_CHARACTERS = 600
"""Characters of a message that is read; a longer one is for people."""

MOST_WORDS = 120
"""Words, numbers and signs of a message that is read."""

_WORD = re.compile(
    r"""
    \d{4}-\d{2}-\d{2}(?!\d)                          # 2026-03-18
    | [^\W\d_]{1,6}\d{2,4}[-/]\d{1,6}(?!\d)          # F2026-0007
    | \d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})(?!\d)  # 18/03/2026
    | \d{1,2}/\d{1,2}(?![\d/])                       # 18/3
    | \d{4}-\d{1,6}(?!\d)                            # 2026-014
    | \d{1,2}:\d{2}(?!\d)                            # 8:30
    | \d+(?:[.,'\u2019]\d+)*                              # 1.200,50
    | [^\W\d_]+(?:['\u2019.][^\W\d_]+)*                   # word, o'brien, s.l
    | \n                                             # counts as a semicolon
    | [^\s\w]
    | \S
    """,
    re.VERBOSE,
)

_SIGNS = str.maketrans(
    {
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{EN DASH}": "-",
        "\N{EM DASH}": "-",
        "\N{MINUS SIGN}": "-",
        "\N{LEFT DOUBLE QUOTATION MARK}": '"',
        "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
        "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"',
        "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"',
        "\N{MULTIPLICATION SIGN}": "x",
    }
)
"""Signs that mean the same, as telephones and word processors write them."""

_KEPT = frozenset("^`<=>|~$+")
"""Signs of ASCII that are none."""

_PICTURES = frozenset({"So", "Sk", "Cs", "Cf", "Cc", "Co", "Cn", "Mn", "Me"})
"""Categories of signs that say nothing, as pictures of faces."""


@dataclass(frozen=True)
class Word:
    """One word, number or sign; `plain` is in lower case without accents, `start` and `end` are places in the text."""

    text: str
    plain: str
    start: int
    end: int

    @property
    def is_capitalised(self) -> bool:
        return self.text[:1].isupper()

    @property
    def is_alphabetic(self) -> bool:
        return self.plain[:1].isalpha()


def plain(text: str) -> str:
    """Return a text in lower case without accents: `Ñandú` is `nandu`."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).translate(_SIGNS)


def normal(text: str) -> str:
    """Return a text whose letters carry their accents, as telephones may send the two apart."""
    return unicodedata.normalize("NFC", text)


def is_too_long(text: str) -> bool:
    """Return True for a text that is for people: nothing of it is read."""
    if len(text) > MOST_CHARACTERS:
        return True
    return sum(1 for _ in islice(_WORD.finditer(text), MOST_WORDS + 1)) > MOST_WORDS


def words_of(text: str) -> list[Word]:
    """Return the words of a normal text in order, at most one more than MOST_WORDS."""
    words: list[Word] = []
    for match in _WORD.finditer(text):
        letters = match[0]
        if letters != "\n" and unicodedata.category(letters[0]) in _PICTURES and letters not in _KEPT:
            continue
        short = ";" if letters == "\n" else "".join(plain(letters).split())
        words.append(Word(letters, short or letters, match.start(), match.end()))
        if len(words) > MOST_WORDS:
            break
    return words


def written(text: str, words: Sequence[Word]) -> str:
    """Return the part of a message from the first of these words to the last, as it was written."""
    return " ".join(text[words[0].start : words[-1].end].split()) if words else ""

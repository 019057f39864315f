"""Words of a message: as written for titles and names, and in lower case without accents for the grammar."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_WORDS = 400
"""Words of a message that are read; the grammar looks at no more."""

_WORD = re.compile(
    r"""
    \d{4}-\d{2}-\d{2}(?!\d)                          # 2026-03-18
    | [^\W\d_]{1,6}\d{2,4}[-/]\d{1,6}(?!\d)          # F2026-0007
    | \d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})(?!\d)  # 18/03/2026
    | \d{1,2}/\d{1,2}(?![\d/])                       # 18/3
    | \d{4}-\d{1,6}(?!\d)                            # 2026-014
    | \d{1,2}:\d{2}(?!\d)                            # 8:30
    | \d+(?:[.,']\d+)*                               # 1.200,50
    | [^\W\d_]+(?:['’.][^\W\d_]+)*                   # word, o'brien, s.l
    | \n                                             # counts as a semicolon
    | [^\s\w]
    | \S
    """,
    re.VERBOSE,
)


_PICTURES = frozenset({"So", "Sk", "Cs", "Cf", "Mn"})
"""Categories of signs that say nothing, as pictures of faces."""


@dataclass(frozen=True)
class Word:
    """One word, number or sign; `plain` is in lower case without accents, `start` and `end` are places in the text."""

    text: str
    plain: str
    start: int
    end: int

    @property
    def is_alphabetic(self) -> bool:
        return self.plain[:1].isalpha()


def plain(text: str) -> str:
    """Return a text in lower case without accents: `Ñandú` is `nandu`."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).replace("’", "'")


def words_of(text: str) -> list[Word]:
    """Return the words of a message in order, at most MOST_WORDS."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        if not match[0].isascii() and unicodedata.category(match[0][0]) in _PICTURES:
            continue
        short = ";" if match[0] == "\n" else plain(match[0])
        found.append(Word(match[0], short, match.start(), match.end()))
        if len(found) == MOST_WORDS:
            break
    return found


def written(text: str, words: Sequence[Word]) -> str:
    """Return the part of a message from the first of these words to the last, as it was written."""
    return " ".join(text[words[0].start : words[-1].end].split()) if words else ""


def phrases(texts: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
    """Return phrases by their first word, each as its plain words, the longest first."""
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for phrase in texts:
        parts = tuple(word.plain for word in words_of(phrase))
        by_first.setdefault(parts[0], []).append(parts)
    for several in by_first.values():
        several.sort(key=len, reverse=True)
    return by_first


def found_phrases(
    words: Sequence[Word], known: dict[str, list[tuple[str, ...]]]
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield start and end of each known phrase in the words, the longest at each place."""
    plain_words = [word.plain for word in words]
    for start, first in enumerate(plain_words):
        for phrase in known.get(first, ()):
            end = start + len(phrase)
            if tuple(plain_words[start:end]) == phrase:
                yield start, end, phrase
                break

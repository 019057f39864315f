"""Words and phrases that the grammar knows, in TOML files by subject.

A list of phrases or words is a text with one phrase, or any number of words, on each line; `patterns` explains the
signs of a phrase. A table gives words a meaning. Everything is in lower case without accents.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from ledgerkit.core.messaging.language.patterns import Phrases

_COMMON = "common"


class Vocabulary:
    """Words and phrases of one subject."""

    def __init__(self, subject: str) -> None:
        """Read the file of a subject."""
        self._entries = _entries(subject)
        self._lines = _lists(subject)

    def phrases(self, name: str) -> Phrases:
        """Return a list of phrases."""
        return Phrases(name, self._lines)

    def words(self, *names: str) -> frozenset[str]:
        """Return the words of some lists."""
        return frozenset(word for name in names for line in self._lines(name) for word in line.split())

    def table(self, name: str) -> Mapping[str, str]:
        """Return the meanings of words."""
        entries = self._entries[name]
        if not isinstance(entries, dict):
            raise TypeError(f"{name} is no table")
        return {word: str(meaning) for word, meaning in entries.items()}

    def numbers(self, name: str) -> Mapping[str, int]:
        """Return the words of a table that gives the words of each number."""
        return {word: int(number) for number, words in self.table(name).items() for word in words.split()}


@cache
def _lists(subject: str) -> Callable[[str], Sequence[str]]:
    """Return the lookup of the lines of a list, in the file of a subject or the common one."""
    entries = {**_entries(_COMMON), **_entries(subject)}

    def lines(name: str) -> Sequence[str]:
        text = entries[name]
        if not isinstance(text, str):
            raise TypeError(f"{name} is no list")
        return [line.strip() for line in text.splitlines() if line.strip()]

    return lines


_NAMES_AND_SLIPS = frozenset({"names", "spelling"})
"""Subjects whose words are none of the grammar's own."""

_LETTERS = re.compile(r"[a-z']{3,}\*?")
_LEAST_LETTERS_OF_A_BEGINNING = 5


@cache
def known_words() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words of all lists and tables, and the beginnings of words in them."""
    words = {word for text in _texts() for word in _LETTERS.findall(text)}
    beginnings = (word[:-1] for word in words if word.endswith("*"))
    return (
        frozenset(word for word in words if not word.endswith("*")),
        tuple(sorted(word for word in beginnings if len(word) >= _LEAST_LETTERS_OF_A_BEGINNING)),
    )


def _texts() -> Iterator[str]:
    for file in files(__package__).iterdir():
        subject, _, suffix = file.name.rpartition(".")
        if suffix != "toml" or subject in _NAMES_AND_SLIPS:
            continue
        for entry in _entries(subject).values():
            if isinstance(entry, dict):
                yield from (text for pair in entry.items() for text in map(str, pair))
            else:
                yield str(entry)


@cache
def _entries(subject: str) -> Mapping[str, object]:
    return tomllib.loads((files(__package__) / f"{subject}.toml").read_text(encoding="utf-8"))

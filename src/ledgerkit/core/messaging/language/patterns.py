"""Patterns of whole words, as the files of the vocabulary write them, and the places of a message where they stand.

    word           that word, in lower case without accents
    word*          a word that begins so
    @              the name of a client
    #              a number in digits
    (a | b c)      one of several
    [a | b c]      one of several, or nothing
    ..             up to two words, none of which ends a sentence
    ...            up to five such words
    !(a | b c)     nothing, where none of this follows
    !after(a | b)  nothing, where none of these words stands before
    <name>         one of another list of the file, or of `common.toml`

There is no other repetition, so that a match takes time in proportion to the words.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Protocol

NAME = "\0"
"""Word of a line that stands for the name of a client, and that no message has."""

INNER = ""
"""Word of a line that belongs to the one before it, as the further words of a name."""

_ENDS_OF_SENTENCES = frozenset({".", ";", "?", "!"})
_TOKEN = re.compile(r"\.\.\.|\.\.|!after\(|!\(|[()\[\]|]|<\w+>|[^\s()\[\]|<>]+")
_GAPS = {"..": 2, "...": 5}
_LETTERS_OF_A_BEGINNING = 2
"""Letters by which beginnings of words are looked up."""


@dataclass(frozen=True)
class Span:
    """Words from `start` up to `end`."""

    start: int
    end: int


def after(words: Sequence[str], place: int) -> int:
    """Return the place of the next word of a line, which may be its end."""
    place += 1
    while place < len(words) and words[place] == INNER:
        place += 1
    return place


class _Part(Protocol):
    """Part of a pattern."""

    def ends(self, words: Sequence[str], place: int) -> set[int]:
        """Return all places up to which the words from a place on are this part."""

    def firsts(self) -> set[str] | None:
        """Return the words with which it may begin, those with more letters marked by a star; None for any."""


@dataclass(frozen=True)
class _Word:
    letters: str
    has_more: bool

    def ends(self, words: Sequence[str], place: int) -> set[int]:
        if place >= len(words):
            return set()
        fits = words[place].startswith(self.letters) if self.has_more else words[place] == self.letters
        return {after(words, place)} if fits else set()

    def firsts(self) -> set[str] | None:
        return {self.letters + "*" * self.has_more}


@dataclass(frozen=True)
class _Digits:
    def ends(self, words: Sequence[str], place: int) -> set[int]:
        fits = place < len(words) and words[place][:1].isdigit()
        return {after(words, place)} if fits else set()

    def firsts(self) -> set[str] | None:
        return None


@dataclass(frozen=True)
class _Gap:
    most: int

    def ends(self, words: Sequence[str], place: int) -> set[int]:
        ends = {place}
        for _ in range(self.most):
            if place >= len(words) or words[place] in _ENDS_OF_SENTENCES:
                break
            place = after(words, place)
            ends.add(place)
        return ends

    def firsts(self) -> set[str] | None:
        return None


class _Either:
    """One of several sequences, found by the word with which each begins."""

    def __init__(self, sequences: Iterable["_Sequence"], *, is_optional: bool = False) -> None:
        self.is_optional = is_optional
        self._firsts: set[str] | None = set()
        self._by_word: dict[str, list[_Sequence]] = {}
        self._by_beginning: dict[str, list[tuple[str, _Sequence]]] = {}
        self._anywhere: list[_Sequence] = []
        for sequence in sequences:
            self._add(sequence)

    def _add(self, sequence: "_Sequence") -> None:
        firsts = sequence.firsts()
        if firsts is None:
            self._firsts = None
            self._anywhere.append(sequence)
            return
        if self._firsts is not None:
            self._firsts |= firsts
        for first in firsts:
            if first.endswith("*"):
                letters = first[:-1]
                self._by_beginning.setdefault(letters[:_LETTERS_OF_A_BEGINNING], []).append((letters, sequence))
            else:
                self._by_word.setdefault(first, []).append(sequence)

    def ends(self, words: Sequence[str], place: int) -> set[int]:
        ends = {place} if self.is_optional else set()
        for sequence in self._anywhere:
            ends |= sequence.ends(words, place)
        word = words[place] if place < len(words) else INNER
        for sequence in self._by_word.get(word, ()):
            ends |= sequence.ends(words, place)
        for letters, sequence in self._by_beginning.get(word[:_LETTERS_OF_A_BEGINNING], ()):
            if word.startswith(letters):
                ends |= sequence.ends(words, place)
        return ends

    def may_be_in(self, words: Sequence[str]) -> bool:
        """Return False where no sequence begins with any of the words, nor with none."""
        return (
            bool(self._anywhere)
            or not self._by_word.keys().isdisjoint(words)
            or not self._by_beginning.keys().isdisjoint([word[:_LETTERS_OF_A_BEGINNING] for word in words])
        )

    def may_begin_with(self, word: str) -> bool:
        """Return False where no sequence begins with a word, nor with none."""
        return word in self._by_word or word[:_LETTERS_OF_A_BEGINNING] in self._by_beginning or bool(self._anywhere)

    def firsts(self) -> set[str] | None:
        return self._firsts


@dataclass(frozen=True)
class _Not:
    excluded: _Either

    def ends(self, words: Sequence[str], place: int) -> set[int]:
        return set() if self.excluded.ends(words, place) else {place}

    def firsts(self) -> set[str] | None:
        return set()


@dataclass(frozen=True)
class _NotAfter:
    words: frozenset[str]

    def ends(self, words: Sequence[str], place: int) -> set[int]:
        return set() if place and words[place - 1] in self.words else {place}

    def firsts(self) -> set[str] | None:
        return set()


@dataclass(frozen=True)
class _Sequence:
    parts: Sequence[_Part]

    def ends(self, words: Sequence[str], place: int) -> set[int]:
        places = self.parts[0].ends(words, place)
        for part in self.parts[1:]:
            if not places:
                break
            places = set().union(*[part.ends(words, each) for each in places])
        return places

    def firsts(self) -> set[str] | None:
        """Return the words with which it may begin, those of optional parts and of the one after them."""
        firsts: set[str] = set()
        for part in self.parts:
            of_part = part.firsts()
            if of_part is None:
                return None
            firsts |= of_part
            if not (isinstance(part, _Not | _NotAfter) or (isinstance(part, _Either) and part.is_optional)):
                return firsts
        return None


Lists = Callable[[str], Sequence[str]]
"""Lookup of a list of patterns by its name."""


class Phrases:
    """List of patterns, any of which may stand in a message; it is read when it is first used."""

    def __init__(self, name: str, lists: Lists) -> None:
        """Name the list; `lists` returns it, and those that its patterns name."""
        self._name = name
        self._lists = lists

    @cached_property
    def _patterns(self) -> _Either:
        return _of_list(self._name, self._lists)

    def end_at(self, words: Sequence[str], place: int) -> int | None:
        """Return the place after the longest phrase that begins at a word of a line; None where none does."""
        if place >= len(words) or not words[place] or not self._patterns.may_begin_with(words[place]):
            return None
        longest = max(self._patterns.ends(words, place), default=place)
        return longest if longest > place else None

    def spans(self, words: Sequence[str]) -> Iterator[Span]:
        """Yield the longest phrase at each place of a line, none of which overlap."""
        place = 0 if self._patterns.may_be_in(words) else len(words)
        while place < len(words):
            end = self.end_at(words, place)
            if end is not None:
                yield Span(place, end)
            place = end or place + 1

    def is_in(self, words: Sequence[str]) -> bool:
        return next(self.spans(words), None) is not None


@cache
def _of_list(name: str, lists: Lists) -> _Either:
    """Return a list, which is read once, however many others name it."""
    return _Either([_Parser(pattern, lists).sequence() for pattern in lists(name)])


class _Parser:
    """Reader of one pattern."""

    def __init__(self, pattern: str, lists: Lists) -> None:
        self._tokens = _TOKEN.findall(pattern)
        self._lists = lists
        self._place = 0

    def sequence(self) -> _Sequence:
        parts: list[_Part] = []
        while self._place < len(self._tokens) and self._tokens[self._place] not in {")", "]", "|"}:
            parts.append(self._part())
        return _Sequence(parts)

    def _part(self) -> _Part:
        sign = self._tokens[self._place]
        self._place += 1
        if sign in _GAPS:
            return _Gap(_GAPS[sign])
        if sign.startswith("<"):
            return _of_list(sign[1:-1], self._lists)
        readings: Mapping[str, Callable[[], _Part]] = {
            "(": lambda: _Either(self._alternatives()),
            "[": lambda: _Either(self._alternatives(), is_optional=True),
            "!(": lambda: _Not(_Either(self._alternatives())),
            "!after(": self._not_after,
            "#": _Digits,
            "@": lambda: _Word(NAME, has_more=False),
        }
        if sign in readings:
            return readings[sign]()
        return _Word(sign.removesuffix("*"), has_more=sign.endswith("*") and len(sign) > 1)

    def _not_after(self) -> _NotAfter:
        end = self._tokens.index(")", self._place)
        words = frozenset(self._tokens[self._place : end]) - {"|"}
        self._place = end + 1
        return _NotAfter(words)

    def _alternatives(self) -> list[_Sequence]:
        sequences = [self.sequence()]
        while self._tokens[self._place] == "|":
            self._place += 1
            sequences.append(self.sequence())
        self._place += 1
        return sequences

"""Names of clients in a message, with the slips of people who type on a telephone."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from ledgerkit.core.messaging.language.likeness import SHORTEST_SLIP, KnownWords
from ledgerkit.core.messaging.language.numbers import LANGUAGES, number_at
from ledgerkit.core.messaging.language.spelling import is_known
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word, words_of

_VOCABULARY = Vocabulary("names")
_FORMS = _VOCABULARY.words("forms")
_LAST_FORMS = _VOCABULARY.words("last_forms")
_PREPOSITIONS = _VOCABULARY.words("prepositions")
_BEFORE_A_SHORT_NAME = _VOCABULARY.words("prepositions", "before_a_name", "before_a_short_name")
_KINDS = {other: kind for kind, others in _VOCABULARY.table("kinds_by_other_names").items() for other in others.split()}
_SEPARATORS = frozenset({",", ".", "-"})
_MOST_HOLDERS_OF_A_TELLING_WORD = 5
_MOST_CANDIDATES = 20
_MOST_COMPARED = 50
"""Different words of a message that are compared with names for slips."""

_LEAST_SHARE = 0.5
"""Part of a name's weight that has to be said, where none of its words tells it from most others."""

_NEARLY = 0.2
"""Difference of shares by which two names are about as likely."""


class Named(Protocol):
    """Record with a name, as a client.

    A client may also have an attribute `is_foreign`: True outside of the account's country, False within.
    """

    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class Mention:
    """A name in the words from `start` up to `end`: all records that are called so, the likeliest only."""

    start: int
    end: int
    named: Sequence[Named]
    share: float
    """Part of the name that was said: 1 for all of it."""
    begins_name: bool
    """True where the first word of the name was said."""

    @property
    def is_whole(self) -> bool:
        return self.share == 1


class Names:
    """Names that a message may mention. Made once for a list of records, they serve any number of messages."""

    def __init__(self, named: Collection[Named]) -> None:
        self.all = list(named)

    @cached_property
    def _index(self) -> "_Index":
        return _Index(self.all)

    def mentions(self, words: Sequence[Word]) -> list[Mention]:
        """Return the names in these words, the likeliest at each place, in their order.

        A name is mentioned by a share of its words side by side in any order. A word counts the more the fewer names
        have it.
        """
        reading = _Reading(self._index, words)
        mentions: list[Mention] = []
        place = 0
        while place < len(words):
            mention = reading.mention(place)
            if mention is not None:
                mentions.append(mention)
            place = place + 1 if mention is None else mention.end
        return mentions


class _Index:
    """Words of names, and which names have them."""

    def __init__(self, named: Iterable[Named]) -> None:
        with_parts = [(each, parts_of(each.name)) for each in named]
        self.named = [each for each, parts in with_parts if parts]
        self.parts = [parts for _, parts in with_parts if parts]
        self.holders: dict[str, set[int]] = {}
        for place, parts in enumerate(self.parts):
            for part in parts:
                self.holders.setdefault(part, set()).add(place)
        self._aliases = {alias: part for part in self.holders for alias in _aliases(part)}
        self._known = KnownWords(self.holders)
        self.weights: Mapping[str, float] = {part: 1 / len(holders) for part, holders in self.holders.items()}
        self.totals = [sum(self.weights[part] for part in set(parts)) for parts in self.parts]

    def exactly(self, word: str) -> tuple[str, ...]:
        """Return the part of names that a word is without a slip."""
        word = _bare(word)
        if word in self.holders and word not in _FORMS:
            return (word,)
        return (self._aliases[word],) if word in self._aliases else ()

    def meant(self, word: str) -> tuple[str, ...]:
        """Return the parts of names that a word is, with slips where no name has the word itself."""
        parts = self.exactly(word)
        if parts:
            return parts
        word = _bare(word)
        if word in _FORMS or is_known(word) or not word[:1].isalpha() or len(word) < SHORTEST_SLIP:
            return ()
        return tuple(dict.fromkeys((*self._known.of_sound(word), *self._known.near(word))))

    def is_telling(self, parts: Collection[str]) -> bool:
        return any(
            len(part) >= SHORTEST_SLIP and len(self.holders[part]) <= _MOST_HOLDERS_OF_A_TELLING_WORD for part in parts
        )


class _Reading:
    """Reading of one message: each of its words is compared once."""

    def __init__(self, index: _Index, words: Sequence[Word]) -> None:
        self._index = index
        self._words = words
        self._parts: dict[str, tuple[str, ...]] = {}
        self._ranked: dict[tuple[tuple[str, ...], ...], tuple[list[int], float]] = {}

    def _meant(self, place: int) -> tuple[str, ...]:
        word = self._words[place].plain
        if word not in self._parts:
            may_compare = len(self._parts) < _MOST_COMPARED
            self._parts[word] = self._index.meant(word) if may_compare else self._index.exactly(word)
        return self._parts[word]

    def mention(self, start: int) -> Mention | None:
        """Return the name that begins at a word."""
        parts, stop = self._longest(start)
        if not parts or not (stop > start + 1 or self._counts(parts[0], start)):
            return None
        key = tuple(parts)
        if key not in self._ranked:
            self._ranked[key] = self._likeliest(parts)
        holders, share = self._ranked[key]
        if not holders:
            return None
        begins = any(self._index.parts[holder][0] in parts[0] for holder in holders)
        named = [self._index.named[holder] for holder in holders[:_MOST_CANDIDATES]]
        return Mention(start, stop, named, share, begins)

    def _longest(self, start: int) -> tuple[list[tuple[str, ...]], int]:
        """Return the parts that each word from a place on may be, while one name has them all, and the place after."""
        holders: set[int] = set()
        parts: list[tuple[str, ...]] = []
        place = stop = start
        while place < len(self._words):
            meant, end = self._part(place, parts)
            having = set().union(*(self._index.holders[part] for part in meant))
            having = having & holders if parts else having
            if having:
                holders, stop = having, end
                parts.append(tuple(part for part in meant if self._index.holders[part] & having))
            elif not parts or self._words[place].plain not in _FORMS | _SEPARATORS:
                break
            place = end
        return parts, self._behind_forms(stop) if parts else stop

    def _behind_forms(self, place: int) -> int:
        """Return the place after the legal form that follows a name, as in `Acme, S.L.`."""
        start = place + (self._plain(place) == ",")
        while self._plain(start) in _LAST_FORMS:
            start += 1
            place = start + (self._plain(start) == "." and self._words[start - 1].end == self._words[start].start)
        return place

    def _plain(self, place: int) -> str:
        return self._words[place].plain if place < len(self._words) else ""

    def _part(self, place: int, before: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], int]:
        """Return the parts that a word may be beside those before it, also spelt digits and `o brien`, and its end."""
        used = {part for parts in before for part in parts}
        in_one = f"{self._plain(place)}'{self._plain(place + 1)}"
        if in_one in self._index.holders and in_one not in used:
            return (in_one,), place + 2
        meant = tuple(part for part in self._meant(place) if part not in used)
        if meant or not before:
            return meant, place + 1
        for language in LANGUAGES:
            number = number_at(self._words, place, language)
            if number is not None and (digits := str(number.value)) in self._index.holders and digits not in used:
                return (digits,), number.end
        return (), place + 1

    def _counts(self, parts: Collection[str], start: int) -> bool:
        """Return False for one word that is a number, or common, or short with a slip, without a preposition before."""
        word = _bare(self._words[start].plain)
        if not word[:1].isalpha():
            return False
        is_slip = word not in parts and len(word) <= SHORTEST_SLIP
        before = self._words[start - 1].plain if start else ""
        if is_known(word):
            return before in _PREPOSITIONS
        return before in _BEFORE_A_SHORT_NAME or not (len(word) < SHORTEST_SLIP or is_slip)

    def _likeliest(self, parts: Sequence[tuple[str, ...]]) -> tuple[list[int], float]:
        """Return the names of which the largest share was said, and that share."""
        index = self._index
        having = [set().union(*(index.holders[part] for part in each)) for each in parts]
        shares: dict[int, float] = {}
        for holder in set.intersection(*having):
            of_name = [part for each in parts for part in each if holder in index.holders[part]]
            share = round(sum(index.weights[part] for part in of_name) / index.totals[holder], 3)
            if share >= _LEAST_SHARE or index.is_telling(of_name):
                shares[holder] = min(share, 1.0)
        top = max(shares.values(), default=0.0)
        least = 1.0 if top == 1 else top - _NEARLY
        return sorted(holder for holder, share in shares.items() if share >= least), top


def _aliases(part: str) -> set[str]:
    """Return other ways to write a part with an apostrophe: `obrien` and `brien` for `o'brien`."""
    if "'" not in part:
        return set()
    return {part.replace("'", ""), *(piece for piece in part.split("'") if len(piece) >= SHORTEST_SLIP)}


def _bare(word: str) -> str:
    """Return a word without the English genitive, and the Spanish one for a kind of business."""
    word = word.removesuffix("'s")
    return _KINDS.get(word, word)


def parts_of(name: str) -> list[str]:
    """Return the words that tell a name from others."""
    parts = [word.plain for word in words_of(name) if word.plain[:1].isalnum()]
    return [part for part in parts if part not in _FORMS] or parts

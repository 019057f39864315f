"""Names of clients in a message, with the slips of people who type on a telephone."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from ledgerkit.core.messaging.language.numbers import number_at
from ledgerkit.core.messaging.language.vocabulary import COMMANDS, FUNCTION_WORDS
from ledgerkit.core.messaging.language.words import Word, words_of

_FORMS = frozenset(
    "s l sl s.l slu s.l.u u a sa s.a sau c b cb c.b coop scoop ltd limited inc llc gmbh ag bv sarl srl plc co and y e i "
    "de del la las el los the of".split()
)
"""Legal forms, and words that tell no names apart."""

_BUSINESSES = {
    **{"bakery": "panaderia", "bakers": "panaderia", "council": "ayuntamiento", "hardware": "ferreteria"},
    **{"ironmonger": "ferreteria", "ironmongers": "ferreteria", "coffee": "cafe", "studio": "estudio"},
    **{"ayto": "ayuntamiento", "townhall": "ayuntamiento", "garage": "talleres", "taller": "talleres"},
}
"""Kinds of businesses as English speakers call them, and short forms."""

_COMMON = COMMANDS | FUNCTION_WORDS["es"] | FUNCTION_WORDS["en"]
_SHORTEST_TYPO = 4
_TWO_SLIPS = 8
_LEAST_SHARE = 0.5
"""Part of a name's weight that has to be said, where it is not said whole."""


class Named(Protocol):
    """Record with a name, as a client."""

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


class Names:
    """Names that a message may mention."""

    def __init__(self, named: Collection[Named]) -> None:
        self._named = list(named)

    @cached_property
    def _parts(self) -> list[tuple[Named, list[str]]]:
        return [(each, parts) for each in self._named if (parts := parts_of(each.name))]

    @cached_property
    def _holders(self) -> Mapping[str, set[int]]:
        holders: dict[str, set[int]] = {}
        for place, (_, parts) in enumerate(self._parts):
            for part in parts:
                holders.setdefault(part, set()).add(place)
        return holders

    def mentions(self, words: Sequence[Word], start: int = 0, end: int | None = None) -> list[Mention]:
        """Return the names in these words, the likeliest at each place, in their order.

        A name is mentioned by a share of its words in any order side by side. A word counts the more the fewer names
        have it.
        """
        end = len(words) if end is None else end
        found: list[Mention] = []
        place = start
        while place < end:
            mention = self._mention(words, place, end)
            if mention is None:
                place += 1
            else:
                found.append(mention)
                place = mention.end
        return found

    def _mention(self, words: Sequence[Word], start: int, end: int) -> Mention | None:
        first = self._matching(words[start].plain)
        if not first:
            return None
        best: list[tuple[float, int, int]] = []
        for holder in {holder for part in first for holder in self._holders[part]}:
            said, stop = self._said(holder, words, start, end)
            share = self._weight(said) / self._weight(self._parts[holder][1])
            if share >= _LEAST_SHARE or self._is_telling(said):
                best.append((round(share, 3), stop, holder))
        if not best:
            return None
        longest = max(stop for _, stop, _ in best)
        of_longest = [(share, holder) for share, stop, holder in best if stop == longest]
        top = max(share for share, _ in of_longest)
        holders = [holder for share, holder in of_longest if share > top - 0.2 or share == 1]
        if top == 1:
            holders = [holder for share, holder in of_longest if share == 1]
        return Mention(start, longest, [self._parts[holder][0] for holder in holders], top)

    def _said(self, holder: int, words: Sequence[Word], start: int, end: int) -> tuple[list[str], int]:
        """Return the parts of a name that are said from a place on, and the place after the last of them."""
        left = list(self._parts[holder][1])
        said: list[str] = []
        place = stop = start
        while place < end and left:
            word = _bare(words[place].plain)
            part = next((part for part in left if is_alike(word, part)), None)
            spelt = None if part else _spelt(words, place, left)
            if spelt is not None:
                part, place = spelt
            if part is not None:
                left.remove(part)
                said.append(part)
                stop = place + 1
            elif word not in _FORMS and word not in {",", ".", "-"}:
                break
            place += 1
        while stop < end and words[stop].plain in _FORMS - {"y", "e", "de", "del", "la", "el", "a", "and", "i"}:
            stop += 1
        return said, stop

    def _matching(self, word: str) -> list[str]:
        word = _bare(word)
        if word in _FORMS or not word[:1].isalnum():
            return []
        if word in self._holders:
            return [word]
        if word in _COMMON:
            return []
        return [part for part in self._holders if is_alike(word, part)]

    def _weight(self, parts: Sequence[str]) -> float:
        return sum(1 / len(self._holders[part]) for part in parts) or 1

    def _is_telling(self, parts: Sequence[str]) -> bool:
        return any(len(part) >= _SHORTEST_TYPO and len(self._holders[part]) <= 3 for part in parts)  # noqa: PLR2004


def _bare(word: str) -> str:
    """Return a word without the English genitive, and the Spanish one for a kind of business."""
    word = word.removesuffix("'s")
    return _BUSINESSES.get(word, word)


def _spelt(words: Sequence[Word], place: int, parts: Sequence[str]) -> tuple[str, int] | None:
    """Return the part of digits that is spelt here, and the place of its last word."""
    if not any(part.isdigit() for part in parts):
        return None
    for language in ("es", "en"):
        number = number_at(words, place, language)
        if number is not None and (digits := str(number.value)) in parts:
            return digits, number.end - 1
    return None


def parts_of(name: str) -> list[str]:
    """Return the words that tell a name from others."""
    parts = [word.plain for word in words_of(name) if word.plain[:1].isalnum()]
    return [part for part in parts if part not in _FORMS] or parts


def is_alike(word: str, part: str) -> bool:
    """Return True if a word is a part of a name, with a slip or two in long ones."""
    if word == part:
        return True
    longest = max(len(word), len(part))
    if min(len(word), len(part)) < _SHORTEST_TYPO or word[:1] != part[:1] and longest < _TWO_SLIPS:
        return False
    allowed = 2 if longest >= _TWO_SLIPS else 1
    return abs(len(word) - len(part)) <= allowed and distance(word, part, allowed) <= allowed


def distance(one: str, other: str, most: int) -> int:
    """Return the number of slips between two words: a letter too many, missing, another one, or two exchanged.

    Counting ends above `most`. Source: optimal string alignment.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row, before, former = [i], row, before
        for j, target in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != target))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == target:
                cost = min(cost, former[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def iterate_parts(mentions: Sequence[Mention]) -> Iterator[int]:
    """Yield the places of all words that are part of a name."""
    for mention in mentions:
        yield from range(mention.start, mention.end)

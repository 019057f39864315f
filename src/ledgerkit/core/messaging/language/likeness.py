"""Likeness of words: how they sound in Spanish, and slips of people who type on a telephone."""

import re
from collections.abc import Collection

SHORTEST_SLIP = 4
"""Letters of a word at least in which a slip is looked for."""

_TWO_SLIPS = 8
"""Letters of a word from which on two slips are forgiven."""

_SOUNDS = (
    *(("qu", "k"), ("ce", "se"), ("ci", "si"), ("ch", "x"), ("c", "k"), ("ll", "y")),
    *(("h", ""), ("v", "b"), ("z", "s"), ("ge", "je"), ("gi", "ji")),
)


def sound(word: str) -> str:
    """Return a key of how a Spanish word sounds: `aser` and `hacer` have one, `biernes` and `viernes` too."""
    for letters, heard in _SOUNDS:
        word = word.replace(letters, heard)
    return re.sub(r"(.)\1+", r"\1", word.removesuffix("d"))


def distance(written: str, other: str, most: int) -> int:
    """Return the number of slips between two words: a letter too many, missing, another one, or two exchanged.

    Counting ends above `most`. Source: optimal string alignment, of the letters between those that both words begin
    and end with.
    """
    while written and other and written[0] == other[0]:
        written, other = written[1:], other[1:]
    while written and other and written[-1] == other[-1]:
        written, other = written[:-1], other[:-1]
    if not written or not other:
        return len(written) + len(other)
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(written, 1):
        row, before, former = [i], row, before
        for j, target in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != target))
            if i > 1 and j > 1 and letter == other[j - 2] and written[i - 2] == target:
                cost = min(cost, former[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


class KnownWords:
    """Words among which one is looked for that was meant by another.

    Only those of about its length with nearly its letters are compared letter by letter.
    """

    def __init__(self, words: Collection[str], *, most_slips: int = 2) -> None:
        """Keep the words; `most_slips` are forgiven in long ones, and one in shorter ones."""
        self._most_slips = most_slips
        self._by_sound: dict[str, list[str]] = {}
        self._by_letter: dict[tuple[str, int], list[tuple[int, str]]] = {}
        for word in sorted(words):
            heard = sound(word)
            self._by_sound.setdefault(heard, []).append(word)
            if len(word) >= SHORTEST_SLIP:
                self._by_letter.setdefault((heard[:1], len(word)), []).append((_letters(word), word))

    def of_sound(self, word: str) -> list[str]:
        """Return the words that sound the same."""
        return self._by_sound.get(sound(word), [])

    def near(self, word: str) -> list[str]:
        """Return the words that differ by slips, beginning with the same sound."""
        if len(word) < SHORTEST_SLIP:
            return []
        begins, letters = sound(word)[:1], _letters(word)
        near: list[str] = []
        for length in range(max(SHORTEST_SLIP, len(word) - self._most_slips), len(word) + self._most_slips + 1):
            allowed = min(self._most_slips, 2 if max(length, len(word)) >= _TWO_SLIPS else 1)
            if abs(length - len(word)) > allowed:
                continue
            near += [
                other
                for other_letters, other in self._by_letter.get((begins, length), ())
                if (letters ^ other_letters).bit_count() <= 2 * allowed and distance(word, other, allowed) <= allowed
            ]
        return near


def _letters(word: str) -> int:
    """Return a set of the letters of a word, as bits."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) % 64)
    return bits

"""Match the lines of a supplier invoice with the items of the catalog, by barcode, sku and name; arithmetic only.

The result depends on nothing but the lines and the items: not on their order, and not on the moment.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.platform.records import search
from ledgerkit.core.purchases.reading.words.comparison import meaningful_words, stem

SURE = 0.85
"""Score from which on a match needs no question, unless another item comes close."""

POSSIBLE = 0.5
"""Score from which on a match is asked about; below, the line is a new item."""

_MARGIN = 0.06
_SAME_BARCODE = 1.0
_SAME_SKU = 0.97
_SAME_SKU_OTHER_NAME = 0.75
_OTHER_MEASURE = 0.45
"""Highest score of names whose measures differ: half a litre is another item than a litre."""

_MISSPELT = 0.8
_LEAST_MISSPELT = 5
_SHORTEST_SKU = 3
_BEST_BY_WORDS = 12

_MEASURE = re.compile(r"(?<![^\W_])(\d+(?:[.,]\d+)?)\s*(kg|grs?|mg|g|lts?|cl|ml|l|mm|cm|m|kwh?|w|v|ah|uds?|u)?\b")
_CODE = re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])\w+\b")
_MISREAD = re.compile(r"\b(?=\w{4})[^\W\d_]+[015][^\W\d_]+\b")
_LETTERS = str.maketrans("015", "ols")
"""Letters that recognition of characters takes for digits, by these digits."""

_UNITS: Mapping[str, tuple[str, Decimal]] = {
    "kg": ("g", Decimal(1000)),
    "gr": ("g", Decimal(1)),
    "mg": ("g", Decimal("0.001")),
    "l": ("ml", Decimal(1000)),
    "lt": ("ml", Decimal(1000)),
    "cl": ("ml", Decimal(10)),
    "m": ("mm", Decimal(1000)),
    "cm": ("mm", Decimal(10)),
    "kw": ("w", Decimal(1000)),
    "ud": ("", Decimal(1)),
    "u": ("", Decimal(1)),
}
"""Base unit and factor by unit without its plural; a unit that is not named is its own base."""


@dataclass(frozen=True, kw_only=True)
class CatalogEntry:
    """Item of the catalog by which a line may be matched."""

    id: str
    name: str
    sku: str | None
    barcode: str | None


@dataclass(frozen=True, kw_only=True)
class ItemMatch:
    """Item that a line probably is, with a score from 0 to 1; `sure`: nobody needs to be asked."""

    entry: CatalogEntry
    score: float
    sure: bool


@dataclass(frozen=True)
class _Features:
    words: frozenset[str]
    measures: frozenset[str]

    @property
    def tokens(self) -> frozenset[str]:
        return self.words | self.measures


class Matcher:
    """Items of a catalog, prepared for many lines."""

    def __init__(self, entries: Iterable[CatalogEntry]) -> None:
        self._entries = sorted(entries, key=lambda entry: entry.id)
        self._features = [_features(entry.name) for entry in self._entries]
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, features in enumerate(self._features):
            for token in features.tokens:
                self._places[token].append(place)
        self._by_code: dict[str, list[int]] = defaultdict(list)
        for place, entry in enumerate(self._entries):
            for code in {_code(entry.sku), _code(entry.barcode)} - {""}:
                self._by_code[code].append(place)

    def match(self, name: str, code: str | None = None) -> ItemMatch | None:
        """Return the item that a line with this name and the vendor's `code` most probably is; None for a new one."""
        features = _features(name)
        scores = {place: self._score(features, place) for place in self._likely(features)}
        for place in self._by_code.get(_code(code), ()):
            scores[place] = self._score_of_code(_code(code), place, scores.get(place, 0.0))
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        if not ranked or ranked[0][1] < POSSIBLE:
            return None
        place, score = ranked[0]
        rival = ranked[1][1] if len(ranked) > 1 else 0.0
        return ItemMatch(entry=self._entries[place], score=score, sure=score >= SURE and score - rival >= _MARGIN)

    def _score_of_code(self, code: str, place: int, name_score: float) -> float:
        entry = self._entries[place]
        if code == _code(entry.barcode) and len(code) >= 8:
            return _SAME_BARCODE
        if len(code) < _SHORTEST_SKU:
            return name_score
        return _SAME_SKU if name_score >= POSSIBLE / 2 else _SAME_SKU_OTHER_NAME

    def _likely(self, features: _Features) -> list[int]:
        """Return the items that share the weightiest words with a line, a few of them."""
        shared: Counter[int] = Counter()
        for token in sorted(features.tokens):
            for place in self._places.get(token, ()):
                shared[place] += round(1000 * self._weight(token))
        return [place for place, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:_BEST_BY_WORDS]]

    def _weight(self, token: str) -> float:
        """Return the weight of a word: the fewer items have it, the more it weighs."""
        return math.log(2 + len(self._entries) / (1 + len(self._places.get(token, ()))))

    def _score(self, features: _Features, place: int) -> float:
        """Return twice the weight of the shared words by the weight of all of them (Dice's coefficient)."""
        other = self._features[place]
        total = sum(self._weight(token) for token in sorted(features.tokens)) + sum(
            self._weight(token) for token in sorted(other.tokens)
        )
        shared = sum(self._weight(token) for token in sorted(features.tokens & other.tokens))
        shared += _MISSPELT * self._misspelt(features.words - other.words, other.words - features.words)
        score = 2 * shared / total if total else 0.0
        differs = not (features.measures <= other.measures or other.measures <= features.measures)
        return min(score, _OTHER_MEASURE) if differs else min(score, 1.0)

    def _misspelt(self, words: frozenset[str], others: frozenset[str]) -> float:
        """Return the weight of the words of both sides that differ by one letter, as misread ones do."""
        free = sorted(others)
        weight = 0.0
        for word in sorted(words):
            pair = next((other for other in free if _is_one_letter_apart(word, other)), None)
            if pair is not None:
                free.remove(pair)
                weight += (self._weight(word) + self._weight(pair)) / 2
        return weight


def search_words(texts: Sequence[str | None]) -> list[str]:
    """Return the words by which items may be found that these names and codes mean: each in singular and plural."""
    words = {word for text in texts for word in search.words(search.searchable(text)) if len(word) > 1}
    return sorted({form for word in words for form in _forms(word)})


def _forms(word: str) -> set[str]:
    if not word.isalpha():
        return {word}
    return {word, word + "s", word + "es", word.removesuffix("s"), word.removesuffix("es"), stem(word)}


def _features(name: str) -> _Features:
    folded = _MISREAD.sub(lambda match: match[0].translate(_LETTERS), search.searchable(name))
    folded = re.sub(r"(?<=\d)x(?=\d)", " ", folded)
    measures = {_measure(match[1], match[2]) for match in _MEASURE.finditer(folded)}
    without_measures = _MEASURE.sub(" ", folded)
    codes = set(_CODE.findall(without_measures))
    return _Features(frozenset(meaningful_words(_CODE.sub(" ", without_measures))), frozenset(measures | codes))


def _measure(number: str, unit: str | None) -> str:
    singular = (unit or "").removesuffix("s")
    base, factor = _UNITS.get(singular, (singular, Decimal(1)))
    return f"{(Decimal(number.replace(',', '.')) * factor).normalize():f}{base}"


def _code(code: str | None) -> str:
    """Return a sku or barcode without separators, case and the zeros that lead a GTIN."""
    compact = re.sub(r"[\W_]", "", search.searchable(code))
    return compact.lstrip("0") if compact.isdigit() and len(compact) >= 8 else compact


def _is_one_letter_apart(word: str, other: str) -> bool:
    if min(len(word), len(other)) < _LEAST_MISSPELT or abs(len(word) - len(other)) > 1:
        return False
    start = next((place for place, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), None)
    if start is None:
        return len(word) != len(other)
    ends = (word[start + 1 :], other[start + 1 :])
    return ends[0] == ends[1] or word[start:] == ends[1] or ends[0] == other[start:]

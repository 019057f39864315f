"""Numbers in a message: digits as Spaniards and others write them, and the words of both languages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from ledgerkit.core.messaging.language.words import Word

LONGEST = 12
"""Digits of a number at most."""

_DIGITS = re.compile(r"\d+(?:[.,']\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:([.,'])\d{3})(?:\1\d{3})*")
_EUROS = frozenset({"€", "euros", "euro", "eur"})


@dataclass(frozen=True)
class Number:
    """A number from word `start` up to `end`. `is_doubtful`: it can be read in two ways, as 1.200 in English."""

    value: Decimal
    start: int
    end: int
    is_doubtful: bool = False


@dataclass(frozen=True, kw_only=True)
class _Spelling:
    """Number words of a language."""

    small: Mapping[str, int]
    tens: Mapping[str, int]
    hundreds: Mapping[str, int] = field(default_factory=dict)
    hundred: frozenset[str] = frozenset()
    thousand: frozenset[str]
    million: frozenset[str]
    point: frozenset[str]
    in_tens: frozenset[str]
    """Words between tens and units, as in `treinta y dos`."""
    in_hundreds: frozenset[str] = frozenset()
    """Words after hundreds and thousands, as in `a hundred and two`."""
    one: frozenset[str] = frozenset()
    """Articles that stand for one before hundred and thousand."""
    groups: str
    """Sign between thousands."""


def _numbered(words: str, first: int, step: int = 1) -> dict[str, int]:
    return {word: first + place * step for place, word in enumerate(words.split())}


_UNITS_ES = "dos tres cuatro cinco seis siete ocho nueve"

_SPELLINGS = {
    "es": _Spelling(
        small={
            **_numbered("cero un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince", 0),
            **_numbered("dieciseis diecisiete dieciocho diecinueve veinte", 16),
            **_numbered(" ".join(f"veinti{unit}" for unit in ["un", *_UNITS_ES.split()]), 21),
            **{"uno": 1, "una": 1, "veintiuno": 21, "veintiuna": 21},
        },
        tens=_numbered("treinta cuarenta cincuenta sesenta setenta ochenta noventa", 30, 10),
        hundreds={
            **{"cien": 100, "ciento": 100, "quinientos": 500, "quinientas": 500},
            **{"setecientos": 700, "setecientas": 700, "novecientos": 900, "novecientas": 900},
            **_numbered("doscientos trescientos cuatrocientos", 200, 100),
            **_numbered("doscientas trescientas cuatrocientas", 200, 100),
            **{"seiscientos": 600, "seiscientas": 600, "ochocientos": 800, "ochocientas": 800},
        },
        thousand=frozenset({"mil"}),
        million=frozenset({"millon", "millones"}),
        point=frozenset({"coma", "punto"}),
        in_tens=frozenset({"y"}),
        groups=".",
    ),
    "en": _Spelling(
        small={
            **_numbered("zero one two three four five six seven eight nine ten eleven twelve", 0),
            **_numbered("thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 13),
        },
        tens={
            **_numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10),
            "fourty": 40,
        },
        hundred=frozenset({"hundred", "hundreds"}),
        thousand=frozenset({"thousand", "grand"}),
        million=frozenset({"million"}),
        point=frozenset({"point"}),
        in_tens=frozenset({"-"}),
        in_hundreds=frozenset({"and"}),
        one=frozenset({"a", "an"}),
        groups=",",
    ),
}


def number_at(words: Sequence[Word], start: int, language: str) -> Number | None:
    """Return the number that begins at a word, in digits or in words of `language`; None where none does."""
    if _DIGITS.fullmatch(words[start].plain):
        return _in_digits(words, start, language)
    spelt = _Spelt(words, start, _SPELLINGS[language])
    value = spelt.number()
    return None if value is None else Number(value, start, spelt.place)


def _in_digits(words: Sequence[Word], start: int, language: str) -> Number | None:
    number = _with_separators(words[start].plain, language)
    if number is None:
        return None
    value, is_doubtful = number
    following = words[start + 1 :]
    if following and following[0].plain == "k" and following[0].start == words[start].end:
        return Number(value * 1000, start, start + 2)
    if following and following[0].plain in _SPELLINGS[language].thousand | {"mil"}:
        rest = number_at(words, start + 2, language) if len(following) > 1 else None
        if rest is not None and rest.value < 1000:  # noqa: PLR2004 - what follows thousands
            return Number(value * 1000 + rest.value, start, rest.end)
        return Number(value * 1000, start, start + 2)
    if _is_spaced_group(words, start):
        return Number(value * 1000 + Decimal(following[0].plain), start, start + 2)
    return Number(value, start, start + 1, is_doubtful)


def _is_spaced_group(words: Sequence[Word], start: int) -> bool:
    """Return True where a blank groups thousands before a currency, as in `1 200 €`."""
    if start + 2 >= len(words) or words[start + 2].plain not in _EUROS:
        return False
    return bool(re.fullmatch(r"[1-9]\d{0,2}", words[start].plain) and re.fullmatch(r"\d{3}", words[start + 1].plain))


def _with_separators(digits: str, language: str) -> tuple[Decimal, bool] | None:
    """Return the value of digits with separators, and whether it can be read in two ways; None for no number.

    Three digits after the only separator are thousands where the language groups so, and a doubt elsewhere.
    """
    signs = [sign for sign in digits if not sign.isdigit()]
    if len(digits) - len(signs) > LONGEST:
        return None
    if not signs:
        return Decimal(digits), False
    last = signs[-1]
    if len(set(signs)) > 1:
        whole, _, decimals = digits.rpartition(last)
        fits = signs.count(last) == 1 and _GROUPED.fullmatch(whole)
        return (Decimal(f"{re.sub('[.,]', '', whole)}.{decimals}"), False) if fits else None
    if _GROUPED.fullmatch(digits) and not digits.startswith("0"):
        is_doubtful = len(signs) == 1 and last not in {_SPELLINGS[language].groups, "'"}
        return Decimal(digits.replace(last, "")), is_doubtful
    return None if len(signs) > 1 or last == "'" else (Decimal(digits.replace(last, ".")), False)


class _Spelt:
    """Reader of a number in words; `place` is the word after what was read."""

    def __init__(self, words: Sequence[Word], place: int, spelling: _Spelling) -> None:
        self._words = words
        self._spelling = spelling
        self.place = place

    def number(self) -> Decimal | None:
        """Return a whole number with what follows its point; None where no number is spelt."""
        whole = self._whole()
        if whole is None:
            return None
        before = self.place
        if self._takes(self._spelling.point):
            decimals = self._below_hundred()
            if decimals is not None:
                return Decimal(f"{whole}.{decimals}")
            self.place = before
        return Decimal(whole)

    def _whole(self) -> int | None:
        spelling, total, has_begun = self._spelling, 0, False
        for size, word in ((1_000_000, spelling.million), (1_000, spelling.thousand)):
            before = self.place
            count = self._below_thousand() if not self._takes(spelling.one) else 1
            if self._takes(word) and (count is not None or size == 1_000):  # noqa: PLR2004 - `mil` stands alone
                total += size * (1 if count is None else count)
                has_begun = True
                self._takes(spelling.in_hundreds)
            else:
                self.place = before
        rest = self._below_thousand()
        if rest is None:
            return total if has_begun else None
        return total + rest

    def _below_thousand(self) -> int | None:
        spelling, before = self._spelling, self.place
        hundreds = self._value(spelling.hundreds)
        if hundreds is None:
            count = 1 if self._takes(spelling.one) else self._below_hundred()
            if count is None or not self._takes(spelling.hundred):
                if count is not None and self._words[before].plain in spelling.one:
                    self.place = before
                    return None
                return count
            hundreds = count * 100
        after_hundreds = self.place
        self._takes(spelling.in_hundreds)
        rest = self._below_hundred()
        if rest is None:
            self.place = after_hundreds
        return hundreds + (rest or 0)

    def _below_hundred(self) -> int | None:
        spelling = self._spelling
        small = self._value(spelling.small)
        if small is not None:
            return small
        tens = self._value(spelling.tens)
        if tens is None:
            return None
        after_tens = self.place
        joined = self._takes(spelling.in_tens)
        if joined and self._is_article():
            self.place = after_tens
            return tens
        unit = self._value({word: value for word, value in spelling.small.items() if 0 < value < 10})  # noqa: PLR2004
        if unit is None or (not joined and not spelling.hundred):  # Spanish units are joined by `y`
            self.place = after_tens
            return tens
        return tens + unit

    def _is_article(self) -> bool:
        """Return True for the article in `a cuarenta y un desplazamiento`: it stands before a thing in the singular."""
        words = [word.plain for word in self._words[self.place : self.place + 2]]
        return len(words) == 2 and words[0] in {"un", "una"} and words[1].isalpha() and words[1][-1:] not in {"s", "l"}

    def _value(self, values: Mapping[str, int]) -> int | None:
        if self.place >= len(self._words):
            return None
        value = values.get(self._words[self.place].plain)
        self.place += value is not None
        return value

    def _takes(self, expected: frozenset[str]) -> bool:
        takes = self.place < len(self._words) and self._words[self.place].plain in expected
        self.place += takes
        return takes

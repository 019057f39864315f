"""Numbers in a message: digits as Spaniards and others write them, and the words of both languages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word

LONGEST = 9
"""Digits of a number at most."""

LANGUAGES = ("es", "en")

_DIGITS = re.compile(r"[0-9]+(?:[.,'][0-9]+)*")
_GROUPED = re.compile(r"[0-9]{1,3}(?:([.,'])[0-9]{3})(?:\1[0-9]{3})*")
_EUROS = frozenset({"€", "euros", "euro", "eur"})
_HUNDRED = 100
_CENTS = 2
_THOUSAND = 1000


@dataclass(frozen=True)
class TextNumber:
    """A number from word `start` up to `end`. `is_doubtful`: it can be read in two ways, as 1.200 in English."""

    value: Decimal
    start: int
    end: int
    is_doubtful: bool = False

    @property
    def is_whole(self) -> bool:
        return self.value == int(self.value)


@dataclass(frozen=True, kw_only=True)
class _Spelling:
    """Number words of a language."""

    small: Mapping[str, int]
    tens: Mapping[str, int]
    hundreds: Mapping[str, int]
    units: Mapping[str, int]
    """Words from one to nine."""
    hundred: frozenset[str]
    thousand: frozenset[str]
    million: frozenset[str]
    point: frozenset[str]
    in_tens: frozenset[str]
    """Words between tens and units, as in `treinta y dos`."""
    in_hundreds: frozenset[str]
    """Words after hundreds and thousands, as in `a hundred and two`."""
    one: frozenset[str]
    """Articles that stand for one before hundred and thousand."""
    joins_units: bool
    """True where a word stands between tens and units."""
    groups: str
    """Sign between thousands."""


def _spelling(language: str) -> _Spelling:
    vocabulary = Vocabulary("numbers")
    small = vocabulary.numbers(f"small_{language}")
    tens = vocabulary.numbers(f"tens_{language}")
    units = {word: value for word, value in small.items() if 0 < value < 10}
    in_one_word = {
        f"{ten}{joint}{unit}": tens[ten] + units[unit] for ten in tens for unit in units for joint in ("i", "y")
    }
    return _Spelling(
        small={**small, **(in_one_word if language == "es" else {})},
        tens=tens,
        hundreds=vocabulary.numbers(f"hundreds_{language}"),
        units=units,
        hundred=vocabulary.words(f"hundred_{language}"),
        thousand=vocabulary.words(f"thousand_{language}"),
        million=vocabulary.words(f"million_{language}"),
        point=vocabulary.words(f"point_{language}"),
        in_tens=vocabulary.words(f"in_tens_{language}"),
        in_hundreds=vocabulary.words(f"in_hundreds_{language}"),
        one=vocabulary.words(f"one_{language}"),
        joins_units=language == "es",
        groups="." if language == "es" else ",",
    )


_SPELLINGS = {language: _spelling(language) for language in LANGUAGES}
NUMBER_WORDS = frozenset(
    word for spelling in _SPELLINGS.values() for word in (*spelling.small, *spelling.tens, *spelling.hundreds)
)
"""Words of numbers below a thousand."""

_FIRSTS = {
    language: frozenset((*spelling.small, *spelling.tens, *spelling.hundreds, *spelling.thousand, *spelling.one))
    for language, spelling in _SPELLINGS.items()
}
"""Words with which a number in words begins."""


def number_at(words: Sequence[Word], start: int, language: str) -> TextNumber | None:
    """Return the number that begins at a word, in digits or in words of `language`; None where none does."""
    if start >= len(words):
        return None
    if _DIGITS.fullmatch(words[start].plain):
        return _in_digits(words, start, language)
    if words[start].plain not in _FIRSTS[language]:
        return None
    spelt = _Spelt(words, start, _SPELLINGS[language])
    value = spelt.number()
    return None if value is None else TextNumber(value, start, spelt.place)


def _in_digits(words: Sequence[Word], start: int, language: str) -> TextNumber | None:
    number = _with_separators(words[start].plain, language)
    if number is None:
        return None
    value, is_doubtful = number
    return _in_hundreds_or_thousands(words, start, value, language) or TextNumber(value, start, start + 1, is_doubtful)


def _in_hundreds_or_thousands(words: Sequence[Word], start: int, value: Decimal, language: str) -> TextNumber | None:
    """Return the number of `2k`, `12 hundred`, `2 mil 300` and `1 200 €`; None for digits alone."""
    following = words[start + 1].plain if start + 1 < len(words) else ""
    if following == "k" and words[start + 1].start == words[start].end:
        return TextNumber(value * _THOUSAND, start, start + 2)
    if following == "hundred" and value < _HUNDRED:
        return TextNumber(value * _HUNDRED, start, start + 2)
    if following in _SPELLINGS[language].thousand | {"mil"}:
        small = number_at(words, start + 2, language)
        has_more = small is not None and small.value < _THOUSAND
        total = value * _THOUSAND + (small.value if small is not None and has_more else 0)
        return TextNumber(total, start, small.end if small is not None and has_more else start + 2)
    if _is_spaced_group(words, start):
        return TextNumber(value * _THOUSAND + Decimal(following), start, start + 2)
    return None


def _is_spaced_group(words: Sequence[Word], start: int) -> bool:
    """Return True where a blank groups thousands before a currency, as in `1 200 €`."""
    if start + 2 >= len(words) or words[start + 2].plain not in _EUROS:
        return False
    return bool(re.fullmatch(r"[1-9][0-9]{0,2}", words[start].plain)) and bool(
        re.fullmatch(r"[0-9]{3}", words[start + 1].plain)
    )


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
        return _with_two_separators(digits, last)
    if _GROUPED.fullmatch(digits) and not digits.startswith("0"):
        is_doubtful = len(signs) == 1 and last not in {_SPELLINGS[language].groups, "'"}
        return Decimal(digits.replace(last, "")), is_doubtful
    is_odd = len(signs) > 1 or (last == "'" and len(digits.rpartition(last)[2]) != _CENTS)
    return None if is_odd else (Decimal(digits.replace(last, ".")), False)


def _with_two_separators(digits: str, last: str) -> tuple[Decimal, bool] | None:
    """Return the value of `1.200,50` and `1,200.50`."""
    whole, _, decimals = digits.rpartition(last)
    if last in whole or last == "'" or not _GROUPED.fullmatch(whole):
        return None
    return Decimal(f"{re.sub('[^0-9]', '', whole)}.{decimals}"), False


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
        """Return a number with its millions and thousands; the place is kept where there is none."""
        spelling, total, has_begun, end = self._spelling, 0, False, self.place
        for size, word in ((1_000_000, spelling.million), (_THOUSAND, spelling.thousand)):
            self.place = end
            if has_begun:
                self._takes(spelling.in_hundreds)
            count = 1 if self._takes(spelling.one) else self._below_thousand()
            if self._takes(word) and (count is not None or size == _THOUSAND):
                total += size * (1 if count is None else count)
                has_begun, end = True, self.place
        self.place = end
        if has_begun:
            self._takes(spelling.in_hundreds)
        small = self._below_thousand()
        if small is None:
            self.place = end
            return total if has_begun else None
        return total + small

    def _below_thousand(self) -> int | None:
        hundreds = self._hundreds()
        if hundreds is None:
            return self._below_hundred()
        after_hundreds = self.place
        is_joined = self._takes(self._spelling.in_hundreds)
        small = self._below_hundred()
        if small is None or (is_joined and self._is_at(self._spelling.hundred | self._spelling.thousand)):
            # `five hundred and two hundred` are two numbers.
            self.place = after_hundreds
            return hundreds
        return hundreds + small

    def _hundreds(self) -> int | None:
        """Return `trescientos`, `three hundred`, `fifteen hundred` or `a hundred`; the place is kept for none."""
        spelling, before = self._spelling, self.place
        hundreds = self._value(spelling.hundreds)
        if hundreds is not None:
            return hundreds
        count = 1 if self._takes(spelling.one) else self._below_hundred()
        if count is not None and self._takes(spelling.hundred):
            return count * 100
        self.place = before
        return None

    def _below_hundred(self) -> int | None:
        spelling = self._spelling
        small = self._value(spelling.small)
        if small is not None:
            return small
        tens = self._value(spelling.tens)
        if tens is None:
            return None
        after_tens = self.place
        is_joined = self._takes(spelling.in_tens)
        may_follow = is_joined or not spelling.joins_units
        unit = None if is_joined and self._is_article() else self._value(spelling.units) if may_follow else None
        if unit is None:
            self.place = after_tens
            return tens
        return tens + unit

    def _is_article(self) -> bool:
        """Return True for the article in `a cuarenta y un desplazamiento`: it stands before a thing in the singular."""
        words = [word.plain for word in self._words[self.place : self.place + 2]]
        return (
            len(words) == 2
            and words[0] in {"un", "una"}
            and words[1].isalpha()
            and words[1][-1:] != "s"
            and words[1] != "mil"
        )

    def _value(self, values: Mapping[str, int]) -> int | None:
        if self.place >= len(self._words):
            return None
        value = values.get(self._words[self.place].plain)
        self.place += value is not None
        return value

    def _is_at(self, expected: frozenset[str]) -> bool:
        return self.place < len(self._words) and self._words[self.place].plain in expected

    def _takes(self, expected: frozenset[str]) -> bool:
        takes = self._is_at(expected)
        self.place += takes
        return takes

"""Amounts of money in a message, each with the words that it takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.messaging.language.numbers import TextNumber, number_at
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word

_VOCABULARY = Vocabulary("amounts")
CURRENCY = _VOCABULARY.words("currency")
_SIGNS = CURRENCY & {"€"} | _VOCABULARY.words("foreign_signs")
_CENTS = _VOCABULARY.words("cents")
_WITH = _VOCABULARY.words("with")
_COUNTED = _VOCABULARY.words("counted")
_BEFORE_A_PRICE = _VOCABULARY.words("before_a_price")
_TAXES = _VOCABULARY.words("taxes")
_HUNDRED = 100
_LEAST_SPOKEN_CENTS = 10


@dataclass(frozen=True, kw_only=True)
class Amount:
    """An amount of money in the words from `start` up to `end`; `has_currency`: it was said to be money."""

    value: Decimal
    start: int
    end: int
    has_currency: bool = False
    is_doubtful: bool = False
    is_spelt: bool = False


def amount_at(words: Sequence[Word], start: int, language: str) -> Amount | None:
    """Return the amount that begins at a word: a number with its currency and cents, whether said or not."""
    has_sign = words[start].plain in _SIGNS
    number = number_at(words, start + has_sign, language)
    if number is None:
        return None
    end = number.end + is_currency(words, number.end)
    has_currency = has_sign or end > number.end
    is_spelt = words[number.start].is_alphabetic
    if not has_currency and _plain(words, end) in _CENTS:
        return Amount(
            value=number.value / _HUNDRED,
            start=start,
            end=end + 1,
            has_currency=True,
            is_doubtful=number.is_doubtful,
            is_spelt=is_spelt,
        )
    cents = _cents(words, end, language, number, is_money=has_currency)
    if cents is None:
        return Amount(
            value=number.value,
            start=start,
            end=end,
            has_currency=has_currency,
            is_doubtful=number.is_doubtful,
            is_spelt=is_spelt,
        )
    # `twelve fifty` may be 12.50 or 1,250.
    may_be_hundreds = language == "en" and number.value < _HUNDRED and not has_currency and not _is_priced(words, start)
    return Amount(
        value=number.value + cents[0],
        start=start,
        end=cents[1] + is_currency(words, cents[1]),
        has_currency=True,
        is_doubtful=number.is_doubtful or may_be_hundreds,
        is_spelt=is_spelt,
    )


def is_currency(words: Sequence[Word], place: int) -> bool:
    """Return True for a word that means euros; a bare `e` does only beside its number."""
    word = _plain(words, place)
    return word in CURRENCY and (word != "e" or words[place].start == words[place - 1].end)


def _is_priced(words: Sequence[Word], start: int) -> bool:
    return start > 0 and words[start - 1].plain in _BEFORE_A_PRICE


def _cents(
    words: Sequence[Word], end: int, language: str, number: TextNumber, *, is_money: bool
) -> tuple[Decimal, int] | None:
    """Return the cents after an amount, as in `120 con 50`, `20 euros y 5 céntimos` or `a hundred and twenty fifty`."""
    if not number.is_whole:
        return None
    is_joined = _plain(words, end) in _WITH
    cents = number_at(words, end + is_joined, language)
    if cents is None or not 0 < cents.value < _HUNDRED or not cents.is_whole:
        return None
    are_cents = _plain(words, cents.end) in _CENTS
    says_so = (_plain(words, end) == "con" and not _is_rate(words, cents)) or (is_money and is_joined and are_cents)
    is_spoken = not is_joined and _are_spoken_cents(words, number, cents, language, is_money=is_money)
    return (cents.value / _HUNDRED, cents.end + are_cents) if says_so or are_cents or is_spoken else None


def _is_rate(words: Sequence[Word], number: TextNumber) -> bool:
    """Return True for a number that is no cents: `con un 7 de IRPF`, `con 10 %`."""
    following = [_plain(words, place) for place in range(number.end, number.end + 2)]
    is_article = words[number.start].plain in {"un", "una", "uno"}
    return is_article or following[0] == "%" or following == ["por", "ciento"] or following[1] in _TAXES


def _are_spoken_cents(
    words: Sequence[Word], number: TextNumber, cents: TextNumber, language: str, *, is_money: bool
) -> bool:
    """Return True for the cents of `a cuatro noventa y cinco`; `a hundred and twenty five` is 125."""
    are_words = words[number.start].is_alphabetic and words[cents.start].is_alphabetic
    is_priced = language == "en" or is_money or _is_priced(words, number.start)
    is_count = _plain(words, cents.end) in _COUNTED
    return are_words and is_priced and not is_count and cents.value >= _LEAST_SPOKEN_CENTS


def _plain(words: Sequence[Word], place: int) -> str:
    return words[place].plain if place < len(words) else ""

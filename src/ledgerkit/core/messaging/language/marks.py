"""Amounts, rates, days and invoice numbers of a message, each with the words that it takes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledgerkit.core.messaging.language.dates import MONTHS, Day, Direction, day_at
from ledgerkit.core.messaging.language.numbers import Number, number_at
from ledgerkit.core.messaging.language.words import Word

CURRENCY = frozenset("€ euro euros eur e eu pavos pavo leuros lereles eurazos euritos".split())
_CENTS = frozenset("centimos centimo cts cents cent centims".split())
_WITH = frozenset({"con", "y", "and", "with"})
_NUMBER_WORDS = frozenset(
    "factura facturas fra fact invoice invoices inv numero num nº n number no # nr la el mark marca".split()
)
_COUNTED = frozenset("horas dias hours days percent por % lessons sessions posters hour day".split())
_INVOICE_NUMBER = re.compile(r"(?:[a-z]{1,6})?\d{4}[-/]\d{1,6}|[a-z]{1,6}\d{2,4}[-/]\d{1,6}")


@dataclass(frozen=True)
class Amount:
    """An amount of money in the words from `start` up to `end`; `has_currency`: it was said to be money."""

    value: Decimal
    start: int
    end: int
    has_currency: bool
    is_doubtful: bool
    is_spelt: bool = False


def amount_at(words: Sequence[Word], start: int, language: str) -> Amount | None:
    """Return the amount that begins at a word: a number with its currency and cents, whether said or not."""
    place = start
    has_sign = words[place].plain in {"€", "$"} and place + 1 < len(words)
    place += has_sign
    number = number_at(words, place, language)
    if number is None:
        return None
    value, end = number.value, number.end
    has_currency = has_sign
    if end < len(words) and words[end].plain in CURRENCY:
        has_currency, end = True, end + 1
    if not has_currency and end < len(words) and words[end].plain in _CENTS:
        return Amount(value / 100, start, end + 1, True, number.is_doubtful, _are_words(words, number))  # noqa: FBT003
    is_doubtful = number.is_doubtful
    cents = _cents(words, end, language, number, is_money=has_currency)
    if cents is not None:
        # `twelve fifty` may be 12.50 or 1,250.
        is_doubtful |= not has_currency and language == "en" and value < 100 and not _is_priced(words, start)  # noqa: PLR2004
        value, end = value + cents[0], cents[1]
        has_currency = True
        if end < len(words) and words[end].plain in CURRENCY:
            end += 1
    return Amount(value, start, end, has_currency, is_doubtful, _are_words(words, number))


def _is_priced(words: Sequence[Word], start: int) -> bool:
    return start > 0 and words[start - 1].plain in {"at", "x", "@", "with", "con", "a"}


def _cents(
    words: Sequence[Word], end: int, language: str, number: Number, *, is_money: bool
) -> tuple[Decimal, int] | None:
    """Return the cents after an amount, as in `120 con 50`, `20 euros y 5 céntimos` or `a hundred and twenty fifty`."""
    if number.value != int(number.value) or end >= len(words):
        return None
    joined = words[end].plain in _WITH
    place = end + joined
    if place >= len(words):
        return None
    cents = number_at(words, place, language)
    if cents is None or not 0 < cents.value < 100 or cents.value != int(cents.value):  # noqa: PLR2004 - cents
        return None
    are_cents = cents.end < len(words) and words[cents.end].plain in _CENTS
    says_so = words[end].plain == "con" or (is_money and joined and are_cents)
    are_spoken = _are_words(words, number) and _are_words(words, cents)
    follows = words[cents.end].plain if cents.end < len(words) else ""
    # `a hundred and twenty five` is 125.
    is_spoken = (
        not joined and are_spoken and cents.value >= 10 and follows not in _COUNTED and (
        language == "en" or is_money or _is_priced(words, number.start)
    )
    )  # noqa: PLR2004
    if not (says_so or are_cents or is_spoken):
        return None
    return cents.value / 100, cents.end + are_cents


def _are_words(words: Sequence[Word], number: Number) -> bool:
    return words[number.start].plain[0].isalpha()


def invoice_number(words: Sequence[Word], place: int) -> tuple[str, int] | None:
    """Return an invoice's number that begins at a word, as it was written, and the place after it.

    `F2026-0007`, `2026-14`, `factura 7`, `la 7`, `nº 7`, `number seven`.
    """
    if _INVOICE_NUMBER.fullmatch(words[place].plain):
        return words[place].text.upper(), place + 1
    dictated = _dictated(words, place)
    if dictated is not None:
        return dictated
    if re.fullmatch(r"0+\d{1,4}", words[place].plain) and len(words[place].plain) == 4:  # noqa: PLR2004
        return words[place].plain.lstrip("0"), place + 1
    start = place
    while place < len(words) and words[place].plain in _NUMBER_WORDS | {".", "º", "°", "de"}:
        place += 1
    if place == start or place >= len(words):
        return None
    if _INVOICE_NUMBER.fullmatch(words[place].plain):
        return words[place].text.upper(), place + 1
    return _small_number(words, place)


def _dictated(words: Sequence[Word], place: int) -> tuple[str, int] | None:
    """Return a number that was spelt aloud, as `efe dos mil veintiséis guion cero cero cero seis`."""
    if words[place].plain not in {"efe", "f", "ef", "eff"} or place + 1 >= len(words):
        return None
    for language in ("es", "en"):
        year = number_at(words, place + 1, language)
        if (
            year is None
            or year.end >= len(words)
            or words[year.end].plain not in {"guion", "-", "barra", "/", "dash", "hyphen", "slash"}
        ):
            continue
        inner = year.end + 1
        while inner < len(words) and words[inner].plain in {"cero", "zero", "oh", "o", "0"}:
            inner += 1
        number = number_at(words, inner, language) if inner < len(words) else None
        if number is not None:
            return f"F{year.value}-{int(number.value):04}", number.end
    return None


def _small_number(words: Sequence[Word], place: int) -> tuple[str, int] | None:
    padded = re.fullmatch(r"0+(\d{1,4})", words[place].plain)
    if padded is not None:
        return padded[1], place + 1
    for language in ("es", "en"):
        number = number_at(words, place, language)
        if number is not None and number.value == int(number.value) and not number.is_doubtful:
            follows = words[number.end].plain if number.end < len(words) else ""
            after = words[number.end + 1].plain if number.end + 1 < len(words) else ""
            is_day = follows == "de" and after in MONTHS
            is_other = is_day or follows in CURRENCY | MONTHS.keys() | {"%", "horas", "dias", "hours", "days", "h"}
            return None if is_other else (str(int(number.value)), number.end)
    return None


def first_day(words: Sequence[Word], language: str, fits: Callable[[int], bool] = lambda _: True) -> Day | None:
    """Return the first day in the words whose place fits."""
    for place in range(len(words)):
        if fits(place) and (day := day_at(words, place, language)) is not None:
            return day
    return None


def on(day: Day | None, today: date, direction: Direction) -> date | None:
    return None if day is None else day.on(today, direction)

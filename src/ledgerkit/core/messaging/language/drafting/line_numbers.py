"""Numbers of an invoice's lines: quantities, prices, and those that only describe."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from ledgerkit.core.messaging.language.amounts import CURRENCY, Amount, amount_at
from ledgerkit.core.messaging.language.dates import MONTHS, WEEKDAYS, day_at
from ledgerkit.core.messaging.language.numbers import NUMBER_WORDS
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word

_VOCABULARY = Vocabulary("lines")
UNITS = _VOCABULARY.words("units")
_NUMBERED = _VOCABULARY.words("numbered")
_NO_PRICES = _VOCABULARY.words("no_prices")
_PRICING = _VOCABULARY.words("at", "each_after", "multiplies", "joins")
_NO_THINGS = _VOCABULARY.words("small") | Vocabulary("common").words("invoice")
_DESCRIBING = _VOCABULARY.words("describing")
_QUANTITIES = {tuple(phrase.split()): Decimal(value) for phrase, value in _VOCABULARY.table("quantities").items()}
_FRACTIONS = {tuple(phrase.split()): Decimal(value) for phrase, value in _VOCABULARY.table("fractions").items()}
_ARTICLES = frozenset({"un", "una", "uno", "one", "1"})
_BEFORE_A_PRICE = CURRENCY | _VOCABULARY.words("multiplies")
_ORDINAL_SIGNS = frozenset({"ª", "º", "°", "er", "st", "nd", "rd", "th"})
_MOST_OF_A_NAME = 100
_MOST_OF_A_MONTH = 31
_BETWEEN_DAYS = frozenset({",", "y", "and", "al", "a", "to", "-", "&", "e"})
_YEARS = range(2015, 2036)
_MOST_SMALL = 12
"""Number up to which a spelt one may only describe, as in `tres idiomas`."""

_OPENS_WITHIN = 6


def numbers_of(words: Sequence[Word], free: Sequence[bool], language: str) -> list[Amount]:
    """Return the numbers of the free words that count or price something."""
    return _without_descriptions(words, free, _amounts(words, free, language))


def plain_at(words: Sequence[Word], place: int) -> str:
    """Return a plain word, empty outside of the message."""
    return words[place].plain if 0 <= place < len(words) else ""


def has_unit(words: Sequence[Word], number: Amount) -> bool:
    return plain_at(words, number.end) in UNITS


def _amounts(words: Sequence[Word], free: Sequence[bool], language: str) -> list[Amount]:
    amounts: list[Amount] = []
    place = 0
    while place < len(words):
        end = _after_day(words, place, language) if free[place] else place + 1
        if end is not None:
            place = end
            continue
        amount = _spelt_quantity(words, place) or amount_at(words, place, language)
        if amount is None or not all(free[amount.start : amount.end]) or _is_article(words, amount):
            place += 1
            continue
        place = amount.end
        if not _is_marker(words, amount):
            amounts.append(_with_fraction(words, _hours_and_minutes(words, amount)))
            place = amounts[-1].end
    return amounts


def _spelt_quantity(words: Sequence[Word], place: int) -> Amount | None:
    """Return `hora y media` and `un par de` as a number."""
    phrase = _phrase_at(words, place, _QUANTITIES)
    return None if phrase is None else Amount(value=_QUANTITIES[phrase], start=place, end=place + len(phrase))


def _phrase_at(words: Sequence[Word], place: int, phrases: dict[tuple[str, ...], Decimal]) -> tuple[str, ...] | None:
    """Return the longest of some phrases that stands at a place."""
    fitting = (
        phrase for phrase in phrases if tuple(word.plain for word in words[place : place + len(phrase)]) == phrase
    )
    return max(fitting, key=len, default=None)


def _after_day(words: Sequence[Word], place: int, language: str) -> int | None:
    """Return the place after a day that begins here; a bare number with an article is none."""
    day = day_at(words, _after_numbers(words, place), language)
    if day is None:
        return None
    plain = [word.plain for word in words[place : day.end]]
    is_named = any(word in MONTHS or word in WEEKDAYS for word in plain)
    is_numeric = any("/" in word or word.count("-") == 2 or word.count(".") == 2 for word in plain)
    return day.end if is_named or is_numeric else None


def _after_numbers(words: Sequence[Word], place: int) -> int:
    """Return the place of the last of some days that share a month, as in `12 al 15 de marzo`."""
    end = place
    while re.fullmatch(r"[0-9]{1,2}", plain_at(words, end)) and plain_at(words, end + 1) in _BETWEEN_DAYS:
        end += 2
    return end if re.fullmatch(r"[0-9]{1,2}", plain_at(words, end)) else place


def _with_fraction(words: Sequence[Word], amount: Amount) -> Amount:
    """Return a number with the fraction behind it or its unit: `dos y media`, `dos horas y media`."""
    unit = int(has_unit(words, amount))
    for place in (amount.end, amount.end + unit):
        phrase = _phrase_at(words, place, _FRACTIONS)
        if phrase is not None:
            return replace(amount, value=amount.value + _FRACTIONS[phrase], end=place + len(phrase))
    return amount


def _hours_and_minutes(words: Sequence[Word], amount: Amount) -> Amount:
    """Return `1h30` and `2 h 15 m` as hours."""
    minutes = plain_at(words, amount.end + 1)
    if plain_at(words, amount.end) != "h" or not re.fullmatch(r"[0-5][0-9]", minutes):
        return amount
    end = amount.end + 2
    has_unit_of_minutes = plain_at(words, end) in {"m", "min", "minutos", "h"}
    if not has_unit_of_minutes and words[end - 1].start != words[end - 2].end:
        return amount
    end += has_unit_of_minutes
    return replace(amount, value=amount.value + Decimal(minutes) / 60, end=end)


def _is_marker(words: Sequence[Word], amount: Amount) -> bool:
    """Return True for the number of an item in a list, as `2)`, or in a name, as `Q2` and `2ª fase`."""
    if not amount.has_currency and (_is_of_name(words, amount) or _is_of_day(words, amount)):
        return True
    if plain_at(words, amount.end) in _NO_PRICES and not amount.has_currency:
        return True
    opens = any(word.plain == "(" for word in words[max(0, amount.start - _OPENS_WITHIN) : amount.start])
    return plain_at(words, amount.end) == ")" and not opens


def _is_of_name(words: Sequence[Word], amount: Amount) -> bool:
    """Return True for `sprint 12`, `A3` and `2ª fase`."""
    before, after = (words[place] if 0 <= place < len(words) else None for place in (amount.start - 1, amount.end))
    if after is not None and {after.text, after.plain} & _ORDINAL_SIGNS and after.start == words[amount.end - 1].end:
        return True
    if before is None or not amount.value < _MOST_OF_A_NAME:
        return False
    is_joined = before.end == words[amount.start].start and before.is_alphabetic
    is_price = before.plain in _BEFORE_A_PRICE or before.text == "a"
    return before.plain in _NUMBERED or (is_joined and not is_price)


def _is_of_day(words: Sequence[Word], amount: Amount) -> bool:
    """Return True for `reunión día 16`, and False for `un día 25`."""
    is_day = plain_at(words, amount.start - 1) in {"dia", "day"} and amount.value <= _MOST_OF_A_MONTH
    counted = plain_at(words, amount.start - 2)
    return is_day and counted.isalpha() and counted not in _ARTICLES | NUMBER_WORDS | {"medio", "half"}


def _is_article(words: Sequence[Word], amount: Amount) -> bool:
    """Return True for `una`, `one` or `1` before a thing, which counts no more than an article."""
    is_one = amount.end - amount.start == 1 and words[amount.start].plain in _ARTICLES
    is_price = words[amount.start].plain == "1" and plain_at(words, amount.start - 1) in {"a", "at", "@", "x"}
    is_one = is_one and not is_price and _phrase_at(words, amount.end, _FRACTIONS) is None
    return is_one and not amount.has_currency and plain_at(words, amount.end) not in UNITS


def _without_descriptions(words: Sequence[Word], free: Sequence[bool], numbers: Sequence[Amount]) -> list[Amount]:
    """Return the numbers without those that only describe, as in `tres idiomas` beside amounts in digits."""
    if len(numbers) == 1 and not numbers[0].has_currency and _measures(words, numbers[0]):
        return []
    numbers = [
        number
        for place, number in enumerate(numbers)
        if not (_is_part_of_name(words, number, numbers[place + 1 :]) if place == 0 else _is_measure(words, number))
    ]
    if any(number.has_currency for number in numbers):
        numbers = [number for number in numbers if number.has_currency or number.value not in _YEARS]
    if all(number.is_spelt for number in numbers):
        return numbers
    return [
        number
        for place, number in enumerate(numbers)
        if not number.is_spelt
        or number.value > _MOST_SMALL
        or number.has_currency
        or not _describes(words, free, number, numbers[place + 1 :])
    ]


def _describes(words: Sequence[Word], free: Sequence[bool], number: Amount, following: Sequence[Amount]) -> bool:
    """Return True for a small number in a description, as in `carta en tres idiomas`, that no price follows."""
    before = plain_at(words, number.start - 1)
    is_behind_thing = number.start > 1 and free[number.start - 2] and _is_thing(words, number.start - 2)
    if before not in _DESCRIBING or not is_behind_thing:
        return False
    end = following[0].start if following else number.end
    return not {word.plain for word in words[number.end : end]} & _PRICING - _DESCRIBING - {",", ":"}


def _is_measure(words: Sequence[Word], number: Amount) -> bool:
    return plain_at(words, number.start - 1) == "de" and not number.has_currency and _measures(words, number)


def _is_part_of_name(words: Sequence[Word], number: Amount, following: Sequence[Amount]) -> bool:
    """Return True for the first number in `web de 5 páginas 900 euros`: no word prices what it counts."""
    is_behind_thing = plain_at(words, number.start - 1) in {"de", "of", "con", "with"} and _is_thing(
        words, number.start - 2
    )
    if not is_behind_thing or number.has_currency or not following or not following[0].has_currency:
        return False
    between = {word.plain for word in words[number.end : following[0].start]}
    return not between & _PRICING


def _is_thing(words: Sequence[Word], place: int) -> bool:
    """Return True for a word that names a thing or a work, and no command."""
    word = plain_at(words, place)
    return word.isalpha() and word not in _NO_THINGS


def _measures(words: Sequence[Word], number: Amount) -> bool:
    """Return True for a number with its unit, as in `sesiones de una hora y media`."""
    return has_unit(words, number) or plain_at(words, number.end - 1) in {*UNITS, "media", "medio", "docena", "dozen"}

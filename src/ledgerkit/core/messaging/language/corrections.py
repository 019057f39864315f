"""Corrections of an expense: the name of a field and its value, or the value alone where one field was asked for."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from ledgerkit.core.messaging.language.amounts import amount_at
from ledgerkit.core.messaging.language.calendar import Direction
from ledgerkit.core.messaging.language.dates import day_at
from ledgerkit.core.messaging.language.patterns import Phrases
from ledgerkit.core.messaging.language.vocabulary import Vocabulary
from ledgerkit.core.messaging.language.words import Word, words_of, written

_LONGEST = 200
"""Characters of a message that can be a correction."""

_VOCABULARY = Vocabulary("corrections")
_BEFORE, _BETWEEN = _VOCABULARY.phrases("before"), _VOCABULARY.phrases("between")
_FIELDS: Mapping[str, Phrases] = {
    "amount": _VOCABULARY.phrases("amount"),
    "date": _VOCABULARY.phrases("date"),
    "vendor": _VOCABULARY.phrases("vendor"),
    "description": _VOCABULARY.phrases("description"),
    "category": _VOCABULARY.phrases("category"),
    "taxAmount": _VOCABULARY.phrases("tax_amount"),
    "taxRate": _VOCABULARY.phrases("tax_rate"),
    "invoiceNumber": _VOCABULARY.phrases("invoice_number"),
    "vendorTaxId": _VOCABULARY.phrases("vendor_tax_id"),
    "paymentMethod": _VOCABULARY.phrases("payment_method"),
}
_AROUND = " .:«»\"'"


def correction(text: str, today: date, language: str, *, expected: str | None = None) -> Mapping[str, str]:
    """Return the field that a message corrects, by its name in the request of an expense, with the value as JSON text.

    `expected` is the field that was asked for, whose value may stand alone. Empty where nothing is corrected.
    """
    words = words_of(text[:_LONGEST])
    line = [word.plain for word in words]
    start = _skipped(line, 0, _BEFORE)
    for field, names in _FIELDS.items():
        end = names.end_at(line, start)
        if end is not None:
            value = _value(field, text, words[_skipped(line, end, _BETWEEN) :], today, language)
            if value is not None:
                return {field: value}
    alone = None if expected is None else _value(expected, text, words, today, language)
    return {} if expected is None or alone is None else {expected: alone}


def _skipped(line: Sequence[str], place: int, phrases: Phrases) -> int:
    """Return the place after all phrases of a list that follow one another."""
    while (end := phrases.end_at(line, place)) is not None:
        place = end
    return place


def _value(field: str, text: str, words: Sequence[Word], today: date, language: str) -> str | None:
    if field == "date":
        return _day(words, today, language)
    if field in {"amount", "taxRate", "taxAmount"}:
        return _first(words, lambda place: _amount(words, place, language))
    return written(text, words).strip(_AROUND) or None


def _amount(words: Sequence[Word], place: int, language: str) -> str | None:
    amount = amount_at(words, place, language)
    return None if amount is None or amount.is_doubtful else format(amount.value, "f")


def _day(words: Sequence[Word], today: date, language: str) -> str | None:
    def at(place: int) -> str | None:
        day = day_at(words, place, language)
        moment = None if day is None else day.on(today, Direction.BEHIND)
        return None if moment is None else moment.isoformat()

    return _first(words, at)


def _first(words: Sequence[Word], at: Callable[[int], str | None]) -> str | None:
    return next((value for place in range(len(words)) if (value := at(place)) is not None), None)

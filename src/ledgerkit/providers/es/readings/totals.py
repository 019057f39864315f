"""The total of a document: a figure that stands in the text and that independent witnesses agree on."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from ledgerkit.money import CENT
from ledgerkit.providers.api import ReadField
from ledgerkit.providers.es.readings import labels
from ledgerkit.providers.es.readings.amounts import Amount, amounts_in, sum_of
from ledgerkit.providers.es.readings.rows import Row
from ledgerkit.providers.es.readings.taxes import Taxes, agrees, contained

LABELLED, CONFIRMED = 0.6, 0.96
MOST_CANDIDATES = 24
"""Amounts that may be the total; where more of them are labelled as one, none is."""


def total_of(rows: Sequence[Row], taxes: Taxes) -> ReadField[Decimal]:
    """Return the total with the most witnesses; None where the best two have equally many.

    Witnesses are the label, bases with their taxes, cash less change, the amount on the card, the sum of the lines
    above it, and the same amount once more. The value itself stands beside a label or is paid, and is never computed.
    """
    labelled = _labelled(rows)
    paid = _paid(rows)
    candidates = {value for value in {*labelled, *paid} if value != 0}
    if not 0 < len(candidates) <= MOST_CANDIDATES:
        return ReadField()
    witnesses = {value: _witnesses(value, rows, taxes, labelled, paid) for value in candidates}
    best, *others = sorted(candidates, key=lambda value: (witnesses[value], value), reverse=True)
    count = witnesses[best]
    if others and witnesses[others[0]] == count:
        return ReadField()
    if count >= 2:
        return ReadField(value=best, confidence=min(0.99, CONFIRMED + 0.01 * (count - 2)))
    contradicted = taxes.complete or len(set(labelled)) > 1 or best not in labelled
    return ReadField() if contradicted else ReadField(value=best, confidence=LABELLED)


def from_taxes(taxes: Taxes) -> Decimal | None:
    """Return what bases and taxes less the retention add up to; None where one of them is missing."""
    if not taxes.complete:
        return None
    parts = [part for tax in taxes.by_rate for part in (tax.base, tax.amount) if part is not None]
    return sum_of(parts) - (taxes.retention or Decimal(0))


def _witnesses(
    value: Decimal, rows: Sequence[Row], taxes: Taxes, labelled: Sequence[Decimal], paid: Counter[Decimal]
) -> int:
    arithmetic = from_taxes(taxes) == value or (not taxes.complete and _contains_its_tax(value, rows, taxes))
    first = next((row.place for row in rows if labels.TOTAL.search(row.plain) and value in _values(row)), None)
    lines = first is not None and _lines_add_up(rows[:first], value, taxes)
    return (value in labelled) + 2 * arithmetic + paid[value] + lines + (labelled.count(value) > 1)


def _labelled(rows: Sequence[Row]) -> list[Decimal]:
    """Return the amounts beside the word for a total, or below it where it stands alone."""
    values = []
    for row in rows:
        if not is_total(row):
            continue
        if amounts_beside := _values(row):
            values += amounts_beside[-1:] if len(amounts_beside) < 3 else amounts_beside[-2:]
        elif row.place + 1 < len(rows) and len(row.plain) < 30:
            below = rows[row.place + 1]
            values += _values(below)[-1:] if _without_words(below) else []
    return values


def is_total(row: Row) -> bool:
    """Return True for a row that names the total of the document."""
    return bool(labels.TOTAL.search(row.plain)) and not any(
        pattern.search(row.plain) for pattern in (labels.NOT_TOTAL, labels.SET_ASIDE, labels.CHANGE)
    )


def _without_words(row: Row) -> bool:
    return sum(mark.isalpha() for mark in row.plain.replace("EUR", "")) < 3


def _paid(rows: Sequence[Row]) -> Counter[Decimal]:
    """Return what was paid: the amount on a card, and cash less change, twice since two figures agree on it."""
    paid: Counter[Decimal] = Counter()
    card = {value for row in rows if labels.CARD.search(row.plain) and not is_total(row) for value in _values(row)[-1:]}
    cash = [value for row in rows if labels.CASH.search(row.plain) and not is_total(row) for value in _values(row)[-1:]]
    change = [value for row in rows if labels.CHANGE.search(row.plain) for value in _values(row)[-1:]]
    paid.update(card)
    printed = {value for row in rows for value in _values(row)}
    paid.update({handed - back for handed in cash for back in change if handed - back in printed})
    return paid


def _contains_its_tax(value: Decimal, rows: Sequence[Row], taxes: Taxes) -> bool:
    """Return True when base and tax that the total contains at the only rate stand in the text."""
    if len(taxes.by_rate) != 1 or taxes.retention is not None:
        return False
    rate = taxes.by_rate[0].rate
    if rate == 0:
        return False
    printed = {
        abs(each)
        for row in rows
        if labels.TAX.search(row.plain) or labels.BASE.search(row.plain)
        for each in _values(row)
    }
    base, tax = contained(rate, value)
    pairs = [(amount, value - amount) for amount in printed if value - amount in printed and amount > value - amount]
    return (base in printed and tax in printed) or any(agrees(rate, *pair) for pair in pairs)


def _lines_add_up(rows: Sequence[Row], value: Decimal, taxes: Taxes) -> bool:
    """Return True when the amounts at the right of the lines above the total add up to it, with or without tax."""
    lines = [line.value for line in line_amounts(rows)]
    if not lines:
        return False
    total = sum_of(lines)
    amounts = [tax.amount for tax in taxes.by_rate if tax.amount is not None]
    with_tax = total + sum_of(amounts) - (taxes.retention or Decimal(0))
    return abs(total - value) < CENT or (bool(amounts) and with_tax == value)


def line_amounts(rows: Sequence[Row]) -> list[Amount]:
    """Return the last amount of each line that is no sum, no tax and no payment."""
    skipped = (
        labels.BASE,
        labels.TAX,
        labels.RETENTION,
        labels.CASH,
        labels.CHANGE,
        labels.CARD,
        labels.SET_ASIDE,
        labels.TOTAL,
    )
    lines = []
    for row in rows:
        if any(pattern.search(row.plain) for pattern in skipped) or _without_words(row) or _only_price(row):
            continue
        lines += amounts_in(row)[-1:]
    return lines


def _only_price(row: Row) -> bool:
    """Return True for a row that explains another one: `3 x 2,50`, a price for a litre."""
    return " X " in f" {row.plain} " and len([mark for mark in row.plain if mark.isalpha()]) < 4


def _values(row: Row) -> list[Decimal]:
    return [amount.value for amount in amounts_in(row)]

"""IVA of a document: rates with base and amount that agree to the cent, as far as the text has them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

from ledgerkit.money import CENT, percent_of, round_cents
from ledgerkit.providers.api import ReadTax
from ledgerkit.providers.es.readings import labels
from ledgerkit.providers.es.readings.amounts import Amount, amounts_in, percentages_in, rates_in
from ledgerkit.providers.es.readings.rows import Row

CONFIRMED, NAMED = 0.95, 0.7
MOST_TAX_ROWS = 40
_COLUMN_ROWS = 6
"""Rows below the headings of a table of taxes in which its figures stand."""


@dataclass(frozen=True)
class Taxes:
    """Taxes by rate, and the retention; each with figures that stand in the text and agree, or with the rate alone."""

    by_rate: tuple[ReadTax, ...]
    retention: Decimal | None

    @property
    def complete(self) -> bool:
        return bool(self.by_rate) and all(tax.base is not None and tax.amount is not None for tax in self.by_rate)


def agrees(rate: Decimal, base: Decimal, amount: Decimal) -> bool:
    """Return True when an amount is the tax of a base to the cent.

    A cent more or less is allowed: with prices that include the tax, the base is rounded and the tax is the rest.
    """
    return abs(percent_of(base, rate) - amount) <= CENT and (rate == 0) == (amount == 0)


def taxes_of(rows: Sequence[Row]) -> Taxes:
    """Return the taxes that the rows state: each rate once, with the figures that agree if any do."""
    everything = [amount for row in rows for amount in amounts_in(row)]
    bases = [amount for amount in everything if _is_base(amount.row)]
    triples: dict[Decimal, set[tuple[Decimal, Decimal]]] = {}
    named: list[Decimal] = []
    for row, rates in islice(_tax_rows(rows), MOST_TAX_ROWS):
        for rate in rates:
            named.append(rate)
            for base, amount in _agreeing(row, rate, bases):
                triples.setdefault(rate, set()).add((base, amount))
    by_rate = tuple(_tax(rate, triples.get(rate, set())) for rate in sorted(set(named)))
    return Taxes(by_rate, _retention(rows, everything))


def _tax(rate: Decimal, triples: set[tuple[Decimal, Decimal]]) -> ReadTax:
    """Return the tax of a rate: without figures where two sets of figures agree with it."""
    if len(triples) != 1:
        return ReadTax(rate=rate, confidence=NAMED)
    base, amount = next(iter(triples))
    return ReadTax(rate=rate, base=base, amount=amount, confidence=CONFIRMED)


def _tax_rows(rows: Sequence[Row]) -> Iterator[tuple[Row, list[Decimal]]]:
    """Yield the rows that speak of the IVA, with the rates that they name."""
    headings = -_COLUMN_ROWS - 1
    for row in rows:
        if labels.TAX_COLUMNS.search(row.plain) and not amounts_in(row):
            headings = row.place
            continue
        in_table = row.place - headings <= _COLUMN_ROWS
        if (
            labels.RETENTION.search(row.plain)
            or labels.SURCHARGE.search(row.plain)
            or labels.SET_ASIDE.search(row.plain)
        ):
            continue
        if labels.TAX.search(row.plain) or labels.BASE.search(row.plain):
            rates = rates_in(row)
        elif in_table:
            rates = _rates_of_table_row(row)
        else:
            rates = []
        if rates:
            yield row, rates


def _rates_of_table_row(row: Row) -> list[Decimal]:
    """Return the rates of a row below the headings of a table: without a percent sign only if the figures agree."""
    if written := rates_in(row):
        return written
    figures = [abs(amount.value) for amount in amounts_in(row)]
    pairs = [(base, amount) for base in figures for amount in figures if base > amount]
    return [rate for rate in rates_in(row, bare=True) if any(agrees(rate, *pair) for pair in pairs)][:1]


def _is_base(row: Row) -> bool:
    return bool(labels.BASE.search(row.plain)) and not labels.RETENTION.search(row.plain)


def _agreeing(row: Row, rate: Decimal, labelled: Sequence[Amount]) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield base and amount that agree: within the row, else with a base that is labelled as such."""
    figures = [amount.value for amount in amounts_in(row)]
    within = {
        (base, amount)
        for base in figures
        for amount in figures
        if base * amount >= 0 and abs(base) > abs(amount) and agrees(rate, base, amount)
    }
    if within:
        yield from within
        return
    for amount in figures if labels.TAX.search(row.plain) else []:
        bases = {entry.value for entry in labelled if entry.row is not row and agrees(rate, entry.value, amount)}
        yield from ((base, amount) for base in bases)


def _retention(rows: Sequence[Row], everything: Sequence[Amount]) -> Decimal | None:
    """Return the amount withheld where it is its percentage of a base that stands in the text."""
    values = {
        abs(amount.value)
        for row in rows
        if labels.RETENTION.search(row.plain)
        for amount in amounts_in(row)
        for rate in percentages_in(row)
        if amount.value and any(percent_of(abs(base.value), rate) == abs(amount.value) for base in everything)
    }
    return values.pop() if len(values) == 1 else None


def contained(rate: Decimal, total: Decimal) -> tuple[Decimal, Decimal]:
    """Return the base and the tax that a total with tax contains."""
    base = round_cents(total * 100 / (100 + rate))
    return base, total - base

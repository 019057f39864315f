"""Rows of payments that cash accounting wants in the books (RD 1624/1992, art. 61 decies)."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ledgerkit.money import ZERO, round_cents
from ledgerkit.providers.api import DateSpan, LedgerPayment
from ledgerkit.providers.es.books.cells import NEVER_PAID, OTHER_MEANS, Values


class Settled(NamedTuple):
    """Document that accrues as it is paid: what is to be paid without retention, and with it; the operation's day."""

    gross_total: Decimal
    payable: Decimal
    payments: tuple[LedgerPayment, ...]
    accrual: date


def payment_rows(document: Settled, span: DateSpan) -> Iterator[tuple[date, Values]]:
    """Yield day and cells of each payment within the span, in the measure of the invoice's total.

    What is not paid by 31 December of the year after the operation accrues on that day (LIVA, art. 163 terdecies).
    """
    last = date(document.accrual.year + 1, 12, 31)
    paid = accrued = ZERO
    for payment in document.payments:
        if payment.day <= last:
            paid, before = paid + payment.amount, accrued
            accrued = _of_total(paid, document)
            if payment.day in span:
                yield payment.day, _cells(payment.day, accrued - before, OTHER_MEANS)
    if last in span and accrued != document.gross_total:
        yield last, _cells(last, document.gross_total - accrued, NEVER_PAID)


def _of_total(paid: Decimal, document: Settled) -> Decimal:
    """Return what was paid with its share of the retention, which nobody pays to the vendor."""
    return round_cents(paid * document.gross_total / document.payable) if document.payable else paid


def _cells(day: date, amount: Decimal, means: str) -> Values:
    return {"payment_day": day, "payment_amount": amount, "payment_means": means}

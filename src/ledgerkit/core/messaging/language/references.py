"""Invoices that a reference means: those of an account that fit the words of a message."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum

from ledgerkit.core.messaging.language.requests import InvoiceRef


class InvoiceKind(Enum):
    """State of an invoice, as far as it decides what can be done with it."""

    DRAFT = "draft"
    OPEN = "open"
    SETTLED = "settled"


PAYABLE = frozenset({InvoiceKind.OPEN})
"""Invoices of which a payment can be recorded."""

ISSUED = frozenset({InvoiceKind.OPEN, InvoiceKind.SETTLED})
"""Invoices that can be rectified."""

ALL_KINDS = frozenset(InvoiceKind)
"""Invoices that can be sent and asked about."""


@dataclass(frozen=True, kw_only=True)
class KnownInvoice:
    """An invoice of the account: `number` is None for a draft, `due` the amount that is still open."""

    id: str
    number: str | None
    client_name: str
    total: Decimal
    due: Decimal
    issue_date: date
    due_date: date | None
    is_draft: bool
    is_open: bool
    is_overdue: bool

    @property
    def kind(self) -> InvoiceKind:
        if self.is_draft:
            return InvoiceKind.DRAFT
        return InvoiceKind.OPEN if self.is_open else InvoiceKind.SETTLED


@dataclass(frozen=True)
class _Number:
    """Parts of an invoice's number: letters of its series, its year, and the number within them."""

    series: str
    year: int | None
    within: int

    def fits(self, other: "_Number") -> bool:
        """Return True where another number has all parts that this one has."""
        return self.within == other.within and self.year in {None, other.year} and self.series in {"", other.series}


_PARTS = re.compile(r"[0-9]+")
_YEAR = re.compile(r"20[0-9]{2}")
_LONGEST_NUMBER = 40
_DIGITS_OF_A_YEAR = 4


def meant(
    ref: InvoiceRef, invoices: Sequence[KnownInvoice], kinds: Collection[InvoiceKind], *, today: date
) -> Sequence[KnownInvoice]:
    """Return the invoices of some kinds that a reference fits. One is the one meant; none or several are a question.

    A number is compared by its parts: `7`, `2026/7` and `F2026-0007` may all be F2026-0007. Without a year those of
    the present one come first. A number that no invoice has may be an amount, as in `la 424`. An invoice that goes
    to another client than the one who was named is not meant.
    """
    pool = [invoice for invoice in invoices if invoice.kind in kinds]
    if ref.number is not None:
        numbered = _numbered(ref.number, invoices, pool, today)
        return numbered if ref.client is None else [each for each in numbered if each.client_name == ref.client.name]
    return _described(ref, pool)


def _numbered(
    number: str, invoices: Sequence[KnownInvoice], pool: Sequence[KnownInvoice], today: date
) -> Sequence[KnownInvoice]:
    number_said = _parsed(number)
    if number_said is None:
        return []
    of_number = [invoice for invoice in invoices if _has_number(invoice, number_said)]
    if of_number:
        return _of_year([invoice for invoice in of_number if invoice in pool], number_said, today)
    if not number.isdigit():
        return []
    return [invoice for invoice in pool if Decimal(number) in {invoice.total, invoice.due}]


def _has_number(invoice: KnownInvoice, number_said: _Number) -> bool:
    number = _parsed(invoice.number or "")
    return number is not None and number_said.fits(number)


def _of_year(invoices: Sequence[KnownInvoice], number_said: _Number, today: date) -> Sequence[KnownInvoice]:
    """Return the invoices of the present year, if there are any and no year was said."""
    present = [invoice for invoice in invoices if _year_of(invoice) == today.year]
    return present if present and number_said.year is None else invoices


def _year_of(invoice: KnownInvoice) -> int:
    number = _parsed(invoice.number or "")
    return invoice.issue_date.year if number is None or number.year is None else number.year


def _parsed(number: str) -> _Number | None:
    """Return the parts of a number; None for a text without digits."""
    digits = _PARTS.findall(number[:_LONGEST_NUMBER])
    if not digits:
        return None
    series = "".join(sign for sign in number.partition(digits[0])[0].upper() if sign.isalpha())
    *before, within = digits
    if not before and _YEAR.match(within) and len(within) > _DIGITS_OF_A_YEAR:
        before, within = [within[:_DIGITS_OF_A_YEAR]], within[_DIGITS_OF_A_YEAR:]
    year = int(before[-1]) if before else None
    if year is not None and year < 100:
        year += 2000
    return _Number(series, year, int(within))


def _described(ref: InvoiceRef, pool: Sequence[KnownInvoice]) -> Sequence[KnownInvoice]:
    fitting = list(pool)
    if ref.is_draft:
        fitting = [invoice for invoice in fitting if invoice.is_draft]
    if ref.client is not None:
        fitting = [invoice for invoice in fitting if invoice.client_name == ref.client.name]
    if ref.is_overdue:
        fitting = [invoice for invoice in fitting if invoice.is_overdue]
    if ref.issue_date is not None:
        fitting = [invoice for invoice in fitting if invoice.issue_date == ref.issue_date]
    if ref.month is not None:
        fitting = _newest_year([invoice for invoice in fitting if invoice.issue_date.month == ref.month])
    return _of_extreme(ref, _of_amount(ref, fitting))


def _newest_year(invoices: Sequence[KnownInvoice]) -> list[KnownInvoice]:
    newest = max((invoice.issue_date.year for invoice in invoices), default=0)
    return [invoice for invoice in invoices if invoice.issue_date.year == newest]


def _of_amount(ref: InvoiceRef, invoices: list[KnownInvoice]) -> list[KnownInvoice]:
    """Return the invoices of an amount; where none has it, those of which it may be a part, if a client was said."""
    if ref.amount is None:
        return invoices
    same = [invoice for invoice in invoices if ref.amount in {invoice.total, invoice.due}]
    tells_more = ref.client is not None or ref.is_overdue or ref.is_last or ref.is_oldest
    if same or not (tells_more or ref.month or ref.issue_date):
        return same
    return [invoice for invoice in invoices if ref.amount <= max(invoice.total, invoice.due)]


def _of_extreme(ref: InvoiceRef, invoices: list[KnownInvoice]) -> list[KnownInvoice]:
    """Return the newest or the oldest one of issued invoices, where such a one was meant."""
    issued = [invoice for invoice in invoices if not invoice.is_draft]
    if not issued or not (ref.is_last or ref.is_oldest):
        return invoices
    ordered = sorted(issued, key=lambda invoice: (invoice.issue_date, _order(invoice)))
    return [ordered[0] if ref.is_oldest else ordered[-1]]


def _order(invoice: KnownInvoice) -> int:
    number = _parsed(invoice.number or "")
    return 0 if number is None else number.within

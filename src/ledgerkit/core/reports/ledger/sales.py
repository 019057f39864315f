"""Issued documents of the ledger: their statements, and the conversion of rows to sales."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Text, cast, select, true

from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.reports.ledger.selection import (
    OmittedRow,
    PaymentsRow,
    ids_in_span,
    is_in_span,
    ledger_payments,
    payments,
)
from ledgerkit.core.reports.sources import sales
from ledgerkit.core.sales.invoices.json_columns.codecs import PARTY, REPLACED, TAX_LINES, StoredReplaced
from ledgerkit.core.sales.invoices.table import invoice, invoice_payment
from ledgerkit.providers.api import DocumentKind, DocumentRef, Party, Sale, TaxLine

_REMEMBERED = 5_000
_AMOUNTS = ("subtotal", "tax_amount", "surcharge_amount", "retention_amount")
_NO_DETAILS: Mapping[str, str | bool] = MappingProxyType({})


class SaleRow(PaymentsRow):
    """Issued document with the number and day of its original, and its payments; client and taxes as stored text."""

    id: UUID
    doc_type: str
    number: str
    issue_date: date
    operation_date: date | None
    client: str
    tax_breakdown: str
    replaced: StoredJson[StoredReplaced] | None
    subtotal: Decimal
    tax_amount: Decimal
    surcharge_amount: Decimal
    retention_amount: Decimal
    retention_rate: Decimal
    correction_reason: str | None
    place_of_supply: str | None
    triangular: bool
    triangular_exempt: bool
    fiscal_details: Mapping[str, bool | str] | None
    original_number: str | None
    original_date: date | None
    issuer_tax_id: str | None


class Conversion:
    """Conversion of the rows of one ledger: what many documents say alike is decoded once, and held once."""

    def __init__(self, owner_tax_id: str | None) -> None:
        self._owner_tax_id = owner_tax_id
        self._client = lru_cache(_REMEMBERED)(_client)
        self._taxes = lru_cache(_REMEMBERED)(TAX_LINES.several)

    def sale(self, row: SaleRow) -> Sale:
        """Return the sale of a row: for a credit note by substitution, its amounts less those that it replaces."""
        replaced = REPLACED.decode(row.replaced)
        taxes = self._taxes(row.tax_breakdown)
        retention, gross = row.retention_amount, row.subtotal + row.tax_amount + row.surcharge_amount
        if replaced is not None:
            taxes += tuple([_reversed(stored.tax_line()) for stored in replaced.tax_breakdown])
            retention -= replaced.retention_amount
            gross -= replaced.subtotal + replaced.tax_amount + replaced.surcharge_amount
        return Sale(
            document_id=str(row.id),
            kind=DocumentKind(row.doc_type),
            number=row.number,
            issue_date=row.issue_date,
            operation_date=row.operation_date,
            client=self._client(row.client),
            taxes=taxes,
            retention=retention,
            gross_total=gross,
            corrects=_corrects(row),
            correction_reason=row.correction_reason,
            place_of_supply=row.place_of_supply,
            triangular=row.triangular,
            triangular_exempt=row.triangular_exempt,
            details=MappingProxyType(dict(row.fiscal_details)) if row.fiscal_details else _NO_DETAILS,
            payments=ledger_payments(row),
            retention_rate=row.retention_rate if retention else None,
            issuer_tax_id=None if row.issuer_tax_id == self._owner_tax_id else row.issuer_tax_id,
        )


def _client(stored: str) -> Party | None:
    """Return the client as a party; None for one that names nobody."""
    party = PARTY.one(stored)
    return party if party.name else None


def _corrects(row: SaleRow) -> tuple[DocumentRef, ...]:
    if row.original_number is None or row.original_date is None:
        return ()
    return (DocumentRef(number=row.original_number, issue_date=row.original_date),)


def _reversed(line: TaxLine) -> TaxLine:
    return replace(
        line,
        base=-line.base,
        amount=-line.amount,
        surcharge_amount=-line.surcharge_amount,
        cost_base=None if line.cost_base is None else -line.cost_base,
        untaxed=None if line.untaxed is None else -line.untaxed,
    )


# ---------------------------------------------------------------- statements

_of, _payment, _original = invoice.c, invoice_payment.c, invoice.alias("original")

_DAYS = (_of.booked_on, _of.issue_date, _of.operation_date)
_PAID = select(_payment.invoice_id).where(_payment.paid_at.between(sales.FIRST, sales.LAST))
_IN_SPAN = ids_in_span(sales.countable(), _of.id, _DAYS, _PAID)
_LISTED = _of.id.in_(select(_IN_SPAN.c.id))


def _counted() -> Prepared[SaleRow]:
    paid = payments(invoice_payment, _payment.paid_at, sales.PAYMENT, _payment.method, _payment.invoice_id == _of.id)
    derived: dict[str, ColumnElement[Any]] = {
        "client": cast(_of.client, Text),
        "tax_breakdown": cast(exchange_rates.account_json(invoice, "tax_breakdown"), Text),
        "replaced": sales.replaced_amounts(),
        **{name: exchange_rates.account_amount(invoice, name) for name in _AMOUNTS},
        "original_number": _original.c.number,
        "original_date": _original.c.issue_date,
        "issuer_tax_id": _of.issuer["tax_id"].astext,
    }
    plain = [name for name in SaleRow.__annotations__ if name not in derived]
    statement = (
        select(
            *(_of[name] for name in plain),
            *(value.label(name) for name, value in derived.items()),
            *paid.c,
        )
        .select_from(invoice.outerjoin(_original, _original.c.id == _of.rectifies).outerjoin(paid, true()))
        .where(sales.counted(), _LISTED)
    )
    return Prepared(statement, SaleRow)


COUNTED = _counted()
OMITTED = Prepared(
    select(_of.id, _of.number, _of.issue_date)
    .where(
        sales.countable(),
        ~exchange_rates.in_account_currency(invoice, sales.CURRENCY),
        is_in_span(_DAYS, _PAID.where(_payment.invoice_id == _of.id).exists()),
    )
    .order_by(_of.issue_date, _of.id),
    OmittedRow,
)

"""Issued documents of the ledger: their statements, and the conversion of rows to sales."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from uuid import UUID

from sqlalchemy import and_, select, true

from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.database.stored_json import StoredJson
from ledgerkit.core.invoices.document import recipient
from ledgerkit.core.invoices.models import invoice, invoice_payment
from ledgerkit.core.invoices.stored import CLIENT, REPLACED, TAX_ROWS, StoredClient, StoredReplaced, StoredTax
from ledgerkit.core.reports import sales
from ledgerkit.core.reports.ledger.selection import OmittedRow, PaymentsRow, ids_in_span, ledger_payments, payments
from ledgerkit.providers.api import DocumentKind, DocumentRef, Sale, TaxLine

_NO_DETAILS: Mapping[str, str | bool] = MappingProxyType({})


class SaleRow(PaymentsRow):
    """Issued document with the number and day of its original, and its payments."""

    id: UUID
    doc_type: str
    number: str
    issue_date: date
    operation_date: date | None
    client: StoredJson[StoredClient]
    tax_breakdown: StoredJson[tuple[StoredTax, ...]]
    replaced: StoredJson[StoredReplaced] | None
    subtotal: Decimal
    tax_amount: Decimal
    surcharge_amount: Decimal
    retention_amount: Decimal
    retention_rate: Decimal
    correction_reason: str | None
    place_of_supply: str | None
    fiscal_details: Mapping[str, bool | str] | None
    original_number: str | None
    original_date: date | None


def sale(row: SaleRow) -> Sale:
    """Return the sale of a row: for a credit note by substitution, its amounts less those that it replaces."""
    replaced = REPLACED.decode(row.replaced)
    taxes = tuple(stored.tax_line() for stored in TAX_ROWS.decode(row.tax_breakdown))
    retention, gross = row.retention_amount, row.subtotal + row.tax_amount + row.surcharge_amount
    if replaced is not None:
        taxes += tuple(_reversed(stored.tax_line()) for stored in replaced.tax_breakdown)
        retention -= replaced.retention_amount
        gross -= replaced.subtotal + replaced.tax_amount + replaced.surcharge_amount
    return Sale(
        document_id=str(row.id),
        kind=DocumentKind(row.doc_type),
        number=row.number,
        issue_date=row.issue_date,
        operation_date=row.operation_date,
        client=recipient(CLIENT.decode(row.client)),
        taxes=taxes,
        retention=retention,
        gross_total=gross,
        corrects=_corrects(row),
        correction_reason=row.correction_reason,
        place_of_supply=row.place_of_supply,
        details=MappingProxyType(dict(row.fiscal_details)) if row.fiscal_details else _NO_DETAILS,
        payments=ledger_payments(row),
        retention_rate=row.retention_rate if retention else None,
    )


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

_IN_SPAN = ids_in_span(
    sales.countable(),
    _of.id,
    (_of.booked_on, _of.issue_date, _of.operation_date),
    select(_payment.invoice_id).where(_payment.paid_at.between(sales.FIRST, sales.LAST)),
)
_LISTED = _of.id.in_(select(_IN_SPAN.c.id))


def _counted() -> Prepared[SaleRow]:
    paid = payments(_payment.paid_at, _payment.amount, _payment.method, _payment.invoice_id == _of.id)
    columns = [_of[name] for name in SaleRow.__annotations__ if not name.startswith("original")]
    statement = (
        select(
            *columns,
            _original.c.number.label("original_number"),
            _original.c.issue_date.label("original_date"),
            *paid.c,
        )
        .select_from(invoice.outerjoin(_original, _original.c.id == _of.rectifies).outerjoin(paid, true()))
        .where(sales.counted(), _LISTED)
    )
    return Prepared(statement, SaleRow)


COUNTED = _counted()
OMITTED = Prepared(
    select(_of.id, _of.number, _of.issue_date)
    .where(and_(sales.countable(), _of.currency != sales.CURRENCY, _LISTED))
    .order_by(_of.issue_date, _of.id),
    OmittedRow,
)

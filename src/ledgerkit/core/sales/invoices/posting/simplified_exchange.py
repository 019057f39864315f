"""Exchange of simplified invoices for a full one: the conditions, and the effects on both.

The full invoice does not count again: neither for VAT, nor as income, nor for the stock. The simplified ones stay
posted with their payments, and the full one is settled by them when it is issued.
Source: RD 1619/2012 arts. 6 and 15.6; AEAT, record design, TipoFactura F3.
"""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, bindparam, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.ids import as_id, missing
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents.totals import TOLERANCE
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.json_columns.codecs import ISSUER
from ledgerkit.core.sales.invoices.posting import remainders, standing
from ledgerkit.core.sales.invoices.table import CHANGES, InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import ZERO
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import DocumentKind

_FIELD = "substitutes"


async def fetch_exchangeable(ctx: Context, ids: Sequence[str]) -> list[InvoiceRow]:
    """Return the simplified invoices of these ids, which can be exchanged now. Raises NotFound, Invalid."""
    invoice_ids = [as_id(text, "invoice") for text in ids]
    if len(set(invoice_ids)) != len(invoice_ids):
        raise Invalid.field(_FIELD, InvoicesMsg.SUBSTITUTES_TWICE)
    rows_by_id = {row.id: row for row in await _BY_IDS.rows(ctx.db, ids=invoice_ids)}
    for invoice_id in invoice_ids:
        if invoice_id not in rows_by_id or rows_by_id[invoice_id].deleted_at is not None:
            raise missing("invoice", str(invoice_id))
    rows = [rows_by_id[invoice_id] for invoice_id in invoice_ids]
    for row in rows:
        _check_exchangeable(row, None)
    _check_one_issuer(rows)
    return rows


async def lock(ctx: Context, full: InvoiceRow) -> Sequence[InvoiceRow]:
    """Lock the simplified invoices that `full` substitutes, in the order of their ids, until the transaction ends."""
    return await _BY_IDS_LOCKED.rows(ctx.db, ids=_substituted_ids(full)) if full.substitutes else []


async def exchange(ctx: Context, full: InvoiceRow, simplified: Sequence[InvoiceRow]) -> Values[InvoiceRow]:
    """Exchange locked simplified invoices for `full`, which is being issued; return the columns that settle it.

    Raises Invalid when one of them cannot be exchanged any more, or their sum is not that of `full`.
    """
    for row in simplified:
        _check_exchangeable(row, full.id)
    await _check_sum(ctx, full, simplified)
    for row in simplified:
        await records.change(ctx, invoice, row.id, Values(InvoiceRow, substituted_by=full.id))
    if simplified:
        await counters.add(ctx.db, {CHANGES: 1})
    columns = Values(InvoiceRow, credited=full.total)
    if all(row.status == "paid" for row in simplified):
        paid_days = [row.paid_at for row in simplified if row.paid_at]
        columns |= Values(InvoiceRow, status="paid", paid_at=max(paid_days, default=date.min))
    return columns


async def release(ctx: Context, full: InvoiceRow) -> None:
    """Undo the exchange for a full invoice whose posting is reversed: the simplified ones can be exchanged again."""
    for row in await lock(ctx, full):
        if row.substituted_by == full.id:
            await records.change(ctx, invoice, row.id, Values(InvoiceRow, substituted_by=None))
            await counters.add(ctx.db, {CHANGES: 1})


def _substituted_ids(full: InvoiceRow) -> list[UUID]:
    return [UUID(invoice_id) for invoice_id in full.substitutes or ()]


def _check_exchangeable(row: InvoiceRow, full_id: UUID | None) -> None:
    """Raise Invalid when a simplified invoice cannot be exchanged for the full one of `full_id`."""
    message = None
    if row.status == "draft" or row.einvoice is None:
        message = InvoicesMsg.EXCHANGE_NOT_EMITTED
    elif row.doc_type != DocumentKind.SIMPLIFIED:
        message = InvoicesMsg.EXCHANGE_NOT_SIMPLIFIED
    elif not standing.is_in_force(row):
        message = InvoicesMsg.EXCHANGE_ANNULLED
    elif row.substituted_by not in {None, full_id}:
        message = InvoicesMsg.EXCHANGED_ALREADY
    if message:
        raise Invalid.field(_FIELD, message, remedy=InvoicesMsg.EXCHANGE_CONDITIONS, name=row.number or row.id)


def _check_one_issuer(simplified: Sequence[InvoiceRow]) -> None:
    """Raise Invalid for documents of several tax identifiers of the account: one invoice has one issuer."""
    stated = (ISSUER.decode(row.issuer) for row in simplified)
    tax_ids = sorted({party.tax_id for party in stated if party is not None and party.tax_id})
    if len(tax_ids) > 1:
        raise Invalid.field(_FIELD, InvoicesMsg.EXCHANGE_OF_SEVERAL_ISSUERS, tax_ids=", ".join(tax_ids))


async def _check_sum(ctx: Context, full: InvoiceRow, simplified: Sequence[InvoiceRow]) -> None:
    """Raise Invalid when bases and taxes are not those of the simplified invoices, their corrections included.

    Two cents of difference are accepted for each simplified invoice, since roundings may differ.
    """
    currencies = {row.currency for row in simplified}
    if currencies != {full.currency}:
        listed = ", ".join(sorted(currencies))
        raise Invalid.field("currency", InvoicesMsg.CURRENCY_OF_SIMPLIFIED, listed=listed)
    simplified_gross = sum([(await remainders.remainder(ctx, row)).gross for row in simplified], ZERO)
    gross = full.subtotal + full.tax_amount + full.surcharge_amount
    if abs(gross - simplified_gross) > TOLERANCE * len(simplified):
        raise Invalid.field(_FIELD, InvoicesMsg.EXCHANGE_SUM_DIFFERS, simplified_gross=simplified_gross, gross=gross)


def _by_ids(*, locked: bool) -> Prepared[InvoiceRow]:
    query = select(invoice).where(invoice.c.id == any_(bindparam("ids", type_=ARRAY(Uuid)))).order_by(invoice.c.id)
    return Prepared(query.with_for_update() if locked else query, InvoiceRow)


_BY_IDS, _BY_IDS_LOCKED = _by_ids(locked=False), _by_ids(locked=True)

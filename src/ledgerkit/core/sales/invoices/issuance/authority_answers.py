"""Effects of an authority's answer on an invoice: its posting is reversed by an annulment, and reinstated after one."""

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import Uuid, bindparam, or_, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.posting import credit_limits, effects, standing
from ledgerkit.core.sales.invoices.posting.credit_limits import CreditedAmounts
from ledgerkit.core.sales.invoices.posting.standing import Standing
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Code, Invalid


async def restamp(ctx: Context, invoice_id: UUID, einvoice: Mapping[str, object], new_standing: Standing) -> None:
    """Stamp an invoice after an answer that may have annulled it, or made it valid again, and follow with its posting.

    Raises nothing, because an answer is always stored: `check_annullable` and `check_reactivatable` run before sending.
    """
    old = await lifecycle.fetch_locked(ctx, str(invoice_id), hidden=True)
    columns, figures = await _follow(ctx, old, annulled=new_standing in standing.ANNULLED)
    row = await records.change(ctx, invoice, invoice_id, lifecycle.stamped(einvoice, new_standing) | columns)
    await effects.count_change(ctx, old, row, figures)


async def _follow(ctx: Context, row: InvoiceRow, *, annulled: bool) -> tuple[Values[InvoiceRow], dict[str, int]]:
    """Reverse or reinstate the posting of `row`; return its changed columns and the figures to add."""
    if annulled is standing.is_annulled(row):
        return Values(InvoiceRow), {}
    if annulled:
        return Values(InvoiceRow), await effects.reverse(ctx, row, "annulled")
    return await effects.reinstate(ctx, row)


async def check_annullable(ctx: Context, row: InvoiceRow) -> None:
    """Raise Invalid NOT_ANNULLABLE while documents that count depend on this one, whose row is locked."""
    notes = await _DEPENDENT_NOTES.rows(ctx.db, original=row.id)
    if notes:
        numbers = ", ".join(note.number or "" for note in notes)
        raise Invalid(InvoicesMsg.CORRECTED_BY, code=Code.NOT_ANNULLABLE, number=row.number, numbers=numbers)
    if row.substituted_by is not None:
        full = await _NUMBER.one(ctx.db, invoice_id=row.substituted_by)
        raise Invalid(InvoicesMsg.EXCHANGED_FOR, code=Code.NOT_ANNULLABLE, number=row.number, full=full.number)
    await effects.require_unreplaced(ctx, row)


async def check_reactivatable(ctx: Context, row: InvoiceRow) -> None:
    """Raise Invalid NOT_CORRECTABLE for an annulled document that cannot become valid again.

    Meanwhile another document may have replaced the same amounts, or given back the same goods.
    """
    if row.substitutes or row.replaced is not None:
        raise Invalid(InvoicesMsg.ANNULLED_REPLACEMENT, code=Code.NOT_CORRECTABLE, number=row.number)
    if row.rectifies is not None:
        original = await effects.locked_original(ctx, row)
        standing.check_in_force(original)
        await _check_still_within_limits(ctx, original, row)


async def _check_still_within_limits(ctx: Context, original: InvoiceRow, note: InvoiceRow) -> None:
    """Raise Invalid NOT_CORRECTABLE when others have given back since what the annulled credit note gave back."""
    try:
        await credit_limits.check(ctx, original, CreditedAmounts.of(note))
    except Invalid as problem:
        raise Invalid(
            InvoicesMsg.NOT_REACTIVATABLE, code=Code.NOT_CORRECTABLE, number=note.number, reason=problem.text.message
        ) from problem


class DocumentNumberRow(Row):
    number: str | None


_DEPENDENT_NOTES = Prepared(
    select(invoice.c.number)
    .where(
        invoice.c.rectifies == bindparam("original", type_=Uuid),
        or_(standing.is_posted(), invoice.c.fiscal_standing == Standing.REACTIVATING.value),
    )
    .order_by(invoice.c.id),
    DocumentNumberRow,
)
_NUMBER = Prepared(
    select(invoice.c.number).where(invoice.c.id == bindparam("invoice_id", type_=Uuid)), DocumentNumberRow
)

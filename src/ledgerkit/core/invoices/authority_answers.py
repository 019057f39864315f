"""Effects of an authority's answer on an invoice: its posting is reversed by an annulment, and reinstated after one."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import and_, or_, select

from ledgerkit.core import records
from ledgerkit.core.invoices import lifecycle
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.models import CHANGES, invoice
from ledgerkit.core.invoices.posting import credit_limits, effects, standing
from ledgerkit.core.invoices.posting.standing import Standing
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, Invalid, Words, bilingual


async def restamp(ctx: Context, invoice_id: UUID, einvoice: Mapping[str, Any], new_standing: Standing) -> None:
    """Stamp an invoice after an answer that may have annulled it, or made it valid again, and follow with its posting.

    Raises nothing, since an answer is always stored: `check_annullable` and `check_reactivatable` come before sending.
    """
    old = await lifecycle.fetch_locked(ctx, str(invoice_id), hidden=True)
    columns, figures = await _follow(ctx, old, annulled=new_standing in standing.ANNULLED)
    row = await records.change(ctx, invoice, invoice_id, lifecycle.stamped(einvoice, new_standing) | columns)
    is_listed = row.status != old.status and old.deleted_at is None
    by_status = {f"invoice.{old.status}": -1, f"invoice.{row.status}": 1} if is_listed else {}
    await counters.add(ctx.db, {CHANGES: 1, **by_status, **figures})


async def _follow(ctx: Context, row: Any, *, annulled: bool) -> tuple[dict[str, Any], dict[str, int]]:
    """Reverse or reinstate the posting of `row`; return its changed columns and the figures to add."""
    if annulled is standing.is_annulled(row):
        return {}, {}
    return ({}, await effects.reverse(ctx, row, "annulled")) if annulled else await effects.reinstate(ctx, row)


async def check_annullable(ctx: Context, row: Any) -> None:
    """Raise Invalid NOT_ANNULLABLE while documents that count depend on this one, whose row is locked."""
    depends = or_(standing.is_posted(), invoice.c.fiscal_standing == Standing.REACTIVATING.value)
    notes = select(invoice.c.number).where(and_(invoice.c.rectifies == row.id, depends)).order_by(invoice.c.id)
    numbers = (await ctx.db.execute(notes)).scalars().all()
    if numbers:
        raise _not_annullable(
            (f"{row.number} is corrected by {', '.join(numbers)}.", "Annul the credit notes first, then the invoice."),
            (f"{row.number} está rectificada por {', '.join(numbers)}.", "Anula antes las rectificativas."),
        )
    if row.substituted_by is not None:
        query = select(invoice.c.number).where(invoice.c.id == row.substituted_by)
        full_number = (await ctx.db.execute(query)).scalar_one()
        raise _not_annullable(
            (f"{row.number} has been exchanged for {full_number}.", f"Annul {full_number} first."),
            (f"{row.number} se ha canjeado por {full_number}.", f"Anula antes {full_number}."),
        )
    await effects.require_unreplaced(ctx, row)


async def check_reactivatable(ctx: Context, row: Any) -> None:
    """Raise Invalid NOT_CORRECTABLE for an annulled document that cannot become valid again.

    Another document may have replaced what it replaced, or given back what it gave back.
    """
    if row.substitutes or row.replaced is not None:
        raise Invalid(InvoicesMsg.ANNULLED_REPLACEMENT, code=Code.NOT_CORRECTABLE, number=row.number)
    if row.rectifies is not None:
        original = await effects.locked_original(ctx, row)
        standing.check_in_force(original)
        await _check_still_within_limits(ctx, original, row)


async def _check_still_within_limits(ctx: Context, original: Any, note: Any) -> None:
    """Raise Invalid NOT_CORRECTABLE when others have given back since what the annulled credit note gave back."""
    try:
        await credit_limits.check_back(ctx, original, note)
    except Invalid as problem:
        spanish = problem.translations["es"].message if "es" in problem.translations else problem.detail
        raise bilingual(
            Invalid,
            (
                f"{note.number} cannot hold again: {problem.detail}",
                "Make a new credit note for what is left, if anything is.",
            ),
            (f"{note.number} no puede volver a valer: {spanish}", "Haz otra rectificativa por lo que quede, si queda."),
            code=Code.NOT_CORRECTABLE,
        ) from problem


def _not_annullable(english: Words, spanish: Words) -> Invalid:
    return bilingual(Invalid, english, spanish, code=Code.NOT_ANNULLABLE)

"""What an authority's answer does to an invoice: an annulled one leaves the books, one that holds again comes back."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import and_, or_, select

from ledgerkit.core import records
from ledgerkit.core.invoices import lifecycle
from ledgerkit.core.invoices.models import CHANGES, invoice
from ledgerkit.core.invoices.posting import ledger, limits, remaining, standing
from ledgerkit.core.invoices.posting.standing import Standing
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, Invalid, Words, bilingual


async def restamp(ctx: Context, invoice_id: UUID, einvoice: Mapping[str, Any], stands: Standing) -> None:
    """`lifecycle.stamp` after an answer that may have annulled the invoice, or undone that.

    Raises nothing: an answer is always kept. Whether the books can follow was asked before.
    """
    old = await lifecycle.locked(ctx, str(invoice_id), hidden=True)
    columns, moved = await _moved_books(ctx, old, out=stands in standing.ANNULLED)
    row = await records.change(ctx, invoice, invoice_id, lifecycle.stamped(einvoice, stands) | columns)
    listed = row.status != old.status and old.deleted_at is None
    counted = {f"invoice.{old.status}": -1, f"invoice.{row.status}": 1} if listed else {}
    await counters.add(ctx.db, {CHANGES: 1, **counted, **moved})


async def _moved_books(ctx: Context, row: Any, *, out: bool) -> tuple[dict[str, Any], dict[str, int]]:
    if out is standing.annulled(row):
        return {}, {}
    return ({}, await ledger.leave(ctx, row, "annulled")) if out else await ledger.come_back(ctx, row)


async def check_annullable(ctx: Context, row: Any) -> None:
    """Raises Invalid NOT_ANNULLABLE while other documents in the books rest on this one; its row is locked."""
    resting = or_(remaining.in_books(), invoice.c.fiscal_standing == Standing.REACTIVATING.value)
    notes = select(invoice.c.number).where(and_(invoice.c.rectifies == row.id, resting)).order_by(invoice.c.id)
    numbers = (await ctx.db.execute(notes)).scalars().all()
    if numbers:
        raise _resting(
            (f"{row.number} is corrected by {', '.join(numbers)}.", "Annul the credit notes first, then the invoice."),
            (f"{row.number} está rectificada por {', '.join(numbers)}.", "Anula antes las rectificativas."),
        )
    if row.substituted_by is not None:
        query = select(invoice.c.number).where(invoice.c.id == row.substituted_by)
        full = (await ctx.db.execute(query)).scalar_one()
        raise _resting(
            (f"{row.number} has been exchanged for {full}.", f"Annul {full} first."),
            (f"{row.number} se ha canjeado por {full}.", f"Anula antes {full}."),
        )
    await ledger.require_unreplaced(ctx, row)


async def check_reactivatable(ctx: Context, row: Any) -> None:
    """Raises Invalid NOT_CORRECTABLE for an annulled invoice that cannot hold again: its place may have been taken."""
    if row.substitutes or row.replaced is not None:
        raise bilingual(
            Invalid,
            (
                f"{row.number} is annulled, and what it stood for may stand for itself or for others now.",
                "Make a new document in its place.",
            ),
            (
                f"{row.number} está anulada, y lo que sustituía puede valer ahora por sí mismo o por otros.",
                "Haz en su lugar un documento nuevo.",
            ),
            code=Code.NOT_CORRECTABLE,
        )
    if row.rectifies is not None:
        original = await ledger.locked_original(ctx, row)
        standing.check_alive(original)
        await _check_room(ctx, original, row)


async def _check_room(ctx: Context, original: Any, note: Any) -> None:
    """Whether what the annulled `note` gave back has not been given back by others since."""
    try:
        await limits.check_back(ctx, original, note)
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


def _resting(english: Words, spanish: Words) -> Invalid:
    return bilingual(Invalid, english, spanish, code=Code.NOT_ANNULLABLE)

"""Bring a deleted invoice back, whatever it was: nothing had been removed (interface decisions B10)."""

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.invoices import representation
from ledgerkit.core.invoices.models import CHANGES, invoice
from ledgerkit.core.invoices.posting import effects
from ledgerkit.core.invoices.schemas import Invoice
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, operation
from ledgerkit.core.request.permissions import Permission


@operation(Permission.INVOICES_DELETE, name="invoices.restore.restore", effects=Effect.IDEMPOTENT)
async def restore(ctx: Context, invoice_id: str) -> Invoice:
    """Show a deleted invoice again; one that is not deleted stays as it is.

    A draft and an emitted invoice were only hidden. An issued one that was not emitted returns to the books with its
    number and its payments; when what was set off against a paid one is no longer there, it is open again.
    """
    old = await records.fetch_locked(ctx, invoice, invoice_id, "invoice", hidden=True)
    if old.deleted_at is None:
        return await representation.as_invoice(ctx, old)
    columns, figures = await effects.reinstate(ctx, old) if effects.is_voided(old) else ({}, {})
    row = await records.change(ctx, invoice, old.id, {"deleted_at": None, **columns})
    await counters.add(ctx.db, {f"invoice.{row.status}": 1, "invoice.deleted": -1, CHANGES: 1, **figures})
    await activity.record(ctx, "restored", ("invoice", row.id), row.number or row.client["name"])
    return await representation.as_invoice(ctx, row)

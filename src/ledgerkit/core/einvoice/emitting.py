"""The transaction of an emission: the invoice is locked, then sealed, unless it has the record that answers already."""

from typing import Any

from ledgerkit.core.context import Context
from ledgerkit.core.einvoice import channels, correcting, history, sealing
from ledgerkit.core.invoices import lifecycle


async def record(ctx: Context, invoice_id: str, *, correct: bool) -> Any:
    """The record that answers this emission: a new one, or the one that stands. The caller sends it.

    Whoever waited for the lock while another one was made gets that one.
    Raises what `sealing.seal` does, NOT_CORRECTABLE, NotFound.
    """
    row = await lifecycle.locked(ctx, invoice_id, before=history.NEWEST)
    if row.einvoice is None:  # which it is given together with its first record
        if correct:
            raise correcting.never_emitted(row)
        return await sealing.seal(ctx, row, channels.required(ctx), awaited=True)
    records = await history.of_invoice(ctx, row.id)
    standing = history.current(records)
    if records[-1].record.id != row.newest_id or not await correcting.is_due(ctx, row, standing, wanted=correct):
        return standing.record
    return await sealing.seal(ctx, row, correcting.channel_of(ctx, standing), earlier=records, awaited=True)

"""The transaction of an emission: the invoice is locked, then given a record, unless it has the one that answers."""

from typing import Any

from ledgerkit.core.context import Context
from ledgerkit.core.einvoice import channels, correcting, history, issuing, sealing
from ledgerkit.core.invoices import lifecycle


async def record(ctx: Context, invoice_id: str, *, correct: bool) -> Any:
    """The record that answers this emission: a new one, or the one that stands. The caller sends it.

    Whoever waited for the lock while another one was made gets that one.
    What was numbered without a record gets one now: of this moment, at the end of the chain.
    Raises what `issuing.issue` does, also EINVOICING_OFF; NOT_CORRECTABLE, NotFound.
    """
    row = await lifecycle.locked(ctx, invoice_id, before=history.NEWEST)
    if row.einvoice is None:  # which it is given together with its first record
        if correct:
            raise correcting.never_emitted(row)
        ctx = await issuing.decided(ctx)
        channel = channels.reporting(ctx)
        if row.status != "draft":
            return await sealing.seal(ctx, row, channel, awaited=True)
        return (await issuing.issue(ctx, row, awaited=True)).record
    records = await history.of_invoice(ctx, row.id)
    standing = history.current(records)
    if records[-1].record.id != row.newest_id or not await correcting.is_due(ctx, row, records, wanted=correct):
        return standing.record
    return await sealing.seal(ctx, row, correcting.channel_of(ctx, standing), earlier=records, awaited=True)

"""Invoices of a client that turns out to be another one's duplicate."""

from uuid import UUID

from ledgerkit.core.platform import records
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.clients import duplicates
from ledgerkit.core.sales.invoices.models import CHANGES, invoice


async def move(ctx: Context, old: UUID, new: UUID) -> int:
    """Count the invoices of the client `old` as the client `new`'s, and return how many they are.

    The copy of the buyer that each bears stays as it was printed and reported.
    """
    moved = await records.repoint(ctx, invoice, "client_id", old=old, new=new)
    await duplicates.move_figures(ctx, old, new)
    await counters.add(ctx.db, {CHANGES: moved})
    return moved

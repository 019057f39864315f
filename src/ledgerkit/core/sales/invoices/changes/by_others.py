"""Changes that domains above make to invoices: another client, and the count of changes."""

from uuid import UUID

from ledgerkit.core.platform import records
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.clients.duplicates import pairs as duplicates
from ledgerkit.core.sales.invoices.table import CHANGES, invoice

COUNTER_OF_CHANGES = CHANGES
"""Kind of the counter that only grows: cached pages of lists are known by it."""


async def move(ctx: Context, old: UUID, new: UUID) -> int:
    """Assign the invoices of the client `old` to the client `new`, and return their number.

    The copy of the buyer in each invoice stays as it was printed and reported.
    """
    moved = await records.repoint(ctx, invoice, "client_id", old=old, new=new)
    await duplicates.move_figures(ctx, old, new)
    await counters.add(ctx.db, {CHANGES: moved})
    return moved


async def count_change(ctx: Context) -> None:
    """Count a change of the account's invoices."""
    await counters.add(ctx.db, {CHANGES: 1})

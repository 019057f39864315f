"""Expenses of a vendor that turns out to be another one's duplicate."""

from uuid import UUID

from ledgerkit.core import records
from ledgerkit.core.expenses import counts
from ledgerkit.core.expenses.models import expense
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context


async def move(ctx: Context, old: UUID, new: UUID) -> int:
    """Count the expenses of the vendor `old` as the vendor `new`'s, and return how many they are.

    The vendor's name that each bears stays as it was recorded.
    """
    moved = await records.repoint(ctx, expense, "vendor_id", old=old, new=new)
    kinds = {kind(old): kind(new) for kind in (counts.vendor_count_kind, counts.vendor_spent_kind)}
    values = await counters.read(ctx.db, list(kinds))
    taken = {kind: -value for kind, value in values.items()}
    given = {kinds[kind]: value for kind, value in values.items()}
    await counters.add(ctx.db, taken | given)
    return moved

"""Expenses of a vendor that turns out to be another one's duplicate."""

from uuid import UUID

from ledgerkit.core import records
from ledgerkit.core.expenses.counts import vendor_count_kind, vendor_spent_kind
from ledgerkit.core.expenses.models import expense
from ledgerkit.core.records import duplicates
from ledgerkit.core.request.context import Context


async def move(ctx: Context, old: UUID, new: UUID) -> int:
    """Count the expenses of the vendor `old` as the vendor `new`'s, and return how many they are.

    The vendor's name that each bears stays as it was recorded.
    """
    moved = await records.repoint(ctx, expense, "vendor_id", old=old, new=new)
    await duplicates.move_counts(ctx, {kind(old): kind(new) for kind in (vendor_count_kind, vendor_spent_kind)})
    return moved

"""Expenses of a vendor that is a duplicate of another one."""

from uuid import UUID

from ledgerkit.core.platform import records
from ledgerkit.core.platform.records import duplicates
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses.table import expense
from ledgerkit.core.purchases.expenses.totals.counts import vendor_count_kind, vendor_spent_kind


async def move(ctx: Context, old: UUID, new: UUID) -> int:
    """Assign the expenses of the vendor `old` to the vendor `new`, and return their number.

    The vendor's name in each expense stays as it was recorded.
    """
    moved = await records.repoint(ctx, expense, "vendor_id", old=old, new=new)
    await duplicates.move_counts(ctx, {kind(old): kind(new) for kind in (vendor_count_kind, vendor_spent_kind)})
    return moved

"""Expenses of a vendor that turns out to be another one's duplicate."""

from uuid import UUID

from ledgerkit.core.platform import records
from ledgerkit.core.platform.records import duplicates
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses.counts import vendor_count_kind, vendor_spent_kind
from ledgerkit.core.purchases.expenses.models import expense


async def move(ctx: Context, old: UUID, new: UUID) -> int:
    """Count the expenses of the vendor `old` as the vendor `new`'s, and return how many they are.

    The vendor's name that each bears stays as it was recorded.
    """
    moved = await records.repoint(ctx, expense, "vendor_id", old=old, new=new)
    await duplicates.move_counts(ctx, {kind(old): kind(new) for kind in (vendor_count_kind, vendor_spent_kind)})
    return moved

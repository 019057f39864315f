"""Stored counts of expenses by category and vendor, and of the expenses that name each vendor."""

from uuid import UUID

from sqlalchemy import ARRAY, Integer, Text, bindparam, func, select
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import counters, duplicates
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses.table import ExpenseRow, expense, expense_vendor

ALL = "expense"
VENDOR_NAMES = "expense.vendors"
"""Counter of the vendors that at least one expense names."""


def category_kind(category: str) -> str:
    return f"expense.category:{category}"


def vendor_count_kind(vendor_id: UUID) -> str:
    return f"expense.vendor.count:{vendor_id}"


def vendor_spent_kind(vendor_id: UUID) -> str:
    """Return the counter of what a vendor's expenses cost: gross, in cents of the account's currency."""
    return f"expense.vendor.spent:{vendor_id}"


async def record_change(ctx: Context, removed: ExpenseRow | None = None, added: ExpenseRow | None = None) -> None:
    """Update the counts for an expense that was removed, added, or changed from one row to the other."""
    deltas: dict[str, int] = {}
    vendor_deltas: dict[str, int] = {}
    for row, sign in ((removed, -1), (added, 1)):
        if row is not None:
            for kind, value in _counted_values(row).items():
                deltas[kind] = deltas.get(kind, 0) + sign * value
            if row.vendor_key is not None:
                vendor_deltas[row.vendor_key] = vendor_deltas.get(row.vendor_key, 0) + sign
    await counters.add(ctx.db, deltas)
    await _count_vendor_names(ctx, {key: delta for key, delta in vendor_deltas.items() if delta})


async def move(ctx: Context, old: UUID, new: UUID) -> int:
    """Assign the expenses of the vendor `old` to the vendor `new`, and return their number.

    The vendor's name in each expense stays as it was recorded.
    """
    moved = await records.repoint(ctx, expense, "vendor_id", old=old, new=new)
    await duplicates.move_counts(ctx, {kind(old): kind(new) for kind in (vendor_count_kind, vendor_spent_kind)})
    return moved


def _counted_values(row: ExpenseRow) -> dict[str, int]:
    counted_values = {ALL: 1, category_kind(row.category): 1}
    if row.vendor_id is not None:
        counted_values |= {
            vendor_count_kind(row.vendor_id): 1,
            vendor_spent_kind(row.vendor_id): int(row.base_total * 100),
        }
    return counted_values


async def _count_vendor_names(ctx: Context, vendor_deltas: dict[str, int]) -> None:
    """Update the counts by vendor name; last, since only these rows may be locked by another writer."""
    if not vendor_deltas:
        return
    keys = sorted(vendor_deltas)
    rows = await _ADD_TO_COUNTS.rows(ctx.db, keys=keys, deltas=[vendor_deltas[key] for key in keys])
    counts = {row.vendor_key: row.count for row in rows}
    newly_named = sum(1 for key in keys if counts[key] == vendor_deltas[key] > 0)
    no_longer_named = sum(1 for key in keys if counts[key] == 0)
    await counters.add(ctx.db, {VENDOR_NAMES: newly_named - no_longer_named})


class _VendorCountRow(Row):
    vendor_key: str
    count: int


_DELTAS = (
    func.unnest(bindparam("keys", type_=ARRAY(Text)), bindparam("deltas", type_=ARRAY(Integer)))
    .table_valued("key", "delta", name="given")
    .render_derived()
)
_INSERT_COUNTS = insert(expense_vendor).from_select(
    ["vendor_key", "count"], select(_DELTAS.c.key, _DELTAS.c.delta).order_by(_DELTAS.c.key)
)
_ADD_TO_COUNTS = Prepared(
    _INSERT_COUNTS.on_conflict_do_update(
        index_elements=["account_id", "vendor_key"],
        set_={"count": expense_vendor.c.count + _INSERT_COUNTS.excluded.count},
    ).returning(expense_vendor.c.vendor_key, expense_vendor.c["count"]),
    _VendorCountRow,
)

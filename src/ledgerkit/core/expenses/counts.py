"""How many expenses there are of each kind, and how often each vendor is named: kept, so that nobody counts anew."""

from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Integer, Text, bindparam, func, select
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.expenses.models import expense_vendor
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context

LISTED = "expense"
NAMED_VENDORS = "expense.vendors"
"""Vendors that at least one expense names."""


def of_category(category: str) -> str:
    return f"expense.category:{category}"


def of_vendor(vendor_id: UUID) -> str:
    return f"expense.vendor.count:{vendor_id}"


def spent_on(vendor_id: UUID) -> str:
    """What a vendor's expenses cost: gross, in cents of the account's currency."""
    return f"expense.vendor.spent:{vendor_id}"


async def count(ctx: Context, gone: Any = None, come: Any = None) -> None:
    """Count one expense less, one more, or one as it was and as it is: rows, or None."""
    changes: dict[str, int] = {}
    named: dict[str, int] = {}
    for row, sign in ((gone, -1), (come, 1)):
        if row is not None:
            for kind, value in _figures(row).items():
                changes[kind] = changes.get(kind, 0) + sign * value
            if row.vendor_key is not None:
                named[row.vendor_key] = named.get(row.vendor_key, 0) + sign
    await counters.add(ctx.db, changes)
    await _count_names(ctx, {key: delta for key, delta in named.items() if delta})


def _figures(row: Any) -> dict[str, int]:
    figures = {LISTED: 1, of_category(row.category): 1}
    if row.vendor_id is not None:
        figures |= {of_vendor(row.vendor_id): 1, spent_on(row.vendor_id): int(row.base_total * 100)}
    return figures


async def _count_names(ctx: Context, named: dict[str, int]) -> None:
    """After the tally: a name's row is waited for, the tally's are not."""
    if not named:
        return
    keys = sorted(named)
    rows = await _NAMES.rows(ctx.db, keys=keys, deltas=[named[key] for key in keys])
    counts = {row.vendor_key: row["count"] for row in rows}
    begun = sum(1 for key in keys if counts[key] == named[key] > 0)
    ended = sum(1 for key in keys if counts[key] == 0)
    await counters.add(ctx.db, {NAMED_VENDORS: begun - ended})


_GIVEN = (
    func.unnest(bindparam("keys", type_=ARRAY(Text)), bindparam("deltas", type_=ARRAY(Integer)))
    .table_valued("key", "delta", name="given")
    .render_derived()
)
_CHANGE = insert(expense_vendor).from_select(
    ["vendor_key", "count"], select(_GIVEN.c.key, _GIVEN.c.delta).order_by(_GIVEN.c.key)
)
_NAMES = Prepared(
    _CHANGE.on_conflict_do_update(
        index_elements=["account_id", "vendor_key"], set_={"count": expense_vendor.c.count + _CHANGE.excluded.count}
    ).returning(expense_vendor.c.vendor_key, expense_vendor.c["count"])
)

"""Page of a vendor: the vendor with the sums of its expenses."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from uuid import UUID

from sqlalchemy import ARRAY, Text, Uuid, bindparam, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.expenses import operations as expenses
from ledgerkit.core.purchases.expenses.table import expense
from ledgerkit.core.purchases.expenses.totals import counts
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.purchases.vendors.api import Vendor
from ledgerkit.money import Sum


class VendorSummary(Wire):
    """Sums of a vendor's expenses: gross, in the account's currency; categories in alphabetical order."""

    total_spent: Sum
    """Sum of its expenses, gross, in the account's currency."""
    expense_count: int
    """Number of its expenses."""
    last_expense_date: date | None
    """Date of its latest expense; null without any."""
    categories: list[str]
    """Categories of its expenses."""


class VendorPage(Vendor):
    summary: VendorSummary
    """Sums of the vendor's expenses."""


@operation(Permission.VENDORS_READ, unit=Unit.READING)
async def vendor_page(ctx: Context, vendor_id: str) -> VendorPage:
    """Return one vendor and the summary of its expenses. Raises NotFound."""
    vendor = await vendors.get(ctx, vendor_id)
    return VendorPage(**dict(vendor), summary=await _summary(ctx, UUID(vendor.id)))


@operation(Permission.VENDORS_READ, unit=Unit.READING)
async def vendor_expenses(ctx: Context, vendor_id: str, page: PageRequest) -> Page:
    """List the vendor's expenses, the newest first. Raises NotFound."""
    vendor = await vendors.get(ctx, vendor_id)
    return await expenses.listing(ctx, page, expenses.ExpenseFilter(vendor_id=vendor.id))


async def _summary(ctx: Context, vendor_id: UUID) -> VendorSummary:
    count, spent = counts.vendor_count_kind(vendor_id), counts.vendor_spent_kind(vendor_id)
    figures = await counters.read(ctx.db, [count, spent])
    expense_facts = await _SEEN.one(ctx.db, vendor_id=vendor_id)
    return VendorSummary(
        total_spent=Decimal(figures.get(spent, 0)) / 100,
        expense_count=figures.get(count, 0),
        last_expense_date=expense_facts.last,
        categories=list(expense_facts.categories or []),
    )


class SeenRow(Row):
    last: date | None
    categories: Sequence[str] | None


def _seen_statement() -> Prepared[SeenRow]:
    """Select the last day and the categories by one step in an index for each, without reading every expense."""
    of_vendor = expense.c.vendor_id == bindparam("vendor_id", type_=Uuid)
    by_name = select(expense.c.category).where(of_vendor).order_by(expense.c.category).limit(1)
    category_steps = select(by_name.scalar_subquery().label("category")).cte("seen", recursive=True)
    following = by_name.where(expense.c.category > category_steps.c.category).scalar_subquery()
    category_steps = category_steps.union_all(select(following).where(category_steps.c.category.is_not(None)))
    listed = func.array_agg(aggregate_order_by(category_steps.c.category, category_steps.c.category), type_=ARRAY(Text))
    categories = select(listed).where(category_steps.c.category.is_not(None))
    last = select(func.max(expense.c.date)).where(of_vendor)
    return Prepared(
        select(last.scalar_subquery().label("last"), categories.scalar_subquery().label("categories")), SeenRow
    )


_SEEN = _seen_statement()

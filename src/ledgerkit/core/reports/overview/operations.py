"""Overview of a business on one screen: amounts owed, amounts due next, and open work."""

from datetime import date, timedelta
from decimal import Decimal
from uuid import UUID

from sqlalchemy import Date, bindparam, func, select

from ledgerkit.core.catalog.table import catalog_item
from ledgerkit.core.einvoice.inspection import records as fiscal_records
from ledgerkit.core.einvoice.outbox import incidents
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.supplier_invoices import output as supplier_invoice_output
from ledgerkit.core.purchases.supplier_invoices.table import supplier_invoice
from ledgerkit.core.reports import input as report_input
from ledgerkit.core.reports import operations as reports
from ledgerkit.core.reports import queries as report_queries
from ledgerkit.core.reports.api import Open, Overdue
from ledgerkit.core.reports.input import DateRange, Quarter
from ledgerkit.core.reports.overview.api import (
    DueBill,
    DueBills,
    DueVat,
    FiscalWork,
    LowItem,
    LowStock,
    MonthCosts,
    MonthReceipts,
    OverdueInvoice,
    OverdueInvoices,
    Overview,
    Receivable,
)
from ledgerkit.core.reports.sources import purchases
from ledgerkit.core.reports.sources.sales import LAST
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.dates.issue_and_due import TODAY
from ledgerkit.core.sales.invoices.table import invoice
from ledgerkit.providers.api import TaxPeriod

MOST = 5
"""Documents named in each list."""

WEEK = timedelta(days=7)


@operation(Permission.TEAM_READ, unit=Unit.READING)
async def overview(ctx: Context) -> Overview:
    """Summarise today: amounts owed, this month, the VAT due next, open work; null for what the role may not read.

    Figures need `reports:read`; each list needs the permission to read its records.
    """
    today, may = ctx.account.today(), ctx.actor.may
    month = _month_of(today)
    figures = may(Permission.REPORTS_READ)
    return Overview(
        currency=ctx.account.currency,
        as_of=today,
        receivable=await _receivable(ctx) if figures else None,
        received=await _received(ctx, month) if figures else None,
        costs=await _costs(ctx, month) if figures else None,
        vat=await _vat(ctx, today) if figures else None,
        overdue_invoices=await _overdue(ctx, today) if may(Permission.INVOICES_READ) else None,
        low_stock=await _low_stock(ctx) if may(Permission.CATALOG_READ) else None,
        bills=await _bills(ctx, today) if may(Permission.SUPPLIER_INVOICES_READ) else None,
        fiscal=await _fiscal(ctx) if may(Permission.EINVOICE_READ) else None,
    )


# ---------------------------------------------------------------- figures


async def _receivable(ctx: Context) -> Receivable:
    owed = await report_queries.receivable(ctx)
    late = (ctx.account.today() - owed.oldest).days if owed.overdue_count and owed.oldest else 0
    return Receivable(
        not_yet_due=Open(count=owed.count - owed.overdue_count, amount=owed.amount - owed.overdue),
        overdue=Overdue(count=owed.overdue_count, amount=owed.overdue, oldest_days=late),
    )


async def _received(ctx: Context, month: DateRange) -> MonthReceipts:
    collected = await report_queries.collected(ctx, month)
    return MonthReceipts(first=month.first, last=month.last, amount=report_queries.whole([*collected.values()]))


async def _costs(ctx: Context, month: DateRange) -> MonthCosts:
    of_expenses, of_supplier_invoices = [
        (await statement.one(ctx.db, first=month.first, last=month.last, currency=ctx.account.currency)).amount
        for statement in _COSTS
    ]
    return MonthCosts(
        first=month.first,
        last=month.last,
        amount=of_expenses + of_supplier_invoices,
        expenses=of_expenses,
        supplier_invoices=of_supplier_invoices,
    )


async def _vat(ctx: Context, today: date) -> DueVat:
    """Return the VAT of the last quarter until its day to file is over, then that of the current one."""
    current = report_input.quarter_of(today)
    previous = Quarter(current.year - 1, 4) if current.number == 1 else Quarter(current.year, current.number - 1)
    previous_due = _due_date(ctx, previous)
    is_previous = previous_due is not None and previous_due >= today
    quarter = previous if is_previous else current
    balance = await reports.vat_balance(ctx, quarter.year, quarter.number)
    return DueVat(
        year=quarter.year,
        quarter=quarter.number,
        first=balance.first,
        last=balance.last,
        balance=balance.balance,
        due_date=previous_due if is_previous else _due_date(ctx, current),
    )


def _due_date(ctx: Context, quarter: Quarter) -> date | None:
    """Return the day until which the country's usual form of a quarter is filed; None where it has no such form."""
    forms = ctx.country.declarations if ctx.country else ()
    code = f"Q{quarter.number}"
    form = next((form for form in forms if code in form.periods(quarter.year)), None)
    return form.due_date(TaxPeriod(quarter.year, code)) if form else None


def _month_of(day: date) -> DateRange:
    following = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
    return DateRange(day.replace(day=1), following - timedelta(days=1))


# ---------------------------------------------------------------- what waits


async def _overdue(ctx: Context, today: date) -> OverdueInvoices:
    rows = await _OVERDUE.rows(ctx.db, today=today)
    return OverdueInvoices(
        count=rows[0].count if rows else 0,
        invoices=[
            OverdueInvoice(
                id=str(row.id),
                number=row.number,
                client=row.client,
                email=row.email or None,
                balance=row.balance,
                currency=row.currency,
                due_date=row.due_date,
                days=(today - row.due_date).days,
            )
            for row in rows
        ],
    )


async def _low_stock(ctx: Context) -> LowStock:
    rows = await _LOW_STOCK.rows(ctx.db)
    items = [
        LowItem(id=str(row.id), name=row.name, stock=row.stock, low_stock_threshold=row.low_stock_threshold)
        for row in rows
    ]
    return LowStock(count=rows[0].count if rows else 0, items=items)


async def _bills(ctx: Context, today: date) -> DueBills:
    rows = await _BILLS.rows(ctx.db, today=today, last=today + WEEK)
    return DueBills(
        first=today,
        last=today + WEEK,
        count=rows[0].count if rows else 0,
        overdue_count=(await _LATE_BILLS.one(ctx.db, today=today)).count,
        bills=[
            DueBill(
                id=str(row.id),
                number=row.invoice_number,
                vendor=row.vendor_name,
                balance=row.balance,
                currency=row.currency,
                due_date=row.due_date,
            )
            for row in rows
        ],
    )


async def _fiscal(ctx: Context) -> FiscalWork:
    unsent = await incidents.unsent(ctx)
    return FiscalWork(
        unsent=unsent.count,
        oldest_at=unsent.oldest_at,
        troubles=unsent.troubles,
        needs_action=await fiscal_records.count_to_mend(ctx),
    )


# ---------------------------------------------------------------- statements


class OverviewCountRow(Row):
    count: int


class OverdueRow(OverviewCountRow):
    id: UUID
    number: str | None
    client: str | None
    email: str | None
    balance: Decimal
    currency: str
    due_date: date


class LowItemRow(OverviewCountRow):
    id: UUID
    name: str
    stock: Decimal | None
    low_stock_threshold: Decimal | None


class BillRow(OverviewCountRow):
    id: UUID
    invoice_number: str | None
    vendor_name: str | None
    balance: Decimal
    currency: str
    due_date: date


_COUNT = func.count().over().label("count")
_bill, _item = supplier_invoice.c, catalog_item.c
_TODAY = bindparam("today", type_=Date)

_OVERDUE = Prepared(
    select(
        invoice.c.id,
        invoice.c.number,
        invoice.c.client["name"].astext.label("client"),
        invoice.c.client["email"].astext.label("email"),
        invoice_output.balance.label("balance"),
        invoice.c.currency,
        invoice.c.due_date,
        _COUNT,
    )
    .where(invoice.c.deleted_at.is_(None), invoice_output.overdue(TODAY))
    .order_by(invoice.c.due_date, invoice.c.id)
    .limit(MOST),
    OverdueRow,
)
_LOW_STOCK = Prepared(
    select(_item.id, _item.name, _item.stock, _item.low_stock_threshold, _COUNT)
    .where(_item.is_active, _item.is_low)
    .order_by(_item.name_key, _item.id)
    .limit(MOST),
    LowItemRow,
)
_BILLS = Prepared(
    select(_bill.id, _bill.invoice_number, _bill.vendor_name, _bill.balance, _bill.currency, _bill.due_date, _COUNT)
    .where(supplier_invoice_output.unpaid, _bill.due_date.between(_TODAY, LAST))
    .order_by(_bill.due_date, _bill.id)
    .limit(MOST),
    BillRow,
)
_LATE_BILLS = Prepared(
    select(func.count().label("count"))
    .select_from(supplier_invoice)
    .where(supplier_invoice_output.unpaid, _bill.due_date < _TODAY),
    OverviewCountRow,
)
_COSTS = [
    Prepared(select(func.coalesce(func.sum(costs.c.amount), 0).label("amount")), report_queries.AmountRow)
    for costs in (source.costs.subquery("cost") for source in purchases.SOURCES)
]

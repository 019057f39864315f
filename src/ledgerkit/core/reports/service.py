"""The one place that joins what several domains know: summaries for people and agents."""

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from ledgerkit.core.context import Context
from ledgerkit.core.invoices import shapes
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.permissions import Permission
from ledgerkit.core.reports.schemas import (
    BusinessSummary,
    ClientShare,
    Open,
    Overdue,
    Period,
    Quarter,
    RecentInvoice,
)

TOP = 5


def in_books() -> ColumnElement[bool]:
    """Issued documents that count: no voided ones, but emitted ones even when hidden (interface decisions B10)."""
    emitted = invoice.c.einvoice.is_not(None)
    annulled = func.coalesce(invoice.c.einvoice["status"].astext, "") == "annulled"
    return and_(invoice.c.status != "draft", or_(invoice.c.deleted_at.is_(None), emitted), ~annulled)


@operation(Permission.REPORTS_READ, unit=Unit.READING)
async def business_summary(ctx: Context) -> BusinessSummary:
    """Where the business stands today, in the account's currency, net of tax where it says invoiced.

    Documents in other currencies are left out. What is not kept on this server is not in it.
    """
    today = ctx.account.today()
    quarter = date(today.year, 3 * ((today.month - 1) // 3) + 1, 1)
    year_sums = await _period(ctx, date(today.year, 1, 1), today)
    quarter_sums = await _period(ctx, quarter, today)
    return BusinessSummary(
        currency=ctx.account.currency,
        as_of=today,
        year=Period(invoiced=year_sums.invoiced, collected=await _collected(ctx, date(today.year, 1, 1))),
        quarter=Quarter(
            invoiced=quarter_sums.invoiced,
            collected=await _collected(ctx, quarter),
            output_vat=quarter_sums.tax,
        ),
        pending=await _pending(ctx),
        overdue=await _overdue(ctx, today),
        top_clients=await _top_clients(ctx, date(today.year, 1, 1)),
        recent_invoices=await _recent(ctx),
    )


def _mine(ctx: Context) -> ColumnElement[bool]:
    return and_(in_books(), invoice.c.currency == ctx.account.currency)


async def _period(ctx: Context, first: date, last: date) -> Any:
    sums = (
        func.coalesce(func.sum(invoice.c.subtotal), 0).label("invoiced"),
        func.coalesce(func.sum(invoice.c.tax_amount), 0).label("tax"),
    )
    return (await ctx.db.execute(select(*sums).where(_mine(ctx), invoice.c.issue_date.between(first, last)))).one()


async def _collected(ctx: Context, since: date) -> Decimal:
    query = select(func.coalesce(func.sum(invoice.c.amount_paid), 0)).where(_mine(ctx), invoice.c.paid_at >= since)
    return Decimal((await ctx.db.execute(query)).scalar_one())


def _unpaid(ctx: Context) -> Select[Any]:
    sums = (
        func.count().label("count"),
        func.coalesce(func.sum(shapes.balance), 0).label("amount"),
        func.min(invoice.c.due_date).label("oldest"),
    )
    open_ones = (invoice.c.status == "sent", invoice.c.deleted_at.is_(None), shapes.unpaid())
    return select(*sums).where(*open_ones, _mine(ctx))


async def _pending(ctx: Context) -> Open:
    row = (await ctx.db.execute(_unpaid(ctx))).one()
    return Open(count=row.count, amount=row.amount)


async def _overdue(ctx: Context, today: date) -> Overdue:
    row = (await ctx.db.execute(_unpaid(ctx).where(invoice.c.due_date < today))).one()
    oldest = (today - row.oldest).days if row.oldest else 0
    return Overdue(count=row.count, amount=row.amount, oldest_days=oldest)


async def _top_clients(ctx: Context, since: date) -> list[ClientShare]:
    amount = func.sum(invoice.c.subtotal)
    name = func.max(invoice.c.client["name"].astext)
    query = (
        select(invoice.c.client_id, name.label("name"), amount.label("amount"))
        .where(_mine(ctx), invoice.c.issue_date >= since, invoice.c.client_id.is_not(None))
        .group_by(invoice.c.client_id)
        .order_by(amount.desc(), invoice.c.client_id)
        .limit(TOP)
    )
    return [
        ClientShare(client_id=str(row.client_id), name=row.name, invoiced=row.amount)
        for row in await ctx.db.execute(query)
    ]


async def _recent(ctx: Context) -> list[RecentInvoice]:
    query = select(invoice).where(invoice.c.deleted_at.is_(None))
    latest = query.order_by(invoice.c.issue_date.desc(), invoice.c.created_at.desc(), invoice.c.id.desc()).limit(TOP)
    return [
        RecentInvoice(
            id=str(row.id),
            number=row.number,
            client=row.client["name"],
            total=row.total,
            status=shapes.status_of(ctx, row),
            issue_date=row.issue_date,
        )
        for row in await ctx.db.execute(latest)
    ]

"""Reports and summaries, which join the tables of several domains.

Amounts are sums of what the documents hold, in the account's currency; documents in other currencies count by the
exchange rate they hold, and those without one are left out. An issued invoice counts on the day of its operation or
else of its issue, a purchase on the day it was received, its VAT on the day of deduction, and cash on its own.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, literal_column, select

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.reports import input as report_input
from ledgerkit.core.reports import queries
from ledgerkit.core.reports.api import (
    BusinessSummary,
    Cash,
    Cashflow,
    CategoryCost,
    ClientIncome,
    ClientShare,
    Expected,
    IncomeSummary,
    InputTax,
    MonthCash,
    MonthIncome,
    MonthProfit,
    Open,
    OutputRate,
    OutputTax,
    Overdue,
    Period,
    ProfitLoss,
    QuarterPeriod,
    RecentInvoice,
    Retentions,
    SelfAssessed,
    TaxedRate,
    TaxSummary,
    VatBalance,
)
from ledgerkit.core.reports.input import DateRange, Quarter
from ledgerkit.core.reports.queries import ClientIncomeRow, SalesTaxRow, TaxedRateRow, whole
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.json_columns.codecs import CLIENT
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.money import HUNDRED, ZERO, round_cents

TOP = 5
SOON = 30
"""Days in which what is due is expected."""

_NOTHING = Decimal("0.00")


@operation(Permission.REPORTS_READ, unit=Unit.READING)
async def profit_loss(ctx: Context, first: date | None, last: date | None) -> ProfitLoss:
    """Compute income less expenses, net of VAT, between two days (default the current year)."""
    span = report_input.requested(ctx, first, last)
    income = {report_input.month(row.month): row.invoiced for row in await queries.income(ctx, span)}
    costs = await queries.costs(ctx, span)
    spent = _totals((report_input.month(row.month), row.amount) for row in costs)
    categories = _totals((row.category, row.amount) for row in costs)
    earned, paid = whole([*income.values()]), whole([*spent.values()])
    return ProfitLoss(
        first=span.first,
        last=span.last,
        currency=ctx.account.currency,
        income=earned,
        expenses=paid,
        profit=earned - paid,
        margin=round_cents((earned - paid) * HUNDRED / earned) if earned else None,
        by_category=[CategoryCost(category=name, amount=amount) for name, amount in _largest_first(categories)],
        by_month=[_month_profit(month, income, spent) for month in span.months()],
    )


@operation(Permission.REPORTS_READ, unit=Unit.READING)
async def tax_summary(ctx: Context, year: int | None, quarter: int | None) -> TaxSummary:
    """Compute VAT and retentions of a quarter (default the current one), by rate."""
    requested = report_input.requested_quarter(ctx, year, quarter)
    output, deducted = await _output(ctx, requested.span), await _input(ctx, requested.span)
    retentions = await queries.retentions(ctx, requested.span)
    return TaxSummary(
        **_heading(ctx, requested),
        output=output,
        input=deducted,
        retentions=Retentions(suffered=retentions.suffered, withheld=retentions.withheld),
        balance=output.tax + output.surcharge - deducted.tax,
    )


@operation(Permission.REPORTS_READ, unit=Unit.READING)
async def vat_balance(ctx: Context, year: int | None, quarter: int | None) -> VatBalance:
    """Compute output VAT minus deductible input VAT of a quarter: in Spain boxes 27, 45 and 46 of form 303."""
    requested = report_input.requested_quarter(ctx, year, quarter)
    output, deducted = await _vat(ctx, requested.span)
    return VatBalance(
        **_heading(ctx, requested), output_vat=output, deductible_input_vat=deducted, balance=output - deducted
    )


@operation(Permission.REPORTS_READ, unit=Unit.READING)
async def cashflow(ctx: Context, opening: Decimal = ZERO) -> Cashflow:
    """Compute cash in and out of the last twelve months, by day of payment; `opening` is the cash before."""
    span = report_input.twelve_months(ctx.account.today())
    inflow, outflow = await queries.collected(ctx, span), await queries.spent(ctx, span)
    months = []
    cumulative = opening
    for month in span.months():
        cash_in, cash_out = inflow.get(month, _NOTHING), outflow.get(month, _NOTHING)
        net = cash_in - cash_out
        cumulative += net
        months.append(MonthCash(month=month, inflow=cash_in, outflow=cash_out, net=net, cumulative=cumulative))
    return Cashflow(
        first=span.first,
        last=span.last,
        currency=ctx.account.currency,
        opening=opening,
        months=months,
        expected=await _expected(ctx),
    )


@operation(Permission.REPORTS_READ, unit=Unit.READING)
async def income_summary(ctx: Context, first: date | None, last: date | None) -> IncomeSummary:
    """Compute what was invoiced and collected between two days (default the current year), and what is owed of it."""
    span = report_input.requested(ctx, first, last)
    months = await queries.income(ctx, span)
    invoiced = {report_input.month(row.month): row.invoiced for row in months}
    collected = await queries.collected(ctx, span)
    open_now = await queries.receivable(ctx, span)
    earned, count = whole([*invoiced.values()]), sum(row.invoices for row in months)
    return IncomeSummary(
        first=span.first,
        last=span.last,
        currency=ctx.account.currency,
        invoiced=earned,
        collected=whole([*collected.values()]),
        pending=open_now.amount,
        overdue=open_now.overdue,
        invoice_count=count,
        average_invoice=round_cents(earned / count) if count else _NOTHING,
        by_client=[_client_income(row) for row in await queries.by_client(ctx, span)],
        by_month=[
            MonthIncome(month=month, invoiced=invoiced.get(month, _NOTHING), collected=collected.get(month, _NOTHING))
            for month in span.months()
        ],
    )


@operation(Permission.REPORTS_READ, unit=Unit.READING)
async def business_summary(ctx: Context) -> BusinessSummary:
    """Summarise the business: this year and quarter, what is owed, the best clients, the latest invoices, cash."""
    today = ctx.account.today()
    quarter = report_input.quarter_of(today).span
    output, deducted = await _vat(ctx, quarter)
    of_quarter = await _period(ctx, quarter)
    owed = await queries.receivable(ctx)
    late = (today - owed.oldest).days if owed.overdue_count and owed.oldest else 0
    return BusinessSummary(
        currency=ctx.account.currency,
        as_of=today,
        year=await _period(ctx, report_input.year_of(today)),
        quarter=QuarterPeriod(**of_quarter.model_dump(), output_vat=output, vat_balance=output - deducted),
        pending=Open(count=owed.count, amount=owed.amount),
        overdue=Overdue(count=owed.overdue_count, amount=owed.overdue, oldest_days=late),
        top_clients=await _top_clients(ctx, report_input.year_of(today)),
        recent_invoices=await _recent(ctx),
        cash=await _cash(ctx, DateRange(date(today.year, 1, 1), today)),
    )


# ---------------------------------------------------------------- taxes


async def _output(ctx: Context, span: DateRange) -> OutputTax:
    sold = await queries.sales_taxes(ctx, span)
    taxed = [row for row in sold if row.taxed]
    assessed = await queries.assessed_taxes(ctx, span)
    rates = sorted({row.rate for row in (*taxed, *assessed)}, reverse=True)
    by_rate = [_output_rate(rate, taxed, assessed) for rate in rates]
    return OutputTax(
        base=whole([row.base for row in by_rate]),
        tax=whole([row.tax for row in by_rate]),
        surcharge=whole([row.surcharge for row in by_rate]),
        by_rate=by_rate,
        self_assessed=SelfAssessed(base=_added(assessed, "base"), tax=_added(assessed, "tax")),
        untaxed=whole([row.base for row in sold if not row.taxed]),
    )


def _output_rate(rate: Decimal, taxed: Sequence[SalesTaxRow], assessed: Sequence[TaxedRateRow]) -> OutputRate:
    of_sales = [row for row in taxed if row.rate == rate]
    both: list[SalesTaxRow | TaxedRateRow] = [*of_sales, *(row for row in assessed if row.rate == rate)]
    return OutputRate(
        rate=rate, base=_added(both, "base"), tax=_added(both, "tax"), surcharge=_added(of_sales, "surcharge")
    )


async def _input(ctx: Context, span: DateRange) -> InputTax:
    rows = sorted(await queries.deducted_taxes(ctx, span), key=lambda row: -row.rate)
    return InputTax(
        base=_added(rows, "base"),
        tax=_added(rows, "tax"),
        by_rate=[TaxedRate(rate=row.rate, base=row.base, tax=row.tax) for row in rows],
    )


async def _vat(ctx: Context, span: DateRange) -> tuple[Decimal, Decimal]:
    """Return output VAT, with surcharge and self-assessed VAT, and deductible input VAT."""
    sold, assessed = await queries.sales_taxes(ctx, span), await queries.assessed_taxes(ctx, span)
    output = _added(sold, "tax") + _added(sold, "surcharge") + _added(assessed, "tax")
    return output, _added(await queries.deducted_taxes(ctx, span), "tax")


def _heading(ctx: Context, quarter: Quarter) -> dict[str, Any]:
    span = quarter.span
    heading: dict[str, Any] = {"year": quarter.year, "quarter": quarter.number, "currency": ctx.account.currency}
    return heading | {"first": span.first, "last": span.last}


# ---------------------------------------------------------------- parts


async def _period(ctx: Context, span: DateRange) -> Period:
    invoiced = whole([row.invoiced for row in await queries.income(ctx, span)])
    spent = _added(await queries.costs(ctx, span), "amount")
    collected = whole([*(await queries.collected(ctx, span)).values()])
    return Period(invoiced=invoiced, collected=collected, expenses=spent, profit=invoiced - spent)


async def _cash(ctx: Context, span: DateRange) -> Cash:
    cash_in = whole([*(await queries.collected(ctx, span)).values()])
    cash_out = whole([*(await queries.spent(ctx, span)).values()])
    return Cash(inflow=cash_in, outflow=cash_out, net=cash_in - cash_out, expected=await _expected(ctx))


async def _expected(ctx: Context) -> Expected:
    end = report_input.days_ahead(ctx.account.today(), SOON)
    return Expected(inflow30=await queries.due_in(ctx, end), outflow30=await queries.due_out(ctx, end))


async def _top_clients(ctx: Context, span: DateRange) -> list[ClientShare]:
    rows = await queries.by_client(ctx, span, TOP + 1)
    named = [row for row in rows if row.client_id is not None][:TOP]
    return [ClientShare(client_id=str(row.client_id), name=row.name, invoiced=row.invoiced) for row in named]


_LISTED = [invoice.c.deleted_at.is_(None)]
_FIRST, _COUNT = literal_column("0", BigInteger), literal_column(f"{TOP}", BigInteger)
_NEWEST = invoice_output.newest_first(_LISTED, _LISTED, _FIRST, _COUNT)
_LATEST = Prepared(
    select(invoice).join(_NEWEST, _NEWEST.c.id == invoice.c.id).order_by(*invoice_output.order_of(_NEWEST)), InvoiceRow
)


async def _recent(ctx: Context) -> list[RecentInvoice]:
    return [
        RecentInvoice(
            id=str(row.id),
            number=row.number,
            client=CLIENT.decode(row.client).name,
            total=row.total,
            status=invoice_output.status_of(ctx, row),
            issue_date=row.issue_date or ctx.account.today(),
        )
        for row in await _LATEST.rows(ctx.db, today=ctx.account.today())
    ]


def _month_profit(month: str, income: Mapping[str, Decimal], spent: Mapping[str, Decimal]) -> MonthProfit:
    earned, paid = income.get(month, _NOTHING), spent.get(month, _NOTHING)
    return MonthProfit(month=month, income=earned, expenses=paid, profit=earned - paid)


def _client_income(row: ClientIncomeRow) -> ClientIncome:
    client_id = None if row.client_id is None else str(row.client_id)
    return ClientIncome(client_id=client_id, name=row.name, invoiced=row.invoiced, invoice_count=row.invoices)


def _totals(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    totals: dict[str, Decimal] = defaultdict(lambda: _NOTHING)
    for name, amount in amounts:
        totals[name] += amount
    return totals


def _largest_first(amounts: Mapping[str, Decimal]) -> list[tuple[str, Decimal]]:
    return sorted(amounts.items(), key=lambda item: (-item[1], item[0]))


def _added(rows: Iterable[Row], name: str) -> Decimal:
    return whole([getattr(row, name) for row in rows])

"""/api/expenses: the reports there. Routed before the expenses, whose ids would match the reports' names."""

from typing import Annotated

from fastapi import Query

from ledgerkit.core.platform.api_types.fields import Day
from ledgerkit.core.reports import operations as reports
from ledgerkit.core.reports.api import Cashflow, IncomeSummary, ProfitLoss, TaxSummary, VatBalance
from ledgerkit.money import ZERO, AskedAmount
from ledgerkit.routers.deps import Ctx
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/expenses", tags=["Expenses"])

FirstDay = Annotated[Day | None, Query(alias="from", description="First day; default the first of the year")]
LastDay = Annotated[Day | None, Query(alias="to", description="Last day; default the last of the year")]
Year = Annotated[int | None, Query(ge=2000, le=2100, description="Default the current one")]
QuarterNumber = Annotated[int | None, Query(ge=1, le=4, description="Default the current one")]
Opening = Annotated[AskedAmount | None, Query(description="Cash before the first day, default 0")]


@router.get("/profit-loss", operation=reports.profit_loss, operation_id="getProfitLoss")
async def get_profit_loss(ctx: Ctx, since: FirstDay = None, until: LastDay = None) -> ProfitLoss:
    """Compute income, expenses and profit net of VAT, by category and month."""
    return await reports.profit_loss(ctx, since, until)


@router.get("/tax-summary", operation=reports.tax_summary, operation_id="getTaxSummary")
async def get_tax_summary(ctx: Ctx, quarter: QuarterNumber = None, year: Year = None) -> TaxSummary:
    """Compute output and input VAT by rate, and retentions, of a quarter."""
    return await reports.tax_summary(ctx, year, quarter)


@router.get("/cashflow", operation=reports.cashflow, operation_id="getCashflow")
async def get_cashflow(ctx: Ctx, opening: Opening = None) -> Cashflow:
    """Compute cash in and out of the last twelve months, and what is expected in the next thirty days."""
    return await reports.cashflow(ctx, opening or ZERO)


@router.get("/vat-balance", operation=reports.vat_balance, operation_id="getVatBalance")
async def get_vat_balance(ctx: Ctx, quarter: QuarterNumber = None, year: Year = None) -> VatBalance:
    """Compute output VAT minus deductible input VAT of a quarter."""
    return await reports.vat_balance(ctx, year, quarter)


@router.get("/income-summary", operation=reports.income_summary, operation_id="getIncomeSummary")
async def get_income_summary(ctx: Ctx, since: FirstDay = None, until: LastDay = None) -> IncomeSummary:
    """Compute the invoiced and the collected amounts, by client and month, and the amounts still owed."""
    return await reports.income_summary(ctx, since, until)

"""Tool about figures."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.fields import Day
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.reports import operations as reports
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.money import ZERO, Amount

Year = Annotated[int, Field(ge=2000, le=2100)]


class Report(StrEnum):
    PROFIT_LOSS = "profit_loss"
    CASH_FLOW = "cash_flow"
    TAX_SUMMARY = "tax_summary"
    VAT_BALANCE = "vat_balance"
    INCOME_SUMMARY = "income_summary"


class ReportQuery(Wire):
    """A report and its period: days for profit and income, a quarter for taxes."""

    kind: Report
    first: Annotated[Day | None, Field(alias="from")] = None
    last: Annotated[Day | None, Field(alias="to")] = None
    year: Year | None = None
    quarter: Annotated[int | None, Field(ge=1, le=4)] = None
    opening: Amount | None = None

    @property
    def days(self) -> tuple[date | None, date | None]:
        """First and last day as given; by default those of `year`."""
        if self.year is None:
            return self.first, self.last
        return self.first or date(self.year, 1, 1), self.last or date(self.year, 12, 31)


async def _report(ctx: Context, arguments: ReportQuery) -> object:
    match arguments.kind:
        case Report.PROFIT_LOSS:
            return await reports.profit_loss(ctx, *arguments.days)
        case Report.INCOME_SUMMARY:
            return await reports.income_summary(ctx, *arguments.days)
        case Report.TAX_SUMMARY:
            return await reports.tax_summary(ctx, arguments.year, arguments.quarter)
        case Report.VAT_BALANCE:
            return await reports.vat_balance(ctx, arguments.year, arguments.quarter)
        case Report.CASH_FLOW:
            return await reports.cashflow(ctx, arguments.opening or ZERO)


TOOLS = (
    Tool(
        name="get_report",
        title="Profit, cash flow, VAT, sales (resultados)",
        description=(
            "Figures of a period: profit_loss, cash_flow, tax_summary, vat_balance, income_summary (iva trimestre "
            "pagar mes cliente ganado hoy pasado soportado toca llevo margen venta dinero compra ingresos saca "
            "guardando aparte; vat quarter much year compare make month last pay back margin money aside costs where "
            "today customer going after input take earns paid best turnover against)."
        ),
        scope=Scope.READ,
        operations=(
            reports.profit_loss,
            reports.cashflow,
            reports.tax_summary,
            reports.vat_balance,
            reports.income_summary,
        ),
        arguments=ReportQuery,
        hints={"quarter": "Of tax_summary, vat_balance", "opening": "Cash at the start, of cash_flow"},
        run=_report,
    ),
)

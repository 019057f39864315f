"""Response schemas of reports (interface decisions B17, D6 to D10). All amounts are in the account's currency."""

from datetime import date
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.money import Number, Rate, Sum

_MOST = Decimal(10) ** 17

Percent = Annotated[Decimal, Number(low=-_MOST, high=_MOST, places=2, description="Percent, two decimals")]
Month = Annotated[str, Field(description="As 2026-11")]
First = Annotated[date, Field(alias="from", description="First day")]
Last = Annotated[date, Field(alias="to", description="Last day")]


# ---------------------------------------------------------------- profit and loss


class CategoryCost(Wire):
    category: str
    amount: Sum


class MonthProfit(Wire):
    month: Month
    income: Sum
    expenses: Sum
    profit: Sum


class ProfitLoss(Wire):
    """Net of VAT, but for the VAT on purchases that may not be deducted: that is a cost."""

    first: First
    last: Last
    currency: str
    income: Sum
    expenses: Sum
    profit: Sum
    margin: Annotated[Percent | None, Field(description="Profit in percent of income; null without income")]
    by_category: Annotated[list[CategoryCost], Field(description="The dearest first")]
    by_month: list[MonthProfit]


# ---------------------------------------------------------------- taxes


class TaxedRate(Wire):
    rate: Rate
    base: Sum
    tax: Sum


class OutputRate(TaxedRate):
    surcharge: Annotated[Sum, Field(description="Equivalence surcharge that goes with this rate")]


class SelfAssessed(Wire):
    base: Sum
    tax: Sum


class OutputTax(Wire):
    base: Sum
    tax: Sum
    surcharge: Sum
    by_rate: Annotated[list[OutputRate], Field(description="Self-assessed VAT included")]
    self_assessed: Annotated[SelfAssessed, Field(description="Of which as a buyer: reverse charge, acquired in the EU")]
    untaxed: Annotated[Sum, Field(description="Base of what was sold exempt, not subject, or taxed elsewhere")]


class InputTax(Wire):
    """The deductible share of both base and tax."""

    base: Sum
    tax: Sum
    by_rate: list[TaxedRate]


class Retentions(Wire):
    suffered: Annotated[Sum, Field(description="Kept back by clients")]
    withheld: Annotated[Sum, Field(description="Kept back from vendors, owed to the authority")]


class TaxSummary(Wire):
    year: int
    quarter: int
    first: First
    last: Last
    currency: str
    output: OutputTax
    input: InputTax
    retentions: Retentions
    balance: Annotated[Sum, Field(description="Output tax and surcharge minus input tax: owed when above zero")]


class VatBalance(Wire):
    year: int
    quarter: int
    first: First
    last: Last
    currency: str
    output_vat: Annotated[Sum, Field(description="With surcharge and self-assessed VAT")]
    deductible_input_vat: Sum
    balance: Sum


# ---------------------------------------------------------------- cash


class MonthCash(Wire):
    month: Month
    inflow: Sum
    outflow: Sum
    net: Sum
    cumulative: Sum


class Expected(Wire):
    """Open balances that are due within thirty days, the overdue included."""

    inflow30: Sum
    outflow30: Sum


class Cashflow(Wire):
    first: First
    last: Last
    currency: str
    opening: Annotated[Sum, Field(description="Cash at the beginning, as given; no bank account is kept here")]
    months: list[MonthCash]
    expected: Expected


# ---------------------------------------------------------------- income


class ClientIncome(Wire):
    client_id: Annotated[str | None, Field(description="null: all documents without a stored client")]
    name: str | None
    invoiced: Sum
    invoice_count: int


class MonthIncome(Wire):
    month: Month
    invoiced: Sum
    collected: Sum


class IncomeSummary(Wire):
    """`invoiced` is net of VAT; `collected`, `pending` and `overdue` are what clients pay, VAT included."""

    first: First
    last: Last
    currency: str
    invoiced: Sum
    collected: Annotated[Sum, Field(description="Paid in this time, whenever it was invoiced")]
    pending: Annotated[Sum, Field(description="Owed today on the documents of this time, the overdue included")]
    overdue: Sum
    invoice_count: Annotated[int, Field(description="Without credit notes")]
    average_invoice: Sum
    by_client: Annotated[list[ClientIncome], Field(description="The largest first")]
    by_month: list[MonthIncome]


# ---------------------------------------------------------------- the whole business


class Period(Wire):
    """`collected` is cash, VAT included; the others are net of VAT, as in the profit and loss report."""

    invoiced: Sum
    collected: Sum
    expenses: Sum
    profit: Sum


class QuarterPeriod(Period):
    output_vat: Sum
    vat_balance: Annotated[Sum, Field(description="Output minus deductible input VAT")]


class Open(Wire):
    count: int
    amount: Sum


class Overdue(Open):
    oldest_days: int


class ClientShare(Wire):
    client_id: str
    name: str
    invoiced: Sum


class RecentInvoice(Wire):
    id: str
    number: str | None
    client: str | None
    total: Sum
    status: str
    issue_date: date


class Cash(Wire):
    """Cash of the current year until today, and what is expected within thirty days."""

    inflow: Sum
    outflow: Sum
    net: Sum
    expected: Expected


class BusinessSummary(Wire):
    currency: str
    as_of: date
    year: Period
    quarter: QuarterPeriod
    pending: Open
    overdue: Overdue
    top_clients: list[ClientShare]
    recent_invoices: list[RecentInvoice]
    cash: Cash

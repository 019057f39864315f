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


class _Span(Wire):
    first: First
    last: Last
    currency: str
    """ISO 4217 code of the account's currency, in which all amounts are."""


class _Quarter(Wire):
    year: int
    """Year of the quarter."""
    quarter: int
    """Quarter of the year, 1 to 4."""
    first: First
    last: Last
    currency: str
    """ISO 4217 code of the account's currency, in which all amounts are."""


# ---------------------------------------------------------------- profit and loss


class CategoryCost(Wire):
    category: str
    """Category of the expenses and supplier invoices, as text."""
    amount: Sum
    """Their cost, net of the VAT that is deducted."""


class MonthProfit(Wire):
    month: Month
    income: Sum
    """Invoiced in the month, net of VAT."""
    expenses: Sum
    """Costs of the month, net of the VAT that is deducted."""
    profit: Sum
    """Income less expenses; below zero for a loss."""


class ProfitLoss(_Span):
    """Net of VAT, but for the VAT on purchases that may not be deducted: that is a cost."""

    income: Sum
    """Invoiced in this time, net of VAT."""
    expenses: Sum
    """Costs of this time, net of the VAT that is deducted."""
    profit: Sum
    """Income less expenses; below zero for a loss."""
    margin: Annotated[Percent | None, Field(description="Profit in percent of income; null without income")]
    by_category: Annotated[list[CategoryCost], Field(description="The dearest first")]
    by_month: list[MonthProfit]
    """Every month that the time touches, in order."""


# ---------------------------------------------------------------- taxes


class TaxedRate(Wire):
    rate: Rate
    """Percent of VAT, 0 to 100."""
    base: Sum
    """Net amount taxed at this rate."""
    tax: Sum
    """VAT at this rate."""


class OutputRate(TaxedRate):
    surcharge: Annotated[Sum, Field(description="Equivalence surcharge that goes with this rate")]


class SelfAssessed(Wire):
    base: Sum
    """Net amount of those purchases."""
    tax: Sum
    """VAT that the account owes on them as a buyer."""


class OutputTax(Wire):
    base: Sum
    """Net amount of all rates."""
    tax: Sum
    """VAT of all rates, self-assessed included, without equivalence surcharge."""
    surcharge: Sum
    """Equivalence surcharge of all rates; zero for none."""
    by_rate: Annotated[list[OutputRate], Field(description="Self-assessed VAT included")]
    self_assessed: Annotated[SelfAssessed, Field(description="Of which as a buyer: reverse charge, acquired in the EU")]
    untaxed: Annotated[Sum, Field(description="Base of what was sold exempt, not subject, or taxed elsewhere")]


class InputTax(Wire):
    """The deductible share of both base and tax."""

    base: Sum
    """Deductible share of the net amounts of all rates."""
    tax: Sum
    """Deductible VAT of all rates."""
    by_rate: list[TaxedRate]
    """Both by rate, the highest first."""


class Retentions(Wire):
    suffered: Annotated[Sum, Field(description="Kept back by clients")]
    withheld: Annotated[Sum, Field(description="Kept back from vendors, owed to the authority")]


class TaxSummary(_Quarter):
    output: OutputTax
    """VAT of sales, and of purchases on which the buyer owes it."""
    input: InputTax
    """VAT of purchases that may be deducted."""
    retentions: Retentions
    """Income tax withheld in the quarter."""
    balance: Annotated[Sum, Field(description="Output tax and surcharge minus input tax: owed when above zero")]


class VatBalance(_Quarter):
    output_vat: Annotated[Sum, Field(description="With surcharge and self-assessed VAT")]
    deductible_input_vat: Sum
    """VAT of purchases that may be deducted."""
    balance: Sum
    """outputVat less deductibleInputVat; owed to the authority when above zero."""


# ---------------------------------------------------------------- cash


class MonthCash(Wire):
    month: Month
    inflow: Sum
    """Payments of clients in the month, less what was paid back."""
    outflow: Sum
    """Payments of expenses and supplier invoices in the month."""
    net: Sum
    """Inflow less outflow."""
    cumulative: Sum
    """Opening plus the net of all months up to this one."""


class Expected(Wire):
    """Open balances that are due within thirty days, the overdue included."""

    inflow30: Sum
    """Amounts owed by clients that are due by then."""
    outflow30: Sum
    """Amounts owed to vendors that are due by then."""


class Cashflow(_Span):
    opening: Annotated[Sum, Field(description="Cash at the beginning, as given; no bank account is kept here")]
    months: list[MonthCash]
    """The last twelve months with the current one, in order."""
    expected: Expected
    """Balances due within thirty days."""


# ---------------------------------------------------------------- income


class ClientIncome(Wire):
    client_id: Annotated[str | None, Field(description="null: all documents without a stored client")]
    name: str | None
    """Name of the client; null for documents that name nobody."""
    invoiced: Sum
    """Invoiced to the client in this time, net of VAT."""
    invoice_count: int
    """Number of those documents, credit notes left out."""


class MonthIncome(Wire):
    month: Month
    invoiced: Sum
    """Invoiced in the month, net of VAT."""
    collected: Sum
    """Paid by clients in the month, VAT included."""


class IncomeSummary(_Span):
    """`invoiced` is net of VAT; `collected`, `pending` and `overdue` are what clients pay, VAT included."""

    invoiced: Sum
    """Invoiced in this time, net of VAT."""
    collected: Annotated[Sum, Field(description="Paid in this time, whenever it was invoiced")]
    pending: Annotated[Sum, Field(description="Owed today on the documents of this time, the overdue included")]
    overdue: Sum
    """Part of `pending` that was due before today."""
    invoice_count: Annotated[int, Field(description="Without credit notes")]
    average_invoice: Sum
    """Invoiced by invoiceCount, rounded to cents; zero without invoices."""
    by_client: Annotated[list[ClientIncome], Field(description="The largest first")]
    by_month: list[MonthIncome]
    """Every month that the time touches, in order."""


# ---------------------------------------------------------------- the whole business


class Period(Wire):
    """`collected` is cash, VAT included; the others are net of VAT, as in the profit and loss report."""

    invoiced: Sum
    """Invoiced in this time, net of VAT."""
    collected: Sum
    """Paid by clients in this time, VAT included."""
    expenses: Sum
    """Costs of this time, net of the VAT that is deducted."""
    profit: Sum
    """Invoiced less expenses; below zero for a loss."""


class QuarterPeriod(Period):
    output_vat: Sum
    """VAT of sales with surcharge, and self-assessed VAT."""
    vat_balance: Annotated[Sum, Field(description="Output minus deductible input VAT")]


class Open(Wire):
    count: int
    """Number of documents."""
    amount: Sum
    """Amount still owed on them, VAT included."""


class Overdue(Open):
    oldest_days: int
    """Days since the oldest of them was due; 0 without any."""


class ClientShare(Wire):
    client_id: str
    """Id of the client."""
    name: str
    """Name of the client."""
    invoiced: Sum
    """Invoiced to the client this year, net of VAT."""


class RecentInvoice(Wire):
    id: str
    """Id of the document."""
    number: str | None
    """Number of the document; null in a draft."""
    client: str | None
    """Name of the client as printed; null where nobody is named."""
    total: Sum
    """Amount due, in the document's own currency."""
    status: str
    """State: draft, sent, paid or overdue."""
    issue_date: date
    """Date of issue; today in a draft without one."""


class Cash(Wire):
    """Cash of the current year until today, and what is expected within thirty days."""

    inflow: Sum
    """Payments of clients, less what was paid back."""
    outflow: Sum
    """Payments of expenses and supplier invoices."""
    net: Sum
    """Inflow less outflow."""
    expected: Expected
    """Balances due within thirty days."""


class BusinessSummary(Wire):
    currency: str
    """ISO 4217 code of the account's currency, in which sums are."""
    as_of: date
    """Today, by the account's time zone."""
    year: Period
    """Figures of the current year."""
    quarter: QuarterPeriod
    """Figures of the current quarter."""
    pending: Open
    """Amounts that clients owe today, the overdue included."""
    overdue: Overdue
    """Part of `pending` that was due before today."""
    top_clients: list[ClientShare]
    """Up to five stored clients with the most invoiced this year."""
    recent_invoices: list[RecentInvoice]
    """The five newest documents, drafts too."""
    cash: Cash
    """Cash of this year, and what is expected."""

"""Response schema of the overview. Amounts are in the account's currency, those of a document in its own."""

from datetime import date
from typing import Annotated

from pydantic import Field

from ledgerkit.core.catalog.schemas import Stock
from ledgerkit.core.einvoice.outbox.schemas import SendingTrouble
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.reports.schemas import First, Last, Open, Overdue
from ledgerkit.money import Quantity, Sum


class Receivable(Wire):
    """Amounts that clients owe today on all documents: not due yet, and overdue."""

    not_yet_due: Open
    overdue: Overdue


class MonthReceipts(Wire):
    """Payments of clients in the current month, less what was paid back."""

    first: First
    last: Last
    amount: Sum


class MonthCosts(Wire):
    """Costs of the current month as in the profit and loss report: net of the VAT that is deducted."""

    first: First
    last: Last
    amount: Sum
    expenses: Annotated[Sum, Field(description="Of which of expenses")]
    supplier_invoices: Annotated[Sum, Field(description="Of which of supplier invoices")]


class DueVat(Wire):
    """VAT balance of the quarter to be filed next."""

    year: int
    quarter: int
    first: First
    last: Last
    balance: Annotated[Sum, Field(description="Output minus deductible input VAT: to be paid when above zero")]
    due_date: Annotated[date | None, Field(description="Last day to file; null in a country without such a form")]


class OverdueInvoice(Wire):
    id: str
    number: str | None
    client: str | None
    email: str | None
    balance: Sum
    currency: str
    due_date: date
    days: Annotated[int, Field(description="Days since the due date")]


class OverdueInvoices(Wire):
    count: int
    invoices: Annotated[list[OverdueInvoice], Field(description="The five that are due for the longest time")]


class LowItem(Wire):
    id: str
    name: str
    stock: Stock | None
    low_stock_threshold: Quantity | None


class LowStock(Wire):
    count: int
    items: Annotated[list[LowItem], Field(description="The first five by name")]


class DueBill(Wire):
    id: str
    number: str | None
    vendor: str | None
    balance: Sum
    currency: str
    due_date: date


class DueBills(Wire):
    """Open supplier invoices that are due between two days: today and in a week."""

    first: First
    last: Last
    count: int
    overdue_count: Annotated[int, Field(description="Open supplier invoices that were due before")]
    bills: Annotated[list[DueBill], Field(description="The first five by due date")]


class FiscalWork(Wire):
    """Fiscal records that wait for the authority, or for somebody to mend them."""

    unsent: int
    oldest_at: Timestamp | None
    troubles: list[SendingTrouble]
    needs_action: Annotated[int, Field(description="Refused or remarked on, and not mended yet")]


class Overview(Wire):
    """Today at a glance. A part is null where the caller may not read it."""

    currency: str
    as_of: date
    receivable: Receivable | None
    received: MonthReceipts | None
    costs: MonthCosts | None
    vat: DueVat | None
    overdue_invoices: OverdueInvoices | None
    low_stock: LowStock | None
    bills: DueBills | None
    fiscal: FiscalWork | None

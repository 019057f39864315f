"""Response schema of the overview. Amounts are in the account's currency, those of a document in its own."""

from datetime import date
from typing import Annotated

from pydantic import Field

from ledgerkit.core.catalog.api import Stock
from ledgerkit.core.catalog.table import CatalogItemRow
from ledgerkit.core.einvoice.outbox.api import SendingTrouble
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.reports.api import First, Last, Open, Overdue
from ledgerkit.money import Quantity, Sum


class Receivable(Wire):
    """Amounts that clients owe today on all documents: not due yet, and overdue."""

    not_yet_due: Open
    """Documents due today or later."""
    overdue: Overdue
    """Documents that were due before today."""


class MonthReceipts(Wire):
    """Payments of clients in the current month, less what was paid back."""

    first: First
    last: Last
    amount: Sum
    """Sum of those payments, VAT included."""


class MonthCosts(Wire):
    """Costs of the current month as in the profit and loss report: net of the VAT that is deducted."""

    first: First
    last: Last
    amount: Sum
    """Sum of both."""
    expenses: Annotated[Sum, Field(description="Of which of expenses")]
    supplier_invoices: Annotated[Sum, Field(description="Of which of supplier invoices")]


class DueVat(Wire):
    """VAT balance of the quarter to be filed next."""

    year: int
    """Year of the quarter."""
    quarter: int
    """Quarter of the year, 1 to 4."""
    first: First
    last: Last
    balance: Annotated[Sum, Field(description="Output minus deductible input VAT: to be paid when above zero")]
    due_date: Annotated[date | None, Field(description="Last day to file; null in a country without such a form")]


class OverdueInvoice(Wire):
    id: str
    """Id of the invoice."""
    number: str | None
    """Number of the invoice."""
    client: str | None
    """Name of the client as printed; null where nobody is named."""
    email: str | None
    """E-mail address of the client; null where not known."""
    balance: Sum
    """Amount still owed, in the invoice's own currency."""
    currency: str
    """ISO 4217 code of the invoice's currency."""
    due_date: date
    """Day by which it had to be paid."""
    days: Annotated[int, Field(description="Days since the due date")]


class OverdueInvoices(Wire):
    count: int
    """Number of all overdue invoices."""
    invoices: Annotated[list[OverdueInvoice], Field(description="The five that are due for the longest time")]


class LowItem(Wire, row=CatalogItemRow):
    id: str
    name: str
    stock: Stock | None
    low_stock_threshold: Quantity | None


class LowStock(Wire):
    count: int
    """Number of all items whose stock is low."""
    items: Annotated[list[LowItem], Field(description="The first five by name")]


class DueBill(Wire):
    id: str
    """Id of the supplier invoice."""
    number: str | None
    """Vendor's number of the invoice; null where there is none."""
    vendor: str | None
    """Name of the vendor."""
    balance: Sum
    """Amount still owed, in the invoice's own currency."""
    currency: str
    """ISO 4217 code of the invoice's currency."""
    due_date: date
    """Day by which it has to be paid."""


class DueBills(Wire):
    """Open supplier invoices that are due between two days: today and in a week."""

    first: First
    last: Last
    count: int
    """Number of open supplier invoices due in that time."""
    overdue_count: Annotated[int, Field(description="Open supplier invoices that were due before")]
    bills: Annotated[list[DueBill], Field(description="The first five by due date")]


class FiscalWork(Wire):
    """Fiscal records that wait for the authority, or for somebody to mend them."""

    unsent: int
    """Number of records without a final answer of the authority."""
    oldest_at: Timestamp | None
    """Moment in UTC at which the oldest of them was made; null without any."""
    troubles: list[SendingTrouble]
    """Troubles that keep them from the authority, or make their time or chain doubtful."""
    needs_action: Annotated[int, Field(description="Refused or remarked on, and not mended yet")]


class Overview(Wire):
    """Today at a glance. A part is null where the caller may not read it."""

    currency: str
    """ISO 4217 code of the account's currency, in which sums are."""
    as_of: date
    """Today, by the account's time zone."""
    receivable: Receivable | None
    """Amounts that clients owe today."""
    received: MonthReceipts | None
    """Payments of clients in the current month."""
    costs: MonthCosts | None
    """Costs of the current month."""
    vat: DueVat | None
    """VAT balance of the quarter to be filed next."""
    overdue_invoices: OverdueInvoices | None
    """Invoices that clients should have paid by now."""
    low_stock: LowStock | None
    """Active items whose stock is at or below their threshold."""
    bills: DueBills | None
    """Supplier invoices due from today to a week from now."""
    fiscal: FiscalWork | None
    """Fiscal records that wait."""

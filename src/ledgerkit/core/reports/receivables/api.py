"""Response schemas of receivables. Amounts are balances of invoices, each in the invoice's own currency."""

from datetime import date
from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.money import Sum


class AgedBalances(Wire):
    """Balances by the days since the due date."""

    current: Sum
    """Due today or later."""
    days30: Sum
    """Due 1 to 30 days ago."""
    days60: Sum
    """Due 31 to 60 days ago."""
    days90: Sum
    """Due 61 to 90 days ago."""
    over90: Sum
    """Due more than 90 days ago."""


class ReceivablesIn(Wire):
    """Amounts that clients owe in one currency."""

    currency: str
    """ISO 4217 code of the currency."""
    open: Annotated[Sum, Field(description="Owed today, the overdue included")]
    overdue: Sum
    """Part of `open` that was due before today."""
    invoices: int
    """Number of invoices of which an amount is owed."""
    overdue_invoices: int
    """Number of those that were due before today."""
    oldest_due: Annotated[date | None, Field(description="Earliest due date of them; null without any")]
    days_overdue: int
    """Days since the earliest due date; 0 while nothing is overdue."""
    aged: AgedBalances
    """`open` by days since the due date."""


class Receivables(Wire):
    as_of: date
    """Today, by the account's time zone."""
    currencies: Annotated[
        list[ReceivablesIn], Field(description="One entry for each currency; that of the account first, and always")
    ]


class ClientReceivable(Wire):
    """Amounts that one client owes in one currency."""

    client_id: Annotated[str | None, Field(description="Id of the client; null where the buyer is no stored client")]
    client: Annotated[str | None, Field(description="Name of the client; null where nobody is named")]
    owed: Annotated[Sum, Field(description="Owed today, the overdue included")]
    overdue: Sum
    """Part of `owed` that was due before today."""
    oldest_due: date
    """Earliest due date of the client's open invoices."""
    days_overdue: int
    """Days since that date; 0 while nothing is overdue."""
    count: int
    """Number of the client's open invoices."""
    currency: str
    """ISO 4217 code of the currency."""


class OpenInvoice(Wire, row=InvoiceRow):
    """An issued invoice of which an amount is owed."""

    id: str
    number: str
    client_id: Annotated[str | None, Field(description="Id of the client; null where the buyer is no stored client")]
    client: Annotated[str | None, Field(description="Name of the client as printed; null where nobody is named")]
    email: Annotated[str | None, Field(description="E-mail address of the client; null where not known")]
    total: Sum
    """Amount due of the whole invoice."""
    balance: Annotated[Sum, Field(description="Amount still owed: total less payments and credits")]
    currency: str
    issue_date: date
    due_date: date
    days_overdue: int
    """Days since the due date; 0 while it is not overdue."""

"""Response schemas about invoices, beside the invoice itself (interface decisions B)."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.mail.api import MailOutcome
from ledgerkit.core.sales.invoices.api import Converted, Invoice, InvoiceClient, InvoiceItem, TaxRow
from ledgerkit.core.sales.invoices.table import InvoicePaymentRow, InvoiceRow
from ledgerkit.money import Amount, ExchangeRate, Rate
from ledgerkit.providers.api import DocumentKind


class InvoiceCounts(Wire):
    """Number of invoices by status, deleted ones left out; `total` is their sum."""

    total: int
    """Number of all invoices."""
    draft: int
    """Number of drafts."""
    sent: Annotated[int, Field(description="Issued, neither paid nor overdue")]
    paid: int
    """Number of those paid in full."""
    overdue: int
    """Number of those issued, not paid in full, whose due date is past."""


class InvoicePreview(Wire, row=InvoiceRow):
    """Totals, lines and dates that a draft would have."""

    doc_type: DocumentKind
    series: str
    client: InvoiceClient
    client_id: Annotated[str | None, Field(description="The stored client that is meant; null: one would be stored")]
    currency: str
    exchange_rate: ExchangeRate | None
    exchange_rate_source: str | None
    converted: Converted | None
    issue_date: date
    """Day of issue; today where none is stated."""
    due_date: date
    """Day by which it would have to be paid."""
    items: list[InvoiceItem]
    tax_rate: Rate
    retention_rate: Rate
    subtotal: Amount
    tax_amount: Amount
    surcharge_amount: Amount
    retention_amount: Amount
    total: Amount
    tax_breakdown: list[TaxRow]
    warnings: list[str]
    """Doubts about the draft, in words."""


class InvoicePayment(Wire, row=InvoicePaymentRow):
    id: str
    amount: Amount
    base_amount: Amount | None
    method: str | None
    paid_at: date
    created_by: str | None
    channel: str
    created_at: Timestamp


class Deleted(Wire):
    ok: Literal[True] = True
    """Always true: a failure is a problem."""
    warning: str | None = None
    """Duty that is left after the deletion, in words; null for none."""


class Sent(MailOutcome):
    invoice: Invoice
    """The invoice after the mail."""


class Shared(Wire):
    share_token: str
    """Last part of the public link."""
    share_url: str
    """Address of the public link, open to whoever has it."""


class Ok(Wire):
    ok: Literal[True] = True
    """Always true: a failure is a problem."""

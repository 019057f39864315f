"""Shapes of summaries (interface decisions B17)."""

from datetime import date

from ledgerkit.core.wire import Wire
from ledgerkit.money import Amount


class Period(Wire):
    invoiced: Amount
    collected: Amount


class Quarter(Period):
    output_vat: Amount


class Open(Wire):
    count: int
    amount: Amount


class Overdue(Open):
    oldest_days: int


class ClientShare(Wire):
    client_id: str
    name: str
    invoiced: Amount


class RecentInvoice(Wire):
    id: str
    number: str | None
    client: str | None
    total: Amount
    status: str
    issue_date: date


class BusinessSummary(Wire):
    currency: str
    as_of: date
    year: Period
    quarter: Quarter
    pending: Open
    overdue: Overdue
    top_clients: list[ClientShare]
    recent_invoices: list[RecentInvoice]

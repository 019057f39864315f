"""Shapes of summaries (interface decisions B17)."""

from datetime import date

from ledgerkit.core.wire import Wire
from ledgerkit.money import Sum


class Period(Wire):
    invoiced: Sum
    collected: Sum


class Quarter(Period):
    output_vat: Sum


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


class BusinessSummary(Wire):
    currency: str
    as_of: date
    year: Period
    quarter: Quarter
    pending: Open
    overdue: Overdue
    top_clients: list[ClientShare]
    recent_invoices: list[RecentInvoice]

"""Receivables: what clients owe today on issued invoices, by age, by client and by invoice.

Each amount is the invoice's `balance`: the total less payments and credits, in the invoice's own currency. Amounts of
several currencies are never added. Amounts that are owed to clients, as on credit notes to be paid back, do not count.
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Date,
    Integer,
    Select,
    Subquery,
    Text,
    Uuid,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    select,
    type_coerce,
)

from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest, PageRow, PageStatement, fetch_page
from ledgerkit.core.platform.api_types.list_pages import page_statement as paged_statement
from ledgerkit.core.platform.api_types.wire import wire_column
from ledgerkit.core.platform.database.ids import id_sought
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.reports.receivables.api import AgedBalances, Receivables, ReceivablesIn
from ledgerkit.core.sales.clients.table import client
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.dates.issue_and_due import TODAY
from ledgerkit.core.sales.invoices.table import invoice
from ledgerkit.money import ZERO


@dataclass(frozen=True, kw_only=True)
class OpenInvoiceFilter:
    """Conditions that the counted invoices meet: of one client, and overdue for at least so many days."""

    client_id: str | None = None
    overdue_days: int | None = None

    def parameters(self) -> dict[str, object]:
        """Return the values of the statements by name; an id that is malformed finds nothing."""
        values: dict[str, object] = {} if self.client_id is None else {"client": id_sought(self.client_id)}
        return values if self.overdue_days is None else {**values, "overdue_days": self.overdue_days}


EVERYTHING = OpenInvoiceFilter()


@operation(Permission.REPORTS_READ, unit=Unit.READING)
async def summary(ctx: Context, conditions: OpenInvoiceFilter = EVERYTHING) -> Receivables:
    """Return what clients owe in each currency, with what is overdue and the balances by age."""
    today, parameters = ctx.account.today(), conditions.parameters()
    rows = await _summary_statement(frozenset(parameters)).rows(ctx.db, today=today, **parameters)
    by_currency = {row.currency: _in_currency(row, today) for row in rows}
    first = ctx.account.currency
    others = [by_currency[currency] for currency in sorted(by_currency.keys() - {first})]
    return Receivables(as_of=today, currencies=[by_currency.get(first) or _nothing_in(first), *others])


@operation(Permission.REPORTS_READ, unit=Unit.READING)
async def by_client(ctx: Context, page: PageRequest, conditions: OpenInvoiceFilter = EVERYTHING) -> Page:
    """List the clients who owe an amount, the largest first: in the account's currency, then in each other one."""
    parameters = conditions.parameters()
    statement = _clients_statement(frozenset(parameters))
    values = {"today": ctx.account.today(), "currency": ctx.account.currency, **parameters}
    return await fetch_page(ctx.db, statement, page, **values)


@operation(Permission.INVOICES_READ, unit=Unit.READING)
async def open_invoices(ctx: Context, page: PageRequest, conditions: OpenInvoiceFilter = EVERYTHING) -> Page:
    """List the issued invoices of which an amount is owed, the one that is due for the longest time first."""
    parameters = conditions.parameters()
    statement = _invoices_statement(frozenset(parameters))
    return await fetch_page(ctx.db, statement, page, today=ctx.account.today(), **parameters)


def _in_currency(row: "ReceivablesRow", today: date) -> ReceivablesIn:
    return ReceivablesIn(
        currency=row.currency,
        open=row.open,
        overdue=row.overdue,
        invoices=row.invoices,
        overdue_invoices=row.overdue_invoices,
        oldest_due=row.oldest_due,
        days_overdue=max(0, (today - row.oldest_due).days),
        aged=AgedBalances(
            current=row.open - row.overdue, days30=row.days30, days60=row.days60, days90=row.days90, over90=row.over90
        ),
    )


def _nothing_in(currency: str) -> ReceivablesIn:
    nothing = AgedBalances(current=ZERO, days30=ZERO, days60=ZERO, days90=ZERO, over90=ZERO)
    return ReceivablesIn(
        currency=currency,
        open=ZERO,
        overdue=ZERO,
        invoices=0,
        overdue_invoices=0,
        oldest_due=None,
        days_overdue=0,
        aged=nothing,
    )


# ---------------------------------------------------------------- statements


class ReceivablesRow(Row):
    """Sums of the open invoices in one currency."""

    currency: str
    open: Decimal
    overdue: Decimal
    invoices: int
    overdue_invoices: int
    oldest_due: date
    days30: Decimal
    days60: Decimal
    days90: Decimal
    over90: Decimal


_of = invoice.c
_CURRENCY = bindparam("currency", type_=Text)
_days_late: ColumnElement[int] = type_coerce(TODAY - _of.due_date, Integer)
"""Whole days since the due date, below zero before it: PostgreSQL subtracts dates to a number."""

_FILTERS = {
    "client": _of.client_id == bindparam("client", type_=Uuid),
    "overdue_days": _of.due_date <= type_coerce(TODAY - bindparam("overdue_days", type_=Integer), Date),
}
"""Conditions by the name of the parameter that they need."""


def _open_documents(filter_names: frozenset[str], *columns: ColumnElement[Any]) -> Select[Any]:
    """Select the issued invoices of which an amount is owed; they are read from the index of what is due."""
    return select(*columns).where(
        _of.deleted_at.is_(None),
        invoice_output.is_open(),
        *(_FILTERS[name] for name in sorted(filter_names)),
    )


def _owed(documents: Subquery, condition: ColumnElement[bool]) -> ColumnElement[Decimal]:
    return func.coalesce(func.sum(documents.c.balance).filter(condition), ZERO)


@cache
def _summary_statement(filter_names: frozenset[str]) -> Prepared[ReceivablesRow]:
    columns = (_of.currency, _of.due_date, invoice_output.balance.label("balance"), _days_late.label("late"))
    documents = _open_documents(filter_names, *columns).subquery("document")
    late = documents.c.late
    return Prepared(
        select(
            documents.c.currency,
            func.sum(documents.c.balance).label("open"),
            _owed(documents, late > 0).label("overdue"),
            func.count().label("invoices"),
            func.count().filter(late > 0).label("overdue_invoices"),
            func.min(documents.c.due_date).label("oldest_due"),
            _owed(documents, late.between(1, 30)).label("days30"),
            _owed(documents, late.between(31, 60)).label("days60"),
            _owed(documents, late.between(61, 90)).label("days90"),
            _owed(documents, late > 90).label("over90"),
        ).group_by(documents.c.currency),
        ReceivablesRow,
    )


@cache
def _clients_statement(filter_names: frozenset[str]) -> PageStatement[PageRow]:
    """Return the statement of clients with their sums; buyers that are not stored are told apart by tax id or name."""
    named = _of.client["name"].astext
    unstored = case((_of.client_id.is_(None), func.coalesce(_of.client["tax_id"].astext, named, "")), else_="")
    columns = (
        _of.client_id,
        unstored.label("unstored"),
        named.label("named"),
        _of.currency,
        _of.due_date,
        invoice_output.balance.label("balance"),
        _days_late.label("late"),
    )
    documents = _open_documents(filter_names, *columns).subquery("document")
    owed, oldest = func.sum(documents.c.balance), func.min(documents.c.due_date)
    keys = (documents.c.client_id, documents.c.unstored, documents.c.currency)
    name = func.coalesce(func.max(client.c.name), func.max(documents.c.named))
    clients = (
        select(
            wire_column("client_id", documents.c.client_id),
            wire_column("client", name),
            wire_column("owed", owed),
            wire_column("overdue", _owed(documents, documents.c.late > 0)),
            wire_column("oldest_due", oldest),
            wire_column("days_overdue", func.greatest(func.max(documents.c.late), literal_column("0"))),
            wire_column("count", func.count()),
            wire_column("currency", documents.c.currency),
        )
        .select_from(documents.outerjoin(client, client.c.id == documents.c.client_id))
        .group_by(*keys)
        .order_by((documents.c.currency != _CURRENCY), documents.c.currency, owed.desc(), oldest, *keys[:2])
    )
    groups = select(literal_column("1")).select_from(documents).group_by(*keys).subquery("group_of_client")
    return paged_statement(clients, select(func.count()).select_from(groups).scalar_subquery())


@cache
def _invoices_statement(filter_names: frozenset[str]) -> PageStatement[PageRow]:
    columns = (
        wire_column("id", _of.id),
        wire_column("number", _of.number),
        wire_column("client_id", _of.client_id),
        wire_column("client", _of.client["name"].astext),
        wire_column("email", func.nullif(_of.client["email"].astext, cast("", Text))),
        wire_column("total", _of.total),
        wire_column("balance", invoice_output.balance),
        wire_column("currency", _of.currency),
        wire_column("issue_date", _of.issue_date),
        wire_column("due_date", _of.due_date),
        wire_column("days_overdue", func.greatest(_days_late, literal_column("0"))),
    )
    documents = _open_documents(filter_names, *columns).order_by(_of.due_date, _of.id)
    counted = _open_documents(filter_names, func.count())
    return paged_statement(documents, counted.scalar_subquery())

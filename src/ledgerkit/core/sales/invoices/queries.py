"""Lists of invoices: filters, and the counters that give their totals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple, get_args
from uuid import UUID

from sqlalchemy import ColumnElement, Date, Select, Text, Uuid, and_, bindparam, not_, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.api_types.list_pages import (
    LIMIT,
    OFFSET,
    Page,
    PageCache,
    PageRequest,
    WatchedPageStatement,
)
from ledgerkit.core.platform.database.ids import id_sought
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import output
from ledgerkit.core.sales.invoices.api import InvoiceCounts, Status
from ledgerkit.core.sales.invoices.dates.issue_and_due import TODAY
from ledgerkit.core.sales.invoices.output import INVOICES
from ledgerkit.core.sales.invoices.table import CHANGES, invoice, invoice_payment
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import DocumentKind

_COUNTED = ("invoice.draft", "invoice.sent", "invoice.paid")


@dataclass(frozen=True, kw_only=True)
class InvoiceFilter:
    """Conditions of a list, all of which an invoice meets. Days are those of issue or of a payment, both included.

    `is_open`: an amount is still owed for it, or none is, as for drafts, paid, credited and annulled ones.
    """

    status: Status | None = None
    is_open: bool | None = None
    client_id: str | None = None
    first: date | None = None
    last: date | None = None
    paid_first: date | None = None
    paid_last: date | None = None
    doc_type: DocumentKind | None = None
    series: str | None = None
    text: str | None = None
    include_deleted: bool = False

    def parameters(self) -> dict[str, object]:
        """Return the values of the list's statement by name; an id that is malformed finds nothing."""
        values: dict[str, object] = {"first": self.first, "last": self.last, "series": self.series}
        if self.paid_first or self.paid_last:
            values |= {"paid_first": self.paid_first or date.min, "paid_last": self.paid_last or date.max}
        values["client"] = None if self.client_id is None else id_sought(self.client_id)
        values["kind"] = None if self.doc_type is None else self.doc_type.value
        values |= search.sought(self.text) if self.text and self.text.strip() else {}
        return {name: value for name, value in values.items() if value is not None}


@operation(Permission.INVOICES_READ, unit=Unit.READING)
async def listing(ctx: Context, page: PageRequest, conditions: InvoiceFilter) -> Page:
    """List invoices, the newest first. `text` is searched in number, client, tax id, item texts and notes.

    Raises Invalid when `last` lies before `first`.
    """
    if conditions.first and conditions.last and conditions.last < conditions.first:
        raise Invalid.field("to", InvoicesMsg.TO_BEFORE_FROM)
    parameters = conditions.parameters()
    fixed = _Fixed(conditions.status, conditions.is_open, conditions.include_deleted)
    statement = _list_statement(fixed, frozenset(parameters))
    pages = ctx.kernel.service(PageCache)
    return await pages.fetch(ctx.db, ctx.account.id, statement, page, **output.parameters(ctx), **parameters)


@operation(Permission.INVOICES_READ, unit=Unit.READING)
async def counts(ctx: Context) -> InvoiceCounts:
    """Count the invoices that are not deleted by status, as the list filters them."""
    row = await _COUNTS.row(ctx.db, today=ctx.account.today())
    by_status = {} if row is None else {name: int(getattr(row, name)) for name in _STATUSES}
    return InvoiceCounts(total=sum(by_status.values()), **by_status)


# ---------------------------------------------------------------- statements

_PAID = select(invoice_payment.c.invoice_id).where(
    invoice_payment.c.paid_at.between(bindparam("paid_first", type_=Date), bindparam("paid_last", type_=Date))
)
_FILTERS: Mapping[str, ColumnElement[bool]] = {
    "client": invoice.c.client_id == bindparam("client", type_=Uuid),
    "first": invoice.c.issue_date >= bindparam("first", type_=Date),
    "last": invoice.c.issue_date <= bindparam("last", type_=Date),
    "kind": invoice.c.doc_type == bindparam("kind", type_=Text),
    "paid_first": invoice.c.id.in_(_PAID),
    "series": invoice.c.series == bindparam("series", type_=Text),
    "terms": search.contains(invoice),
}
"""Conditions by the name of the parameter that they need."""
_FILTERS_OF_UNDATED: Mapping[str, ColumnElement[bool]] = {
    "first": bindparam("first", type_=Date) <= TODAY,
    "last": bindparam("last", type_=Date) >= TODAY,
}
"""Those that are others for drafts whose date was not stated: they read as dated today."""


class _Fixed(NamedTuple):
    """The filters that are part of the statement's text, so that partial indexes serve them."""

    status: Status | None
    is_open: bool | None
    include_deleted: bool

    def conditions(self) -> list[ColumnElement[bool]]:
        of_debt = [] if self.is_open is None else [output.is_open() if self.is_open else not_(output.is_open())]
        return [*_of_status(self.status, include_deleted=self.include_deleted), *of_debt]

    @property
    def has_drafts(self) -> bool:
        return self.status in {None, "draft"} and self.is_open is not True

    @property
    def is_counted(self) -> bool:
        """True when counters know how many there are."""
        return self.is_open is None and self.status != "overdue" and not (self.include_deleted and self.status)


@cache
def _list_statement(fixed: _Fixed, filter_names: frozenset[str]) -> WatchedPageStatement:
    names = sorted(filter_names & _FILTERS.keys())
    of_all = fixed.conditions()
    dated = [*of_all, *(_FILTERS[name] for name in names)]
    if fixed.has_drafts:
        undated = [*of_all, *(_FILTERS_OF_UNDATED.get(name, _FILTERS[name]) for name in names)]
        rows, counted = _with_undated(dated, undated)
    else:
        rows = select(*INVOICES.columns).where(*dated).order_by(*INVOICES.order).offset(OFFSET).limit(LIMIT)
        counted = INVOICES.count(*dated)
    by_counters = fixed.is_counted and not names
    total = _counted(fixed.status, include_deleted=fixed.include_deleted) if by_counters else counted
    return WatchedPageStatement(rows, total, counters.total([CHANGES]))


def _with_undated(
    dated: Sequence[ColumnElement[bool]], undated: Sequence[ColumnElement[bool]]
) -> tuple[Select[Any], ColumnElement[int]]:
    """Return the page, and the number, of the invoices with a date and of the drafts that read as dated today."""
    keys = output.newest_first(dated, undated, OFFSET, LIMIT)
    page = select(*INVOICES.columns).join(keys, keys.c.id == invoice.c.id).order_by(*output.order_of(keys))
    has_date = invoice.c.issue_date.is_not(None)
    return page, INVOICES.count(has_date, *dated) + INVOICES.count(~has_date, *undated)


def _of_status(status: Status | None, *, include_deleted: bool) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [] if include_deleted else [invoice.c.deleted_at.is_(None)]
    is_overdue = output.overdue(TODAY)
    if status == "overdue":
        conditions.append(is_overdue)
    elif status == "sent":
        conditions.append(and_(invoice.c.status == constant("sent"), ~is_overdue))
    elif status is not None:
        conditions.append(invoice.c.status == constant(status))
    return conditions


def _counted(status: Status | None, *, include_deleted: bool) -> ColumnElement[int]:
    """Return the number of invoices from the counters, at a cost that does not depend on it."""
    if status == "sent":
        is_overdue = and_(invoice.c.deleted_at.is_(None), output.overdue(TODAY))
        return counters.total(["invoice.sent"]) - INVOICES.count(is_overdue)
    if status:
        return counters.total([f"invoice.{status}"])
    return counters.total([*_COUNTED, "invoice.deleted"] if include_deleted else _COUNTED)


_STATUSES: tuple[Status, ...] = get_args(Status)


class CountsRow(Row):
    """Row of the number of invoices of each status."""

    draft: Decimal
    sent: Decimal
    paid: Decimal
    overdue: Decimal


def _count(status: Status) -> ColumnElement[int]:
    if status == "overdue":
        return INVOICES.count(*_of_status(status, include_deleted=False))
    return _counted(status, include_deleted=False)


_COUNTS = Prepared(select(*(_count(status).label(status) for status in _STATUSES)), CountsRow)


async def name_client(ctx: Context, client_id: UUID) -> bool:
    """Return True where an invoice or draft that is not deleted names the client."""
    return await records.is_named(ctx, invoice, "client_id", client_id)

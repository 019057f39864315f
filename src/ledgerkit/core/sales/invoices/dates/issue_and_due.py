"""Dates of an invoice: stated by its author or, in a draft, the day of its issue and the due date after its term.

A date that nobody has stated is null in the row of a draft. Readers see today instead, and as the due date the issue
date plus the draft's term. Issuing writes both (`issuance.day`). Sending back the date that was read states nothing.
Source: RD 1619/2012 arts. 6.1.b (the date of issue) and 11 (when an invoice has to be issued).
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

from sqlalchemy import ColumnElement, Date, bindparam, func

from ledgerkit.core.platform.api_types.fields import Day, Flag
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Invalid

TODAY = bindparam("today", type_=Date)

ISSUE_DATE: ColumnElement[date] = func.coalesce(invoice.c.issue_date, TODAY, type_=Date)
"""SQL expression of the issue date as it reads on the day `TODAY`."""
DUE_DATE: ColumnElement[date] = func.coalesce(
    invoice.c.due_date, (ISSUE_DATE + invoice.c.term_days).cast(Date), type_=Date
)
"""SQL expression of the due date as it reads on the day `TODAY`."""


class DateFields(Wire):
    """Dates of a draft. A date that is not stated, or cleared by null, follows from the day of issue and the term."""

    issue_date: Day | None = None
    """Date of the document, by default the day of its issue; sending back the date that an undated draft reads is
    none."""
    issue_date_stated: Flag | None = None
    """true: issueDate, or the day that reads, is fixed; false: it is not stated."""
    due_date: Day | None = None
    """Day by which it is to be paid; default: it follows issueDate by the client's or team's term."""
    due_date_stated: Flag | None = None
    """true: dueDate is fixed; false: it follows issueDate."""


class HasIssueDate(Protocol):
    """Row of an invoice, or a part of one."""

    @property
    def issue_date(self) -> date | None: ...


@dataclass(frozen=True, kw_only=True)
class Dates:
    """Issue date and due date as a reader sees them on one day.

    `issue_date_stated` is False in a draft that is dated on the day of its issue. `term_days` are the days from the
    issue date to the due date; None where the due date was stated.
    """

    issue_date: date
    issue_date_stated: bool
    due_date: date
    term_days: int | None

    @classmethod
    def made(cls, issue_date: date, due_date: date | None, *, stated: bool, term_days: int) -> "Dates":
        """Return the dates; without `due_date` the invoice is due `term_days` after its date."""
        return cls(
            issue_date=issue_date,
            issue_date_stated=stated,
            due_date=issue_date + timedelta(days=term_days) if due_date is None else due_date,
            term_days=term_days if due_date is None else None,
        )

    def check_due(self) -> None:
        """Raise Invalid for a due date before the issue date."""
        if self.due_date < self.issue_date:
            raise Invalid.field("dueDate", InvoicesMsg.DUE_BEFORE_ISSUE)

    def date_columns(self) -> Values[InvoiceRow]:
        """Return the columns of the invoice's row that hold the dates: null for those that were not stated."""
        return Values(
            InvoiceRow,
            issue_date=self.issue_date if self.issue_date_stated else None,
            due_date=self.due_date if self.term_days is None else None,
            term_days=self.term_days,
        )


def dates_of(row: InvoiceRow, today: date) -> Dates:
    """Return the dates of a stored invoice as they read on the day `today`."""
    issue_date = row.issue_date or today
    return Dates.made(issue_date, row.due_date, stated=row.issue_date is not None, term_days=row.term_days or 0)


def dates_of_new(data: DateFields, today: date, term_days: int) -> Dates:
    """Return the dates of a new draft; the due date that is not stated is `term_days` after its issue."""
    stated = _is_stated(data.issue_date, data.issue_date_stated)
    issue_date = (data.issue_date if stated else None) or today
    due_date = None
    if _is_stated(data.due_date, data.due_date_stated):
        due_date = data.due_date or issue_date + timedelta(days=term_days)
    return Dates.made(issue_date, due_date, stated=stated, term_days=term_days)


def _is_stated(sent: date | None, flag: bool | None) -> bool:
    return sent is not None if flag is None else flag


def changed_dates(old: Dates, data: DateFields, today: date, term_days: int) -> Dates:
    """Return the dates of a draft after a change: null or a false flag clears a date, the date that was read stays.

    `term_days`: term of a due date that is not stated.
    """
    sent = data.model_fields_set
    of_issue = _Sent("issue_date" in sent, old.issue_date_stated)
    of_due = _Sent("due_date" in sent, old.term_days is None)
    issue_date = _changed(old.issue_date, data.issue_date, data.issue_date_stated, of_issue)
    due_date = _changed(old.due_date, data.due_date, data.due_date_stated, of_due)
    return Dates.made(issue_date or today, due_date, stated=issue_date is not None, term_days=term_days)


@dataclass(frozen=True)
class _Sent:
    """A date of a change: `is_sent` among its fields, `was_stated` before it."""

    is_sent: bool
    was_stated: bool


def _changed(read: date, sent: date | None, flag: bool | None, of: _Sent) -> date | None:
    """Return the date that is stated after a change; None for none. `read` is how it read before."""
    if flag is not None:
        return (sent or read) if flag else None
    if not of.is_sent:
        return read if of.was_stated else None
    return None if sent == read and not of.was_stated else sent


def replaced_dates(old: Dates, data: DateFields) -> Dates:
    """Return the dates of an issued invoice after a change: it always has both."""
    due_date = old.due_date if data.due_date is None else data.due_date
    return Dates.made(data.issue_date or old.issue_date, due_date, stated=True, term_days=0)


def issue_day(row: HasIssueDate) -> date:
    """Return the issue date of a document that has one, as every issued one has."""
    assert row.issue_date is not None  # noqa: S101 - the table's constraint `dated_when_issued`
    return row.issue_date

"""Changes of the ledger's documents since a moment, as parts of statements."""

from uuid import UUID

from sqlalchemy import ColumnElement, Date, Select, cast, exists, func, select, union_all

from ledgerkit.core.expenses.models import expense
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.supplier_invoices.models import supplier_invoice

_DOCUMENTS = union_all(
    *(
        select(func.least(day, table.c.operation_date).label("day"), table.c.updated_at)
        for table, day in (
            (invoice, invoice.c.issue_date),
            (expense, expense.c.date),
            (supplier_invoice, supplier_invoice.c.invoice_date),
        )
    )
).subquery()
_month = cast(func.date_trunc("month", _DOCUMENTS.c.day), Date)
_MONTHS = (
    select(_month.label("month"), func.max(_DOCUMENTS.c.updated_at).label("changed_at"))
    .where(_DOCUMENTS.c.day.is_not(None))
    .group_by(_month)
    .cte("changed_months")
)
"""Last change of the documents of each month, by the earliest of their dates; deleted ones are among them."""


def changed_since(last_day: ColumnElement[object], moment: ColumnElement[object]) -> ColumnElement[bool]:
    """SQL condition that documents of a day or of earlier months have changed since a moment."""
    return exists().where(_MONTHS.c.month <= last_day, _MONTHS.c.changed_at > moment)


def moved_since(
    document_ids: Select[tuple[UUID]], last_day: ColumnElement[object], moment: ColumnElement[object]
) -> ColumnElement[bool]:
    """SQL condition that one of some documents has got a date after a day since a moment: expenses alone can."""
    return exists().where(expense.c.id.in_(document_ids), expense.c.date > last_day, expense.c.updated_at > moment)

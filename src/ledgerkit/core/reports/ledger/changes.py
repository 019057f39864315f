"""Conditions that documents of a period have changed since a moment."""

from uuid import UUID

from sqlalchemy import ColumnElement, Date, cast, exists, func, select, union_all

from ledgerkit.core.purchases.expenses.table import expense
from ledgerkit.core.purchases.supplier_invoices.table import supplier_invoice, supplier_payment
from ledgerkit.core.sales.invoices.table import invoice, invoice_payment

_DOCUMENTS = union_all(
    select(func.least(invoice.c.issue_date, invoice.c.operation_date).label("day"), invoice.c.updated_at),
    select(func.least(expense.c.date, expense.c.operation_date, expense.c.paid_at), expense.c.updated_at),
    select(
        func.least(supplier_invoice.c.invoice_date, supplier_invoice.c.operation_date), supplier_invoice.c.updated_at
    ),
    select(invoice_payment.c.paid_at, invoice_payment.c.created_at),
    select(supplier_payment.c.payment_date, supplier_payment.c.created_at),
).subquery()
_MONTH = cast(func.date_trunc("month", _DOCUMENTS.c.day), Date)
_MONTHS = (
    select(_MONTH.label("month"), func.max(_DOCUMENTS.c.updated_at).label("changed_at"))
    .where(_DOCUMENTS.c.day.is_not(None))
    .group_by(_MONTH)
    .cte("changed_months")
    .prefix_with("MATERIALIZED")
)
"""Last change of the documents and payments of each month, by the earliest date; deleted ones are among them."""


def changed_since(last_day: ColumnElement[object], moment: ColumnElement[object]) -> ColumnElement[bool]:
    """SQL condition that documents of a day or of earlier months have changed since a moment."""
    return exists().where(_MONTHS.c.month <= last_day, _MONTHS.c.changed_at > moment)


def moved_since(
    document_id: ColumnElement[UUID],
    of_documents: ColumnElement[bool],
    last_day: ColumnElement[object],
    moment: ColumnElement[object],
) -> ColumnElement[bool]:
    """SQL condition that one of some documents has got a date after a day since a moment: expenses alone can."""
    return exists().where(
        of_documents, expense.c.id == document_id, expense.c.date > last_day, expense.c.updated_at > moment
    )

"""What counts of the invoices that an account issues, as statements: rows of fixed columns between two days.

Only documents in the account's currency count: an invoice holds no exchange rate, and sums of several currencies mean
nothing. Amounts are those that the documents hold, never reckoned again from rates.
"""

from typing import Any

from sqlalchemy import ColumnElement, Date, Numeric, Select, Text, and_, bindparam, column, func, or_, select, true

from ledgerkit.core.invoices import shapes
from ledgerkit.core.invoices.models import invoice, invoice_payment
from ledgerkit.core.statements import constant

FIRST, LAST = bindparam("first", type_=Date), bindparam("last", type_=Date)
CURRENCY = bindparam("currency", type_=Text)

_of = invoice.c


def in_books() -> ColumnElement[bool]:
    """Issued documents that count: no voided ones, but emitted ones even when hidden (interface decisions B10)."""
    emitted = _of.einvoice.is_not(None)
    annulled = func.coalesce(_of.einvoice["status"].astext, "") == "annulled"
    return and_(_of.status != constant("draft"), or_(_of.deleted_at.is_(None), emitted), ~annulled)


def counted() -> ColumnElement[bool]:
    """In the books and in the account's currency."""
    return and_(in_books(), _of.currency == CURRENCY)


def in_span() -> ColumnElement[bool]:
    return _of.booked_on.between(FIRST, LAST)


def booked() -> Select[Any]:
    """The documents that count on a day of the span: that of the operation or of the issue (`booked_on`)."""
    columns = (
        _of.booked_on.label("day"),
        _of.doc_type,
        _of.client_id,
        _of.client["name"].astext.label("client_name"),
        _of.subtotal,
        _of.retention_amount,
    )
    return select(*columns).where(counted(), in_span())


def taxes() -> Select[Any]:
    """Their VAT: a row for each category and rate of a document."""
    row = (
        func.json_to_recordset(_of.tax_breakdown)
        .table_valued(
            column("category", Text),
            column("rate", Numeric),
            column("base", Numeric),
            column("amount", Numeric),
            column("surchargeAmount", Numeric),
            name="tax",
        )
        .render_derived(with_types=True)
    )
    taxed = (row.c.category == constant("standard")).label("taxed")
    columns = (taxed, row.c.rate, row.c.base, row.c.amount.label("tax"), row.c.surchargeAmount.label("surcharge"))
    return select(*columns).select_from(invoice.join(row, true())).where(counted(), in_span())


def received() -> Select[Any]:
    """The cash that came in, less what was paid back on credit notes, by the day of each payment.

    Whether its invoice counts is asked of each payment: a join would read all invoices for the payments of a month.
    """
    paid = and_(invoice_payment.c.account_id == _of.account_id, invoice_payment.c.invoice_id == _of.id)
    its_invoice_counts = select(counted()).select_from(invoice).where(paid).correlate(invoice_payment)
    columns = (invoice_payment.c.paid_at.label("day"), invoice_payment.c.amount)
    within = invoice_payment.c.paid_at.between(FIRST, LAST)
    return select(*columns).where(within, its_invoice_counts.scalar_subquery())


def unpaid() -> Select[Any]:
    """What is owed on issued invoices that are shown, whatever their day."""
    columns = (shapes.balance.label("amount"), _of.due_date, _of.booked_on.label("day"))
    return select(*columns).where(_of.status == constant("sent"), _of.deleted_at.is_(None), shapes.unpaid(), counted())

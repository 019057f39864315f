"""What counts of the invoices that an account issues, as statements: rows of fixed columns between two days.

Only documents in the account's currency count: an invoice holds no exchange rate, and sums of several currencies mean
nothing. Amounts are those that the documents hold, never reckoned again from rates.
"""

from typing import Any

from sqlalchemy import (
    ColumnElement,
    Date,
    Label,
    Numeric,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    column,
    func,
    literal_column,
    or_,
    select,
    true,
    union_all,
)

from ledgerkit.core.database.statements import constant
from ledgerkit.core.invoices import representation
from ledgerkit.core.invoices.models import invoice, invoice_payment
from ledgerkit.core.invoices.posting import standing
from ledgerkit.money import ZERO

FIRST, LAST = bindparam("first", type_=Date), bindparam("last", type_=Date)
CURRENCY = bindparam("currency", type_=Text)

_of = invoice.c


def in_books() -> ColumnElement[bool]:
    """Issued documents that count: none voided or annulled, but emitted ones even when hidden (decisions B10)."""
    emitted = _of.einvoice.is_not(None)
    kept = or_(_of.deleted_at.is_(None), emitted)
    return and_(_of.status != constant("draft"), kept, standing.not_annulled())


def counted() -> ColumnElement[bool]:
    """In the books and in the account's currency; what was exchanged for simplified invoices counts as these."""
    return and_(in_books(), _of.currency == CURRENCY, _of.substitutes.is_(None))


def in_span() -> ColumnElement[bool]:
    return _of.booked_on.between(FIRST, LAST)


def booked() -> Select[Any]:
    """The documents that count on a day of the span: that of the operation or of the issue (`booked_on`)."""
    columns = (
        _of.booked_on.label("day"),
        _of.doc_type,
        _of.client_id,
        _of.client["name"].astext.label("client_name"),
        _changed("subtotal", "subtotal"),
        _changed("retention_amount", "retentionAmount"),
    )
    return select(*columns).where(counted(), in_span())


def _changed(column_name: str, replaced: str) -> Label[Any]:
    """An amount of a document, less that of what a substitution stands for."""
    before = func.coalesce(cast(_of.replaced[replaced].astext, Numeric), 0)
    return (_of[column_name] - before).label(column_name)


def taxes() -> Select[Any]:
    """Their VAT: a row for each category and rate of a document, and below zero for what a substitution stands for.

    Another tax than the general one is none of it: of its lines only the base is told, as not taxed.
    """
    replaced = _rates(_of.replaced["taxBreakdown"], -1).where(_of.replaced.is_not(None))
    rows = union_all(_rates(_of.tax_breakdown, 1), replaced).subquery("rate")
    return select(*rows.c)


def _rates(breakdown: ColumnElement[Any], sign: int) -> Select[Any]:
    row = (
        func.json_to_recordset(breakdown)
        .table_valued(
            column("category", Text),
            column("rate", Numeric),
            column("base", Numeric),
            column("amount", Numeric),
            column("surchargeAmount", Numeric),
            column("tax", Text),
            name="tax_row",
        )
        .render_derived(with_types=True)
    )
    taxed = and_(row.c.category == constant("standard"), row.c.tax.is_(None))
    due = [case((taxed, amount), else_=ZERO) for amount in (row.c.amount, row.c.surchargeAmount)]
    amounts = zip((row.c.base, *due), ("base", "tax", "surcharge"), strict=True)
    signed: list[Label[Any]] = [(literal_column(str(sign)) * amount).label(name) for amount, name in amounts]
    columns = (taxed.label("taxed"), row.c.rate, *signed)
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
    columns = (representation.balance.label("amount"), _of.due_date, _of.booked_on.label("day"))
    return select(*columns).where(
        _of.status == constant("sent"), _of.deleted_at.is_(None), representation.unpaid(), counted()
    )

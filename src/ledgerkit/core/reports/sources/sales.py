"""Sales of an account as reports count them: statements that give rows of fixed columns between two days.

Documents in another currency count by the amounts in the account's that they hold; without an exchange rate they do not
count, since sums of several currencies mean nothing. Amounts are those that the documents hold, never computed again
from rates.
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
    select,
    true,
    union_all,
)

from ledgerkit.core.platform.database.statements import constant
from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.posting import standing
from ledgerkit.core.sales.invoices.table import invoice, invoice_payment
from ledgerkit.money import ZERO

FIRST, LAST = bindparam("first", type_=Date), bindparam("last", type_=Date)
CURRENCY = bindparam("currency", type_=Text)

_of = invoice.c
PAYMENT = func.coalesce(invoice_payment.c.base_amount, invoice_payment.c.amount)
"""SQL expression of a payment in the account's currency."""


def counted() -> ColumnElement[bool]:
    """SQL condition: one of the documents of `countable`, in the account's currency or converted to it."""
    return and_(countable(), exchange_rates.in_account_currency(invoice, CURRENCY))


def countable() -> ColumnElement[bool]:
    """SQL condition: posted, in any currency. Simplified invoices count, not the full one for them."""
    return and_(standing.is_posted(), _of.substitutes.is_(None))


def in_span() -> ColumnElement[bool]:
    return _of.booked_on.between(FIRST, LAST)


def booked() -> Select[Any]:
    """Select the documents that count on a day of the span: that of the operation or of the issue (`booked_on`)."""
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
    """Amount of a document, less the amount that a credit note by substitution replaces."""
    before = func.coalesce(cast(replaced_amounts()[replaced].astext, Numeric), 0)
    return (exchange_rates.account_amount(invoice, column_name) - before).label(column_name)


def replaced_amounts() -> ColumnElement[Any]:
    """SQL expression of the amounts that a credit note by substitution replaces, in the account's currency."""
    return func.coalesce(_of.converted_replaced, _of.replaced, type_=_of.replaced.type)


def taxes() -> Select[Any]:
    """Select the VAT of documents: a row for each category and rate, and rows below zero for what is replaced.

    Another tax than the general one is no VAT: its rows have only their base, as not taxed.
    """
    replaced = _rates(replaced_amounts()["taxBreakdown"], -1).where(_of.replaced.is_not(None))
    rows = union_all(_rates(exchange_rates.account_json(invoice, "tax_breakdown"), 1), replaced).subquery("rate")
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
    """Select the cash that came in, less what was paid back on credit notes, by the day of each payment.

    A subquery for each payment decides if its invoice counts: a join would read all invoices for a month's payments.
    """
    paid = and_(invoice_payment.c.account_id == _of.account_id, invoice_payment.c.invoice_id == _of.id)
    its_invoice_counts = select(counted()).select_from(invoice).where(paid).correlate(invoice_payment)
    columns = (invoice_payment.c.paid_at.label("day"), PAYMENT.label("amount"))
    within = invoice_payment.c.paid_at.between(FIRST, LAST)
    return select(*columns).where(within, its_invoice_counts.scalar_subquery())


def unpaid() -> Select[Any]:
    """Select what is owed on issued invoices that are not deleted, of all days."""
    columns = (invoice_output.account_balance.label("amount"), _of.due_date, _of.booked_on.label("day"))
    return select(*columns).where(
        _of.status == constant("sent"), _of.deleted_at.is_(None), invoice_output.unpaid(), counted()
    )

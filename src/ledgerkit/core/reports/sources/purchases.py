"""Purchases of an account as reports count them: statements that give rows of fixed columns between two days.

An expense and a supplier invoice are different documents, and both count: a purchase is entered as one or the other,
never as both. Every report reads all of `SOURCES`; another kind of purchase is another entry there.
"""

from decimal import Decimal
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Numeric,
    Select,
    and_,
    case,
    column,
    func,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.sql.expression import CompoundSelect

from ledgerkit.core.platform.database.statements import constant
from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.purchases.expenses.table import expense
from ledgerkit.core.purchases.supplier_invoices import output as supplier_invoice_output
from ledgerkit.core.purchases.supplier_invoices.table import NOT_CANCELLED, OPEN, supplier_invoice, supplier_payment
from ledgerkit.core.reports.sources.sales import CURRENCY, FIRST, LAST
from ledgerkit.money import HUNDRED, ZERO

Rows = Select[Any]


class Source(NamedTuple):
    """Statements of one kind of document, in the account's currency: one for each question of a report."""

    costs: Rows
    """Rows `day, category, amount`: net amounts with the tax that may not be deducted, by the day of reception."""
    deducted: Rows
    """Rows `rate, base, tax`: the deductible shares, by the day of deduction; none where nothing is deductible."""
    assessed: Rows
    """Rows `rate, base, tax` that the buyer owes (reverse charge, acquired in the EU), by the document's day."""
    withheld: Rows
    """Rows `amount` of income tax withheld from the vendor, by the day of reception."""
    paid: Rows
    """Rows `day, amount` of the cash that went out, by the day of payment."""
    unpaid: Rows
    """Rows `amount, due_date` of what is still owed to vendors, due by the last day."""


def expense_cost() -> ColumnElement[Decimal]:
    """SQL expression of an expense's net amount with the tax that may not be deducted."""
    of = expense.c
    return of.base_amount + of.base_tax_amount - of.deductible_tax_amount


def expense_deductible_base() -> ColumnElement[Decimal]:
    """SQL expression of the deductible share of an expense's net amount; zero unless it is deductible."""
    return func.round(expense.c.base_amount * _if_deductible(expense.c.deductible_percent) / HUNDRED, 2)


def expense_income_tax_percent() -> ColumnElement[Decimal]:
    """SQL expression of the share of an expense that income tax lets deduct; zero unless it is deductible."""
    return _if_deductible(expense.c.income_tax_percent)


def _if_deductible(percent: ColumnElement[Decimal]) -> ColumnElement[Decimal]:
    return case((expense.c.deductible, percent), else_=ZERO)


def expense_cash() -> ColumnElement[Decimal]:
    """SQL expression of the cash that an expense costs: its gross amount less what is withheld."""
    return expense.c.base_total - expense.c.base_retention_amount


def supplier_cost() -> ColumnElement[Decimal]:
    """SQL expression of a supplier invoice's net amount with surcharge and the tax that may not be deducted."""
    names = ("subtotal", "surcharge_amount", "tax_amount", "self_assessed_tax")
    parts = [supplier_amount(name) for name in names]
    return parts[0] + parts[1] + parts[2] + parts[3] - supplier_amount("deductible_tax_amount")


def supplier_amount(name: str) -> ColumnElement[Decimal]:
    """SQL expression of an amount of a supplier invoice, in the account's currency."""
    return exchange_rates.account_amount(supplier_invoice, name)


def in_account_currency() -> ColumnElement[bool]:
    """SQL condition: the supplier invoice is in the account's currency, or converted to it."""
    return exchange_rates.in_account_currency(supplier_invoice, CURRENCY)


def supplier_category() -> ColumnElement[str]:
    """SQL expression of a supplier invoice's category."""
    return func.coalesce(supplier_invoice.c.category, constant("other"))


def _expenses() -> Source:
    """Return the statements of expenses, whose columns `base_...` are in the account's currency.

    An expense without a day of payment is unpaid.
    """
    of = expense.c
    not_deleted = of.deleted_at.is_(None)
    received = and_(not_deleted, of.reception_date.between(FIRST, LAST))
    by_buyer = or_(of.reverse_charge, of.intra_eu != constant("none"))
    share, cash = expense_deductible_base(), expense_cash()
    return Source(
        costs=select(of.reception_date.label("day"), of.category, expense_cost().label("amount")).where(received),
        deducted=select(of.tax_rate.label("rate"), share.label("base"), of.deductible_tax_amount.label("tax")).where(
            not_deleted, of.deduction_date.between(FIRST, LAST), of.deductible_tax_amount != 0
        ),
        assessed=select(of.tax_rate.label("rate"), of.base_amount.label("base"), of.base_tax_amount.label("tax")).where(
            not_deleted, of.date.between(FIRST, LAST), by_buyer
        ),
        withheld=select(of.base_retention_amount.label("amount")).where(received),
        paid=select(of.paid_at.label("day"), cash.label("amount")).where(not_deleted, of.paid_at.between(FIRST, LAST)),
        unpaid=select(cash.label("amount"), of.date.label("due_date")).where(
            not_deleted, of.paid_at.is_(None), of.date <= LAST
        ),
    )


def _supplier_invoices() -> Source:
    """Return the statements of supplier invoices; those in another currency without an exchange rate are left out."""
    of, payment = supplier_invoice.c, supplier_payment.c
    booked = and_(NOT_CANCELLED, in_account_currency())
    received = and_(booked, of.reception_date.between(FIRST, LAST))
    category = supplier_category().label("category")
    return Source(
        costs=select(of.reception_date.label("day"), category, supplier_cost().label("amount")).where(received),
        deducted=_supplier_deductions(and_(booked, of.deduction_date.between(FIRST, LAST))),
        assessed=_supplier_assessed(and_(booked, of.invoice_date.between(FIRST, LAST))),
        withheld=select(supplier_amount("retention_amount").label("amount")).where(received),
        paid=select(payment.payment_date.label("day"), supplier_invoice_output.account_payment.label("amount")).where(
            or_(payment.currency == CURRENCY, payment.base_amount.is_not(None)),
            payment.payment_date.between(FIRST, LAST),
        ),
        unpaid=select(supplier_invoice_output.account_balance.label("amount"), of.due_date).where(
            OPEN, in_account_currency(), of.due_date <= LAST
        ),
    )


def _supplier_deductions(condition: ColumnElement[bool]) -> Rows:
    """Select the deductible shares of each rate and use, those without tax left out."""
    row = _numbers(
        exchange_rates.account_json(supplier_invoice, "deductions"), "rate", "tax", "deductibleBase", "deductibleTax"
    )
    columns = (row.c.rate, row.c.deductibleBase.label("base"), row.c.deductibleTax.label("tax"))
    deducted = and_(condition, supplier_invoice.c.deductible_tax_amount != 0, row.c.tax != 0)
    return select(*columns).select_from(supplier_invoice.join(row, true())).where(deducted)


def _supplier_assessed(condition: ColumnElement[bool]) -> Rows:
    """Select `rate, base, tax` of each rate that the buyer assesses, those without tax left out."""
    row = _numbers(exchange_rates.account_json(supplier_invoice, "tax_breakdown"), "rate", "base", "amount")
    columns = (row.c.rate, row.c.base, row.c.amount.label("tax"))
    assessed = and_(condition, supplier_invoice.c.self_assessed_tax != 0, row.c.amount != 0)
    return select(*columns).select_from(supplier_invoice.join(row, true())).where(assessed)


def _numbers(rows: ColumnElement[Any], *names: str) -> FromClause:
    """Numbers with these keys in the objects of a JSON array."""
    columns = [column(name, Numeric) for name in names]
    return func.json_to_recordset(rows).table_valued(*columns, name="stored").render_derived(with_types=True)


SOURCES = (_expenses(), _supplier_invoices())


def together(question: str) -> FromClause:
    """Return the rows of all sources that answer a question, which is a field of `Source`."""
    whole: CompoundSelect[Any] = union_all(*(getattr(source, question) for source in SOURCES))
    return whole.subquery("purchase")

"""What counts of what an account buys, as statements: rows of fixed columns between two days, one source after another.

An expense and a supplier invoice are different documents, and both count: the same purchase is entered as one or the
other, never as both. Every report reads all of `SOURCES`; another kind of purchase is another entry there.
"""

from typing import Any, NamedTuple

from sqlalchemy import FromClause, Select, and_, func, or_, select, union_all
from sqlalchemy.sql.expression import CompoundSelect

from ledgerkit.core.expenses.models import expense
from ledgerkit.core.reports.sales import FIRST, LAST
from ledgerkit.core.statements import constant
from ledgerkit.money import HUNDRED

Rows = Select[Any]


class Source(NamedTuple):
    """One kind of document, in the account's currency, and what each report asks of it."""

    costs: Rows
    """`day, category, amount`: net, and the tax that may not be deducted, by the day of reception."""
    deducted: Rows
    """`rate, base, tax`: the deductible share of both, by the day of deduction; nothing where there is none."""
    assessed: Rows
    """`rate, base, tax` that the buyer owes (reverse charge, acquired in the EU), by the document's day."""
    withheld: Rows
    """`amount` of income tax withheld from the vendor, by the day of reception."""
    paid: Rows
    """`day, amount`: the cash that went out, by its own day."""
    unpaid: Rows
    """`amount, due_date` of what is still owed to vendors, due by the last day."""


def _expenses() -> Source:
    """Expenses hold the account's currency beside their own (`base_...`). Without a day of payment they are unpaid."""
    of = expense.c
    shown = of.deleted_at.is_(None)
    received = and_(shown, of.reception_date.between(FIRST, LAST))
    by_buyer = or_(of.reverse_charge, of.intra_eu != constant("none"))
    share = func.round(of.base_amount * of.deductible_percent / HUNDRED, 2)
    cash = of.base_total - of.base_retention_amount
    cost = of.base_amount + of.base_tax_amount - of.deductible_tax_amount
    return Source(
        costs=select(of.reception_date.label("day"), of.category, cost.label("amount")).where(received),
        deducted=select(of.tax_rate.label("rate"), share.label("base"), of.deductible_tax_amount.label("tax")).where(
            shown, of.deduction_date.between(FIRST, LAST), of.deductible_tax_amount != 0
        ),
        assessed=select(of.tax_rate.label("rate"), of.base_amount.label("base"), of.base_tax_amount.label("tax")).where(
            shown, of.date.between(FIRST, LAST), by_buyer
        ),
        withheld=select(of.base_retention_amount.label("amount")).where(received),
        paid=select(of.paid_at.label("day"), cash.label("amount")).where(shown, of.paid_at.between(FIRST, LAST)),
        unpaid=select(cash.label("amount"), of.date.label("due_date")).where(
            shown, of.paid_at.is_(None), of.date <= LAST
        ),
    )


SOURCES = (_expenses(),)


def costs() -> FromClause:
    return _together([source.costs for source in SOURCES])


def deducted() -> FromClause:
    return _together([source.deducted for source in SOURCES])


def assessed() -> FromClause:
    return _together([source.assessed for source in SOURCES])


def withheld() -> FromClause:
    return _together([source.withheld for source in SOURCES])


def paid() -> FromClause:
    return _together([source.paid for source in SOURCES])


def unpaid() -> FromClause:
    return _together([source.unpaid for source in SOURCES])


def _together(rows: list[Rows]) -> FromClause:
    whole: CompoundSelect[Any] = union_all(*rows)
    return whole.subquery("purchase")

"""Expenses as callers see them: single ones built from a row, lists rendered by the database."""

from sqlalchemy import Text, bindparam, case

from ledgerkit.core.platform.database.statements import constant
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.purchases.expenses.api import Expense
from ledgerkit.core.purchases.expenses.input import status_of
from ledgerkit.core.purchases.expenses.table import ExpenseRow, expense
from ledgerkit.core.purchases.received_documents import queries as purchases

NEWEST_FIRST = (expense.c.date.desc(), expense.c.created_at.desc(), expense.c.id.desc())

COUNTED_FILTERS = (frozenset[str](), frozenset({"category"}), frozenset({"vendor_id"}))
"""Combinations of filters whose totals are stored counters, of the kind in the parameter `kind`."""

EXPENSES = Listing(
    expense,
    Expense,
    order=NEWEST_FIRST,
    computed={"status": case((expense.c.paid_at.is_(None), constant("pending")), else_=constant("paid"))},
    filters={
        "category": expense.c.category == bindparam("category", type_=Text),
        **purchases.conditions(expense, expense.c.date),
        **search.filters(expense),
    },
    totals=dict.fromkeys(COUNTED_FILTERS, counters.total_of("kind")),
)


def shape(row: ExpenseRow) -> Expense:
    return EXPENSES.shape(row, status=status_of(row))

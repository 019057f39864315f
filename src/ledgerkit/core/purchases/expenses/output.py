"""Expenses as callers see them: single ones built from a row, lists rendered by the database."""

from collections.abc import Sequence

from sqlalchemy import Text, bindparam, case, func

from ledgerkit.core.platform.database.statements import constant
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses.api import Expense
from ledgerkit.core.purchases.expenses.input import status_of
from ledgerkit.core.purchases.expenses.table import ExpenseRow, expense
from ledgerkit.core.purchases.received_documents import queries as purchases
from ledgerkit.core.purchases.received_documents.input import assessment
from ledgerkit.money import ZERO, percent_of
from ledgerkit.providers.api import Party, PurchaseFacts, PurchaseKind, PurchaseTax, RetentionKind

NEWEST_FIRST = (expense.c.date.desc(), expense.c.created_at.desc(), expense.c.id.desc())

COUNTED_FILTERS = (frozenset[str](), frozenset({"category"}), frozenset({"vendor_id"}))
"""Combinations of filters whose totals are stored counters, of the kind in the parameter `kind`."""

EXPENSES = Listing(
    expense,
    Expense,
    order=NEWEST_FIRST,
    computed={
        "status": case((expense.c.paid_at.is_(None), constant("pending")), else_=constant("paid")),
        "warnings": func.json_build_array(),
    },
    filters={
        "category": expense.c.category == bindparam("category", type_=Text),
        **purchases.conditions(expense, expense.c.date),
        **search.filters(expense),
    },
    totals=dict.fromkeys(COUNTED_FILTERS, counters.total_of("kind")),
)


def shape(row: ExpenseRow, warnings: Sequence[str]) -> Expense:
    return EXPENSES.shape(row, status=status_of(row), warnings=list(warnings))


def facts(ctx: Context, row: ExpenseRow) -> PurchaseFacts:
    """Return what an expense is judged by, in the account's currency."""
    percent = row.deductible_percent if row.deductible else ZERO
    tax = PurchaseTax(
        rate=row.tax_rate,
        base=row.base_amount,
        tax=row.base_tax_amount,
        deductible_base=percent_of(row.base_amount, percent),
        deductible_tax=row.deductible_tax_amount,
        investment_good=row.investment_good,
        useful_life_years=row.useful_life_years,
    )
    return PurchaseFacts(
        buyer=ctx.account.party(),
        vendor=Party(
            name=row.vendor or "", tax_id=row.vendor_tax_id, country=row.vendor_country or ctx.account.country
        ),
        kind=PurchaseKind(row.doc_type),
        assessment=assessment(reverse_charge=row.reverse_charge, intra_eu=row.intra_eu),
        taxes=(tax,),
        issue_date=row.date,
        operation_date=row.operation_date,
        reception_date=row.reception_date,
        deduction_date=row.deduction_date,
        retention=row.base_retention_amount,
        income_tax_percent=row.income_tax_percent if row.deductible else ZERO,
        category=row.category,
        regime_key=row.regime_key,
        retention_kind=None if row.retention_kind is None else RetentionKind(row.retention_kind),
        paid_on=row.paid_at,
    )

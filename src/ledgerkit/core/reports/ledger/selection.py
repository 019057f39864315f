"""Selection of the documents of a span of days, by any of their dates, with their payments and taxes."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CTE,
    Column,
    ColumnElement,
    ScalarSelect,
    Select,
    Table,
    TextClause,
    false,
    func,
    or_,
    select,
    union,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.sql.selectable import LateralFromClause

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.purchases.supplier_invoices.table import supplier_payment
from ledgerkit.core.reports.sources.sales import FIRST, LAST
from ledgerkit.money import ZERO
from ledgerkit.providers.api import LedgerPayment, RetentionKind

CASH = "cash"
"""Method of payments in coins and notes, in invoices, expenses and supplier invoices."""


PAID_IN_SPAN = select(supplier_payment.c.supplier_invoice_id).where(
    supplier_payment.c.payment_date.between(FIRST, LAST)
)
"""Ids of the supplier invoices that were paid within the span."""


class OmittedRow(Row):
    """Document that cannot be counted."""

    id: UUID
    number: str | None
    issue_date: date


class PaymentsRow(Row):
    """Days and amounts of a document's payments, and which are in coins and notes; None without payments."""

    payment_days: Sequence[date] | None
    payment_amounts: Sequence[Decimal] | None
    payments_in_cash: Sequence[bool] | None


def ids_in_span(
    counted: ColumnElement[bool] | TextClause,
    key: ColumnElement[UUID],
    days: Sequence[ColumnElement[Any]],
    *more: Select[Any],
) -> CTE:
    """Return the ids `key` of documents that meet `counted` and of which one of the `days` lies in the span.

    A select for each day, so that each can use its index; `more` selects ids by other tables' days.
    """
    of_days = [select(key.label("id")).where(counted, day.between(FIRST, LAST)) for day in days]
    return union(*of_days, *more).cte("in_span")


def is_in_span(days: Sequence[ColumnElement[Any]], *more: ColumnElement[bool]) -> ColumnElement[bool]:
    """SQL condition that one of the `days` lies in the span, or one of `more` holds: for few documents."""
    return or_(*(day.between(FIRST, LAST) for day in days), *more)


def payments(
    table: Table,
    day: Column[date],
    amount: ColumnElement[Decimal],
    method: Column[str],
    of_document: ColumnElement[bool],
) -> LateralFromClause:
    """Return the payments of one document, to be joined with it: the columns of `PaymentsRow`.

    `amount` is in the account's currency; `table` is that of payments.
    """
    order = (day, table.c.id)
    columns: dict[str, ColumnElement[Any]] = {
        "payment_days": day,
        "payment_amounts": amount,
        "payments_in_cash": func.coalesce(method == CASH, false()),
    }
    arrays = [func.array_agg(aggregate_order_by(column, *order)).label(name) for name, column in columns.items()]
    return select(*arrays).where(of_document).lateral("payments")


def first_payment(invoice_id: ColumnElement[UUID | None]) -> ScalarSelect[date]:
    """Return the day on which a supplier invoice was first paid; null for none."""
    paid = supplier_payment.alias("paid_first")
    return (
        select(func.min(paid.c.payment_date))
        .where(paid.c.supplier_invoice_id == invoice_id, paid.c.amount > 0)
        .scalar_subquery()
    )


def ledger_payments(row: PaymentsRow) -> tuple[LedgerPayment, ...]:
    """Return a document's payments in the order of their days."""
    days, amounts, in_cash = row.payment_days, row.payment_amounts, row.payments_in_cash
    if days is None or amounts is None or in_cash is None:
        return ()
    paid = zip(days, amounts, in_cash, strict=True)
    return tuple([LedgerPayment(day=day, amount=amount, in_cash=cash) for day, amount, cash in paid])


def retention_kind(stored: str | None) -> RetentionKind | None:
    """Return why income tax is withheld, where the document says it."""
    return None if stored is None else RetentionKind(stored)


def retention_base(net: Decimal, withheld: Decimal, stored_kind: str | None) -> Decimal:
    """Return the income that a retention is of: the net amount, that of wages even where nothing is withheld."""
    is_wage = retention_kind(stored_kind) in {RetentionKind.EMPLOYMENT, RetentionKind.EMPLOYMENT_IN_KIND}
    return net if withheld or is_wage else ZERO

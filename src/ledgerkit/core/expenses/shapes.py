"""Expenses as callers see them: single ones built from a row, lists rendered by the database."""

from typing import Any
from uuid import UUID

from sqlalchemy import Label, case

from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.database.statements import constant
from ledgerkit.core.expenses.drafting import status_of
from ledgerkit.core.expenses.models import ExpenseRow, expense
from ledgerkit.core.expenses.schemas import Expense

_HIDDEN_COLUMNS = {"account_id", "version", "vendor_key", "search_text", "deleted_at", "created_at", "updated_at"}
_SHOWN_COLUMNS = [column for column in expense.c if column.name not in _HIDDEN_COLUMNS]


def wire_columns() -> list[Label[Any]]:
    """Return the columns of a list rendered by the database: the same fields as `shape`."""
    status = case((expense.c.paid_at.is_(None), constant("pending")), else_=constant("paid"))
    return [
        *(wire_column(column.name, column) for column in _SHOWN_COLUMNS),
        wire_column("status", status),
        wire_column("created_at", wire_time(expense.c.created_at)),
        wire_column("updated_at", wire_time(expense.c.updated_at)),
    ]


def shape(row: ExpenseRow) -> Expense:
    columns = {column.name: getattr(row, column.name) for column in _SHOWN_COLUMNS}
    values = {name: str(value) if isinstance(value, UUID) else value for name, value in columns.items()}
    metadata = {"created_at": row.created_at, "updated_at": row.updated_at, "version": row.version}
    return Expense.model_validate(values | metadata | {"status": status_of(row)})

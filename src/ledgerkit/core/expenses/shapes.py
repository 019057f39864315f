"""An expense's row in the shape callers see: one at a time here, lists by the database."""

from typing import Any
from uuid import UUID

from sqlalchemy import Label, case

from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.database.statements import constant
from ledgerkit.core.expenses.drafting import status_of
from ledgerkit.core.expenses.models import expense
from ledgerkit.core.expenses.schemas import Expense

_HIDDEN = {"account_id", "version", "vendor_key", "search_text", "deleted_at", "created_at", "updated_at"}
_SHOWN = [column for column in expense.c if column.name not in _HIDDEN]


def wire_columns() -> list[Label[Any]]:
    """What a list shows of each expense: the same fields as `shape`."""
    status = case((expense.c.paid_at.is_(None), constant("pending")), else_=constant("paid"))
    return [
        *(wire_column(column.name, column) for column in _SHOWN),
        wire_column("status", status),
        wire_column("created_at", wire_time(expense.c.created_at)),
        wire_column("updated_at", wire_time(expense.c.updated_at)),
    ]


def shape(row: Any) -> Expense:
    plain = {column.name: _text_id(row[column.name]) for column in _SHOWN}
    own = {name: row[name] for name in ("created_at", "updated_at", "version")}
    return Expense.model_validate(plain | own | {"status": status_of(row)})


def _text_id(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value

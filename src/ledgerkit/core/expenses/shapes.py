"""An expense's row in the shape callers see: one at a time here, lists by the database."""

from typing import Any
from uuid import UUID

from sqlalchemy import Label, case

from ledgerkit.core.expenses.drafting import status_of
from ledgerkit.core.expenses.models import expense
from ledgerkit.core.expenses.schemas import Expense
from ledgerkit.core.statements import constant
from ledgerkit.core.wire import wire_time, wired

_HIDDEN = {"account_id", "version", "vendor_key", "search_text", "deleted_at", "created_at", "updated_at"}
_SHOWN = [column for column in expense.c if column.name not in _HIDDEN]


def wire_columns() -> list[Label[Any]]:
    """What a list shows of each expense: the same fields as `shape`."""
    status = case((expense.c.paid_at.is_(None), constant("pending")), else_=constant("paid"))
    return [
        *(wired(column.name, column) for column in _SHOWN),
        wired("status", status),
        wired("created_at", wire_time(expense.c.created_at)),
        wired("updated_at", wire_time(expense.c.updated_at)),
    ]


def shape(row: Any) -> Expense:
    plain = {column.name: _text_id(row[column.name]) for column in _SHOWN}
    own = {name: row[name] for name in ("created_at", "updated_at", "version")}
    return Expense.model_validate(plain | own | {"status": status_of(row)})


def _text_id(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value

"""A register's row in the shape callers see: one with its movements here, lists and sums by the database."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, DateTime, Label, Text, Uuid, bindparam, func, select

from ledgerkit.core import tally
from ledgerkit.core.cash_register.models import SUMS, cash_movement, cash_register
from ledgerkit.core.cash_register.schemas import CashRegister
from ledgerkit.core.context import Context
from ledgerkit.core.paging import page_statement
from ledgerkit.core.statements import Prepared, constant
from ledgerkit.core.wire import wire_time, wired

COUNTED = "cash_register.closed"
"""The tally's kind that counts closed registers."""

HOLDER = bindparam("holder", type_=Uuid)

_UNSHOWN = {"account_id", "version", "holder", "created_at", "updated_at", "closed_at", *SUMS}
_PLAIN = [column for column in cash_register.c if column.name not in _UNSHOWN]
_TIMES = {"opened_at": "created_at", "closed_at": "closed_at", "updated_at": "updated_at"}

_register = cash_register.c
_movement = cash_movement.c


async def as_register(ctx: Context, row: Any, warnings: Sequence[str] = ()) -> CashRegister:
    """The register with its movements in their order."""
    movements = await _MOVEMENTS.rows(ctx.db, register_id=row.id)
    return CashRegister.model_validate(
        {
            **{column.name: getattr(row, column.name) for column in _PLAIN},
            **{shown: getattr(row, stored) for shown, stored in _TIMES.items()},
            "id": str(row.id),
            "user_id": _text(row.user_id),
            "totals": {name: getattr(row, name) for name in SUMS},
            "movements": [_as_movement(one) for one in movements],
            "warnings": list(warnings),
            "version": row.version,
        }
    )


_MOVEMENTS = Prepared(
    select(cash_movement)
    .where(_movement.register_id == bindparam("register_id", type_=Uuid))
    .order_by(_movement.ordinal)
)


def _as_movement(row: Any) -> dict[str, Any]:
    known = {column.name: row[column.name] for column in _movement}
    return {**known, "id": str(row.id), "invoice_id": _text(row.invoice_id), "created_by": _text(row.created_by)}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


# ---------------------------------------------------------------- closed ones


@cache
def history(*, own: bool) -> Prepared:
    """A page of closed registers, the latest first; with `own` those of the parameter `holder`."""
    wanted = [_register.status == constant("closed")]
    if own:
        wanted.append(_register.holder == HOLDER)
    rows = select(*_wire_columns()).where(*wanted).order_by(_register.closed_at.desc(), _register.id.desc())
    counted = select(func.count()).select_from(cash_register).where(*wanted).scalar_subquery()
    return page_statement(rows, counted if own else tally.total([COUNTED]))


def _wire_columns() -> list[Label[Any]]:
    sums = [part for name in SUMS for part in (wired(name, _register[name]).name, _register[name])]
    return [
        *(wired(column.name, column) for column in _PLAIN),
        *(wired(shown, wire_time(_register[stored])) for shown, stored in _TIMES.items()),
        wired("totals", func.json_build_object(*sums)),
    ]


def _sum(name: str, column: ColumnElement[Any]) -> Label[Any]:
    return func.coalesce(func.sum(column), 0).label(name)


SUMMARY = Prepared(
    select(
        func.count().label("register_count"),
        _sum("total_sales", _register.sales),
        _sum("total_cash", _register.cash),
        _sum("total_card", _register.card),
        _sum("total_transfer", _register.transfer),
        _sum("total_difference", _register.difference),
        _sum("sales_count", _register.sales_count),
    ).where(
        _register.status == constant("closed"),
        _register.closed_at >= bindparam("since", type_=DateTime(timezone=True)),
        _register.closed_at < bindparam("until", type_=DateTime(timezone=True)),
        _register.currency == bindparam("currency", type_=Text),
    )
)
"""Sums over what was closed from `since` to before `until`: read off the index of closings, so of that period only."""

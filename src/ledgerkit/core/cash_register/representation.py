"""Registers in the shape callers see, rendered by the database: one with its movements, lists, and sums."""

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Label,
    ScalarSelect,
    Text,
    Uuid,
    bindparam,
    cast,
    func,
    literal_column,
    select,
)

from ledgerkit.core.api_types.paging import PageRow, page_statement
from ledgerkit.core.api_types.wire import Rendered, wire_column, wire_time
from ledgerkit.core.cash_register.models import SUMS, cash_movement, cash_register
from ledgerkit.core.cash_register.schemas import Movement
from ledgerkit.core.database.statements import Prepared, constant
from ledgerkit.core.database.tables import JSON
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.money import dumps_exact

COUNTED = "cash_register.closed"
"""The tally's kind that counts closed registers."""

HOLDER = bindparam("holder", type_=Uuid)
_REGISTER_ID = bindparam("register_id", type_=Uuid)

_UNSHOWN = {"account_id", "version", "holder", "created_at", "updated_at", "closed_at", *SUMS}
_PLAIN = [column for column in cash_register.c if column.name not in _UNSHOWN]
_TIMES = {"opened_at": "created_at", "closed_at": "closed_at", "updated_at": "updated_at"}

_register = cash_register.c
_movement = cash_movement.c


async def rendered(ctx: Context, register_id: UUID, warnings: Sequence[str] = ()) -> Rendered:
    """The register with its movements in their order.

    By the database, since a day may have a thousand of them and each is answered with all, under the register's lock.
    """
    row = await _ONE.one(ctx.db, register_id=register_id, warnings=dumps_exact(list(warnings)))
    return Rendered(body=row.body, version=row.version)


def _one() -> Prepared[Any]:
    warnings = cast(bindparam("warnings", type_=Text), JSON)
    lists = [wire_column("movements", _movements()), wire_column("warnings", warnings)]
    mine = _register.id == _REGISTER_ID
    shown = select(*_wire_columns(), *lists).where(mine).subquery("shown")
    body = select(cast(func.row_to_json(literal_column("shown")), Text)).select_from(shown).scalar_subquery()
    return Prepared(select(body.label("body"), _register.version).where(mine))


def _movements() -> ColumnElement[Any]:
    """A JSON array of all movements of the register."""
    known = [wire_column(name, _movement[name]) for name in Movement.model_fields if name != "created_at"]
    columns = [*known, wire_column("created_at", wire_time(_movement.created_at))]
    one = select(*columns).where(_movement.register_id == _REGISTER_ID).order_by(_movement.ordinal).subquery("one")
    listed = func.coalesce(func.json_agg(literal_column("one")), func.json_build_array())
    return select(listed).select_from(one).scalar_subquery()


# ---------------------------------------------------------------- lists


@cache
def still_open(*, own: bool) -> Prepared[PageRow]:
    """A page of open registers, the oldest first; with `own` those of the parameter `holder`."""
    wanted = _wanted("open", own=own)
    rows = select(*_wire_columns()).where(*wanted).order_by(_register.created_at, _register.id)
    return page_statement(rows, _count(wanted))


@cache
def history(*, own: bool) -> Prepared[PageRow]:
    """A page of closed registers, the latest first; with `own` those of the parameter `holder`."""
    wanted = _wanted("closed", own=own)
    rows = select(*_wire_columns()).where(*wanted).order_by(_register.closed_at.desc(), _register.id.desc())
    return page_statement(rows, _count(wanted) if own else counters.total([COUNTED]))


def _wanted(status: str, *, own: bool) -> list[ColumnElement[bool]]:
    with_status = _register.status == constant(status)
    return [with_status, _register.holder == HOLDER] if own else [with_status]


def _count(wanted: Sequence[ColumnElement[bool]]) -> ScalarSelect[int]:
    return select(func.count()).select_from(cash_register).where(*wanted).scalar_subquery()


def _wire_columns() -> list[Label[Any]]:
    sums = [part for name in SUMS for part in (wire_column(name, _register[name]).name, _register[name])]
    return [
        *(wire_column(column.name, column) for column in _PLAIN),
        *(wire_column(shown, wire_time(_register[stored])) for shown, stored in _TIMES.items()),
        wire_column("totals", func.json_build_object(*sums)),
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

_ONE = _one()

"""Cash registers as callers see them, rendered by the database: one with its movements, lists, and sums."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Any
from uuid import UUID

from pydantic.alias_generators import to_camel
from sqlalchemy import ColumnElement, DateTime, Label, Text, Uuid, bindparam, cast, func, literal_column, select

from ledgerkit.core.cash_register.api import CashRegister, Movement
from ledgerkit.core.cash_register.table import SUMS, cash_movement, cash_register
from ledgerkit.core.platform.api_types.list_pages import PageRow, PageStatement
from ledgerkit.core.platform.api_types.wire import Rendered, wire_column, wire_time
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.database.tables import JSON
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import Context
from ledgerkit.money import dumps_exact

COUNTED = "cash_register.closed"
"""Counter of closed registers."""

HOLDER = bindparam("holder", type_=Uuid)
_REGISTER_ID = bindparam("register_id", type_=Uuid)

_register = cash_register.c
_movement = cash_movement.c

REGISTERS = Listing(
    cash_register,
    CashRegister,
    order=[_register.created_at, _register.id],
    computed={
        "opened_at": wire_time(_register.created_at),
        "totals": func.json_build_object(*(part for name in SUMS for part in (to_camel(name), _register[name]))),
    },
    left_out={"movements", "warnings"},
)
MOVEMENTS = Listing(cash_movement, Movement, order=[_movement.ordinal])


async def rendered(ctx: Context, register_id: UUID, warnings: Sequence[str] = ()) -> Rendered:
    """Render the register with its movements in their order.

    The database does it, because a day may have a thousand movements, and the answer to each contains all of them,
    under the register's lock.
    """
    row = await _REGISTER.one(ctx.db, register_id=register_id, warnings=dumps_exact(list(warnings)))
    return Rendered(body=row.body, version=row.version)


class RenderedRow(Row):
    body: str
    version: int


def _register_statement() -> Prepared[RenderedRow]:
    warnings = cast(bindparam("warnings", type_=Text), JSON)
    lists = [wire_column("movements", _movements()), wire_column("warnings", warnings)]
    of_register = _register.id == _REGISTER_ID
    register_with_lists = select(*REGISTERS.columns, *lists).where(of_register).subquery("shown")
    body = (
        select(cast(func.row_to_json(literal_column("shown")), Text)).select_from(register_with_lists).scalar_subquery()
    )
    return Prepared(select(body.label("body"), _register.version).where(of_register), RenderedRow)


def _movements() -> ColumnElement[Any]:
    """Return a JSON array of all movements of the register."""
    movement = (
        select(*MOVEMENTS.columns)
        .where(_movement.register_id == _REGISTER_ID)
        .order_by(_movement.ordinal)
        .subquery("movement")
    )
    listed = func.coalesce(func.json_agg(literal_column("movement")), func.json_build_array())
    return select(listed).select_from(movement).scalar_subquery()


# ---------------------------------------------------------------- lists


@cache
def still_open(*, of_holder: bool) -> PageStatement[PageRow]:
    """A page of open registers, the oldest first; with `of_holder` those of the parameter `holder`."""
    return REGISTERS.statement(*_wanted("open", of_holder=of_holder))


@cache
def history(*, of_holder: bool) -> PageStatement[PageRow]:
    """A page of closed registers, the latest first; with `of_holder` those of the parameter `holder`."""
    conditions = _wanted("closed", of_holder=of_holder)
    latest = _register.closed_at.desc(), _register.id.desc()
    return REGISTERS.statement(*conditions, order=latest, total=None if of_holder else counters.total([COUNTED]))


def _wanted(status: str, *, of_holder: bool) -> list[ColumnElement[bool]]:
    with_status = _register.status == constant(status)
    return [with_status, _register.holder == HOLDER] if of_holder else [with_status]


def _sum(name: str, column: ColumnElement[Any]) -> Label[Any]:
    return func.coalesce(func.sum(column), 0).label(name)


class SummaryRow(Row):
    register_count: int
    total_sales: Decimal
    total_cash: Decimal
    total_card: Decimal
    total_transfer: Decimal
    total_difference: Decimal
    sales_count: int | Decimal


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
    ),
    SummaryRow,
)
"""Sums over the registers closed from `since` to before `until`; the index of closings bounds what is read."""

_REGISTER = _register_statement()

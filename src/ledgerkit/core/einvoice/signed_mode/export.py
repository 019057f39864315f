"""Files of the signed mode in an export: the event log, and what answered requests of the authority."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from uuid import UUID

from sqlalchemy import Date, DateTime, Text, Uuid, bindparam, func, select

from ledgerkit.core.einvoice.inspection.export import chain_identity
from ledgerkit.core.einvoice.modes.signed_mode_hooks import EventDescription, File
from ledgerkit.core.einvoice.signed_mode import events as event_log
from ledgerkit.core.einvoice.signed_mode.table import (
    EventRow,
    fiscal_demand,
    fiscal_demand_answer,
    fiscal_demand_message,
    fiscal_event,
)
from ledgerkit.core.einvoice.table import ChainHeadRow
from ledgerkit.core.einvoice.values.chains import PositionRange
from ledgerkit.core.platform.api_types.wire import utc_text
from ledgerkit.core.platform.database.ids import NO_ID
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context

EVENTS_AT_ONCE = 500
MESSAGES_AT_ONCE = 5
"""Messages held at a time; one has up to 1,000 records."""


# ---------------------------------------------------------------- events


async def event_positions(ctx: Context, period: tuple[datetime, datetime]) -> Mapping[UUID, PositionRange]:
    """Return first and last position of the events of a period, by installation."""
    rows = await _POSITIONS.rows(ctx.db, since=period[0], until=period[1])
    return {row.installation_id: PositionRange(first=row.first, last=row.last) for row in rows}


async def event_files(
    ctx: Context, head: ChainHeadRow, positions: PositionRange, described: list[EventDescription]
) -> AsyncIterator[File]:
    """Yield the events at these positions; the event before them is read too, for its fingerprint."""
    folder, before, bounds = f"{head.id.hex}/events/", "", list[EventRow]()
    after = positions.first - 2
    log = partial(event_log.batch, installation_id=head.id, last=positions.last, most=EVENTS_AT_ONCE)
    while batch := await ctx.read(partial(log, after=after)):
        for row in batch:
            if row.position < positions.first:
                before = row.fingerprint
                continue
            bounds[:] = [bounds[0] if bounds else row, row]
            yield f"{folder}{row.position:010d}-{row.kind}.xml", row.content
        after = batch[-1].position
    first, last = bounds
    described.append(
        {**chain_identity(head, folder), "count": positions.count, "follows": before, "first": _event(first)}
        | {"last": _event(last)}
    )


def _event(row: EventRow) -> Mapping[str, object]:
    at = utc_text(row.generated_at)
    return {"position": row.position, "code": row.code, "hash": row.fingerprint, "generatedAt": at}


class _PositionsRow(Row):
    installation_id: UUID
    first: int
    last: int


_POSITION = fiscal_event.c.position
_POSITIONS = Prepared(
    select(fiscal_event.c.installation_id, func.min(_POSITION).label("first"), func.max(_POSITION).label("last"))
    .where(
        fiscal_event.c.generated_at >= bindparam("since", type_=DateTime(timezone=True)),
        fiscal_event.c.generated_at < bindparam("until", type_=DateTime(timezone=True)),
    )
    .group_by(fiscal_event.c.installation_id),
    _PositionsRow,
)


# ---------------------------------------------------------------- answers to requests of the authority


async def request_files(ctx: Context, days: tuple[date, date]) -> AsyncIterator[File]:
    """Yield the messages that answered requests for records of these days, and the answers to them, as sent."""
    async for row in _rows(ctx, _MESSAGES, days):
        yield f"demands/{row.demand_id.hex}/{row.ordinal:04d}-message.xml", row.body
    async for row in _rows(ctx, _ANSWERS, days):
        yield f"demands/{row.demand_id.hex}/{row.ordinal:04d}-{row.id.hex}-answer.xml", row.body


class _BodyRow(Row):
    id: UUID
    body: bytes
    demand_id: UUID
    ordinal: int


async def _rows(ctx: Context, statement: Prepared[_BodyRow], days: tuple[date, date]) -> AsyncIterator[_BodyRow]:
    parameters = {"environment": ctx.settings.einvoice_env.value, "first": days[0], "last": days[1]}
    after = NO_ID

    async def read(inner: Context, after: UUID) -> Sequence[_BodyRow]:
        return await statement.rows(inner.db, **parameters, after=after)

    while batch := await ctx.read(partial(read, after=after)):
        for row in batch:
            yield row
        after = batch[-1].id


_MESSAGE = fiscal_demand_message.c
_OF_DAYS = (
    fiscal_demand.c.environment == bindparam("environment", type_=Text),
    fiscal_demand.c.since <= bindparam("last", type_=Date),
    fiscal_demand.c.until >= bindparam("first", type_=Date),
)
_AFTER = bindparam("after", type_=Uuid)
_WITH_DEMAND = fiscal_demand_message.join(fiscal_demand, fiscal_demand.c.id == _MESSAGE.demand_id)
_MESSAGES = Prepared(
    select(_MESSAGE.id, _MESSAGE.request.label("body"), _MESSAGE.demand_id, _MESSAGE.ordinal)
    .select_from(_WITH_DEMAND)
    .where(*_OF_DAYS, _MESSAGE.id > _AFTER)
    .order_by(_MESSAGE.id)
    .limit(MESSAGES_AT_ONCE),
    _BodyRow,
)
_ANSWERS = Prepared(
    select(fiscal_demand_answer.c.id, fiscal_demand_answer.c.body.label("body"), _MESSAGE.demand_id, _MESSAGE.ordinal)
    .select_from(_WITH_DEMAND.join(fiscal_demand_answer, fiscal_demand_answer.c.message_id == _MESSAGE.id))
    .where(*_OF_DAYS, fiscal_demand_answer.c.id > _AFTER)
    .order_by(fiscal_demand_answer.c.id)
    .limit(MESSAGES_AT_ONCE),
    _BodyRow,
)

"""Everything said to and by an authority, as files of an export: raw, in the order in which it was said."""

from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import Select, literal, or_, select

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.event_log.models import fiscal_demand, fiscal_demand_answer, fiscal_demand_message
from ledgerkit.core.einvoice.position_range import PositionRange
from ledgerkit.core.einvoice.transmission.models import (
    fiscal_answer,
    fiscal_query,
    fiscal_query_answer,
    fiscal_submission,
)
from ledgerkit.core.request.context import Context

AT_ONCE = 5
"""Messages held at a time; one has up to 1,000 records."""

File = tuple[str, bytes]


async def of_chain(
    ctx: Context, installation_id: UUID, records: PositionRange | None, between: tuple[datetime, datetime]
) -> AsyncIterator[File]:
    """Messages with one of the records, and questions asked about them or between two instants; with all answers."""
    folder = installation_id.hex
    sent = select(fiscal_submission.c.id).where(_with_any(installation_id, records))
    place = fiscal_submission.c.first_position
    message = fiscal_submission.c.id.in_(sent)
    async for row in _rows(ctx, _told(fiscal_submission, fiscal_submission.c.request, place).where(message)):
        yield f"{folder}/messages/{row.place:010d}-{row.id.hex}.xml", row.body
    answer = _told(fiscal_answer, fiscal_answer.c.body, place)
    answer = answer.join(fiscal_submission, fiscal_submission.c.id == fiscal_answer.c.submission_id)
    async for row in _rows(ctx, answer.where(message)):
        yield f"{folder}/answers/{row.place:010d}-{row.id.hex}.xml", row.body
    asked = fiscal_query.c
    then = asked.created_at >= between[0], asked.created_at < between[1]
    question = asked.installation_id == installation_id, or_(then[0] & then[1], asked.submission_id.in_(sent))
    async for row in _rows(ctx, _told(fiscal_query, asked.request).where(*question)):
        yield f"{folder}/questions/{row.id.hex}-question.xml", row.body
    said = _told(fiscal_query_answer, fiscal_query_answer.c.body, fiscal_query_answer.c.query_id)
    said = said.join(fiscal_query, asked.id == fiscal_query_answer.c.query_id)
    async for row in _rows(ctx, said.where(*question)):
        yield f"{folder}/questions/{row.place.hex}-answer.xml", row.body


async def of_demands(ctx: Context, days: tuple[date, date]) -> AsyncIterator[File]:
    """What was sent because the authority demanded records of these days, and its answers."""
    demand, message = fiscal_demand.c, fiscal_demand_message.c
    here = demand.environment == ctx.settings.einvoice_env.value, demand.since <= days[1], demand.until >= days[0]
    of_message = fiscal_demand.join(fiscal_demand_message, demand.id == message.demand_id)
    sent = _told(fiscal_demand_message, message.request, message.demand_id, message.ordinal)
    async for row in _rows(ctx, sent.select_from(of_message).where(*here)):
        yield f"demands/{row.place.hex}/{row.ordinal:04d}-message.xml", row.body
    answered = fiscal_demand_answer.c
    said = _told(fiscal_demand_answer, answered.body, message.demand_id, message.ordinal)
    joined = of_message.join(fiscal_demand_answer, answered.message_id == message.id)
    async for row in _rows(ctx, said.select_from(joined).where(*here)):
        yield f"demands/{row.place.hex}/{row.ordinal:04d}-{row.id.hex}-answer.xml", row.body


def _with_any(installation_id: UUID, records: PositionRange | None) -> Any:
    sent = fiscal_submission.c
    if records is None:
        return literal(value=False)
    overlaps = (sent.first_position <= records.last) & (sent.last_position >= records.first)
    return (sent.installation_id == installation_id) & overlaps


def _told(table: Any, body: Any, place: Any = None, *more: Any) -> Select[Any]:
    columns = [] if place is None else [place.label("place")]
    return select(table.c.id, body.label("body"), *columns, *more).order_by(table.c.id).limit(AT_ONCE)


async def _rows(ctx: Context, query: Select[Any]) -> AsyncIterator[Any]:
    """Ordered by its first column, an id; a few at a time, each few read for themselves."""
    place, after = query.selected_columns[0], None
    while True:
        found = await retry_on_conflict(partial(_page, ctx, query if after is None else query.where(place > after)))
        for row in found:
            yield row
        if len(found) < AT_ONCE:
            return
        after = found[-1].id


async def _page(ctx: Context, query: Select[Any]) -> Sequence[Any]:
    async with ctx.reading() as inner:
        rows: Sequence[Any] = (await inner.db.execute(query)).all()
        return rows

"""Correspondence with an authority as files of an export: messages, questions and answers, raw and in order."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Table, and_, literal, or_, select

from ledgerkit.core.einvoice.modes.signed_mode_hooks import File
from ledgerkit.core.einvoice.transmission.table import (
    fiscal_answer,
    fiscal_query,
    fiscal_query_answer,
    fiscal_submission,
)
from ledgerkit.core.einvoice.values.chains import PositionRange
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context

PAGE_SIZE = 5
"""Messages in memory at a time; one has up to 1,000 records."""


class _FileRow(Row):
    id: UUID
    body: bytes


_FileRowT = TypeVar("_FileRowT", bound=_FileRow)


class _MessageFileRow(_FileRow):
    first_position: int


class _QueryAnswerFileRow(_FileRow):
    query_id: UUID


async def of_chain(
    ctx: Context, installation_id: UUID, records: PositionRange | None, between: tuple[datetime, datetime]
) -> AsyncIterator[File]:
    """Yield the messages with one of the records, the questions about them or of the period, and all answers."""
    folder = installation_id.hex
    message_ids = select(fiscal_submission.c.id).where(_overlaps(installation_id, records))
    first_position = fiscal_submission.c.first_position.label("first_position")
    messages = _files(fiscal_submission, fiscal_submission.c.request, first_position)
    messages = messages.where(fiscal_submission.c.id.in_(message_ids))
    async for message in _pages(ctx, messages, _MessageFileRow):
        yield f"{folder}/messages/{message.first_position:010d}-{message.id.hex}.xml", message.body
    answers = _files(fiscal_answer, fiscal_answer.c.body, first_position)
    answers = answers.join(fiscal_submission, fiscal_submission.c.id == fiscal_answer.c.submission_id)
    async for answer in _pages(ctx, answers.where(fiscal_submission.c.id.in_(message_ids)), _MessageFileRow):
        yield f"{folder}/answers/{answer.first_position:010d}-{answer.id.hex}.xml", answer.body
    query = fiscal_query.c
    in_period = and_(query.created_at >= between[0], query.created_at < between[1])
    conditions = query.installation_id == installation_id, or_(in_period, query.submission_id.in_(message_ids))
    async for question in _pages(ctx, _files(fiscal_query, query.request).where(*conditions), _FileRow):
        yield f"{folder}/questions/{question.id.hex}-question.xml", question.body
    query_answers = _files(fiscal_query_answer, fiscal_query_answer.c.body, fiscal_query_answer.c.query_id)
    query_answers = query_answers.join(fiscal_query, query.id == fiscal_query_answer.c.query_id).where(*conditions)
    async for reply in _pages(ctx, query_answers, _QueryAnswerFileRow):
        yield f"{folder}/questions/{reply.query_id.hex}-answer.xml", reply.body


def _overlaps(installation_id: UUID, records: PositionRange | None) -> ColumnElement[bool]:
    message = fiscal_submission.c
    if records is None:
        return literal(value=False)
    overlaps = and_(message.first_position <= records.last, message.last_position >= records.first)
    return and_(message.installation_id == installation_id, overlaps)


def _files(table: Table, body: ColumnElement[bytes], *columns: ColumnElement[Any]) -> Select[Any]:
    return select(table.c.id, body.label("body"), *columns).order_by(table.c.id).limit(PAGE_SIZE)


async def _pages(ctx: Context, query: Select[Any], row_type: type[_FileRowT]) -> AsyncIterator[_FileRowT]:
    """Yield the rows of a query ordered by its first column, an id; each page is read in a transaction of its own."""
    row_id, after = query.selected_columns[0], None
    while True:
        page = Prepared(query if after is None else query.where(row_id > after), row_type)
        rows = await ctx.read(partial(_read, page=page))
        for row in rows:
            yield row
        if len(rows) < PAGE_SIZE:
            return
        after = rows[-1].id


async def _read(ctx: Context, page: Prepared[_FileRowT]) -> Sequence[_FileRowT]:
    return await page.rows(ctx.db)

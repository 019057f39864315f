"""Questions to the authority about its records: each is stored before it is sent, and its raw answer afterwards."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy import insert

from ledgerkit.core.einvoice.transmission.table import QueryAnswerRow, QueryRow, fiscal_query, fiscal_query_answer
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import RowT, Values
from ledgerkit.core.platform.database.tables import TypedTable
from ledgerkit.core.platform.request.clock_watch import ClockWatch, Reference
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import Access, Answer, Asking, Delivery, Environment, FiscalChannel, Heading, Question

MAX_PAGES = 500
"""Most answers to one question. With ten thousand documents each, they are more than anybody issues in a month."""


@dataclass(frozen=True, kw_only=True)
class Inquiry:
    """The channel, the heading and the certificate with which questions are asked.

    `message_id`: the message whose answer was lost, if the questions are about one. `seconds`: time for which an answer
    is awaited, where that is less than the server's setting.
    """

    channel: FiscalChannel
    asks: Asking
    environment: Environment
    heading: Heading
    installation_id: UUID
    access: Access | None
    message_id: UUID | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class QueryPage:
    """One answer, and the id of the stored question."""

    query_id: UUID
    answer: Answer


async def pages(ctx: Context, inquiry: Inquiry, question: Question) -> AsyncIterator[QueryPage]:
    """Ask a question and yield its answers, page by page, up to the first failure. Runs outside any transaction."""
    for _ in range(MAX_PAGES):
        page = await _ask(ctx, inquiry, question)
        yield page
        if page.answer.after is None:
            return
        question = replace(question, after=page.answer.after)
    yield QueryPage(page.query_id, Answer(failure=f"the answer has more than {MAX_PAGES} pages"))


async def _ask(ctx: Context, inquiry: Inquiry, question: Question) -> QueryPage:
    content = inquiry.asks.message(inquiry.heading, question)
    query_id = new_id()
    values = Values(
        QueryRow,
        id=query_id,
        installation_id=inquiry.installation_id,
        submission_id=inquiry.message_id,
        year=question.year,
        month=question.month,
        number=question.number,
        request=content,
    )
    await _store(ctx, fiscal_query, values)
    timeout = ctx.settings.einvoice_timeout
    delivery = await inquiry.channel.deliver(
        content, inquiry.environment, timeout_seconds=min(inquiry.seconds or timeout, timeout), access=inquiry.access
    )
    if delivery.said_at is not None:
        ctx.kernel.service(ClockWatch).note(Reference.AUTHORITY, delivery.said_at)
    answer = await asyncio.to_thread(inquiry.asks.read, delivery)  # a large page takes a second to read
    await _store(ctx, fiscal_query_answer, _answer_values(query_id, delivery, answer))
    return QueryPage(query_id, answer)


def _answer_values(query_id: UUID, delivery: Delivery, answer: Answer) -> Values[QueryAnswerRow]:
    return Values(
        QueryAnswerRow,
        id=new_id(),
        query_id=query_id,
        http_status=delivery.status,
        body=delivery.body,
        failure=answer.failure,
    )


async def _store(ctx: Context, table: TypedTable[RowT], values: Values[RowT]) -> None:
    await ctx.transact(lambda inner: inner.db.execute(insert(table), values))

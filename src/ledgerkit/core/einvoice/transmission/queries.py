"""Asking the authority what it holds: each question stored before it is sent, each answer after, raw."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy import insert

from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.transmission.models import fiscal_query, fiscal_query_answer
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import Access, Answer, Asking, Delivery, Environment, FiscalChannel, Heading, Question

MAX_PAGES = 500
"""Answers to one question; of ten thousand documents each, that is more than anybody issues in a month."""


@dataclass(frozen=True, kw_only=True)
class Inquiry:
    """Whom to ask in whose name, and why: `message_id` is the message whose answer was lost, if it is about one.

    `seconds`: how long an answer is awaited, where that is less than the server's setting.
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
    """One answer, and the question as it was stored."""

    query_id: UUID
    answer: Answer


async def pages(ctx: Context, inquiry: Inquiry, question: Question) -> AsyncIterator[QueryPage]:
    """The answers to a question, page by page; ends after the first that is a failure. Outside any transaction."""
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
    asked = {
        "id": query_id,
        "installation_id": inquiry.installation_id,
        "submission_id": inquiry.message_id,
        "year": question.year,
        "month": question.month,
        "number": question.number,
        "request": content,
    }
    await _store(ctx, fiscal_query, asked)
    longest = ctx.settings.einvoice_timeout
    delivery = await inquiry.channel.deliver(
        content, inquiry.environment, timeout_seconds=min(inquiry.seconds or longest, longest), access=inquiry.access
    )
    answer = await asyncio.to_thread(inquiry.asks.read, delivery)  # a large page takes a second to read
    await _store(ctx, fiscal_query_answer, _raw(query_id, delivery, answer))
    return QueryPage(query_id, answer)


def _raw(query_id: UUID, delivery: Delivery, answer: Answer) -> dict[str, Any]:
    return {
        "id": new_id(),
        "query_id": query_id,
        "http_status": delivery.status,
        "body": delivery.body,
        "failure": answer.failure,
    }


async def _store(ctx: Context, table: Any, values: dict[str, Any]) -> None:
    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await inner.db.execute(insert(table), values)

    await retry_on_conflict(attempt)

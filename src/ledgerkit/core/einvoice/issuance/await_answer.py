"""Waiting a few seconds for the authority's answer to a record, while it is being sent."""

import asyncio
from typing import Any

from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.models import fiscal_status
from ledgerkit.core.einvoice.transmission.sender import ChainKey, Transmitter
from ledgerkit.core.request.context import Context

_ASK_AGAIN = 0.1
"""Seconds; while the authority's pause lasts, or another process sends."""


async def settled(ctx: Context, record: Any) -> RecordWithStatus:
    """The record once its answer is in, or as it stands when the wait is over.

    Nothing is cancelled when the wait is over: neither the sending, which others may share, nor a statement under
    way, which would cost its connection.
    """
    chain = ChainKey(ctx.account.id, record.installation_id)
    transmitter = ctx.kernel.service(Transmitter)
    clock = asyncio.get_running_loop().time
    end = clock() + ctx.settings.einvoice_wait
    found = await now(ctx, record)
    while found.is_open:
        attempt = transmitter.launch(chain)
        if clock() >= end:
            break
        await asyncio.wait([attempt], timeout=max(0, end - clock()))
        found = await now(ctx, record)
        if not found.is_open or _answered(attempt):
            continue
        if not await transmitter.due_within(chain, end - clock()):
            return await now(ctx, record)
        await asyncio.sleep(min(_ASK_AGAIN, max(0, end - clock())))
    return found


def _answered(attempt: asyncio.Task[bool]) -> bool:
    """Whether an attempt is over and brought an answer; a failed one has been logged and will be repeated."""
    return attempt.done() and not attempt.cancelled() and attempt.exception() is None and attempt.result()


async def now(ctx: Context, record: Any) -> RecordWithStatus:
    """The record as it stands at this moment."""

    async def ask() -> RecordWithStatus:
        async with ctx.transaction() as inner:
            return RecordWithStatus(record, await _STATUS.one(inner.db, record_id=record.id))

    return await retry_on_conflict(ask)


_STATUS = Prepared(select(fiscal_status).where(fiscal_status.c.record_id == bindparam("record_id", type_=Uuid)))

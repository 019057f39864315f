"""Wait a few seconds for the authority's answer to a record, while it is being sent."""

import asyncio

from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.table import RecordColumns, RecordStatusRow, fiscal_status
from ledgerkit.core.einvoice.transmission.sender import ChainKey, Transmitter
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context

_POLL_SECONDS = 0.1
"""Time between two looks at the record while the authority's pause lasts, or another process sends."""


async def until_answered(ctx: Context, record: RecordColumns) -> RecordWithStatus:
    """Return the record with the authority's answer, or its state after `einvoice_wait` seconds.

    Nothing is cancelled when the wait is over: neither the sending, which other callers may share, nor a running
    statement, because that would close its connection.
    """
    chain = ChainKey(ctx.account.id, record.installation_id)
    transmitter = ctx.kernel.service(Transmitter)
    clock = asyncio.get_running_loop().time
    end = clock() + ctx.settings.einvoice_wait
    latest = await current(ctx, record)
    while latest.is_open:
        attempt = transmitter.launch(chain)
        if clock() >= end:
            break
        await asyncio.wait([attempt], timeout=max(0, end - clock()))
        latest = await current(ctx, record)
        if not latest.is_open or _brought_answer(attempt):
            continue
        if not await transmitter.due_within(chain, end - clock()):
            return await current(ctx, record)
        await asyncio.sleep(min(_POLL_SECONDS, max(0, end - clock())))
    return latest


def _brought_answer(attempt: asyncio.Task[bool]) -> bool:
    """Return True when the attempt is over and brought an answer; a failed one is logged and will be repeated."""
    return attempt.done() and not attempt.cancelled() and attempt.exception() is None and attempt.result()


async def current(ctx: Context, record: RecordColumns) -> RecordWithStatus:
    """Return the record with its status as stored at this moment."""

    async def read(inner: Context) -> RecordWithStatus:
        return RecordWithStatus(record, await _STATUS.one(inner.db, record_id=record.id))

    return await ctx.transact(read)


_STATUS = Prepared(
    select(fiscal_status).where(fiscal_status.c.record_id == bindparam("record_id", type_=Uuid)), RecordStatusRow
)

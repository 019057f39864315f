"""Wait a few seconds for the authority's answer to a record; the problem that tells of a rejection."""

import asyncio

from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.einvoice.api import AuthorityError, EInvoiceResult
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.issuance.texts import IssuanceMsg
from ledgerkit.core.einvoice.table import RecordColumns, RecordStatusRow, fiscal_status
from ledgerkit.core.einvoice.transmission.sender import ChainKey, Transmitter
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Code, Rejected
from ledgerkit.providers.api import NUMBER_TAKEN
from ledgerkit.texts import FixedText, Joined, MessageId, ProblemText, Text, text
from ledgerkit.texts.messages import REMEDY, Message

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


def rejection(answer: EInvoiceResult) -> Rejected:
    """Return the problem with the authority's first error and the whole result: AUTHORITY_REJECTED or NUMBER_TAKEN."""
    errors = answer.refused.errors if answer.refused else answer.errors
    first = errors[0] if errors else None
    values = {"subject": _subject(answer), "cause": f" ({first.code}: {first.message})" if first else ""}
    remedy = Message(IssuanceMsg.REJECTED, {"way_out": _way_out(answer, first)}, REMEDY)
    words = ProblemText(Message(IssuanceMsg.REJECTED, values), remedy)
    extra = {"result": answer.model_dump(mode="json", by_alias=True)}
    if first and first.code == NUMBER_TAKEN:
        return Rejected(words, code=Code.NUMBER_TAKEN, extra=extra)
    return Rejected(words, extra=extra)


def _subject(answer: EInvoiceResult) -> str | Text:
    """The document, or its correction or annulment, which the authority has rejected."""
    if answer.refused:
        return text(IssuanceMsg.REJECTED_CORRECTION, number=answer.number)
    return text(IssuanceMsg.REJECTED_ANNULMENT, number=answer.number) if answer.kind == "annul" else answer.number


def _way_out(answer: EInvoiceResult, error: AuthorityError | None) -> Text | MessageId:
    """Remedy of the error, or that of every rejection; after the invoice's state where it stands as before."""
    annuls = not answer.refused and answer.kind == "annul"
    remedy: Text | MessageId = IssuanceMsg.CORRECT_AND_ANNUL if annuls else IssuanceMsg.CORRECT_AND_EMIT
    if error and error.remedy:
        remedy = FixedText(error.remedy.en, error.remedy.model_dump())
    return Joined((IssuanceMsg.STANDS_AS_BEFORE, remedy), " ") if answer.refused or annuls else remedy

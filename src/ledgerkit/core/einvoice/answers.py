"""What an authority's answer changes: the raw answer kept, each record's standing, the course of the chain."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, insert, update

from ledgerkit.core.activity import service as activity
from ledgerkit.core.context import Context
from ledgerkit.core.db import new_id
from ledgerkit.core.einvoice import courses, history, incidents, pacing, results
from ledgerkit.core.einvoice.courses import OPEN, Course
from ledgerkit.core.einvoice.history import Found
from ledgerkit.core.einvoice.models import fiscal_answer, fiscal_outcome, fiscal_status
from ledgerkit.core.invoices import lifecycle, reported
from ledgerkit.providers.api import Delivery, Outcome, Receipt, State


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The message that an answer belongs to: its id, when it went, whose lease it was sent under, what was in it."""

    message_id: UUID
    sent_at: datetime
    holder: UUID
    records: Sequence[Any]
    max_batch: int


@dataclass(frozen=True, kw_only=True)
class Said:
    """Where something was said of a record: in the answer to a message, to a question, or both (about a message)."""

    submission_id: UUID | None = None
    query_id: UUID | None = None
    reference: str | None = None


async def keep(ctx: Context, answered: Answered, delivery: Delivery, receipt: Receipt) -> None:
    """Store the answer to a message and everything it says, in the transaction of `ctx`."""
    answer = {
        "id": new_id(),
        "submission_id": answered.message_id,
        "http_status": delivery.status,
        "body": delivery.body,
        "error": delivery.error,
        "fault": receipt.fault,
        "reference": receipt.reference,
    }
    await ctx.db.execute(insert(fiscal_answer), answer)
    course = await _course(ctx, answered, delivery, receipt)
    said = Said(submission_id=answered.message_id, reference=receipt.reference)
    for record, outcome in zip(answered.records, receipt.outcomes, strict=True):
        told = _given_up(receipt) if course.reject else _owned(record, outcome)
        doubtful = told.state is State.UNKNOWN or (told.state is State.PENDING and record.in_doubt)
        await apply(ctx, said, record, told, in_doubt=doubtful)
    await note_doubt(ctx, answered.records, course)
    await incidents.note(ctx, answered.records[0], course, receipt, answered.sent_at)
    await pacing.follow(ctx, answered.records[0].installation_id, course, answered.holder, answered.max_batch)


async def apply(ctx: Context, said: Said, record: Any, outcome: Outcome, *, in_doubt: bool) -> None:
    """Note what was said of a record; a final standing is never undone by an answer that comes later."""
    told = {"state": outcome.state.value, "code": outcome.code, "message": outcome.message}
    where = {"submission_id": said.submission_id, "query_id": said.query_id}
    await ctx.db.execute(insert(fiscal_outcome), {"id": new_id(), "record_id": record.id, **where, **told})
    stored = outcome.state not in {*OPEN, State.REJECTED}
    change = {**told, "reference": said.reference if stored else None, "in_doubt": in_doubt, "updated_at": func.now()}
    if outcome.state not in OPEN:
        change |= {"aside_until": None}
    statement = update(fiscal_status).where(fiscal_status.c.record_id == record.id, pacing.is_open()).values(change)
    status = (await ctx.db.execute(statement.returning(*fiscal_status.c))).one_or_none()
    if status is None:
        return
    await _stamp(ctx, record, status)
    if outcome.state not in OPEN:
        await activity.record(ctx, _action(record, outcome), ("invoice", record.invoice_id), record.number)


async def _stamp(ctx: Context, record: Any, status: Any) -> None:
    """The invoice as it stands now. The first record of one needs no look at others."""
    if record.corrects_id is None:
        stands = history.standing(history.past([Found(record, status)]))
        await lifecycle.stamp(ctx, record.invoice_id, results.stamp(ctx, record, status), stands)
        return
    records = await history.of_invoice(ctx, record.invoice_id)
    shown = history.current(records)
    stands = history.standing(history.past(records))
    await reported.restamp(ctx, record.invoice_id, results.stamp(ctx, shown.record, shown.status), stands)


def _action(record: Any, outcome: Outcome) -> str:
    if record.kind == "issue":
        return outcome.state.value
    return "annulment_rejected" if outcome.state is State.REJECTED else "annulled"


async def note_doubt(ctx: Context, records: Sequence[Any], course: Course) -> None:
    """What the course says of the message's only record."""
    if not course.doubted and not course.aside:
        return
    until = func.now() + courses.LONGEST_PAUSE if course.aside else fiscal_status.c.aside_until
    values = {"doubts": fiscal_status.c.doubts + int(course.doubted), "aside_until": until}
    await ctx.db.execute(update(fiscal_status).where(fiscal_status.c.record_id == records[0].id).values(values))


async def _course(ctx: Context, answered: Answered, delivery: Delivery, receipt: Receipt) -> Course:
    installation_id = answered.records[0].installation_id
    sender = await pacing.sender_of(ctx, installation_id)
    aside = receipt.fault is not None and await pacing.stands_aside(ctx, installation_id)
    return courses.after(sender, answered.records, delivery, receipt, others_aside=aside)


def _given_up(receipt: Receipt) -> Outcome:
    """The message was refused for its only record: that is the record's answer."""
    return Outcome(state=State.REJECTED, code=receipt.code, message=receipt.fault)


def _owned(record: Any, outcome: Outcome) -> Outcome:
    """A duplicate is our own record only when an earlier answer to it was lost; else it is somebody else's."""
    if not outcome.duplicate or record.in_doubt:
        return outcome
    text = "The authority already holds another record of this issuer, number and date."
    return Outcome(state=State.REJECTED, code="3000", message=text)

"""What an authority's answer changes: the raw answer kept, each record's standing, the course of the chain."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Boolean, Text, and_, bindparam, case, cast, column, func, insert, null, select, update

from ledgerkit.core.activity import service as activity
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.database.tables import JSON
from ledgerkit.core.einvoice import results
from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.models import fiscal_status
from ledgerkit.core.einvoice.outbox import incidents, pacing, retry_policy
from ledgerkit.core.einvoice.outbox.retry_policy import AWAITING_ANSWER, RetryDecision
from ledgerkit.core.einvoice.transmission.models import fiscal_answer, fiscal_outcome, fiscal_query, fiscal_query_answer
from ledgerkit.core.invoices import authority_answers, lifecycle
from ledgerkit.core.invoices.posting.standing import Standing
from ledgerkit.core.request.context import Context
from ledgerkit.money import dumps_exact
from ledgerkit.providers.api import Delivery, Outcome, Receipt, State

_AT_THE_AUTHORITY = frozenset({State.ACCEPTED, State.ACCEPTED_WITH_ERRORS, State.ANNULLED})


@dataclass(frozen=True, kw_only=True)
class SentMessage:
    """The message that an answer belongs to: its id, when it went, whose lease it was sent under, what was in it.

    `may_ask`: the authority can be asked what it holds.
    """

    message_id: UUID
    sent_at: datetime
    holder: UUID
    records: Sequence[Any]
    max_batch: int
    may_ask: bool


@dataclass(frozen=True, kw_only=True)
class OutcomeSource:
    """Where something was said of a record: in the answer to a message, to a question, or both (about a message)."""

    submission_id: UUID | None = None
    query_id: UUID | None = None
    reference: str | None = None


async def store_answer(ctx: Context, answered: SentMessage, delivery: Delivery, receipt: Receipt) -> None:
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
    said = OutcomeSource(submission_id=answered.message_id, reference=receipt.reference)
    outcomes = [_given_up(receipt)] if course.reject else receipt.outcomes
    judged = zip(answered.records, outcomes, strict=True)
    await apply_outcomes(ctx, [OutcomeUpdate(record, await _owned(ctx, record, one), said) for record, one in judged])
    await store_doubt(ctx, answered.records, course)
    await incidents.update_after_answer(ctx, answered.records[0], course, receipt, answered.sent_at)
    await pacing.apply_decision(ctx, answered.records[0].installation_id, course, answered.holder, answered.max_batch)


@dataclass(frozen=True)
class OutcomeUpdate:
    """What was said of a record, and where. `settled`: whatever it is, nobody doubts any more what it was about."""

    record: Any
    outcome: Outcome
    said: OutcomeSource
    settled: bool = False

    @property
    def in_doubt(self) -> bool:
        """Whether the authority may hold the record without our knowing."""
        state = self.outcome.state
        return not self.settled and (state is State.UNKNOWN or (state is State.PENDING and self.record.in_doubt))

    @property
    def is_final(self) -> bool:
        return self.outcome.state not in AWAITING_ANSWER

    def row(self) -> dict[str, Any]:
        """As fiscal_outcome has it."""
        said = {"state": self.outcome.state.value, "code": self.outcome.code, "message": self.outcome.message}
        where = {"submission_id": self.said.submission_id, "query_id": self.said.query_id}
        return {"id": new_id(), "record_id": self.record.id, **where, **said}

    def change(self) -> dict[str, Any]:
        """As fiscal_status is to have it."""
        stored = self.is_final and self.outcome.state is not State.REJECTED
        return {
            "record_id": self.record.id,
            "state": self.outcome.state.value,
            "code": self.outcome.code,
            "message": self.outcome.message,
            "reference": self.said.reference if stored else None,
            "in_doubt": self.in_doubt,
            "is_final": self.is_final,
        }


async def apply_outcomes(ctx: Context, told: Sequence[OutcomeUpdate]) -> None:
    """Note what was said of records, all at once; a final standing is never undone by an answer that comes later."""
    if not told:
        return
    await ctx.db.execute(insert(fiscal_outcome), [one.row() for one in told])
    rows = await _RESTATE.rows(ctx.db, given=dumps_exact([one.change() for one in told]))
    changed = {row.record_id: row for row in rows}
    moved = [one for one in told if one.record.id in changed]
    stands = await _stamp(ctx, [RecordWithStatus(one.record, changed[one.record.id]) for one in moved])
    lines: list[activity.Line] = [
        (_action(one, stands[one.record.invoice_id]), ("invoice", one.record.invoice_id), one.record.number, {})
        for one in moved
        if one.is_final
    ]
    await activity.record_each(ctx, lines)


def _restating() -> Prepared[Any]:
    """The standings of records that still wait, as `given` says."""
    kept = fiscal_status.c
    names = ("record_id", "state", "code", "message", "reference", "in_doubt")
    types: list[Any] = [column(name, kept[name].type) for name in names]
    listed = func.json_to_recordset(cast(bindparam("given", type_=Text), JSON))
    given = listed.table_valued(*types, column("is_final", Boolean), name="given").render_derived(with_types=True)
    values = {name: given.c[name] for name in names[1:]} | {
        "aside_until": case((given.c.is_final, null()), else_=kept.aside_until),
        "updated_at": func.now(),
        "version": kept.version + 1,
    }
    statement = update(fiscal_status).where(kept.record_id == given.c.record_id, pacing.awaits_answer()).values(values)
    return Prepared(statement.returning(*kept))


_RESTATE = _restating()


async def _stamp(ctx: Context, found: Sequence[RecordWithStatus]) -> dict[UUID, Standing]:
    """The invoices as they stand now: all that have one record at once, the others each by all of theirs."""
    several = await history.invoices_with_several_records(ctx, [one.record.invoice_id for one in found])
    stamps = {
        one.record.invoice_id: (results.stamp(ctx, [one]), history.standing(history.as_past_records([one])))
        for one in found
        if one.record.invoice_id not in several
    }
    await lifecycle.stamp_all(ctx, stamps)
    restamped = {invoice_id: await _restamp(ctx, invoice_id) for invoice_id in sorted(several)}
    return restamped | {invoice_id: stands for invoice_id, (_, stands) in stamps.items()}


async def _restamp(ctx: Context, invoice_id: UUID) -> Standing:
    records = await history.of_invoice(ctx, invoice_id)
    stands = history.standing(history.as_past_records(records))
    await authority_answers.restamp(ctx, invoice_id, results.stamp(ctx, records), stands)
    return stands


def _action(one: OutcomeUpdate, stands: Standing) -> str:
    """What the activity log calls it: an invoice is `rejected` when the authority holds nothing of it."""
    refused = one.outcome.state is State.REJECTED
    if one.record.kind == "annul":
        return "annulment_rejected" if refused else "annulled"
    return "correction_rejected" if refused and stands is not Standing.REFUSED else one.outcome.state.value


async def store_doubt(ctx: Context, records: Sequence[Any], course: RetryDecision) -> None:
    """What the course says of the message's only record."""
    if not course.doubted and not course.aside:
        return
    pause = retry_policy.deferral(records[0].doubts)
    until = func.now() + pause if course.aside else fiscal_status.c.aside_until
    values = {"doubts": fiscal_status.c.doubts + int(course.doubted), "aside_until": until}
    await ctx.db.execute(update(fiscal_status).where(fiscal_status.c.record_id == records[0].id).values(values))


async def _course(ctx: Context, answered: SentMessage, delivery: Delivery, receipt: Receipt) -> RetryDecision:
    first = answered.records[0]
    sender = await pacing.sender_row(ctx, first.installation_id)
    refused = receipt.fault is not None
    aside = refused and await pacing.has_deferred_record(ctx, first.installation_id)
    lost = refused and answered.may_ask and len(answered.records) == 1 and first.in_doubt
    held = lost and not await _denied(ctx, first)
    return retry_policy.decide(sender, answered.records, delivery, receipt, others_aside=aside, perhaps_held=held)


async def _denied(ctx: Context, record: Any) -> bool:
    """Whether the authority was asked about the record's message before this one, and answered: it was not held."""
    query, answer = fiscal_query.c, fiscal_query_answer.c
    whole = func.bool_and(and_(answer.id.is_not(None), answer.failure.is_(None)))
    joined = fiscal_query.outerjoin(fiscal_query_answer, answer.query_id == query.id)
    asked = select(whole).select_from(joined).where(query.submission_id == record.submission_id)
    return bool((await ctx.db.execute(asked)).scalar_one())


async def _is_known(ctx: Context, record: Any) -> bool:
    """Whether the authority has, or may have, a record of ours about this document."""
    known = await history.of_invoice(ctx, record.invoice_id)
    return record.in_doubt or any(State(one.status.state) in _AT_THE_AUTHORITY for one in known)


def _given_up(receipt: Receipt) -> Outcome:
    """The message was refused for its only record: that is the record's answer."""
    return Outcome(state=State.REJECTED, code=receipt.code, message=receipt.fault)


async def _owned(ctx: Context, record: Any, outcome: Outcome) -> Outcome:
    """A duplicate is our own record only when an earlier answer to it was lost; else it is somebody else's.

    Likewise, a document that is struck out already is ours only where the authority has taken a record of it from us.
    """
    if outcome.struck_out and record.kind == "annul" and await _is_known(ctx, record):
        return replace(outcome, state=State.ANNULLED)
    if not outcome.duplicate or record.in_doubt:
        return outcome
    text = "The authority already holds another record of this issuer, number and date."
    return Outcome(state=State.REJECTED, code="3000", message=text)

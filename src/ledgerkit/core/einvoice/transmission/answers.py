"""Answers of an authority: each stored raw, then applied to its records, their invoices and the chain's schedule."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Boolean,
    ColumnClause,
    ColumnElement,
    Text,
    and_,
    bindparam,
    case,
    cast,
    column,
    func,
    insert,
    null,
    select,
    update,
)

from ledgerkit.core.einvoice import output as einvoice_output
from ledgerkit.core.einvoice.chain import history
from ledgerkit.core.einvoice.chain.history import RecordWithStatus
from ledgerkit.core.einvoice.outbox import incidents, pace, retry_policy
from ledgerkit.core.einvoice.outbox.incidents import IssuerChain
from ledgerkit.core.einvoice.outbox.retry_policy import AWAITING_ANSWER, RetryDecision
from ledgerkit.core.einvoice.outbox.table import OpenRecordRow
from ledgerkit.core.einvoice.table import HELD, FiscalRecordRow, HeldDocument, RecordStatusRow, fiscal_status
from ledgerkit.core.einvoice.transmission.table import (
    AnswerRow,
    OutcomeRow,
    fiscal_answer,
    fiscal_outcome,
    fiscal_query,
    fiscal_query_answer,
)
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.database.tables import JSON
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.issuance import authority_answers, lifecycle
from ledgerkit.core.sales.invoices.posting.standing import Standing
from ledgerkit.money import dumps_exact
from ledgerkit.providers.api import NUMBER_TAKEN, Delivery, Outcome, Receipt, State

NOT_REPORTED_FROM_HERE = "The authority holds a document of this number and date that was not reported from here."

_HELD_BY_AUTHORITY = frozenset({State.ACCEPTED, State.ACCEPTED_WITH_ERRORS, State.ANNULLED})


@dataclass(frozen=True, kw_only=True)
class SentMessage:
    """A message that was sent: its id, its time, the holder of the lease, its records, and the channel's abilities.

    `can_query`: the authority can be asked what it holds.
    """

    message_id: UUID
    sent_at: datetime
    holder: UUID
    records: Sequence[OpenRecordRow]
    max_batch: int
    can_query: bool


@dataclass(frozen=True, kw_only=True)
class OutcomeSource:
    """The answer that gave an outcome: to a message, to a question, or to a question about a message (both)."""

    submission_id: UUID | None = None
    query_id: UUID | None = None
    reference: str | None = None


@dataclass(frozen=True)
class OutcomeUpdate:
    """A record's new outcome and its source. `in_doubt`: the authority may hold the record without having said so.

    `held`: what it holds instead, where that is somebody else's.
    """

    record: FiscalRecordRow
    outcome: Outcome
    source: OutcomeSource
    in_doubt: bool = False
    held: HeldDocument | None = None

    @property
    def is_final(self) -> bool:
        """True when no later answer about the record is expected."""
        return self.outcome.state not in AWAITING_ANSWER

    def outcome_values(self) -> Values[OutcomeRow]:
        """Values of the new row of fiscal_outcome."""
        return Values(
            OutcomeRow,
            id=new_id(),
            record_id=self.record.id,
            submission_id=self.source.submission_id,
            query_id=self.source.query_id,
            state=self.outcome.state.value,
            code=self.outcome.code,
            message=self.outcome.message,
        )

    def status_values(self) -> Values[RecordStatusRow]:
        """New values of the record's row of fiscal_status."""
        is_held = self.is_final and self.outcome.state is not State.REJECTED
        return Values(
            RecordStatusRow,
            record_id=self.record.id,
            state=self.outcome.state.value,
            code=self.outcome.code,
            message=self.outcome.message,
            reference=self.source.reference if is_held else None,
            in_doubt=self.in_doubt,
            held=HELD.encode(self.held),
        )


async def store_answer(ctx: Context, sent: SentMessage, delivery: Delivery, receipt: Receipt) -> None:
    """Store the answer to a message and apply it, in the transaction of `ctx`.

    It changes each record's status and its invoice, the chain's incidents and schedule, and ends the lease.
    """
    answer = Values(
        AnswerRow,
        id=new_id(),
        submission_id=sent.message_id,
        http_status=delivery.status,
        body=delivery.body,
        error=delivery.error,
        fault=receipt.fault,
        reference=receipt.reference,
    )
    await ctx.db.execute(insert(fiscal_answer), answer)
    first = sent.records[0]
    decision = await _decide(ctx, sent, delivery, receipt)
    source = OutcomeSource(submission_id=sent.message_id, reference=receipt.reference)
    outcomes = receipt.outcomes
    if decision.reject:  # the message was refused as a whole, and this is its only record
        outcomes = (Outcome(state=State.REJECTED, code=receipt.code, message=receipt.fault),)
    outcome_by_record = zip(sent.records, outcomes, strict=True)
    await apply_outcomes(
        ctx, [await _outcome_update(ctx, sent, record, outcome, source) for record, outcome in outcome_by_record]
    )
    await store_doubt(ctx, sent.records, decision)
    chain = IssuerChain(first.installation_id, first.issuer_tax_id)
    await incidents.update_after_answer(ctx, chain, decision, receipt, sent.sent_at)
    await pace.apply_decision(ctx, first.installation_id, decision, sent.holder, sent.max_batch)


async def _outcome_update(
    ctx: Context, sent: SentMessage, record: OpenRecordRow, reported: Outcome, source: OutcomeSource
) -> OutcomeUpdate:
    outcome = await _interpret(ctx, record, reported, can_query=sent.can_query)
    in_doubt = outcome.state is State.UNKNOWN or (outcome.state is State.PENDING and record.in_doubt)
    return OutcomeUpdate(record, outcome, source, in_doubt=in_doubt)


async def apply_outcomes(ctx: Context, updates: Sequence[OutcomeUpdate], *, asked_again: bool = False) -> None:
    """Store outcomes of records and update their statuses and invoices, all at once.

    A final status is never changed by a later answer; only a number that was taken may turn out otherwise when the
    authority is `asked_again`.
    """
    if not updates:
        return
    await ctx.db.execute(insert(fiscal_outcome), [dict(update.outcome_values()) for update in updates])
    statement = _REVISE_STATUSES if asked_again else _UPDATE_STATUSES
    new_values = dumps_exact([{**update.status_values(), "is_final": update.is_final} for update in updates])
    statuses = await statement.rows(ctx.db, given=new_values)
    status_of = {status.record_id: status for status in statuses}
    effective = [update for update in updates if update.record.id in status_of]
    standings = await _stamp_invoices(
        ctx, [RecordWithStatus(update.record, status_of[update.record.id]) for update in effective]
    )
    lines: list[activity.Line] = [
        (
            _action(update, standings[update.record.invoice_id]),
            ("invoice", update.record.invoice_id),
            update.record.number,
            {},
        )
        for update in effective
        if update.is_final and not (asked_again and update.outcome.code == NUMBER_TAKEN)
    ]
    await activity.record_each(ctx, lines)


def _update_statuses(changeable: ColumnElement[bool]) -> Prepared[RecordStatusRow]:
    """Build the update of the `changeable` statuses among those in the JSON array `given`."""
    status = fiscal_status.c
    names = ("record_id", "state", "code", "message", "reference", "in_doubt", "held")
    columns: list[ColumnClause[Any]] = [column(name, status[name].type) for name in names]
    listed = func.json_to_recordset(cast(bindparam("given", type_=Text), JSON))
    new_values = listed.table_valued(*columns, column("is_final", Boolean), name="given").render_derived(
        with_types=True
    )
    values = {name: new_values.c[name] for name in names[1:]} | {
        "aside_until": case((new_values.c.is_final, null()), else_=status.aside_until),
        "updated_at": func.now(),
        "version": status.version + 1,
    }
    statement = update(fiscal_status).where(status.record_id == new_values.c.record_id, changeable)
    return Prepared(statement.values(values).returning(*status), RecordStatusRow)


_IS_TAKEN = and_(
    fiscal_status.c.state == constant(State.REJECTED.value),
    fiscal_status.c.code == constant(NUMBER_TAKEN),
    fiscal_status.c.burnt.is_(None),
)
_UPDATE_STATUSES = _update_statuses(pace.awaits_answer())
_REVISE_STATUSES = _update_statuses(_IS_TAKEN)


async def _stamp_invoices(ctx: Context, records: Sequence[RecordWithStatus]) -> dict[UUID, Standing]:
    """Stamp the records' invoices anew and return how each stands.

    Invoices with one record are stamped all at once, the others one by one, from all their records.
    """
    with_several = await history.invoices_with_several_records(ctx, [record.record.invoice_id for record in records])
    stamps = {
        record.record.invoice_id: (
            einvoice_output.stamp(ctx, [record]),
            history.standing(history.as_past_records([record])),
        )
        for record in records
        if record.record.invoice_id not in with_several
    }
    await lifecycle.stamp_all(ctx, stamps)
    standings = {invoice_id: await _stamp_invoice(ctx, invoice_id) for invoice_id in sorted(with_several)}
    return standings | {invoice_id: standing for invoice_id, (_, standing) in stamps.items()}


async def _stamp_invoice(ctx: Context, invoice_id: UUID) -> Standing:
    records = await history.of_invoice(ctx, invoice_id)
    standing = history.standing(history.as_past_records(records))
    await authority_answers.restamp(ctx, invoice_id, einvoice_output.stamp(ctx, records), standing)
    return standing


def _action(update: OutcomeUpdate, standing: Standing) -> str:
    """Return the activity log's word: an invoice is `rejected` only when the authority holds nothing of it."""
    is_rejected = update.outcome.state is State.REJECTED
    if update.record.kind == "annul":
        return "annulment_rejected" if is_rejected else "annulled"
    return "correction_rejected" if is_rejected and standing is not Standing.REFUSED else update.outcome.state.value


async def store_doubt(ctx: Context, records: Sequence[OpenRecordRow], decision: RetryDecision) -> None:
    """Store the decision about the message's only record: one more doubt, and its deferral."""
    if not decision.count_doubt and not decision.defer:
        return
    record, status = records[0], fiscal_status.c
    deferred_until = func.now() + retry_policy.deferral(record.doubts) if decision.defer else status.aside_until
    values = {
        "doubts": status.doubts + int(decision.count_doubt),
        "refusals": status.refusals + int(decision.count_refusal),
        "aside_until": deferred_until,
    }
    await ctx.db.execute(update(fiscal_status).where(status.record_id == record.id).values(values))


async def _decide(ctx: Context, sent: SentMessage, delivery: Delivery, receipt: Receipt) -> RetryDecision:
    first = sent.records[0]
    sender = await pace.sender_row(ctx, first.installation_id)
    has_fault = receipt.fault is not None
    others_deferred = has_fault and await pace.has_deferred_record(ctx, first.installation_id)
    answer_was_lost = has_fault and sent.can_query and len(sent.records) == 1 and first.in_doubt
    perhaps_held = answer_was_lost and not await _was_found_missing(ctx, first)
    return retry_policy.decide(
        sender, sent.records, delivery, receipt, others_deferred=others_deferred, perhaps_held=perhaps_held
    )


async def _was_found_missing(ctx: Context, record: OpenRecordRow) -> bool:
    """Return True when the authority was asked about the record's last message, and answered every question.

    The record was sent again after that, so the authority did not hold it.
    """
    query, answer = fiscal_query.c, fiscal_query_answer.c
    all_answered = func.bool_and(and_(answer.id.is_not(None), answer.failure.is_(None)))
    joined = fiscal_query.outerjoin(fiscal_query_answer, answer.query_id == query.id)
    statement = select(all_answered).select_from(joined).where(query.submission_id == record.submission_id)
    return bool((await ctx.db.execute(statement)).scalar_one())


async def _may_be_held(ctx: Context, record: OpenRecordRow, *, can_query: bool) -> bool:
    """Return True when the authority has a record of this chain about the record's invoice.

    Also when it may have one and cannot be asked.
    """
    records = await history.of_invoice(ctx, record.invoice_id)
    return (record.in_doubt and not can_query) or any(
        State(record.status.state) in _HELD_BY_AUTHORITY for record in records
    )


async def _interpret(ctx: Context, record: OpenRecordRow, reported: Outcome, *, can_query: bool) -> Outcome:
    """Return the record's outcome by the authority's answer that it holds, or has annulled, such a document already.

    Whose document that is, it does not say: it is asked next, and until it has answered the outcome is UNKNOWN. Where
    it cannot be asked, a duplicate is this record only when an earlier answer to it was lost. A document that is
    annulled already was annulled from here only where the authority has a record of it from here.
    """
    if reported.struck_out and record.kind == "annul" and await _may_be_held(ctx, record, can_query=can_query):
        return replace(reported, state=State.ANNULLED)
    if not (reported.duplicate or reported.struck_out):
        return reported
    if not can_query and record.in_doubt and reported.held is not None:
        return reported.held
    words = " ".join(part for part in (reported.code, reported.message) if part)
    return number_taken(words, state=State.UNKNOWN if can_query else State.REJECTED)


def number_taken(words: str | None = None, *, state: State = State.REJECTED) -> Outcome:
    """Outcome of a record whose number the authority says is taken, with its words if it has refused the record.

    The outcome is UNKNOWN until the authority has shown its document.
    """
    return Outcome(state=state, code=NUMBER_TAKEN, message=words or NOT_REPORTED_FROM_HERE)

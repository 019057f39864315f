"""Unknown outcomes: if an answer was lost, the authority is asked about the records before they are sent again.

If the authority has a record with the fingerprint stored here, the record gets the outcome that the authority shows. If
it does not have the record, the record is sent again. If it has a document that was not reported from here, the record
is rejected with NUMBER_TAKEN, and the authority's document is stored with it: nothing overwrites that document, unless
its replacement was demanded. A record that it refuses because of such a document is rejected in the same way, even if
it does not show the document.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import ARRAY, Text, any_, bindparam, select, update

from ledgerkit import clock
from ledgerkit.core.einvoice.outbox import pace, retry_policy
from ledgerkit.core.einvoice.outbox.table import OpenRecordRow, fiscal_sender
from ledgerkit.core.einvoice.table import FiscalRecordRow, HeldDocument, fiscal_record
from ledgerkit.core.einvoice.transmission import answers, fiscal_messages, inquiries
from ledgerkit.core.einvoice.transmission.answers import OutcomeSource, OutcomeUpdate
from ledgerkit.core.einvoice.transmission.fiscal_messages import UnknownOutcome
from ledgerkit.core.einvoice.transmission.inquiries import Inquiry
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import NUMBER_TAKEN, Asking, Heading, Holding, Outcome, Question, State

ASKED_SINGLY_UP_TO = 3
"""Most records of a month that are asked for by one question each."""

DocumentKey = tuple[str, date]
"""Number and issue date of an invoice."""


@dataclass(frozen=True)
class HeldRecord:
    """The authority's record of a document, and the question whose answer shows it."""

    holding: Holding
    query_id: UUID


async def settle(ctx: Context, unknown: UnknownOutcome, asks: Asking, holder: UUID) -> None:
    """Ask the authority about the records, and adopt the outcomes that it shows.

    A question that fails changes nothing: the records are then sent again as they are.
    """
    held_records = await _ask(ctx, _inquiry(unknown, asks), unknown.records)
    if held_records is None:
        return
    await ctx.transact(lambda inner: _adopt(inner, unknown, held_records, holder))


async def ask_again(ctx: Context, unknown: UnknownOutcome, asks: Asking) -> bool:
    """Ask the authority once more who has taken the number of rejected records; return False when it does not answer.

    A record that proves to be ours gets the outcome that the authority shows; for the others its present document is
    stored. Runs outside any transaction.
    """
    held_records = await _ask(ctx, _inquiry(unknown, asks), unknown.records)
    if held_records is None:
        return False

    async def attempt(inner: Context) -> None:
        updates, _ = await _outcomes(inner, unknown, held_records)
        await answers.apply_outcomes(inner, updates, asked_again=True)

    await ctx.transact(attempt)
    return True


def _inquiry(unknown: UnknownOutcome, asks: Asking) -> Inquiry:
    first, last = unknown.records[0], unknown.records[-1]
    return Inquiry(
        channel=unknown.channel,
        asks=asks,
        environment=unknown.environment,
        heading=Heading(issuer=fiscal_messages.issuer_of(last), representative=unknown.access.representative),
        access=unknown.access.access,
        installation_id=first.installation_id,
        message_id=unknown.message_id,
    )


def questions(records: Sequence[FiscalRecordRow]) -> list[Question]:
    """Return the fewest and narrowest questions about records: one for each month of operation.

    In a month with few records (`ASKED_SINGLY_UP_TO`) there is one for each number.
    """
    by_month: dict[tuple[int, int], list[FiscalRecordRow]] = defaultdict(list)
    for record in records:
        by_month[record.operated_on.year, record.operated_on.month].append(record)
    narrow_questions = []
    for (year, month), in_month in by_month.items():
        numbers = dict.fromkeys(record.number for record in in_month)
        days = [record.issue_date for record in in_month]
        if len(numbers) <= ASKED_SINGLY_UP_TO:
            narrow_questions += [Question(year=year, month=month, number=number) for number in numbers]
        else:
            narrow_questions.append(Question(year=year, month=month, first=min(days), last=max(days)))
    return narrow_questions


async def _ask(
    ctx: Context, inquiry: Inquiry, records: Sequence[FiscalRecordRow]
) -> dict[DocumentKey, HeldRecord] | None:
    """Return what the authority holds of the records' documents; None when a question fails."""
    documents = {(record.number, record.issue_date) for record in records}
    held_records: dict[DocumentKey, HeldRecord] = {}
    for question in questions(records):
        async for page in inquiries.pages(ctx, inquiry, question):
            if page.answer.failure is not None:
                return None
            for holding in page.answer.holdings:
                document = holding.number, holding.issue_date
                if document in documents:
                    held_records[document] = HeldRecord(holding, page.query_id)
    return held_records


async def _adopt(
    ctx: Context, unknown: UnknownOutcome, held_records: Mapping[DocumentKey, HeldRecord], holder: UUID
) -> None:
    """Store the outcomes that the held records show, and what follows for the chain's next message."""
    updates, not_held = await _outcomes(ctx, unknown, held_records)
    await answers.apply_outcomes(ctx, updates)
    if not not_held:
        await pace.reset_failures(ctx, unknown.records[0].installation_id, holder)
    elif len(not_held) == len(unknown.records):
        await _after_silence(ctx, unknown, holder)


async def _outcomes(
    ctx: Context, unknown: UnknownOutcome, held_records: Mapping[DocumentKey, HeldRecord]
) -> tuple[list[OutcomeUpdate], list[OpenRecordRow]]:
    """Return the outcomes that the held records show, and the records of which they show nothing: to be sent again.

    A record that the authority has refused as a duplicate is never sent again: if the document is not this record, its
    number is taken.
    """
    fingerprints = [held_record.holding.fingerprint for held_record in held_records.values()]
    stored_records = await records_by_fingerprint(ctx, fingerprints)
    not_held, updates = [], []
    for record in unknown.records:
        held_record = held_records.get((record.number, record.issue_date))
        outcome = None if held_record is None else outcome_from_holding(record, held_record.holding, stored_records)
        is_taken = outcome is None or outcome.code == NUMBER_TAKEN
        if is_taken and record.code == NUMBER_TAKEN:
            outcome = answers.number_taken(record.message)
        if outcome is None:
            not_held.append(record)
        else:
            updates.append(_update(unknown, record, outcome, held_record))
    return updates, not_held


def _update(
    unknown: UnknownOutcome, record: OpenRecordRow, outcome: Outcome, held_record: HeldRecord | None
) -> OutcomeUpdate:
    query_id = None if held_record is None else held_record.query_id
    holding = None if held_record is None else held_record.holding
    return OutcomeUpdate(
        record,
        outcome,
        OutcomeSource(submission_id=unknown.message_id, query_id=query_id),
        held=_held_document(holding) if outcome.code == NUMBER_TAKEN else None,
    )


def _held_document(holding: Holding | None) -> HeldDocument:
    """Return what the authority holds in the form in which it is stored; only the time where it shows nothing."""
    if holding is None:
        return HeldDocument(asked_at=clock.now())
    return HeldDocument(
        state=holding.state.value,
        issue_date=holding.issue_date,
        total=holding.total,
        recipient=holding.recipient,
        fingerprint=holding.fingerprint,
        changed_at=holding.changed_at,
        asked_at=clock.now(),
    )


async def records_by_fingerprint(ctx: Context, fingerprints: Sequence[str | None]) -> dict[str, FiscalRecordRow]:
    """Return the account's records with these fingerprints, by fingerprint."""
    present = [fingerprint for fingerprint in fingerprints if fingerprint is not None]
    if not present:
        return {}
    return {row.fingerprint: row for row in await _BY_FINGERPRINT.rows(ctx.db, fingerprints=present)}


_HAS_FINGERPRINT = fiscal_record.c.fingerprint == any_(bindparam("fingerprints", type_=ARRAY(Text)))
_BY_FINGERPRINT = Prepared(select(fiscal_record).where(_HAS_FINGERPRINT), FiscalRecordRow)


def outcome_from_holding(
    record: FiscalRecordRow, holding: Holding, stored_records: Mapping[str, FiscalRecordRow]
) -> Outcome | None:
    """Return a record's outcome by the authority's record of its document; None if that record shows nothing about it.

    A document that was not reported from here has taken the number, unless this record is meant to replace it.

    The authority shows the last record that it accepted for each document. If that is a later one of the same chain, it
    accepted this one too, since they are sent in order. If it is an earlier one, it has not accepted this one.
    `stored_records`: the account's records, by fingerprint.
    """
    if holding.fingerprint == record.fingerprint:
        state = State.ACCEPTED if record.kind == "annul" and holding.state is State.ANNULLED else holding.state
        return Outcome(state=state, code=holding.code, message=holding.message)
    held_record = stored_records.get(holding.fingerprint or "")
    if held_record is None:
        return None if holding.fingerprint and holding.fingerprint == record.replaces else answers.number_taken()
    if held_record.installation_id == record.installation_id and held_record.position > record.position:
        return Outcome(state=State.ACCEPTED, message="The authority holds a later record of the same document.")
    return None


async def _after_silence(ctx: Context, unknown: UnknownOutcome, holder: UUID) -> None:
    """Change the next message when the authority holds none of the records: one of them may be unanswerable."""
    installation_id = unknown.records[0].installation_id
    sender = await pace.sender_row(ctx, installation_id)
    others_deferred = await pace.has_deferred_record(ctx, installation_id)
    decision = retry_policy.decide_after_silence(sender, unknown.records, others_deferred=others_deferred)
    if decision is None:
        return
    await answers.store_doubt(ctx, unknown.records, decision)
    values = {
        "batch_limit": decision.batch_limit,
        "suspect_until": decision.suspect_until,
        "proven": decision.proven,
    }
    of_holder = pace.is_of_chain(ctx, installation_id), fiscal_sender.c.lease_holder == holder
    await ctx.db.execute(update(fiscal_sender).where(*of_holder).values(values))

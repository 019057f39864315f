"""Unknown outcomes: before records are sent again whose answer was lost, the authority is asked what it holds of them.

What it holds with our fingerprint is adopted. What it does not hold is sent again. When it holds something else of
the same number, the record is sent again too, and a refusal as duplicate is then a refusal: the document is not ours.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import select, update

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.models import fiscal_record
from ledgerkit.core.einvoice.outbox import pacing, retry_policy
from ledgerkit.core.einvoice.outbox.models import fiscal_sender
from ledgerkit.core.einvoice.transmission import answers, messages, queries
from ledgerkit.core.einvoice.transmission.answers import OutcomeSource, OutcomeUpdate
from ledgerkit.core.einvoice.transmission.messages import UnknownOutcome
from ledgerkit.core.einvoice.transmission.queries import Inquiry
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import Asking, Heading, Holding, Outcome, Question, State

ASKED_SINGLY_UP_TO = 3
"""Up to so many records of a month are asked for one by one."""

Identity = tuple[str, date]


@dataclass(frozen=True)
class HeldRecord:
    """What the authority holds of a number and day, and the question that brought it to light."""

    holding: Holding
    query_id: UUID


async def settle(ctx: Context, doubt: UnknownOutcome, asks: Asking, holder: UUID) -> None:
    """Ask, and adopt. A question that fails changes nothing: the records are then sent again as they are."""
    first, last = doubt.records[0], doubt.records[-1]
    inquiry = Inquiry(
        channel=doubt.channel,
        asks=asks,
        environment=doubt.environment,
        heading=Heading(issuer=messages.issuer_of(last), representative=doubt.way.representative),
        access=doubt.way.access,
        installation_id=first.installation_id,
        message_id=doubt.message_id,
    )
    held = await _held(ctx, inquiry, doubt.records)
    if held is None:
        return

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await _adopt(inner, doubt, held, holder)

    await retry_on_conflict(attempt)


def questions(records: Sequence[Any]) -> list[Question]:
    """As few and as narrow as there can be: one for each month of operation, by number for the last few."""
    months: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for record in records:
        months[record.operated_on.year, record.operated_on.month].append(record)
    asked = []
    for (year, month), those in months.items():
        numbers = dict.fromkeys(record.number for record in those)
        days = [record.issue_date for record in those]
        if len(numbers) <= ASKED_SINGLY_UP_TO:
            asked += [Question(year=year, month=month, number=number) for number in numbers]
        else:
            asked.append(Question(year=year, month=month, first=min(days), last=max(days)))
    return asked


async def _held(ctx: Context, inquiry: Inquiry, records: Sequence[Any]) -> dict[Identity, HeldRecord] | None:
    """What the authority holds of the records; None when it does not say."""
    wanted = {(record.number, record.issue_date) for record in records}
    held: dict[Identity, HeldRecord] = {}
    for question in questions(records):
        async for page in queries.pages(ctx, inquiry, question):
            if page.answer.failure is not None:
                return None
            found = [one for one in page.answer.holdings if (one.number, one.issue_date) in wanted]
            held |= {(one.number, one.issue_date): HeldRecord(one, page.query_id) for one in found}
    return held


async def _adopt(ctx: Context, doubt: UnknownOutcome, held: Mapping[Identity, HeldRecord], holder: UUID) -> None:
    ours = await records_by_fingerprint(ctx, [one.holding.fingerprint for one in held.values()])
    unheard, told = [], []
    for record in doubt.records:
        found = held.get((record.number, record.issue_date))
        outcome = None if found is None else outcome_from_holding(record, found.holding, ours)
        if found is None or outcome is None:
            unheard.append(record)
            continue
        said = OutcomeSource(submission_id=doubt.message_id, query_id=found.query_id)
        told.append(OutcomeUpdate(record, outcome, said, settled=True))
    await answers.apply_outcomes(ctx, told)
    if not unheard:
        await pacing.reset_failures(ctx, doubt.records[0].installation_id, holder)
    elif len(unheard) == len(doubt.records):
        await _after_silence(ctx, doubt, holder)


async def records_by_fingerprint(ctx: Context, fingerprints: Sequence[str | None]) -> dict[str, Any]:
    """The account's own records with these fingerprints."""
    wanted = [one for one in fingerprints if one is not None]
    query = select(fiscal_record).where(fiscal_record.c.fingerprint.in_(wanted))
    return {row.fingerprint: row for row in await ctx.db.execute(query)} if wanted else {}


def outcome_from_holding(record: Any, holding: Holding, ours: Mapping[str, Any]) -> Outcome | None:
    """What a holding says of a record; None when it says nothing: the authority holds what came before it.

    The authority shows the last record that it took of each document. A later one of ours there shows that it took
    this one too, since they go in order.
    """
    if holding.fingerprint == record.fingerprint:
        state = State.ACCEPTED if record.kind == "annul" and holding.state is State.ANNULLED else holding.state
        return Outcome(state=state, code=holding.code, message=holding.message)
    shown = ours.get(holding.fingerprint or "")
    if shown is None:
        text = "The authority holds another record of this number and date, which is not of this installation."
        return Outcome(state=State.PENDING, message=text)
    if shown.installation_id == record.installation_id and shown.position > record.position:
        return Outcome(state=State.ACCEPTED, message="The authority holds a later record of the same document.")
    return None


async def _after_silence(ctx: Context, doubt: UnknownOutcome, holder: UUID) -> None:
    """The authority is there, and has none of these: perhaps one of them is what it cannot answer."""
    installation_id = doubt.records[0].installation_id
    sender = await pacing.sender_row(ctx, installation_id)
    aside = await pacing.has_deferred_record(ctx, installation_id)
    course = retry_policy.decide_after_silence(sender, doubt.records, others_aside=aside)
    if course is None:
        return
    await answers.store_doubt(ctx, doubt.records, course)
    values = {"batch_limit": course.limit, "suspect_until": course.suspect_until, "proven": course.proven}
    mine = fiscal_sender.c.account_id == ctx.account.id, fiscal_sender.c.installation_id == installation_id
    ours = fiscal_sender.c.lease_holder == holder
    await ctx.db.execute(update(fiscal_sender).where(*mine, ours).values(values))

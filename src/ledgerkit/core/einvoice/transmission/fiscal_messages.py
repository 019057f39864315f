"""Messages of a chain: the records that are sent next, their heading and bytes; stored before anything is sent.

A message is a continuous part of the chain: records in their order, with no unsent record between them. Records in
between that already have their answer (rejected, or found at the authority) stay in the chain but are not in the
message.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from sqlalchemy import Uuid, bindparam, func, insert, or_, select, update

from ledgerkit import clock
from ledgerkit.core.einvoice.certificates.access import AuthorityAccess, authority_access
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.outbox import pace, retry_policy
from ledgerkit.core.einvoice.outbox.incidents import IssuerChain, begin
from ledgerkit.core.einvoice.outbox.table import OpenRecordRow, SenderRow
from ledgerkit.core.einvoice.table import FiscalRecordRow, RecordColumns, fiscal_record, fiscal_status
from ledgerkit.core.einvoice.transmission.table import RUNS, PositionRun, SubmissionRow, fiscal_query, fiscal_submission
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import NUMBER_TAKEN, Access, Environment, FieldProblem, FiscalChannel, Heading, Party

MOST_RECORDS = 1000
"""Most records that are read for one message, whatever the channel takes."""

OBSTACLE_PAUSE = timedelta(minutes=1)
"""Pause after an obstacle found before sending: checking again costs the authority nothing."""

log = structlog.get_logger()

Records = Sequence[OpenRecordRow]


@dataclass(frozen=True, kw_only=True)
class FiscalMessage:
    """A stored message, ready to be sent: its id, its bytes, and the records in it."""

    id: UUID
    content: bytes
    records: Records
    channel: FiscalChannel
    environment: Environment
    stored_at: datetime
    authority_access: AuthorityAccess

    @property
    def access(self) -> Access | None:
        """The account's own certificate, None for the operator's."""
        return self.authority_access.access


@dataclass(frozen=True, kw_only=True)
class UnknownOutcome:
    """Records of a message whose answer was lost: the authority is asked about them before they are sent again.

    `message_id` is None when a restored database does not know the message.
    """

    message_id: UUID | None
    records: Records
    channel: FiscalChannel
    environment: Environment
    access: AuthorityAccess


async def next_step(
    ctx: Context, installation_id: UUID, settled: UnknownOutcome | None = None
) -> FiscalMessage | UnknownOutcome | None:
    """Return the next step for the holder of the chain's lease: send a message, or ask about an unknown outcome.

    None when there is nothing to do; the lease has ended then. `settled`: the unknown outcome about which the authority
    has just been asked, whatever it answered.
    """
    open_records = await _open_records(ctx, installation_id)
    if not open_records:
        await pace.release_lease(ctx, installation_id, None)
        return None
    first = open_records[0]
    channel, environment = channel_of_record(ctx, first), Environment(first.environment)
    if channel is None or _would_leave_the_sandbox(ctx, environment):
        await pace.release_lease(ctx, installation_id, retry_policy.LONGEST_PAUSE)
        return None
    access = await authority_access(ctx, channel, environment, first.issuer_tax_id)
    if access.problem is not None:
        await _wait_for_certificate(ctx, first, access.problem)
        return None
    lost_records = _records_of_lost_message(open_records)
    if lost_records and channel.asks is not None and not await _was_asked(ctx, lost_records[0].submission_id, settled):
        return UnknownOutcome(
            message_id=lost_records[0].submission_id,
            records=lost_records,
            channel=channel,
            environment=environment,
            access=access,
        )
    sender = await pace.sender_row(ctx, installation_id)
    records = (lost_records or _leading_run(open_records))[: _most_in_message(sender, first, channel)]
    return await _store(ctx, records, channel, environment, access)


async def refused_as_duplicates(ctx: Context, message: FiscalMessage) -> UnknownOutcome | None:
    """Return the records of an answered message whose number is taken, as the authority says."""
    open_records = await _open_records(ctx, message.records[0].installation_id)
    duplicates = [
        record for record in open_records if record.submission_id == message.id and record.code == NUMBER_TAKEN
    ]
    if not duplicates:
        return None
    return UnknownOutcome(
        message_id=message.id,
        records=duplicates,
        channel=message.channel,
        environment=message.environment,
        access=message.authority_access,
    )


async def rejected_as_taken(ctx: Context, record: RecordColumns) -> UnknownOutcome | None:
    """Return a record whose number is taken, to be asked about again; None where that is not possible now."""
    channel, environment = channel_of_record(ctx, record), Environment(record.environment)
    if channel is None or channel.asks is None or environment.value != ctx.settings.einvoice_env.value:
        return None
    access = await authority_access(ctx, channel, environment, record.issuer_tax_id)
    rows = await _TAKEN.rows(ctx.db, record_id=record.id)
    if access.problem is not None or not rows:
        return None
    return UnknownOutcome(message_id=None, records=rows, channel=channel, environment=environment, access=access)


async def _wait_for_certificate(ctx: Context, record: OpenRecordRow, problem: FieldProblem) -> None:
    """Make the chain wait, with an incident: its certificate may not be used for the issuer."""
    chain = IssuerChain(record.installation_id, record.issuer_tax_id)
    await begin(ctx, chain, retry_policy.Trouble.REFUSED, f"{problem.message}. {problem.remedy}")
    await pace.release_lease(ctx, record.installation_id, OBSTACLE_PAUSE)


def channel_of_record(ctx: Context, record: RecordColumns) -> FiscalChannel | None:
    """Return the channel that made the record, whatever the account's country is now; None if it is not installed."""
    channel = ctx.kernel.countries.channel(record.country, record.channel)
    if channel is None:
        log.error("records wait for a channel that is not installed", country=record.country, channel=record.channel)
    return channel


def _would_leave_the_sandbox(ctx: Context, environment: Environment) -> bool:
    """Return True when records of a real service wait on a server of the sandbox, as in a restored copy."""
    server_environment = Environment(ctx.settings.einvoice_env.value)
    if server_environment is not Environment.SANDBOX or environment is Environment.SANDBOX:
        return False
    log.warning("records wait for a server of their environment", environment=environment.value)
    return True


def issuer_of(record: FiscalRecordRow) -> Party:
    """Return the issuer for a message's heading, as stored when the record was made."""
    return Party(name=record.issuer_name, tax_id=record.issuer_tax_id, country=record.country)


async def _open_records(ctx: Context, installation_id: UUID) -> Records:
    """Return the records without a final answer that are not deferred, in chain order."""
    return await _OPEN_RECORDS.rows(ctx.db, installation_id=installation_id)


_STATUS = fiscal_status.c
_WITH_STATUS = select(
    fiscal_record,
    _STATUS.code,
    _STATUS.message,
    _STATUS.in_doubt,
    _STATUS.submission_id,
    _STATUS.doubts,
    _STATUS.refusals,
    _STATUS.aside_until,
).join(fiscal_status, _STATUS.record_id == fiscal_record.c.id)
_IS_DUE = or_(_STATUS.aside_until.is_(None), _STATUS.aside_until <= func.now())
_OPEN_RECORDS = Prepared(
    _WITH_STATUS.where(
        _STATUS.installation_id == bindparam("installation_id", type_=Uuid), pace.awaits_answer(), _IS_DUE
    )
    .order_by(_STATUS.position)
    .limit(MOST_RECORDS),
    OpenRecordRow,
)
_TAKEN = Prepared(
    _WITH_STATUS.where(_STATUS.record_id == bindparam("record_id", type_=Uuid), _STATUS.code == NUMBER_TAKEN),
    OpenRecordRow,
)


async def _was_asked(ctx: Context, message_id: UUID | None, settled: UnknownOutcome | None) -> bool:
    """Return True when the authority has been asked about the message, now or before."""
    if settled is not None and settled.message_id == message_id:
        return True
    if message_id is None:
        return False
    query = select(fiscal_query.c.id).where(fiscal_query.c.submission_id == message_id).limit(1)
    return (await ctx.db.execute(query)).first() is not None


def _records_of_lost_message(open_records: Records) -> Records:
    """Return the records of the first one's last message, if its answer was lost; else none.

    They are sent again together, with no others. So are those that a restored database knows of no message, though they
    may have been in one.
    """
    first = open_records[0]
    if not first.in_doubt:
        return ()
    return [record for record in open_records if record.in_doubt and record.submission_id == first.submission_id]


def _leading_run(open_records: Records) -> Records:
    """Return the first records that are all late, or all in time, as a message's heading says; a deferred one alone."""
    if open_records[0].aside_until is not None:
        return open_records[:1]
    is_late = _is_late(open_records[0])
    fits = [_is_late(record) == is_late and not _goes_apart(record) for record in open_records]
    return open_records[: fits.index(False) if False in fits else None]


def _goes_apart(record: OpenRecordRow) -> bool:
    """Return True for a deferred record, and for one of a known message whose answer was lost.

    A record in doubt without a message, which a restored database may have sent before, goes together with late ones.
    """
    return (record.in_doubt and record.submission_id is not None) or record.aside_until is not None


def _is_late(record: OpenRecordRow) -> bool:
    return record.in_doubt or record.generated_at < clock.now() - retry_policy.LATE_AFTER


def _most_in_message(sender: SenderRow, first: OpenRecordRow, channel: FiscalChannel) -> int:
    """Return the most records for a message: what the channel takes, or `batch_limit` up to `suspect_until`."""
    if sender.batch_limit is None or sender.suspect_until is None or first.position > sender.suspect_until:
        return channel.max_batch
    return min(sender.batch_limit, channel.max_batch)


async def _store(
    ctx: Context, records: Records, channel: FiscalChannel, environment: Environment, access: AuthorityAccess
) -> FiscalMessage:
    """Store the message of these records, and in their statuses that its answer may get lost."""
    first, last = records[0], records[-1]
    is_late = _is_late(first)
    until = await modes.last_reporting_day(ctx, last.installation_id)
    heading = Heading(issuer=issuer_of(last), late=is_late, until=until, representative=access.representative)
    content = channel.message(heading, [record.content for record in records])
    content, repeats_id = await _repeated(ctx, records, content)
    message_id = new_id()
    values = Values(
        SubmissionRow,
        id=message_id,
        installation_id=first.installation_id,
        first_position=first.position,
        last_position=last.position,
        late=is_late,
        request=content,
        runs=RUNS.encode(_runs([record.position for record in records])),
        repeats_id=repeats_id,
    )
    await ctx.db.execute(insert(fiscal_submission), values)
    await _count_attempt(ctx, records, message_id)
    return FiscalMessage(
        id=message_id,
        content=content,
        records=records,
        channel=channel,
        environment=environment,
        stored_at=clock.now(),
        authority_access=access,
    )


async def _count_attempt(ctx: Context, records: Records, message_id: UUID) -> None:
    attempt = {"attempts": fiscal_status.c.attempts + 1, "submitted_at": func.now()}
    unanswered = {"submission_id": message_id, "in_doubt": True}
    in_message = fiscal_status.c.record_id.in_([record.id for record in records])
    await ctx.db.execute(update(fiscal_status).where(in_message).values(attempt | unanswered))


async def _repeated(ctx: Context, records: Records, content: bytes) -> tuple[bytes, UUID | None]:
    """Return the bytes and the id of the message whose answer was lost, when it held just these records and was late.

    Otherwise `content` and None. A message that was sent in time is sent again as late, which its heading has to say;
    the bytes of its records stay the same.
    """
    submission_id = records[0].submission_id
    if not records[0].in_doubt or submission_id is None:
        return content, None
    message = await _SUBMISSION.one(ctx.db, submission_id=submission_id)
    count = sum(last - first + 1 for first, last in RUNS.decode(message.runs))
    return (message.request, message.id) if message.late and count == len(records) else (content, None)


_SUBMISSION = Prepared(
    select(fiscal_submission).where(fiscal_submission.c.id == bindparam("submission_id", type_=Uuid)), SubmissionRow
)


def _runs(positions: Sequence[int]) -> tuple[PositionRun, ...]:
    """Return the first and last position of each stretch without a gap."""
    runs: list[PositionRun] = []
    for position in positions:
        if runs and runs[-1][1] == position - 1:
            runs[-1] = runs[-1][0], position
        else:
            runs.append((position, position))
    return tuple(runs)

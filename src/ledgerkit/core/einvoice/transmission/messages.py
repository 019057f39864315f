"""What a chain sends next: which records, under which heading, as which bytes; stored before anything is sent.

A message is a run of the chain: records in their order, with nothing between them that still has to be sent. Those in
between that have their answer already (rejected, or found at the authority) stay in the chain and out of the message.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import func, insert, or_, select, update
from sqlalchemy.engine import Row

from ledgerkit import clock
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.einvoice.certificates.access import AuthorityAccess, authority_access
from ledgerkit.core.einvoice.event_log import events
from ledgerkit.core.einvoice.models import fiscal_record, fiscal_status
from ledgerkit.core.einvoice.outbox import pacing, retry_policy
from ledgerkit.core.einvoice.outbox.incidents import begin
from ledgerkit.core.einvoice.transmission.models import fiscal_query, fiscal_submission
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import Access, Environment, FieldProblem, FiscalChannel, Heading, Party

MOST_RECORDS = 1000
"""Records looked at for one message, whatever the channel takes."""

OBSTACLE_PAUSE = timedelta(minutes=1)
"""What is found out here costs the authority nothing: it is looked at again soon after it is mended."""

log = structlog.get_logger()

Records = Sequence[Row[Any]]


@dataclass(frozen=True, kw_only=True)
class FiscalMessage:
    """A stored message, ready to be sent: its id, its bytes, and the records in it."""

    id: UUID
    content: bytes
    records: Records
    channel: FiscalChannel
    environment: Environment
    at: datetime
    access: Access | None


@dataclass(frozen=True, kw_only=True)
class UnknownOutcome:
    """Records of a message whose answer was lost: the authority is asked before they are sent again."""

    message_id: UUID | None
    records: Records
    channel: FiscalChannel
    environment: Environment
    way: AuthorityAccess


async def next_step(
    ctx: Context, installation_id: UUID, settled: UnknownOutcome | None = None
) -> FiscalMessage | UnknownOutcome | None:
    """What to do now under the lease of the chain; None when there is nothing, and then the lease is over.

    `settled`: what the authority has just been asked about, whatever it said.
    """
    found = await _open_records(ctx, installation_id)
    if not found:
        await pacing.release_lease(ctx, installation_id, None)
        return None
    channel = channel_of_record(ctx, found[0])
    if channel is None:
        await pacing.release_lease(ctx, installation_id, retry_policy.LONGEST_PAUSE)
        return None
    environment = Environment(found[0].environment)
    if _would_leave_the_sandbox(ctx, environment):
        await pacing.release_lease(ctx, installation_id, retry_policy.LONGEST_PAUSE)
        return None
    way = await authority_access(ctx, channel, environment, found[0].issuer_tax_id)
    if way.problem is not None:
        await _held_back(ctx, found[0], way.problem)
        return None
    lost = _lost_together(found)
    if lost and channel.asks is not None and not await _asked(ctx, lost[0].submission_id, settled):
        return UnknownOutcome(
            message_id=lost[0].submission_id, records=lost, channel=channel, environment=environment, way=way
        )
    sender = await pacing.sender_row(ctx, installation_id)
    chosen = (lost or _leading_run(found))[: _limit(sender, found[0], channel)]
    return await _stored(ctx, chosen, channel, environment, way)


async def _held_back(ctx: Context, first: Row[Any], problem: FieldProblem) -> None:
    """Nothing goes out under a certificate that may not speak for the issuer: records wait, and that is told."""
    await begin(ctx, first, retry_policy.Trouble.REFUSED, f"{problem.message}. {problem.remedy}")
    await pacing.release_lease(ctx, first.installation_id, OBSTACLE_PAUSE)


def channel_of_record(ctx: Context, record: Row[Any]) -> FiscalChannel | None:
    """The channel that made the record, whatever country the account says it is in now."""
    found = ctx.kernel.countries.channel(record.country, record.channel)
    if found is None:
        log.error("records wait for a channel that is not installed", country=record.country, channel=record.channel)
    return found


def _would_leave_the_sandbox(ctx: Context, environment: Environment) -> bool:
    """Whether records of a real service wait on a server of the sandbox, as in a restored copy: nothing leaves it."""
    here = Environment(ctx.settings.einvoice_env.value)
    if here is not Environment.SANDBOX or environment is Environment.SANDBOX:
        return False
    log.warning("records wait for a server of their environment", environment=environment.value)
    return True


def issuer_of(record: Row[Any]) -> Party:
    """Who is named in the heading, as frozen when the record was made."""
    return Party(name=record.issuer_name, tax_id=record.issuer_tax_id, country=record.country)


async def _open_records(ctx: Context, installation_id: UUID) -> Records:
    """Records without a final answer whose turn it is, in chain order."""
    status = fiscal_status.c
    turn = or_(status.aside_until.is_(None), status.aside_until <= func.now())
    query = (
        select(fiscal_record, status.in_doubt, status.submission_id, status.doubts, status.aside_until)
        .join(fiscal_status, status.record_id == fiscal_record.c.id)
        .where(status.installation_id == installation_id, pacing.awaits_answer(), turn)
        .order_by(status.position)
        .limit(MOST_RECORDS)
    )
    return (await ctx.db.execute(query)).all()


async def _asked(ctx: Context, message_id: UUID | None, settled: UnknownOutcome | None) -> bool:
    if settled is not None and settled.message_id == message_id:
        return True
    if message_id is None:
        return False
    query = select(fiscal_query.c.id).where(fiscal_query.c.submission_id == message_id).limit(1)
    return (await ctx.db.execute(query)).first() is not None


def _lost_together(found: Records) -> Records:
    """The records of the first one's last message, if its answer was lost: they go again together, with no others.

    So do those that a restored database knows of no message, though they may have been in one.
    """
    first = found[0]
    if not first.in_doubt:
        return ()
    return [one for one in found if one.in_doubt and one.submission_id == first.submission_id]


def _leading_run(found: Records) -> Records:
    """The first records that are all late, or all fresh: a message is one or the other. What stood aside goes alone."""
    if found[0].aside_until is not None:
        return found[:1]
    late = [_is_late(record) for record in found]
    fits = [one == late[0] and not _apart(record) for one, record in zip(late, found, strict=True)]
    return found[: fits.index(False) if False in fits else None]


def _apart(record: Row[Any]) -> bool:
    """Not one of a doubt without a message: what a restored database may have sent before it goes as what is late."""
    return (record.in_doubt and record.submission_id is not None) or record.aside_until is not None


def _is_late(record: Row[Any]) -> bool:
    late: bool = record.in_doubt or record.generated_at < clock.now() - retry_policy.LATE_AFTER
    return late


def _limit(sender: Any, first: Row[Any], channel: FiscalChannel) -> int:
    """Fewer than the channel takes, while somewhere up to `suspect_until` there is a record that spoils messages."""
    if sender.batch_limit is None or first.position > sender.suspect_until:
        return channel.max_batch
    return min(int(sender.batch_limit), channel.max_batch)


async def _stored(
    ctx: Context, chosen: Records, channel: FiscalChannel, environment: Environment, way: AuthorityAccess
) -> FiscalMessage:
    late = _is_late(chosen[0])
    until = await events.last_reporting_day(ctx, chosen[-1].installation_id)
    heading = Heading(issuer=issuer_of(chosen[-1]), late=late, until=until, representative=way.representative)
    content = channel.message(heading, [record.content for record in chosen])
    content, repeats = await _again(ctx, chosen, content)
    first, last = chosen[0], chosen[-1]
    message_id = new_id()
    values = {
        "id": message_id,
        "installation_id": first.installation_id,
        "first_position": first.position,
        "last_position": last.position,
        "late": late,
        "request": content,
        "runs": _runs([record.position for record in chosen]),
        "repeats_id": repeats,
    }
    await ctx.db.execute(insert(fiscal_submission), values)
    tried = {"attempts": fiscal_status.c.attempts + 1, "submitted_at": func.now()}
    doubt = {"submission_id": message_id, "in_doubt": True}
    mine = fiscal_status.c.record_id.in_([record.id for record in chosen])
    await ctx.db.execute(update(fiscal_status).where(mine).values(tried | doubt))
    return FiscalMessage(
        id=message_id,
        content=content,
        records=chosen,
        channel=channel,
        environment=environment,
        at=clock.now(),
        access=way.access,
    )


async def _again(ctx: Context, chosen: Records, content: bytes) -> tuple[bytes, UUID | None]:
    """The very bytes of the message whose answer was lost, when it carried just these records and was late too.

    A message that went as fresh goes again as late, which its heading has to say: the records in it are the same
    bytes all the same.
    """
    if not chosen[0].in_doubt or chosen[0].submission_id is None:
        return content, None
    query = select(fiscal_submission).where(fiscal_submission.c.id == chosen[0].submission_id)
    lost = (await ctx.db.execute(query)).one()
    length = sum(last - first + 1 for first, last in lost.runs)
    return (lost.request, lost.id) if lost.late and length == len(chosen) else (content, None)


def _runs(positions: Sequence[int]) -> list[list[int]]:
    """First and last of each stretch without a gap."""
    runs: list[list[int]] = []
    for position in positions:
        if runs and runs[-1][1] == position - 1:
            runs[-1][1] = position
        else:
            runs.append([position, position])
    return runs

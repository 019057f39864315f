"""Events of a system in the signed mode: each is signed, linked to the one before, and never changed.

These are steps of other operations, in their transactions; the head of the chain of records is locked before that of
the log.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import Integer, ScalarSelect, Uuid, and_, bindparam, func, insert, or_, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit import clock
from ledgerkit.core.einvoice.authority import rejections
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.chain import billings, heads, history
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.signed_mode.table import (
    EventLogHeadRow,
    EventRow,
    fiscal_event,
    fiscal_event_log,
    fiscal_signed_chain,
)
from ledgerkit.core.einvoice.signed_mode.texts import SignedModeMsg
from ledgerkit.core.einvoice.table import ChainHeadRow, FiscalRecordRow, fiscal_record
from ledgerkit.core.einvoice.values.chains import PositionRange
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Internal
from ledgerkit.providers.api import (
    Anomaly,
    ChainLink,
    Check,
    Environment,
    Event,
    EventKind,
    EventLink,
    EventPlace,
    EventsExport,
    Finding,
    FiscalChannel,
    Happening,
    Installation,
    Mode,
    RecordsExport,
    Signer,
    Signing,
    Summary,
    Totals,
)

_LAST_POSITION = 2**31 - 1
"""Highest position that a column of the type Integer can hold."""

SUMMARY_EVERY = timedelta(hours=5, minutes=45)
"""Time between two summaries: a little under the six hours of operation of Orden HAC/1177/2024, art. 9."""

NOT_STOPPED = "The run before ended without being stopped."
_BATCH = 500
_END = 2**31 - 1


async def signer(ctx: Context, head: ChainHeadRow) -> Signer:
    """Return the signer of the next record of a chain, and log that the signed mode begins, unless it is logged.

    Raises Invalid FISCAL_CHECK_FAILED without a key that can sign.
    """
    channel, signs = signing_channel(ctx, head)
    environment = Environment(head.environment)
    problems = await access.signing_obstacles(ctx, channel, environment, head.issuer_tax_id)
    if problems:
        raise rejections.rejection(problems, ready=False)
    await ensure_started(ctx, head)
    return signs.signer(environment, await access.signing_certificate(ctx))


# ---------------------------------------------------------------- events


async def ensure_started(ctx: Context, head: ChainHeadRow) -> None:
    """Log that the signed mode begins, unless it is logged."""
    if not await is_running(ctx, head):
        await log(ctx, head, Happening(kind=EventKind.STARTED))


async def log_start(ctx: Context, head: ChainHeadRow) -> None:
    """Log that the process has started, with a note when the process before it ended without a stop."""
    note = NOT_STOPPED if await is_running(ctx, head) else None
    await log(ctx, head, Happening(kind=EventKind.STARTED, note=note))


async def log_stop(ctx: Context, head: ChainHeadRow) -> None:
    """Log a summary and the stop of the system, unless it is logged."""
    if await is_running(ctx, head):
        await log_summary(ctx, head)
        await log(ctx, head, Happening(kind=EventKind.STOPPED))


async def log_new_installation(
    ctx: Context, closed_head: ChainHeadRow, new_head: ChainHeadRow, *, restored: bool
) -> None:
    """Begin the log of a new installation after that of the closed one, in the signed mode.

    After a restoration, the log of the closed installation may have lost events, so nothing is added to it.
    """
    if modes.mode_of(ctx, closed_head) is Mode.SIGNING:
        if not restored:
            await log_stop(ctx, closed_head)
        await log(ctx, new_head, Happening(kind=EventKind.STARTED))
        if restored:
            await log(ctx, new_head, Happening(kind=EventKind.RESTORED))
    of_closed = and_(
        fiscal_signed_chain.c.account_id == ctx.account.id, fiscal_signed_chain.c.installation_id == closed_head.id
    )
    await ctx.db.execute(update(fiscal_signed_chain).where(of_closed).values(installation_id=new_head.id))


async def log_flaw(ctx: Context, head: ChainHeadRow, anomaly: Anomaly) -> None:
    """Log a flaw of a record, with the identity of the record if it is stored."""
    row = await history.record_at(ctx, head.id, anomaly.position)
    await log(
        ctx, head, Finding(kind=EventKind.RECORD_FLAWED, anomaly=anomaly, record=None if row is None else _link(row))
    )


async def log_check(ctx: Context, head: ChainHeadRow, check: Check, flaws: Sequence[Anomaly]) -> bool:
    """Log a check of records and each flaw; return False for a closed chain, or without a key that can sign."""
    if head.closed_at is not None:
        return False
    channel, _ = signing_channel(ctx, head)
    if await access.signing_obstacles(ctx, channel, Environment(head.environment), head.issuer_tax_id):
        return False
    await ensure_started(ctx, head)
    await log(ctx, head, check)
    for flaw in flaws:
        await log_flaw(ctx, head, flaw)
    return True


async def log_export(
    ctx: Context,
    head: ChainHeadRow,
    period: tuple[datetime, datetime],
    records: PositionRange | None,
    events: PositionRange | None,
) -> None:
    """Log the export of records and events of a period, at these positions, unless the log has no start."""
    if not await is_running(ctx, head):
        return
    since, until = period
    if records is not None:
        totals, _ = await _totals(ctx, head, records.first, records.last)
        await log(ctx, head, RecordsExport(since=since, until=until, totals=totals))
    if events is not None:
        first, last = [await _link_at(ctx, head, position) for position in (events.first, events.last)]
        await log(ctx, head, EventsExport(since=since, until=until, first=first, last=last, count=events.count))


async def _link_at(ctx: Context, head: ChainHeadRow, position: int) -> EventLink:
    row = await _EVENT_AT.one(ctx.db, installation_id=head.id, position=position)
    generated_at = row.generated_at.astimezone(ZoneInfo(ctx.account.time_zone))
    return EventLink(code=row.code, generated_at=generated_at, fingerprint=row.fingerprint)


async def batch(
    ctx: Context, *, installation_id: UUID, after: int, last: int = _LAST_POSITION, most: int
) -> Sequence[EventRow]:
    """Return up to `most` events of an installation's log in order: those after one position, up to another."""
    return await _EVENTS.rows(ctx.db, installation_id=installation_id, after=after, last=last, most=most)


async def is_running(ctx: Context, head: ChainHeadRow) -> bool:
    """Return True when the log's last start is not followed by a stop."""
    row = await _LAST_BOUND.row(ctx.db, installation_id=head.id)
    return row is not None and row.kind == EventKind.STARTED.value


class _KindRow(Row):
    kind: str


async def is_summary_due(ctx: Context, head: ChainHeadRow) -> bool:
    """Return True when the last summary of a locked chain is almost six hours old."""
    row = await _SUMMED_AT.row(ctx.db, account_id=ctx.account.id, installation_id=head.id)
    return row is not None and row.summed_at <= clock.now() - SUMMARY_EVERY


class _SummedAtRow(Row):
    summed_at: datetime


async def log_summary(ctx: Context, head: ChainHeadRow) -> None:
    """Log a summary of the records and events since the last one, even if there were none."""
    log_head = await _lock_log(ctx, head)
    counts = await _COUNTS.rows(ctx.db, installation_id=head.id, after=log_head.summed_events)
    count_by_code = {row.code: row.events for row in counts}
    totals, last = await _totals(ctx, head, log_head.summed_records + 1)
    await log(ctx, head, Summary(events=count_by_code, totals=totals))
    of_log = fiscal_event_log.c.installation_id == head.id
    # The summary itself is counted by the next one.
    summed = {"summed_events": log_head.position, "summed_records": last}
    await ctx.db.execute(update(fiscal_event_log).where(of_log).values(summed))
    of_chain = and_(
        fiscal_signed_chain.c.account_id == ctx.account.id, fiscal_signed_chain.c.installation_id == head.id
    )
    await ctx.db.execute(update(fiscal_signed_chain).where(of_chain).values(summed_at=clock.now()))


class _CodeCountRow(Row):
    code: str
    events: int


async def log(ctx: Context, head: ChainHeadRow, event: Event) -> None:
    """Sign an event and add it to the log of the installation with this head."""
    _, signs = signing_channel(ctx, head)
    log_head = await _lock_log(ctx, head)
    sealed = signs.log(event, await _place(ctx, head, log_head, signs))
    values = Values(
        EventRow,
        id=new_id(),
        installation_id=head.id,
        position=log_head.position + 1,
        kind=sealed.kind.value,
        code=sealed.code,
        content=sealed.content,
        fingerprint=sealed.fingerprint,
        generated_at=sealed.generated_at,
    )
    previous = {"previous_id": _if_stored(log_head.last_event_id)}
    await ctx.db.execute(insert(fiscal_event).values({**values, **previous}))
    last = Values(
        EventLogHeadRow,
        position=values.of(EventRow.position),
        last_event_id=values.of(EventRow.id),
        last_code=sealed.code,
        last_fingerprint=sealed.fingerprint,
        last_generated_at=sealed.generated_at,
    )
    await ctx.db.execute(update(fiscal_event_log).where(fiscal_event_log.c.installation_id == head.id).values(last))


def _if_stored(event_id: UUID | None) -> ScalarSelect[UUID]:
    """The event's id, or null when it is not stored: a truncated log goes on, and the next check reports it."""
    return select(fiscal_event.c.id).where(fiscal_event.c.id == event_id).scalar_subquery()


def signing_channel(ctx: Context, head: ChainHeadRow) -> tuple[FiscalChannel, Signing]:
    """Return the channel that made a chain, with its signed mode, whatever country the account is in now."""
    for country in ctx.kernel.countries.countries.values():
        for channel in country.channels:
            if channel.id == head.channel and channel.signs is not None:
                return channel, channel.signs
    raise Internal(SignedModeMsg.CHANNEL_NOT_INSTALLED, channel=head.channel)


# ---------------------------------------------------------------- the log's head


async def _lock_log(ctx: Context, head: ChainHeadRow) -> EventLogHeadRow:
    """Return the head of the log, locked until commit; it is created for the first event."""
    return await _LOCKED_LOG.one(ctx.db, installation_id=head.id)


def last_event_link(log_head: EventLogHeadRow) -> EventLink | None:
    """Return the link to the last event of a log, as the head of the log names it; None for an empty log."""
    code, fingerprint, at = log_head.last_code, log_head.last_fingerprint, log_head.last_generated_at
    if code is None or fingerprint is None or at is None:
        return None
    return EventLink(code=code, generated_at=at, fingerprint=fingerprint)


async def _place(ctx: Context, head: ChainHeadRow, log_head: EventLogHeadRow, signs: Signing) -> EventPlace:
    """The next place in the log, never earlier than its last event."""
    environment = Environment(head.environment)
    previous = None
    at = clock.local_now(ctx.account.time_zone)
    last_event = last_event_link(log_head)
    if last_event is not None:
        last = last_event.generated_at.astimezone(at.tzinfo)
        previous = replace(last_event, generated_at=last)
        at = max(at, last)
    several_issuers = await billings.bills_for_several(ctx, head)
    key = signs.signer(environment, await access.signing_certificate(ctx))
    installation = Installation(number=head.id.hex, several_issuers=several_issuers, signer=key)
    return EventPlace(
        previous=previous,
        installation=installation,
        issuer=await heads.recorded_issuer(ctx, head),
        at=at,
        environment=environment,
    )


# ---------------------------------------------------------------- totals


async def _totals(ctx: Context, head: ChainHeadRow, first: int, last: int | None = None) -> tuple[Totals, int]:
    """Totals of the records from position `first` to `last` or the end, and the last position that is stored."""
    channel, _ = signing_channel(ctx, head)
    totals, end = Totals(), last or _END
    last = first - 1
    async for row in _records(ctx, head, first - 1, end):
        totals, last = add_record(totals, row, channel), row.position
    return totals, last


def add_record(totals: Totals, row: FiscalRecordRow, channel: FiscalChannel) -> Totals:
    """Return the totals with one more record. A record that cannot be read is counted and adds no amounts."""
    link = _link(row)
    counted = replace(totals, first=totals.first or link, last=link)
    if row.kind == "annul":
        return replace(counted, annulled=counted.annulled + 1)
    counted = replace(counted, issued=counted.issued + 1)
    if channel.audits is None:
        return counted
    try:
        amounts = channel.audits.amounts(row.content)
    except ValueError:
        return counted
    return replace(counted, tax=counted.tax + amounts.tax_total, gross=counted.gross + amounts.gross_total)


def _link(row: FiscalRecordRow) -> ChainLink:
    return ChainLink(
        issuer_tax_id=row.issuer_tax_id, number=row.number, issue_date=row.issue_date, fingerprint=row.fingerprint
    )


async def _records(ctx: Context, head: ChainHeadRow, after: int, end: int) -> AsyncIterator[FiscalRecordRow]:
    while True:
        batch = await _RECORDS.rows(ctx.db, installation_id=head.id, after=after, last=end)
        for row in batch:
            yield row
        if len(batch) < _BATCH:
            return
        after = batch[-1].position


# ---------------------------------------------------------------- statements


_INSTALLATION = bindparam("installation_id", type_=Uuid)
_AFTER, _LAST, _POSITION = (bindparam(name, type_=Integer) for name in ("after", "last", "position"))
_RECORDS = Prepared(
    select(fiscal_record)
    .where(fiscal_record.c.installation_id == _INSTALLATION)
    .where(fiscal_record.c.position > _AFTER, fiscal_record.c.position <= _LAST)
    .order_by(fiscal_record.c.position)
    .limit(_BATCH),
    FiscalRecordRow,
)
_EVENT_AT = Prepared(
    select(fiscal_event).where(fiscal_event.c.installation_id == _INSTALLATION, fiscal_event.c.position == _POSITION),
    EventRow,
)
_EVENTS = Prepared(
    select(fiscal_event)
    .where(fiscal_event.c.installation_id == _INSTALLATION)
    .where(fiscal_event.c.position > _AFTER, fiscal_event.c.position <= _LAST)
    .order_by(fiscal_event.c.position)
    .limit(bindparam("most", type_=Integer)),
    EventRow,
)
_LAST_BOUND = Prepared(
    select(fiscal_event.c.kind)
    .where(fiscal_event.c.installation_id == _INSTALLATION)
    .where(or_(fiscal_event.c.kind == EventKind.STARTED.value, fiscal_event.c.kind == EventKind.STOPPED.value))
    .order_by(fiscal_event.c.position.desc())
    .limit(1),
    _KindRow,
)
_COUNTS = Prepared(
    select(fiscal_event.c.code, func.count().label("events"))
    .where(fiscal_event.c.installation_id == _INSTALLATION, fiscal_event.c.position > _AFTER)
    .group_by(fiscal_event.c.code),
    _CodeCountRow,
)
_SUMMED_AT = Prepared(
    select(fiscal_signed_chain.c.summed_at).where(
        fiscal_signed_chain.c.account_id == bindparam("account_id", type_=Uuid),
        fiscal_signed_chain.c.installation_id == _INSTALLATION,
    ),
    _SummedAtRow,
)
_LOCKED_LOG = Prepared(
    upsert(fiscal_event_log)
    .values(installation_id=_INSTALLATION)
    .on_conflict_do_update(index_elements=["account_id", "installation_id"], set_={"updated_at": func.now()})
    .returning(*fiscal_event_log.c),
    EventLogHeadRow,
)

"""Events of a system in the signed mode: each is signed, linked to the one before, and never changed.

These are steps of other operations, in their transactions; the head of the chain of records is locked before that of
the log.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import and_, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from ledgerkit import clock
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.einvoice import billings, modes, rejection_texts
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.event_log.models import fiscal_event, fiscal_event_log, fiscal_keeper
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record
from ledgerkit.core.einvoice.position_range import PositionRange
from ledgerkit.core.einvoice.signed_mode.messages import SignedModeMsg
from ledgerkit.core.request.context import Context
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
    Party,
    RecordsExport,
    Signer,
    Signing,
    Summary,
    Totals,
)

SUMMARY_EVERY = timedelta(hours=5, minutes=45)
"""Time between two summaries: a little under the six hours of operation of Orden HAC/1177/2024, art. 9."""

NOT_STOPPED = "The run before ended without being stopped."
_BATCH = 500
_END = 2**31 - 1


async def last_reporting_day(ctx: Context, installation_id: UUID) -> date | None:
    """Last day of reporting, as messages state it: of this year or the last one; None where no end is decided."""
    query = select(fiscal_installation.c.reporting_until).where(fiscal_installation.c.id == installation_id)
    until: date | None = (await ctx.db.execute(query)).scalar_one()
    return until if until is not None and ctx.account.today().year - until.year <= 1 else None


async def signer(ctx: Context, head: Any) -> Signer | None:
    """Return the signer of the next record of a chain, and log that the signed mode begins; None where it is reported.

    Raises Invalid FISCAL_CHECK_FAILED in the signed mode without a key that can sign.
    """
    if modes.mode_of(ctx, head) is Mode.REPORTING:
        return None
    channel, signs = signing_channel(ctx, head)
    environment = Environment(head.environment)
    problems = await access.signing_obstacles(ctx, channel, environment, head.issuer_tax_id)
    if problems:
        raise rejection_texts.rejection(problems, ready=False)
    await ensure_started(ctx, head)
    return signs.signer(environment, await access.signing_certificate(ctx))


# ---------------------------------------------------------------- events


async def ensure_started(ctx: Context, head: Any) -> None:
    """Log that the signed mode begins, unless it is logged."""
    if not await is_running(ctx, head):
        await log(ctx, head, Happening(kind=EventKind.STARTED))


async def log_start(ctx: Context, head: Any) -> None:
    """Log that the process has started, with a note when the process before it ended without a stop."""
    note = NOT_STOPPED if await is_running(ctx, head) else None
    await log(ctx, head, Happening(kind=EventKind.STARTED, note=note))


async def log_stop(ctx: Context, head: Any) -> None:
    """Log a summary and the stop of the system, unless it is logged."""
    if await is_running(ctx, head):
        await log_summary(ctx, head)
        await log(ctx, head, Happening(kind=EventKind.STOPPED))


async def log_new_installation(ctx: Context, closed: Any, begun: Any, *, restored: bool) -> None:
    """Begin the log of a new installation after that of the closed one, in the signed mode.

    After a restoration the log of the closed one may have lost events, and gets no more.
    """
    if modes.mode_of(ctx, closed) is Mode.REPORTING and closed.reporting_until is None:
        return
    if modes.mode_of(ctx, closed) is Mode.KEEPING:
        if not restored:
            await log_stop(ctx, closed)
        await log(ctx, begun, Happening(kind=EventKind.STARTED))
        if restored:
            await log(ctx, begun, Happening(kind=EventKind.RESTORED))
    of_closed = and_(fiscal_keeper.c.account_id == ctx.account.id, fiscal_keeper.c.installation_id == closed.id)
    await ctx.db.execute(update(fiscal_keeper).where(of_closed).values(installation_id=begun.id))


async def log_flaw(ctx: Context, head: Any, anomaly: Anomaly) -> None:
    """Log a flaw of a record, with the identity of the record if it is stored."""
    at_position = fiscal_record.c.installation_id == head.id, fiscal_record.c.position == anomaly.position
    row = (await ctx.db.execute(select(fiscal_record).where(*at_position))).one_or_none()
    await log(
        ctx, head, Finding(kind=EventKind.RECORD_FLAWED, anomaly=anomaly, record=None if row is None else _link(row))
    )


async def log_check(ctx: Context, head: Any, check: Check, flaws: Sequence[Anomaly]) -> bool:
    """Log a check of records and each flaw; return False for a chain that is reported or closed, or without a key."""
    if modes.mode_of(ctx, head) is Mode.REPORTING or head.closed_at is not None:
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
    head: Any,
    period: tuple[datetime, datetime],
    records: PositionRange | None,
    events: PositionRange | None,
) -> None:
    """Log the export of records and events of a period, at these positions, in the signed mode."""
    if modes.mode_of(ctx, head) is Mode.REPORTING or not await is_running(ctx, head):
        return
    since, until = period
    if records is not None:
        totals, _ = await _totals(ctx, head, records.first, records.last)
        await log(ctx, head, RecordsExport(since=since, until=until, totals=totals))
    if events is not None:
        first, last = [await _link_at(ctx, head, position) for position in (events.first, events.last)]
        await log(ctx, head, EventsExport(since=since, until=until, first=first, last=last, count=events.count))


async def _link_at(ctx: Context, head: Any, position: int) -> EventLink:
    at_position = fiscal_event.c.installation_id == head.id, fiscal_event.c.position == position
    row = (await ctx.db.execute(select(fiscal_event).where(*at_position))).one()
    return EventLink(code=row.code, generated_at=_local(ctx, row.generated_at), fingerprint=row.fingerprint)


def _local(ctx: Context, at: datetime) -> datetime:
    return at.astimezone(ZoneInfo(ctx.account.time_zone))


async def is_running(ctx: Context, head: Any) -> bool:
    """Return True when the log's last start is not followed by a stop."""
    bounds = [EventKind.STARTED.value, EventKind.STOPPED.value]
    query = (
        select(fiscal_event.c.kind)
        .where(fiscal_event.c.installation_id == head.id, fiscal_event.c.kind.in_(bounds))
        .order_by(fiscal_event.c.position.desc())
        .limit(1)
    )
    return (await ctx.db.execute(query)).scalar_one_or_none() == EventKind.STARTED.value


async def is_summary_due(ctx: Context, head: Any) -> bool:
    """Return True when the last summary of a locked chain is almost six hours old."""
    of_chain = fiscal_keeper.c.account_id == ctx.account.id, fiscal_keeper.c.installation_id == head.id
    query = select(fiscal_keeper.c.summed_at).where(*of_chain)
    summed_at: datetime | None = (await ctx.db.execute(query)).scalar_one_or_none()
    return summed_at is not None and summed_at <= clock.now() - SUMMARY_EVERY


async def log_summary(ctx: Context, head: Any) -> None:
    """Log a summary of the records and events since the last one, even if there were none."""
    log_head = await _lock_log(ctx, head)
    counted = (
        select(fiscal_event.c.code, func.count())
        .where(fiscal_event.c.installation_id == head.id, fiscal_event.c.position > log_head.summed_events)
        .group_by(fiscal_event.c.code)
    )
    count_by_code = {row[0]: row[1] for row in await ctx.db.execute(counted)}
    totals, last = await _totals(ctx, head, log_head.summed_records + 1)
    await log(ctx, head, Summary(events=count_by_code, totals=totals))
    of_log = fiscal_event_log.c.installation_id == head.id
    # The summary itself is counted by the next one.
    summed = {"summed_events": log_head.position, "summed_records": last}
    await ctx.db.execute(update(fiscal_event_log).where(of_log).values(summed))
    of_chain = and_(fiscal_keeper.c.account_id == ctx.account.id, fiscal_keeper.c.installation_id == head.id)
    await ctx.db.execute(update(fiscal_keeper).where(of_chain).values(summed_at=clock.now()))


async def log(ctx: Context, head: Any, event: Event) -> Any:
    """Sign an event and add it to the log of the installation with this head; return its row."""
    _, signs = signing_channel(ctx, head)
    log_head = await _lock_log(ctx, head)
    sealed = signs.log(event, await _place(ctx, head, log_head, signs))
    values = {
        "id": new_id(),
        "installation_id": head.id,
        "position": log_head.position + 1,
        "previous_id": _if_stored(log_head.last_event_id),
        "kind": sealed.kind.value,
        "code": sealed.code,
        "content": sealed.content,
        "fingerprint": sealed.fingerprint,
        "generated_at": sealed.generated_at,
    }
    row = (await ctx.db.execute(insert(fiscal_event).values(values).returning(*fiscal_event.c))).one()
    last = {
        "position": row.position,
        "last_event_id": row.id,
        "last_code": sealed.code,
        "last_fingerprint": sealed.fingerprint,
        "last_generated_at": sealed.generated_at,
    }
    await ctx.db.execute(update(fiscal_event_log).where(fiscal_event_log.c.installation_id == head.id).values(last))
    return row


def _if_stored(event_id: UUID | None) -> Any:
    """The event's id, or null when it is not stored: a truncated log goes on, and the next check reports it."""
    return select(fiscal_event.c.id).where(fiscal_event.c.id == event_id).scalar_subquery()


def signing_channel(ctx: Context, head: Any) -> tuple[FiscalChannel, Signing]:
    """Return the channel that made a chain, with its signed mode, whatever country the account is in now."""
    for country in ctx.kernel.countries.countries.values():
        for channel in country.channels:
            if channel.id == head.channel and channel.signs is not None:
                return channel, channel.signs
    raise Internal(SignedModeMsg.CHANNEL_NOT_INSTALLED, channel=head.channel)


def issuer_party(ctx: Context, head: Any) -> Party:
    """Name and tax identifier of a chain's issuer, as messages and events state them."""
    return Party(name=ctx.account.issuer_name, tax_id=head.issuer_tax_id, country=ctx.account.country)


# ---------------------------------------------------------------- the log's head


async def _lock_log(ctx: Context, head: Any) -> Any:
    """Return the head of the log, locked until commit; it is created for the first event."""
    new = upsert(fiscal_event_log).values(installation_id=head.id)
    keys = ["account_id", "installation_id"]
    statement = new.on_conflict_do_update(index_elements=keys, set_={"updated_at": func.now()})
    return (await ctx.db.execute(statement.returning(*fiscal_event_log.c))).one()


async def _place(ctx: Context, head: Any, log_head: Any, signs: Signing) -> EventPlace:
    """The next place in the log, never earlier than its last event."""
    environment = Environment(head.environment)
    previous = None
    at = clock.local_now(ctx.account.time_zone)
    if log_head.position:
        last = log_head.last_generated_at.astimezone(at.tzinfo)
        previous = EventLink(code=log_head.last_code, generated_at=last, fingerprint=log_head.last_fingerprint)
        at = max(at, last)
    several_issuers = await billings.bills_for_several(ctx, head)
    key = signs.signer(environment, await access.signing_certificate(ctx))
    installation = Installation(number=head.id.hex, several_issuers=several_issuers, signer=key)
    return EventPlace(
        previous=previous, installation=installation, issuer=issuer_party(ctx, head), at=at, environment=environment
    )


# ---------------------------------------------------------------- totals


async def _totals(ctx: Context, head: Any, first: int, last: int | None = None) -> tuple[Totals, int]:
    """Totals of the records from position `first` to `last` or the end, and the last position that is stored."""
    channel, _ = signing_channel(ctx, head)
    totals, end = Totals(), last or _END
    last = first - 1
    async for row in _records(ctx, head, first - 1, end):
        totals, last = add_record(totals, row, channel), row.position
    return totals, last


def add_record(totals: Totals, row: Any, channel: FiscalChannel) -> Totals:
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


def _link(row: Any) -> ChainLink:
    return ChainLink(
        issuer_tax_id=row.issuer_tax_id, number=row.number, issue_date=row.issue_date, fingerprint=row.fingerprint
    )


async def _records(ctx: Context, head: Any, after: int, end: int) -> AsyncIterator[Any]:
    position = fiscal_record.c.position
    while True:
        wanted = fiscal_record.c.installation_id == head.id, position > after, position <= end
        batch = (await ctx.db.execute(select(fiscal_record).where(*wanted).order_by(position).limit(_BATCH))).all()
        for row in batch:
            yield row
        if len(batch) < _BATCH:
            return
        after = batch[-1].position

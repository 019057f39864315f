"""The log of what happens to a system while it keeps records: signed, chained, only added to.

Steps of other operations, in their transactions; the chain's own head is locked before the log's.
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
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Internal, bilingual
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
"""A little under the six hours of operation that may lie between two summaries (Orden HAC/1177/2024, art. 9)."""

NOT_STOPPED = "The run before ended without being stopped."
_BATCH = 500
_END = 2**31 - 1


async def last_reporting_day(ctx: Context, installation_id: UUID) -> date | None:
    """What messages say of the end of reporting: the day, of this year or the last one; None where none is decided."""
    query = select(fiscal_installation.c.reporting_until).where(fiscal_installation.c.id == installation_id)
    until: date | None = (await ctx.db.execute(query)).scalar_one()
    return until if until is not None and ctx.account.today().year - until.year <= 1 else None


async def signer(ctx: Context, head: Any) -> Signer | None:
    """What signs the next record of a chain; None where it is reported.

    Raises Invalid FISCAL_CHECK_FAILED when records are to be kept, and nothing can sign them.
    """
    if modes.mode_of(ctx, head) is Mode.REPORTING:
        return None
    channel, signs = of(ctx, head)
    environment = Environment(head.environment)
    problems = await access.signing_obstacles(ctx, channel, environment, head.issuer_tax_id)
    if problems:
        raise rejection_texts.rejection(problems, ready=False)
    await ensure_started(ctx, head)
    return signs.signer(environment, await access.signing_certificate(ctx))


# ---------------------------------------------------------------- what happens


async def ensure_started(ctx: Context, head: Any) -> None:
    """Log that the system begins to keep records, unless it has."""
    if not await running(ctx, head):
        await log(ctx, head, Happening(kind=EventKind.STARTED))


async def start(ctx: Context, head: Any) -> None:
    """Log that the process has started; and, if so, that the one before was not stopped in good order."""
    note = NOT_STOPPED if await running(ctx, head) else None
    await log(ctx, head, Happening(kind=EventKind.STARTED, note=note))


async def stop(ctx: Context, head: Any) -> None:
    """Sum up, and log that the system stops to keep records, unless it has."""
    if await running(ctx, head):
        await summarise(ctx, head)
        await log(ctx, head, Happening(kind=EventKind.STOPPED))


async def restored(ctx: Context, head: Any, note: str | None = None) -> None:
    """Log that the system has been restored from a backup, where records are kept."""
    if await running(ctx, head):
        await log(ctx, head, Happening(kind=EventKind.RESTORED, note=note))


async def moved(ctx: Context, closed: Any, begun: Any, *, restored: bool) -> None:
    """Let the log of a new installation go on from that of the closed one, where records are kept.

    After a restoration the closed one's log may have lost events, and gets no more.
    """
    if modes.mode_of(ctx, closed) is Mode.REPORTING and closed.reporting_until is None:
        return
    if modes.mode_of(ctx, closed) is Mode.KEEPING:
        if not restored:
            await stop(ctx, closed)
        await log(ctx, begun, Happening(kind=EventKind.STARTED))
        if restored:
            await log(ctx, begun, Happening(kind=EventKind.RESTORED))
    mine = and_(fiscal_keeper.c.account_id == ctx.account.id, fiscal_keeper.c.installation_id == closed.id)
    await ctx.db.execute(update(fiscal_keeper).where(mine).values(installation_id=begun.id))


async def flawed(ctx: Context, head: Any, anomaly: Anomaly) -> None:
    """Log a flaw of a record, naming the record if it is there."""
    here = fiscal_record.c.installation_id == head.id, fiscal_record.c.position == anomaly.position
    row = (await ctx.db.execute(select(fiscal_record).where(*here))).one_or_none()
    await log(
        ctx, head, Finding(kind=EventKind.RECORD_FLAWED, anomaly=anomaly, record=None if row is None else _link(row))
    )


async def checked(ctx: Context, head: Any, check: Check, flaws: Sequence[Anomaly]) -> bool:
    """Log that records were checked, and each flaw; False where none are kept (any more), or nothing can sign."""
    if modes.mode_of(ctx, head) is Mode.REPORTING or head.closed_at is not None:
        return False
    channel, _ = of(ctx, head)
    if await access.signing_obstacles(ctx, channel, Environment(head.environment), head.issuer_tax_id):
        return False
    await ensure_started(ctx, head)
    await log(ctx, head, check)
    for flaw in flaws:
        await flawed(ctx, head, flaw)
    return True


async def exported(
    ctx: Context,
    head: Any,
    period: tuple[datetime, datetime],
    records: PositionRange | None,
    logged: PositionRange | None,
) -> None:
    """Log that records and events at these positions, made in the period, were exported; where records are kept."""
    if modes.mode_of(ctx, head) is Mode.REPORTING or not await running(ctx, head):
        return
    since, until = period
    if records is not None:
        totals, _ = await _totals(ctx, head, records.first, records.last)
        await log(ctx, head, RecordsExport(since=since, until=until, totals=totals))
    if logged is not None:
        first, last = [await _at(ctx, head, position) for position in (logged.first, logged.last)]
        await log(ctx, head, EventsExport(since=since, until=until, first=first, last=last, count=logged.count))


async def _at(ctx: Context, head: Any, position: int) -> EventLink:
    here = fiscal_event.c.installation_id == head.id, fiscal_event.c.position == position
    row = (await ctx.db.execute(select(fiscal_event).where(*here))).one()
    return EventLink(code=row.code, generated_at=_local(ctx, row.generated_at), fingerprint=row.fingerprint)


def _local(ctx: Context, at: datetime) -> datetime:
    return at.astimezone(ZoneInfo(ctx.account.time_zone))


async def running(ctx: Context, head: Any) -> bool:
    """Whether the log says that records are being kept now."""
    bounds = [EventKind.STARTED.value, EventKind.STOPPED.value]
    query = (
        select(fiscal_event.c.kind)
        .where(fiscal_event.c.installation_id == head.id, fiscal_event.c.kind.in_(bounds))
        .order_by(fiscal_event.c.position.desc())
        .limit(1)
    )
    return (await ctx.db.execute(query)).scalar_one_or_none() == EventKind.STARTED.value


async def is_summary_due(ctx: Context, head: Any) -> bool:
    """Whether the last summary of a locked chain is almost six hours old."""
    mine = fiscal_keeper.c.account_id == ctx.account.id, fiscal_keeper.c.installation_id == head.id
    query = select(fiscal_keeper.c.summed_at).where(*mine)
    summed_at: datetime | None = (await ctx.db.execute(query)).scalar_one_or_none()
    return summed_at is not None and summed_at <= clock.now() - SUMMARY_EVERY


async def summarise(ctx: Context, head: Any) -> None:
    """Log what happened since the last summary, be it nothing."""
    top = await _locked_log(ctx, head)
    counted = (
        select(fiscal_event.c.code, func.count())
        .where(fiscal_event.c.installation_id == head.id, fiscal_event.c.position > top.summed_events)
        .group_by(fiscal_event.c.code)
    )
    by_code = {row[0]: row[1] for row in await ctx.db.execute(counted)}
    totals, last = await _totals(ctx, head, top.summed_records + 1)
    await log(ctx, head, Summary(events=by_code, totals=totals))
    mine = fiscal_event_log.c.installation_id == head.id
    # The summary itself is counted by the next one.
    seen = {"summed_events": top.position, "summed_records": last}
    await ctx.db.execute(update(fiscal_event_log).where(mine).values(seen))
    kept = and_(fiscal_keeper.c.account_id == ctx.account.id, fiscal_keeper.c.installation_id == head.id)
    await ctx.db.execute(update(fiscal_keeper).where(kept).values(summed_at=clock.now()))


async def log(ctx: Context, head: Any, event: Event) -> Any:
    """Add an event to the log of the installation whose row `head` is; its row."""
    _, signs = of(ctx, head)
    top = await _locked_log(ctx, head)
    sealed = signs.log(event, await _place(ctx, head, top, signs))
    values = {
        "id": new_id(),
        "installation_id": head.id,
        "position": top.position + 1,
        "previous_id": _if_there(top.last_event_id),
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


def _if_there(event_id: UUID | None) -> Any:
    """The event, or nothing when it is gone: a log that somebody has cut short goes on, and the next check says so."""
    return select(fiscal_event.c.id).where(fiscal_event.c.id == event_id).scalar_subquery()


def of(ctx: Context, head: Any) -> tuple[FiscalChannel, Signing]:
    """The channel that keeps the records of a chain, whatever country the account says it is in now."""
    for country in ctx.kernel.countries.countries.values():
        for channel in country.channels:
            if channel.id == head.channel and channel.signs is not None:
                return channel, channel.signs
    raise bilingual(
        Internal,
        (f"Nothing installed here keeps records of {head.channel}.", "Install the country's package again."),
        (f"Nada de lo instalado aquí guarda registros de {head.channel}.", "Vuelve a instalar el paquete del país."),
    )


def issuer(ctx: Context, head: Any) -> Party:
    return Party(name=ctx.account.issuer_name, tax_id=head.issuer_tax_id, country=ctx.account.country)


# ---------------------------------------------------------------- the log's head


async def _locked_log(ctx: Context, head: Any) -> Any:
    new = upsert(fiscal_event_log).values(installation_id=head.id)
    keys = ["account_id", "installation_id"]
    statement = new.on_conflict_do_update(index_elements=keys, set_={"updated_at": func.now()})
    return (await ctx.db.execute(statement.returning(*fiscal_event_log.c))).one()


async def _place(ctx: Context, head: Any, top: Any, signs: Signing) -> EventPlace:
    environment = Environment(head.environment)
    previous = None
    at = clock.local_now(ctx.account.time_zone)
    if top.position:
        last = top.last_generated_at.astimezone(at.tzinfo)
        previous = EventLink(code=top.last_code, generated_at=last, fingerprint=top.last_fingerprint)
        at = max(at, last)
    several = await billings.bills_for_several(ctx, head)
    key = signs.signer(environment, await access.signing_certificate(ctx))
    installation = Installation(number=head.id.hex, several_issuers=several, signer=key)
    return EventPlace(
        previous=previous, installation=installation, issuer=issuer(ctx, head), at=at, environment=environment
    )


# ---------------------------------------------------------------- sums


async def _totals(ctx: Context, head: Any, first: int, last: int | None = None) -> tuple[Totals, int]:
    """Of the records from position `first` to `last` or the end; and the last position there was."""
    channel, _ = of(ctx, head)
    totals, end = Totals(), last or _END
    last = first - 1
    async for row in _records(ctx, head, first - 1, end):
        totals, last = added(totals, row, channel), row.position
    return totals, last


def added(totals: Totals, row: Any, channel: FiscalChannel) -> Totals:
    """The totals with one more row of fiscal_record. What cannot be read counts, and adds nothing to the sums."""
    link = _link(row)
    counted = replace(totals, first=totals.first or link, last=link)
    if row.kind == "annul":
        return replace(counted, annulled=counted.annulled + 1)
    counted = replace(counted, issued=counted.issued + 1)
    if channel.audits is None:
        return counted
    try:
        said = channel.audits.amounts(row.content)
    except ValueError:
        return counted
    return replace(counted, tax=counted.tax + said.tax_total, gross=counted.gross + said.gross_total)


def _link(row: Any) -> ChainLink:
    return ChainLink(
        issuer_tax_id=row.issuer_tax_id, number=row.number, issue_date=row.issue_date, fingerprint=row.fingerprint
    )


async def _records(ctx: Context, head: Any, after: int, end: int) -> AsyncIterator[Any]:
    place = fiscal_record.c.position
    while True:
        behind = fiscal_record.c.installation_id == head.id, place > after, place <= end
        batch = (await ctx.db.execute(select(fiscal_record).where(*behind).order_by(place).limit(_BATCH))).all()
        for row in batch:
            yield row
        if len(batch) < _BATCH:
            return
        after = batch[-1].position

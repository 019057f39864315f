"""The event log as callers see it, and a check on demand of all records, signatures and events of a chain."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from uuid import UUID

from sqlalchemy import Integer, Text, Uuid, bindparam, cast, func, select

from ledgerkit import clock
from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.chain.api import Stretch
from ledgerkit.core.einvoice.inspection import walk
from ledgerkit.core.einvoice.signed_mode import events
from ledgerkit.core.einvoice.signed_mode.api import Flaw, Scan
from ledgerkit.core.einvoice.signed_mode.table import EventLogHeadRow, EventRow, fiscal_event, fiscal_event_log
from ledgerkit.core.einvoice.signed_mode.texts import SignedModeMsg
from ledgerkit.core.platform.api_types.list_pages import (
    Page,
    PageRequest,
    PageRow,
    PageStatement,
    fetch_page,
    page_statement,
)
from ledgerkit.core.platform.api_types.wire import wire_column, wire_time
from ledgerkit.core.platform.database.ids import id_sought
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, NotFound
from ledgerkit.providers.api import Anomaly, AuditedEvent, Check, EventKind, EventLink, Finding, Signing


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def list_events(ctx: Context, page: PageRequest) -> Page:
    """List the account's events, the newest first."""
    return await fetch_page(ctx.db, _LIST, page)


@operation(Permission.EINVOICE_READ, unit=Unit.READING, errors=[(NotFound, {Code.NOT_FOUND})])
async def event_xml(ctx: Context, position: int, number: str | None = None) -> tuple[str, bytes]:
    """Return file name and bytes of an event of the installation `number`, or of the newest one with a log.

    Raises NotFound for an event that the account does not have.
    """
    if number is None:
        row = await _NEWEST_EVENT_AT.row(ctx.db, position=position)
    else:
        row = await _EVENT_AT.row(ctx.db, position=position, installation_id=id_sought(number))
    if row is None:
        raise NotFound(SignedModeMsg.NO_SUCH_EVENT)
    return f"{row.installation_id.hex}-{row.position:010d}-{row.kind}.xml", row.content


@operation(Permission.EINVOICE_MANAGE, unit=Unit.OWN, effects=Effect.IDEMPOTENT, proposable=False)
async def scan(ctx: Context) -> Scan:
    """Check every record, signature and event of the open chain; in the signed mode, log the check.

    At most 100 flaws of each kind are named and logged one by one. Raises NotFound without a chain.
    """
    chain_walk = await ctx.read(lambda inner: walk.start(inner, Stretch()))
    if chain_walk is None:
        raise NotFound(SignedModeMsg.NO_CHAIN_YET)
    _, signs = events.signing_channel(ctx, chain_walk.head)
    log = await _audit_log(ctx, chain_walk.head.id, signs)
    verdict = await walk.run(ctx, chain_walk, None)
    if chain_walk.logged:
        await ctx.transact(lambda inner: _log_check(inner, chain_walk.head.id, log))
    return Scan(
        installation_number=chain_walk.head.id.hex,
        records=verdict.records,
        signatures=chain_walk.signatures,
        record_flaws=[_flaw(anomaly) for anomaly in chain_walk.named_anomalies],
        events=log.count,
        event_flaws=[_flaw(anomaly) for anomaly in log.anomalies],
        logged=chain_walk.logged,
    )


def _list_statement() -> PageStatement[PageRow]:
    query = select(
        wire_column("installation_number", func.replace(cast(fiscal_event.c.installation_id, Text), "-", "")),
        wire_column("position", fiscal_event.c.position),
        wire_column("kind", fiscal_event.c.kind),
        wire_column("code", fiscal_event.c.code),
        wire_column("hash", fiscal_event.c.fingerprint),
        wire_column("at", wire_time(fiscal_event.c.generated_at)),
    ).order_by(fiscal_event.c.id.desc())
    total = select(func.coalesce(func.sum(fiscal_event_log.c.position), 0)).scalar_subquery()
    return page_statement(query, cast(total, Integer))


_LIST = _list_statement()
_POSITION = fiscal_event.c.position
_IS_AT_POSITION = bindparam("position", type_=Integer) == _POSITION
_IS_IN_LOG = fiscal_event.c.installation_id == bindparam("installation_id", type_=Uuid)
_NEWEST_EVENT_AT = Prepared(
    select(fiscal_event).where(_IS_AT_POSITION).order_by(fiscal_event.c.installation_id.desc()).limit(1), EventRow
)
_EVENT_AT = Prepared(select(fiscal_event).where(_IS_AT_POSITION, _IS_IN_LOG), EventRow)
_LOG_HEAD = Prepared(
    select(fiscal_event_log).where(fiscal_event_log.c.installation_id == bindparam("installation_id", type_=Uuid)),
    EventLogHeadRow,
)


# ---------------------------------------------------------------- the check


@dataclass
class _LogAudit:
    """State of a check of one event log: the last event read, the number of events, the anomalies, all links."""

    previous_link: EventLink | None = None
    count: int = 0
    anomalies: list[Anomaly] = field(default_factory=list)
    links: dict[int, EventLink] = field(default_factory=dict)

    def add(self, anomalies: Sequence[Anomaly]) -> None:
        self.anomalies += anomalies[: walk.MOST_NAMED - len(self.anomalies)]


async def _audit_log(ctx: Context, installation_id: UUID, signs: Signing) -> _LogAudit:
    """Check every event of an installation's log, and that its last event is the one that was logged last."""
    log, now = _LogAudit(), clock.now()
    next_events = partial(events.batch, installation_id=installation_id, most=walk.BATCH)
    while batch := await ctx.read(partial(next_events, after=log.count)):
        stored = [_stored_event(row) for row in batch]
        log.add(await asyncio.to_thread(_audit_batch, signs, stored, log.previous_link, now))
        log.links |= {event.position: _link(event) for event in stored}
        log.previous_link, log.count = _link(stored[-1]), stored[-1].position
    log_head = await ctx.read(lambda inner: _LOG_HEAD.row(inner.db, installation_id=installation_id))
    if log_head is not None:
        log.add(list(signs.audit((), log.previous_link, now, _last_event(log_head))))
    return log


def _audit_batch(
    signs: Signing, stored: Sequence[AuditedEvent], previous_link: EventLink | None, now: datetime
) -> list[Anomaly]:
    return list(signs.audit(stored, previous_link, now))


def _last_event(log_head: EventLogHeadRow) -> AuditedEvent | None:
    """Return the last event as the head of the log names it; None without one."""
    link = events.last_event_link(log_head)
    if link is None:
        return None
    return AuditedEvent(
        position=log_head.position,
        code=link.code,
        content=b"",
        fingerprint=link.fingerprint,
        generated_at=link.generated_at,
    )


def _stored_event(row: EventRow) -> AuditedEvent:
    return AuditedEvent(
        position=row.position,
        code=row.code,
        content=row.content,
        fingerprint=row.fingerprint,
        generated_at=row.generated_at,
    )


def _link(event: AuditedEvent) -> EventLink:
    return EventLink(code=event.code, generated_at=event.generated_at, fingerprint=event.fingerprint)


# ---------------------------------------------------------------- the result


async def _log_check(ctx: Context, installation_id: UUID, log: _LogAudit) -> None:
    """Log the check of the events and the flaws found; the walk has logged that of the records."""
    head = await heads.lock_head(ctx, installation_id)
    assert head is not None  # noqa: S101 - no chain is ever deleted
    counts = dict.fromkeys(("fingerprints", "signatures", "links", "dates"), log.count)
    await events.log(ctx, head, Check(kind=EventKind.EVENTS_CHECKED, **counts))
    for anomaly in log.anomalies:
        event = log.links.get(anomaly.position or 0)
        await events.log(ctx, head, Finding(kind=EventKind.EVENT_FLAWED, anomaly=anomaly, event=event))


def _flaw(anomaly: Anomaly) -> Flaw:
    return Flaw(position=anomaly.position, kind=anomaly.kind, code=anomaly.code, message=anomaly.message)

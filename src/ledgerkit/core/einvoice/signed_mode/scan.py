"""The log of events as its owner sees it, and checks of everything that is kept, on demand."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, Text, cast, func, select

from ledgerkit import clock
from ledgerkit.core.api_types.paging import Page, PageRequest, fetch_page, page_statement
from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.database.ids import id_sought
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.chain.schemas import Stretch
from ledgerkit.core.einvoice.event_log import events
from ledgerkit.core.einvoice.event_log.models import fiscal_event, fiscal_event_log
from ledgerkit.core.einvoice.event_log.schemas import Flaw, Scan
from ledgerkit.core.einvoice.inspection import walk
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import NotFound, bilingual
from ledgerkit.providers.api import (
    Anomaly,
    Check,
    EventKind,
    EventLink,
    Finding,
    KeptEvent,
    Signing,
)


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def listing(ctx: Context, page: PageRequest) -> Page:
    """The account's events, the newest first."""
    return await fetch_page(ctx.db, _LIST, page)


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def event_xml(ctx: Context, position: int, number: str | None = None) -> tuple[str, bytes]:
    """File name and bytes of an event: of the installation `number`, else of the newest one with a log.

    Raises NotFound for an event that the account has not.
    """
    place = fiscal_event.c.position == position
    if number is not None:
        place &= fiscal_event.c.installation_id == id_sought(number)
    query = select(fiscal_event).where(place).order_by(fiscal_event.c.installation_id.desc()).limit(1)
    row = (await ctx.db.execute(query)).one_or_none()
    if row is None:
        raise bilingual(
            NotFound,
            ("There is no such event.", "GET /api/einvoice/events lists those of the account."),
            ("No existe ese evento.", "GET /api/einvoice/events muestra los de la cuenta."),
        )
    return f"{row.installation_id.hex}-{row.position:010d}-{row.kind}.xml", row.content


@operation(Permission.EINVOICE_MANAGE, unit=Unit.OWN)
async def scan(ctx: Context) -> Scan:
    """Check every record of the open chain, every signature and every event; where records are kept, log the check.

    At most 100 flaws of each kind are named and logged one by one. Raises NotFound without a chain.
    """
    chain_walk = await retry_on_conflict(lambda: walk.begun(ctx, Stretch()))
    if chain_walk is None:
        raise bilingual(
            NotFound,
            ("There is no chain yet.", "The first record begins one by itself."),
            ("Todavía no hay ninguna cadena.", "El primer registro abre una por sí solo."),
        )
    _, signs = events.of(ctx, chain_walk.head)
    log = await _audited(ctx, chain_walk.head.id, signs)
    verdict = await walk.walked(ctx, chain_walk, None)
    if chain_walk.logged:
        await retry_on_conflict(lambda: _logged(ctx, chain_walk.head.id, log))
    return Scan(
        installation_number=chain_walk.head.id.hex,
        records=verdict.records,
        signatures=chain_walk.signatures,
        record_flaws=[_flaw(one) for one in chain_walk.found],
        events=log.count,
        event_flaws=[_flaw(one) for one in log.found],
        logged=chain_walk.logged,
    )


def _listed() -> Any:
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


_LIST = _listed()


# ---------------------------------------------------------------- the check


@dataclass
class _Log:
    """The log of one installation on the way: the event behind, how many there were, what was found."""

    behind: EventLink | None = None
    count: int = 0
    found: list[Anomaly] = field(default_factory=list)
    links: dict[int, EventLink] = field(default_factory=dict)

    def note(self, found: Sequence[Anomaly]) -> None:
        self.found += found[: walk.MOST_FOUND - len(self.found)]


async def _audited(ctx: Context, installation_id: UUID, signs: Signing) -> _Log:
    """Every event of an installation's log, and that the last one is the last that was logged."""
    log, now = _Log(), clock.now()
    place = fiscal_event.c.position
    while True:
        behind = fiscal_event.c.installation_id == installation_id, place > log.count
        batch = await _read(ctx, select(fiscal_event).where(*behind).order_by(place).limit(walk.BATCH))
        if not batch:
            break
        stored = [_stored(row) for row in batch]
        log.note(await asyncio.to_thread(_judged, signs, stored, log.behind, now))
        log.links |= {one.position: _link(one) for one in stored}
        log.behind, log.count = _link(stored[-1]), stored[-1].position
    tops = await _read(ctx, select(fiscal_event_log).where(fiscal_event_log.c.installation_id == installation_id))
    for top in tops:
        log.note(list(signs.audit((), log.behind, now, _top(top))))
    return log


def _judged(signs: Signing, stored: Sequence[KeptEvent], behind: EventLink | None, now: datetime) -> list[Anomaly]:
    return list(signs.audit(stored, behind, now))


def _top(row: Any) -> KeptEvent | None:
    """The event that was logged last, as the log's head has it."""
    if not row.position:
        return None
    return KeptEvent(
        position=row.position,
        code=row.last_code,
        content=b"",
        fingerprint=row.last_fingerprint,
        generated_at=row.last_generated_at,
    )


async def _read(ctx: Context, query: Any) -> Sequence[Any]:
    async def ask() -> Sequence[Any]:
        async with ctx.reading() as inner:
            return (await inner.db.execute(query)).all()

    return await retry_on_conflict(ask)


def _stored(row: Any) -> KeptEvent:
    return KeptEvent(
        position=row.position,
        code=row.code,
        content=row.content,
        fingerprint=row.fingerprint,
        generated_at=row.generated_at,
    )


def _link(event: KeptEvent) -> EventLink:
    return EventLink(code=event.code, generated_at=event.generated_at, fingerprint=event.fingerprint)


# ---------------------------------------------------------------- what is said of it


async def _logged(ctx: Context, installation_id: UUID, log: _Log) -> None:
    """Log the check of the events, and what it found; that of the records has been."""
    async with ctx.transaction() as inner:
        head = await heads.lock_head(inner, installation_id)
        checked = dict.fromkeys(("fingerprints", "signatures", "links", "dates"), log.count)
        await events.log(inner, head, Check(kind=EventKind.EVENTS_CHECKED, **checked))
        for flaw in log.found:
            event = log.links.get(flaw.position or 0)
            await events.log(inner, head, Finding(kind=EventKind.EVENT_FLAWED, anomaly=flaw, event=event))


def _flaw(one: Anomaly) -> Flaw:
    return Flaw(position=one.position, kind=one.kind, code=one.code, message=one.message)

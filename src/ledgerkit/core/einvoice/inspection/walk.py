"""Walking along a chain, whatever its length: read in batches, judged in a thread, the verdict kept with the chain."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import false, func, select

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.database.ids import id_sought
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.chain import heads, links
from ledgerkit.core.einvoice.chain.schemas import Break, ChainCheck, Stretch
from ledgerkit.core.einvoice.event_log import events
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record, fiscal_status
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, Invalid, bilingual
from ledgerkit.providers.api import Anomaly, Auditing, ChainLink, Check, EventKind, KeptRecord, State

BATCH = 500
MOST_FOUND = 100
"""Anomalies of one walk that are kept one by one; all are counted."""

Progress = Callable[[int], None]
"""Is told how many records have been walked since it was told last."""


@dataclass
class Walk:
    """A chain on the way: what it began as, the link behind, and what was found."""

    head: Any
    audits: Auditing
    first: int
    last: int
    behind: ChainLink | None
    digest: bytes | None
    records: int = 0
    signatures: int = 0
    anomalies: int = 0
    first_break: Anomaly | None = None
    found: list[Anomaly] = field(default_factory=list)
    logged: bool = False
    whole: bool = field(init=False)

    def __post_init__(self) -> None:
        self.whole = self.first == 1 and self.last >= self.head.position

    def note(self, found: Sequence[Anomaly]) -> None:
        self.anomalies += len(found)
        self.found += found[: MOST_FOUND - len(self.found)]
        if self.first_break is None and found:
            self.first_break = found[0]


async def find(ctx: Context, number: str | None) -> Any | None:
    """The chain of that installation number, or the one that gets the next record; None when there is none."""
    top = select(func.max(fiscal_record.c.position)).where(fiscal_record.c.installation_id == fiscal_installation.c.id)
    query = select(fiscal_installation, top.scalar_subquery().label("top"))
    if number is not None:
        query = query.where(fiscal_installation.c.id == id_sought(number))
    else:
        here = fiscal_installation.c.environment == ctx.settings.einvoice_env.value
        mine = fiscal_installation.c.issuer_tax_id == ctx.account.tax_id
        query = query.where(here, mine).order_by(fiscal_installation.c.closed_at.desc().nulls_first()).limit(1)
    return (await ctx.db.execute(query)).one_or_none()


async def begun(ctx: Context, stretch: Stretch) -> Walk | None:
    """The walk along a stretch, at its beginning."""
    async with ctx.reading() as inner:
        head = await find(inner, stretch.installation_number)
        if head is None:
            return None
        end = max(head.position, head.top or 0)  # what lies behind the head does not belong there, and is found
        last = min(stretch.last or end, end)
        walk = Walk(head, audits_of(ctx, head), stretch.first, last, links.origin_link(head), None)
        if stretch.first > 1:
            found = await _stretch(inner, head.id, stretch.first - 2, stretch.first - 1)
            walk.behind = links.as_kept_record(found[0], None).link if found else _absent(head, stretch.first - 1)
            walk.digest = found[0].digest if found else None
        return walk


def _absent(head: Any, position: int) -> ChainLink:
    """Of a record only its place is known."""
    return ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number="",
        issue_date=head.created_at.date(),
        fingerprint="",
        position=position,
    )


async def walked(ctx: Context, walk: Walk, progress: Progress | None) -> ChainCheck:
    now = clock.now()
    async for batch in batches(ctx, walk.head.id, walk.first, walk.last):
        walk.note(await asyncio.to_thread(_judged, walk, batch, now))
        walk.records += len(batch)
        if progress is not None:
            progress(len(batch))
    if walk.last >= walk.first:
        end = links.previous_link(walk.head) if walk.last >= walk.head.position else None
        reached = walk.behind.position if walk.behind is not None else 0
        if end is None and (reached or 0) < walk.last:
            end = _absent(walk.head, walk.last)
        walk.note(list(walk.audits.audit((), walk.behind, now, end)))
    verdict = _verdict(walk)
    await retry_on_conflict(lambda: _kept(ctx, walk, verdict))
    return verdict


def _judged(walk: Walk, batch: Sequence[Any], now: datetime) -> list[Anomaly]:
    """In a thread of its own: a record costs a tenth of a millisecond, and half a one if it is signed."""
    stored: list[KeptRecord] = []
    for row in batch:
        stored.append(links.as_kept_record(row, walk.digest, signed=row.signed))
        walk.digest = row.digest
        walk.signatures += row.signed
    found = list(walk.audits.audit(stored, walk.behind, now))
    walk.behind = stored[-1].link
    return found


async def batches(ctx: Context, installation_id: UUID, first: int, last: int) -> AsyncIterator[Sequence[Any]]:
    """The records of a stretch in chain order, `BATCH` at a time, each read for itself."""
    after = first - 1
    while after < last:
        at = after

        async def read(at: int = at) -> Sequence[Any]:
            async with ctx.reading() as inner:
                return await _stretch(inner, installation_id, at, last)

        found = await retry_on_conflict(read)
        if not found:
            return
        yield found
        after = found[-1].position


async def _stretch(ctx: Context, installation_id: UUID, after: int, last: int) -> Sequence[Any]:
    """Records, and of each whether it is one that was signed and kept."""
    place = fiscal_record.c.position
    wanted = fiscal_record.c.installation_id == installation_id, place > after, place <= last
    signed = func.coalesce(fiscal_status.c.state == State.KEPT.value, false()).label("signed")
    query = select(fiscal_record, signed).outerjoin(fiscal_status, fiscal_status.c.record_id == fiscal_record.c.id)
    return (await ctx.db.execute(query.where(*wanted).order_by(place).limit(BATCH))).all()


def _verdict(walk: Walk) -> ChainCheck:
    first = walk.first_break
    return ChainCheck(
        installation_number=walk.head.id.hex,
        first_position=walk.first,
        last_position=walk.last,
        records=walk.records,
        anomalies=walk.anomalies,
        first_break=Break(position=first.position, kind=first.kind, code=first.code, message=first.message)
        if first
        else None,
        ok=first is None,
        checked_at=clock.now(),
    )


async def _kept(ctx: Context, walk: Walk, verdict: ChainCheck) -> None:
    """The verdict, with the chain and in its log; a break raises the alarm, a whole chain without one ends it."""
    async with ctx.transaction() as inner:
        head = await heads.lock_head(inner, walk.head.id)
        kept = {"last_check": verdict.model_dump(mode="json", by_alias=True)}
        await records.change(inner, fiscal_installation, walk.head.id, kept)
        if walk.whole and verdict.ok and head is not None and head.alarm_at is not None:
            await heads.end_alarm(inner, head)
        await heads.raise_alarm(inner, head, walk.first_break)
        walk.logged = await events.checked(inner, head, _check(walk), walk.found)


def _check(walk: Walk) -> Check:
    count = walk.records
    kind = EventKind.RECORDS_CHECKED
    return Check(kind=kind, fingerprints=count, signatures=walk.signatures, links=count, dates=count)


def audits_of(ctx: Context, head: Any) -> Auditing:
    """What can judge the records of a chain, whatever country the account says it is in now."""
    for country in ctx.kernel.countries.countries.values():
        for channel in country.channels:
            if channel.id == head.channel and channel.audits is not None:
                return channel.audits
    raise bilingual(
        Invalid,
        (
            f"Nothing installed here can check records of {head.channel}.",
            "Install the country's package again; GET /api/einvoice/providers lists what is there.",
        ),
        (
            f"Nada de lo instalado aquí puede comprobar registros de {head.channel}.",
            "Vuelve a instalar el paquete del país; GET /api/einvoice/providers muestra lo que hay.",
        ),
        code=Code.EINVOICE_UNSUPPORTED,
    )

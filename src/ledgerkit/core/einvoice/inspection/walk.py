"""Verify a chain of any length: records are read in batches and audited in a thread; the verdict is stored."""

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
from ledgerkit.core.einvoice.chain.schemas import Stretch
from ledgerkit.core.einvoice.chain_check import Break, ChainCheck
from ledgerkit.core.einvoice.event_log import events
from ledgerkit.core.einvoice.inspection.messages import InspectionMsg
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record, fiscal_status
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import Anomaly, Auditing, ChainLink, Check, EventKind, KeptRecord, State

BATCH = 500
MOST_NAMED = 100
"""Most anomalies of one walk that are named and logged one by one; all are counted."""

Progress = Callable[[int], None]
"""Called with the number of records that were verified since the last call."""


@dataclass
class Walk:
    """State of a verification: the chain and positions, the link to the record before, and the anomalies so far."""

    head: Any
    audits: Auditing
    first: int
    last: int
    previous_link: ChainLink | None
    previous_digest: bytes | None
    records: int = 0
    signatures: int = 0
    anomalies: int = 0
    first_break: Anomaly | None = None
    named_anomalies: list[Anomaly] = field(default_factory=list)
    logged: bool = False
    covers_chain: bool = field(init=False)

    def __post_init__(self) -> None:
        self.covers_chain = self.first == 1 and self.last >= self.head.position

    def add(self, anomalies: Sequence[Anomaly]) -> None:
        self.anomalies += len(anomalies)
        self.named_anomalies += anomalies[: MOST_NAMED - len(self.named_anomalies)]
        if self.first_break is None and anomalies:
            self.first_break = anomalies[0]


async def find_chain(ctx: Context, number: str | None) -> Any | None:
    """Return the chain of that installation number, or the one that gets the next record; None without one.

    `top` of its row is the highest position stored, which is that of the head unless records were added by others.
    """
    top = select(func.max(fiscal_record.c.position)).where(fiscal_record.c.installation_id == fiscal_installation.c.id)
    query = select(fiscal_installation, top.scalar_subquery().label("top"))
    if number is not None:
        query = query.where(fiscal_installation.c.id == id_sought(number))
    else:
        of_environment = fiscal_installation.c.environment == ctx.settings.einvoice_env.value
        of_issuer = fiscal_installation.c.issuer_tax_id == ctx.account.tax_id
        query = (
            query.where(of_environment, of_issuer)
            .order_by(fiscal_installation.c.closed_at.desc().nulls_first())
            .limit(1)
        )
    return (await ctx.db.execute(query)).one_or_none()


async def start(ctx: Context, stretch: Stretch) -> Walk | None:
    """Return a verification of a stretch, before its first record; None without a chain."""
    async with ctx.reading() as inner:
        head = await find_chain(inner, stretch.installation_number)
        if head is None:
            return None
        end = max(head.position, head.top or 0)  # records beyond the head do not belong there: the walk reports them
        last = min(stretch.last or end, end)
        walk = Walk(head, audits_of(ctx, head), stretch.first, last, links.origin_link(head), None)
        if stretch.first > 1:
            before = await _stretch(inner, head.id, stretch.first - 2, stretch.first - 1)
            walk.previous_link = (
                links.as_kept_record(before[0], None).link if before else _missing_record(head, stretch.first - 1)
            )
            walk.previous_digest = before[0].digest if before else None
        return walk


def _missing_record(head: Any, position: int) -> ChainLink:
    """Link to a record that is not stored, of which only the position is certain."""
    return ChainLink(
        issuer_tax_id=head.issuer_tax_id,
        number="",
        issue_date=head.created_at.date(),
        fingerprint="",
        position=position,
    )


async def run(ctx: Context, walk: Walk, progress: Progress | None) -> ChainCheck:
    """Verify the stretch to its end, store the verdict with the chain, and return it."""
    now = clock.now()
    async for batch in batches(ctx, walk.head.id, walk.first, walk.last):
        walk.add(await asyncio.to_thread(_audit_batch, walk, batch, now))
        walk.records += len(batch)
        if progress is not None:
            progress(len(batch))
    if walk.last >= walk.first:
        end = links.previous_link(walk.head) if walk.last >= walk.head.position else None
        reached = walk.previous_link.position if walk.previous_link is not None else 0
        if end is None and (reached or 0) < walk.last:
            end = _missing_record(walk.head, walk.last)
        walk.add(list(walk.audits.audit((), walk.previous_link, now, end)))
    verdict = _verdict(walk)
    await retry_on_conflict(lambda: _store(ctx, walk, verdict))
    return verdict


def _audit_batch(walk: Walk, batch: Sequence[Any], now: datetime) -> list[Anomaly]:
    """Audit a batch of records, in a thread: a record takes a tenth of a millisecond, a signed one half a one."""
    stored: list[KeptRecord] = []
    for row in batch:
        stored.append(links.as_kept_record(row, walk.previous_digest, signed=row.signed))
        walk.previous_digest = row.digest
        walk.signatures += row.signed
    anomalies = list(walk.audits.audit(stored, walk.previous_link, now))
    walk.previous_link = stored[-1].link
    return anomalies


async def batches(ctx: Context, installation_id: UUID, first: int, last: int) -> AsyncIterator[Sequence[Any]]:
    """Yield the records of a stretch in chain order, `BATCH` at a time, each batch by a statement of its own."""
    after = first - 1
    while after < last:

        async def read(after: int = after) -> Sequence[Any]:
            async with ctx.reading() as inner:
                return await _stretch(inner, installation_id, after, last)

        batch = await retry_on_conflict(read)
        if not batch:
            return
        yield batch
        after = batch[-1].position


async def _stretch(ctx: Context, installation_id: UUID, after: int, last: int) -> Sequence[Any]:
    """Up to `BATCH` records after a position; `signed` is True for one of the signed mode."""
    position = fiscal_record.c.position
    wanted = fiscal_record.c.installation_id == installation_id, position > after, position <= last
    signed = func.coalesce(fiscal_status.c.state == State.KEPT.value, false()).label("signed")
    query = select(fiscal_record, signed).outerjoin(fiscal_status, fiscal_status.c.record_id == fiscal_record.c.id)
    return (await ctx.db.execute(query.where(*wanted).order_by(position).limit(BATCH))).all()


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


async def _store(ctx: Context, walk: Walk, verdict: ChainCheck) -> None:
    """Store the verdict with the chain and in its event log.

    A break raises the alarm; a verification of the whole chain without one ends it.
    """
    async with ctx.transaction() as inner:
        head = await heads.lock_head(inner, walk.head.id)
        assert head is not None  # noqa: S101 - no chain is ever deleted
        values = {"last_check": verdict.model_dump(mode="json", by_alias=True)}
        await records.change(inner, fiscal_installation, walk.head.id, values)
        if walk.covers_chain and verdict.ok and head.alarm_at is not None:
            await heads.end_alarm(inner, head)
        await heads.raise_alarm(inner, head, walk.first_break)
        walk.logged = await events.log_check(inner, head, _check(walk), walk.named_anomalies)


def _check(walk: Walk) -> Check:
    count = walk.records
    kind = EventKind.RECORDS_CHECKED
    return Check(kind=kind, fingerprints=count, signatures=walk.signatures, links=count, dates=count)


def audits_of(ctx: Context, head: Any) -> Auditing:
    """Return the auditor of a chain's records, whatever country the account is in now.

    Raises Invalid EINVOICE_UNSUPPORTED when the chain's channel is not installed any more.
    """
    for country in ctx.kernel.countries.countries.values():
        for channel in country.channels:
            if channel.id == head.channel and channel.audits is not None:
                return channel.audits
    raise Invalid(InspectionMsg.NO_AUDITOR, code=Code.EINVOICE_UNSUPPORTED, channel=head.channel)

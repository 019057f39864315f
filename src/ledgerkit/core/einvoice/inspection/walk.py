"""Verify a chain of any length: records are read in batches and audited in a thread; the verdict is stored."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from uuid import UUID

from sqlalchemy import Integer, Text, Uuid, bindparam, false, func, select

from ledgerkit import clock
from ledgerkit.core.einvoice.chain import heads, links
from ledgerkit.core.einvoice.chain.api import Stretch
from ledgerkit.core.einvoice.inspection.texts import InspectionMsg
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.modes.signed_mode_hooks import required_signed_mode
from ledgerkit.core.einvoice.table import (
    LAST_CHECK,
    ChainHeadRow,
    FiscalRecordRow,
    fiscal_installation,
    fiscal_record,
    fiscal_status,
)
from ledgerkit.core.einvoice.values.chains import Break, ChainCheck
from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.ids import id_sought
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import Anomaly, AuditedRecord, Auditing, ChainLink, Check, EventKind, Mode, State

BATCH = 500
MOST_NAMED = 100
"""Most anomalies of one walk that are named and logged one by one; all are counted."""

Progress = Callable[[int], None]
"""Called with the number of records that were verified since the last call."""


@dataclass
class Walk:
    """State of a verification: the chain and positions, the link to the record before, and the anomalies so far."""

    head: ChainHeadRow
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


class RecordToCheckRow(FiscalRecordRow):
    signed: bool


class ChainWithTopRow(ChainHeadRow):
    top: int | None


async def find_chain(ctx: Context, number: str | None) -> ChainWithTopRow | None:
    """Return the chain of that installation number, or the one that gets the next record; None without one.

    `top` of its row is the highest position stored, which is that of the head unless records were added by others.
    """
    if number is not None:
        return await _CHAIN_BY_NUMBER.row(ctx.db, installation_id=id_sought(number))
    environment = ctx.settings.einvoice_env.value
    return await _ISSUERS_CHAIN.row(ctx.db, environment=environment, issuer_tax_id=ctx.account.tax_id)


_TOP = select(func.max(fiscal_record.c.position)).where(fiscal_record.c.installation_id == fiscal_installation.c.id)
_CHAIN = select(fiscal_installation, _TOP.scalar_subquery().label("top"))
_CHAIN_BY_NUMBER = Prepared(
    _CHAIN.where(fiscal_installation.c.id == bindparam("installation_id", type_=Uuid)), ChainWithTopRow
)
_ISSUERS_CHAIN = Prepared(
    _CHAIN.where(
        fiscal_installation.c.environment == bindparam("environment", type_=Text),
        fiscal_installation.c.issuer_tax_id == bindparam("issuer_tax_id", type_=Text),
    )
    .order_by(fiscal_installation.c.closed_at.desc().nulls_first())
    .limit(1),
    ChainWithTopRow,
)


async def start(ctx: Context, stretch: Stretch) -> Walk | None:
    """Return a verification of a stretch, before its first record; None without a chain. `ctx` reads already."""
    head = await find_chain(ctx, stretch.installation_number)
    if head is None:
        return None
    end = max(head.position, head.top or 0)  # records beyond the head do not belong there: the walk reports them
    last = min(stretch.last or end, end)
    walk = Walk(head, audits_of(ctx, head), stretch.first, last, links.origin_link(head), None)
    if stretch.first > 1:
        before = await _stretch(ctx, installation_id=head.id, after=stretch.first - 2, last=stretch.first - 1)
        walk.previous_link = (
            links.as_audited_record(before[0], None).link if before else _missing_record(head, stretch.first - 1)
        )
        walk.previous_digest = before[0].digest if before else None
    return walk


def _missing_record(head: ChainHeadRow, position: int) -> ChainLink:
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
    await ctx.transact(lambda inner: _store(inner, walk, verdict))
    return verdict


def _audit_batch(walk: Walk, batch: Sequence[RecordToCheckRow], now: datetime) -> list[Anomaly]:
    """Audit a batch of records, in a thread: a record takes a tenth of a millisecond, a signed one half a one."""
    stored: list[AuditedRecord] = []
    for row in batch:
        stored.append(links.as_audited_record(row, walk.previous_digest, signed=row.signed))
        walk.previous_digest = row.digest
        walk.signatures += row.signed
    anomalies = list(walk.audits.audit(stored, walk.previous_link, now))
    walk.previous_link = stored[-1].link
    return anomalies


async def batches(
    ctx: Context, installation_id: UUID, first: int, last: int
) -> AsyncIterator[Sequence[RecordToCheckRow]]:
    """Yield the records of a stretch in chain order, `BATCH` at a time, with one statement for each batch."""
    after = first - 1
    stretch = partial(_stretch, installation_id=installation_id, last=last)
    while after < last and (batch := await ctx.read(partial(stretch, after=after))):
        yield batch
        after = batch[-1].position


async def _stretch(ctx: Context, *, installation_id: UUID, after: int, last: int) -> Sequence[RecordToCheckRow]:
    """Return up to `BATCH` records after a position; `signed` is True for one of the signed mode."""
    return await _STRETCH.rows(ctx.db, installation_id=installation_id, after=after, last=last, batch=BATCH)


_POSITION = fiscal_record.c.position
_IS_SIGNED = func.coalesce(fiscal_status.c.state == State.SIGNED.value, false()).label("signed")
_STRETCH = Prepared(
    select(fiscal_record, _IS_SIGNED)
    .outerjoin(fiscal_status, fiscal_status.c.record_id == fiscal_record.c.id)
    .where(
        fiscal_record.c.installation_id == bindparam("installation_id", type_=Uuid),
        bindparam("after", type_=Integer) < _POSITION,
        bindparam("last", type_=Integer) >= _POSITION,
    )
    .order_by(_POSITION)
    .limit(bindparam("batch", type_=Integer)),
    RecordToCheckRow,
)


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
    head = await heads.lock_head(ctx, walk.head.id)
    assert head is not None  # noqa: S101 - no chain is ever deleted
    values = Values(ChainHeadRow, last_check=LAST_CHECK.encode(verdict))
    await records.change(ctx, fiscal_installation, walk.head.id, values)
    if walk.covers_chain and verdict.ok and head.alarm_at is not None:
        await heads.end_alarm(ctx, head)
    await heads.raise_alarm(ctx, head, walk.first_break)
    if modes.mode_of(ctx, head) is Mode.SIGNING:
        hooks = required_signed_mode(ctx)
        walk.logged = await hooks.records_checked(ctx, head, _check(walk), walk.named_anomalies)


def _check(walk: Walk) -> Check:
    count = walk.records
    kind = EventKind.RECORDS_CHECKED
    return Check(kind=kind, fingerprints=count, signatures=walk.signatures, links=count, dates=count)


def audits_of(ctx: Context, head: ChainHeadRow) -> Auditing:
    """Return the auditor of a chain's records, whatever country the account is in now.

    Raises Invalid EINVOICE_UNSUPPORTED when the chain's channel is not installed any more.
    """
    for country in ctx.kernel.countries.countries.values():
        for channel in country.channels:
            if channel.id == head.channel and channel.audits is not None:
                return channel.audits
    raise Invalid(InspectionMsg.NO_AUDITOR, code=Code.EINVOICE_UNSUPPORTED, channel=head.channel)

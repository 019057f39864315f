"""Export the records of a period as files, contiguous and complete, which anybody can verify.

They contain only what the tax office may see: no client data beyond the records, no notes, no users.
"""

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from hashlib import sha256
from io import RawIOBase
from zoneinfo import ZoneInfo

from sqlalchemy import ARRAY, DateTime, Text, Uuid, any_, bindparam, func, or_, select

from ledgerkit import __version__, clock
from ledgerkit.core.einvoice.chain import history, links
from ledgerkit.core.einvoice.inspection import walk
from ledgerkit.core.einvoice.inspection.texts import InspectionMsg
from ledgerkit.core.einvoice.inspection.verification import MOST_AT_ONCE
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.modes.signed_mode_hooks import File, required_signed_mode, signed_mode
from ledgerkit.core.einvoice.table import (
    ChainHeadRow,
    FiscalRecordRow,
    RecordStatusRow,
    fiscal_installation,
    fiscal_record,
)
from ledgerkit.core.einvoice.transmission import correspondence
from ledgerkit.core.einvoice.values.chains import PositionRange
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.wire import utc_text
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, CrossSiteRequest, Invalid
from ledgerkit.providers.api import ChainLink, Mode

FORMAT = "ledgerkit-fiscal-export/1"


@dataclass(frozen=True)
class ExportPeriod:
    """First and last day, both included, on which records were generated; in the issuer's time zone."""

    first: date
    last: date


@dataclass(frozen=True)
class Export:
    """An export: its name, numbers of records and events, and its files, which are read one by one."""

    name: str
    records: int
    events: int
    files: AsyncIterator[File]

    async def zipped(self) -> AsyncIterator[bytes]:
        """Yield the files as one ZIP archive, in pieces, with no more than one file in memory."""
        pipe = _Pipe()
        with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
            async for name, data in self.files:
                await asyncio.to_thread(archive.writestr, name, data)
                yield pipe.drain()
        yield pipe.drain()


@dataclass(frozen=True, kw_only=True)
class Part:
    """Part of an export: the positions that one installation generated between two instants."""

    head: ChainHeadRow
    records: PositionRange | None
    events: PositionRange | None
    between: tuple[datetime, datetime]


@operation(Permission.EINVOICE_READ, unit=Unit.OWN, errors=[(CrossSiteRequest, {Code.CSRF_REFUSED})], proposable=False)
async def export(ctx: Context, period: ExportPeriod, *, most: int | None = MOST_AT_ONCE) -> Export:
    """Export all records and events of a period, the correspondence with the authority, and a manifest.

    An export changes nothing that it reads, but it is recorded: in the activity and, in the signed mode, in the event
    log, once for the records and once for the log itself (Orden HAC/1177/2024 art. 9, events 08 and 09). Raises Invalid
    for a period that ends before it begins, or for more records than `most`.
    """
    if period.last < period.first:
        raise Invalid.field("to", InspectionMsg.PERIOD_REVERSED)
    parts = await retry_on_conflict(lambda: _parts(ctx, period))
    count = sum(part.records.count for part in parts if part.records)
    event_count = sum(part.events.count for part in parts if part.events)
    if most is not None and count > most:
        raise Invalid(InspectionMsg.TOO_MANY_TO_EXPORT, count=count, most=most)
    await ctx.transact(lambda inner: _log(inner, period, parts))
    name = f"{ctx.account.tax_id or 'records'}-{period.first.isoformat()}-{period.last.isoformat()}.zip"
    return Export(name, count, event_count, _files(ctx, (period.first, period.last), parts))


def _midnight(ctx: Context, day: date) -> datetime:
    """Return the beginning of a day in the issuer's time zone."""
    return datetime.combine(day, time(), ZoneInfo(ctx.account.time_zone))


async def _parts(ctx: Context, period: ExportPeriod) -> list[Part]:
    """Return for each chain the positions from the period's first record or event to the last, without gaps."""
    since, until = between = _midnight(ctx, period.first), _midnight(ctx, period.last + timedelta(days=1))
    hooks = signed_mode(ctx)
    async with ctx.reading() as inner:
        events = {} if hooks is None else await hooks.event_positions(inner, between)
        parameters = {"environment": ctx.settings.einvoice_env.value, "since": since, "until": until}
        heads = await _EXPORTED_CHAINS.rows(inner.db, **parameters, with_events=list(events))
    return [
        Part(
            head=head,
            records=_range(head.first_record, head.last_record),
            events=events.get(head.id),
            between=between,
        )
        for head in heads
    ]


class _ExportedChainRow(ChainHeadRow):
    first_record: int | None
    last_record: int | None


def _exported_chains() -> Prepared[_ExportedChainRow]:
    """Chains with records of a period, and those `with_events` of it, with the positions of these records."""
    position, generated_at = fiscal_record.c.position, fiscal_record.c.generated_at
    since, until = (bindparam(name, type_=DateTime(timezone=True)) for name in ("since", "until"))
    positions = (
        select(
            fiscal_record.c.installation_id,
            func.min(position).label("first_record"),
            func.max(position).label("last_record"),
        )
        .where(generated_at >= since, generated_at < until)
        .group_by(fiscal_record.c.installation_id)
        .subquery()
    )
    head = fiscal_installation.c
    has_events = head.id == any_(bindparam("with_events", type_=ARRAY(Uuid)))
    statement = (
        select(fiscal_installation, positions.c.first_record, positions.c.last_record)
        .outerjoin(positions, positions.c.installation_id == head.id)
        .where(head.environment == bindparam("environment", type_=Text))
        .where(or_(positions.c.first_record.is_not(None), has_events))
        .order_by(head.id)
    )
    return Prepared(statement, _ExportedChainRow)


_EXPORTED_CHAINS = _exported_chains()


def _range(first: int | None, last: int | None) -> PositionRange | None:
    return None if first is None or last is None else PositionRange(first=first, last=last)


async def _log(ctx: Context, period: ExportPeriod, parts: list[Part]) -> None:
    """Record the export in the activity and, in the signed mode, in the event log."""
    of_period: activity.Changes = {"period": (None, f"{period.first.isoformat()} to {period.last.isoformat()}")}
    lines: list[activity.Line] = [
        (
            "records_exported",
            ("fiscal_installation", part.head.id),
            part.head.issuer_tax_id,
            {**of_period, **_logged("positions", part.records), **_logged("events", part.events)},
        )
        for part in parts
    ]
    await activity.record_each(ctx, lines)
    for part in parts:
        if modes.mode_of(ctx, part.head) is Mode.SIGNING:
            days = part.between[0], part.between[1] - timedelta(seconds=1)
            await required_signed_mode(ctx).records_exported(ctx, part.head, days, part.records, part.events)


def _logged(name: str, span: PositionRange | None) -> activity.Changes:
    return {} if span is None else {name: (None, f"{span.first} to {span.last}")}


@dataclass(kw_only=True)
class _Sums:
    """Numbers and totals of records, and the positions of those that cannot be read."""

    issued: int = 0
    annulled: int = 0
    tax_total: Decimal = ZERO
    gross_total: Decimal = ZERO
    unreadable: list[int] = field(default_factory=list)


async def _files(ctx: Context, period: tuple[date, date], parts: Sequence[Part]) -> AsyncIterator[File]:
    """Yield every file of an export, the oldest record first, the manifest last."""
    hashes: dict[str, str] = {}
    described: list[Mapping[str, object]] = []
    async for name, content in _contents(ctx, period, parts, described):
        hashes[name] = sha256(content).hexdigest()
        yield name, content
    manifest = {
        "format": FORMAT,
        "software": f"ledgerkit {__version__}",
        "createdAt": utc_text(clock.now()),
        "issuer": {"name": ctx.account.issuer_name, "taxId": ctx.account.tax_id},
        "period": {"from": period[0].isoformat(), "to": period[1].isoformat()},
        "chains": described,
        "files": hashes,
    }
    yield "manifest.json", json.dumps(manifest, indent=1, ensure_ascii=False).encode()


async def _contents(
    ctx: Context, period: tuple[date, date], parts: Sequence[Part], described: list[Mapping[str, object]]
) -> AsyncIterator[File]:
    hooks = signed_mode(ctx)
    for part in parts:
        async for file in _record_files(ctx, part, described):
            yield file
        if hooks is not None and part.events is not None:
            async for file in hooks.event_files(ctx, part.head, part.events, described):
                yield file
        async for file in correspondence.of_chain(ctx, part.head.id, part.records, part.between):
            yield file
    if hooks is not None:
        async for file in hooks.request_files(ctx, period):
            yield file


async def _record_files(ctx: Context, part: Part, described: list[Mapping[str, object]]) -> AsyncIterator[File]:
    """Yield the part's records and their statuses; add its description for the manifest."""
    if part.records is None:
        return
    folder, span = part.head.id.hex, part.records
    sums, bounds, statuses = _Sums(), list[FiscalRecordRow](), list[bytes]()
    async for batch in walk.batches(ctx, part.head.id, span.first, span.last):
        await asyncio.to_thread(_add_up, ctx, part, batch, sums)
        statuses += await ctx.read(partial(_statuses, batch=batch))
        bounds[:] = [bounds[0] if bounds else batch[0], batch[-1]]
        for row in batch:
            yield f"{folder}/records/{row.position:010d}-{row.kind}.xml", row.content
    yield f"{folder}/standing.jsonl", b"".join(statuses)
    described.append(await _description(ctx, part, sums, bounds))


def _add_up(ctx: Context, part: Part, batch: Sequence[FiscalRecordRow], sums: _Sums) -> None:
    audits = walk.audits_of(ctx, part.head)
    for row in batch:
        try:
            amounts = audits.amounts(row.content)
        except ValueError:
            sums.unreadable.append(row.position)
            continue
        sums.issued += row.kind == "issue"
        sums.annulled += row.kind == "annul"
        sums.tax_total += amounts.tax_total
        sums.gross_total += amounts.gross_total


async def _statuses(ctx: Context, batch: Sequence[FiscalRecordRow]) -> list[bytes]:
    """Return the authority's status of each record as a line of JSON."""
    statuses = await history.statuses(ctx, [row.id for row in batch])
    return [json.dumps(_line(row, statuses.get(row.id)), ensure_ascii=False).encode() + b"\n" for row in batch]


def _line(row: FiscalRecordRow, status: RecordStatusRow | None) -> Mapping[str, object]:
    answer = {} if status is None else {"code": status.code, "message": status.message, "csv": status.reference}
    submitted_at = None if status is None or status.submitted_at is None else utc_text(status.submitted_at)
    return {
        "position": row.position,
        "number": row.number,
        "issueDate": row.issue_date.isoformat(),
        "state": None if status is None else status.state,
        **answer,
        "submittedAt": submitted_at,
    }


async def _description(
    ctx: Context, part: Part, sums: _Sums, bounds: Sequence[FiscalRecordRow]
) -> Mapping[str, object]:
    previous, first = links.origin_link(part.head), bounds[0].position
    if first > 1:
        async with ctx.reading() as inner:
            row = await history.record_at(inner, part.head.id, first - 1)
        previous = links.as_audited_record(row, None).link if row is not None else None
    return {
        **chain_identity(part.head, f"{part.head.id.hex}/records/"),
        "count": bounds[1].position - first + 1,
        "follows": "" if previous is None else previous.fingerprint,
        "previous": _linked(previous),
        "first": _linked(links.as_audited_record(bounds[0], None).link),
        "last": _linked(links.as_audited_record(bounds[1], None).link),
        "issued": sums.issued,
        "annulled": sums.annulled,
        "taxTotal": str(sums.tax_total),
        "grossTotal": str(sums.gross_total),
        "unreadable": sums.unreadable,
    }


def chain_identity(head: ChainHeadRow, folder: str) -> Mapping[str, object]:
    """Return the members of the manifest that identify a chain whose files are in `folder`."""
    return {
        "folder": folder,
        "installationNumber": head.id.hex,
        "provider": head.channel,
        "environment": head.environment,
        "issuerTaxId": head.issuer_tax_id,
    }


def _linked(link: ChainLink | None) -> Mapping[str, object] | None:
    if link is None:
        return None
    return {
        "position": link.position,
        "number": link.number,
        "issueDate": link.issue_date.isoformat(),
        "hash": link.fingerprint,
        "generatedAt": None if link.generated_at is None else utc_text(link.generated_at),
    }


class _Pipe(RawIOBase):
    """A buffer that is emptied as it is written to. It cannot seek, so that the archive is written sequentially."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        assert isinstance(data, bytes)  # noqa: S101 - an archive writes nothing else
        self._parts.append(data)
        return len(data)

    def drain(self) -> bytes:
        """Return what was written since the last call, and forget it."""
        written = b"".join(self._parts)
        self._parts.clear()
        return written

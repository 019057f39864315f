"""An export as files: a period's records and events with their exact bytes, what was said of them, and a manifest.

Only what the tax office may see is in it: nothing of clients beyond the records, no notes, no people.
"""

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from hashlib import sha256
from io import RawIOBase
from typing import Any

from sqlalchemy import select

from ledgerkit import __version__, clock
from ledgerkit.core.api_types.wire import utc_text
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.chain import links
from ledgerkit.core.einvoice.event_log.models import fiscal_event
from ledgerkit.core.einvoice.inspection import walk
from ledgerkit.core.einvoice.models import fiscal_record, fiscal_status
from ledgerkit.core.einvoice.position_range import PositionRange
from ledgerkit.core.einvoice.transmission import correspondence
from ledgerkit.core.einvoice.transmission.correspondence import File
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.providers.api import ChainLink

FORMAT = "ledgerkit-fiscal-export/1"


@dataclass(frozen=True, kw_only=True)
class Part:
    """Of one installation: contiguous stretches of its chains, what was made between two instants."""

    head: Any
    records: PositionRange | None
    events: PositionRange | None
    between: tuple[datetime, datetime]


@dataclass(kw_only=True)
class _Sums:
    """What the records of a stretch come to, and those that cannot be read."""

    issued: int = 0
    annulled: int = 0
    tax_total: Decimal = ZERO
    gross_total: Decimal = ZERO
    unreadable: list[int] = field(default_factory=list)


async def files(ctx: Context, period: tuple[date, date], parts: Sequence[Part]) -> AsyncIterator[File]:
    """Every file of an export, the oldest record first, the manifest last."""
    hashes: dict[str, str] = {}
    described: list[Mapping[str, Any]] = []
    async for one in _contents(ctx, period, parts, described):
        hashes[one[0]] = sha256(one[1]).hexdigest()
        yield one
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
    ctx: Context, period: tuple[date, date], parts: Sequence[Part], described: list[Mapping[str, Any]]
) -> AsyncIterator[File]:
    for part in parts:
        for stretch in (_records, _events):
            async for one in stretch(ctx, part, described):
                yield one
        async for one in correspondence.of_chain(ctx, part.head.id, part.records, part.between):
            yield one
    async for one in correspondence.of_demands(ctx, period):
        yield one


async def _records(ctx: Context, part: Part, described: list[Mapping[str, Any]]) -> AsyncIterator[File]:
    if part.records is None:
        return
    folder, span = part.head.id.hex, part.records
    sums, bounds, standing = _Sums(), list[Any](), list[bytes]()
    async for batch in walk.batches(ctx, part.head.id, span.first, span.last):
        await asyncio.to_thread(_add_up, ctx, part, batch, sums)
        standing += await retry_on_conflict(partial(_standing, ctx, batch))
        bounds[:] = [bounds[0] if bounds else batch[0], batch[-1]]
        for row in batch:
            yield f"{folder}/records/{row.position:010d}-{row.kind}.xml", row.content
    yield f"{folder}/standing.jsonl", b"".join(standing)
    described.append(await _described(ctx, part, sums, bounds))


async def _events(ctx: Context, part: Part, described: list[Mapping[str, Any]]) -> AsyncIterator[File]:
    """The log of events; the one before it is read along, for its fingerprint."""
    if part.events is None:
        return
    folder, before, bounds = f"{part.head.id.hex}/events/", "", list[Any]()
    after = part.events.first - 2
    while batch := await retry_on_conflict(partial(_logged, ctx, part, after)):
        for row in batch:
            if row.position < part.events.first:
                before = row.fingerprint
                continue
            bounds[:] = [bounds[0] if bounds else row, row]
            yield f"{folder}{row.position:010d}-{row.kind}.xml", row.content
        after = batch[-1].position
    first, last = bounds
    described.append(
        {**_named(part, folder), "count": part.events.count, "follows": before, "first": _event(first)}
        | {"last": _event(last)}
    )


async def _logged(ctx: Context, part: Part, after: int) -> Sequence[Any]:
    place, last = fiscal_event.c.position, part.events.last if part.events else 0
    wanted = fiscal_event.c.installation_id == part.head.id, place > after, place <= last
    async with ctx.reading() as inner:
        query = select(fiscal_event).where(*wanted).order_by(place).limit(walk.BATCH)
        return (await inner.db.execute(query)).all()


def _event(row: Any) -> Mapping[str, Any]:
    at = utc_text(row.generated_at)
    return {"position": row.position, "code": row.code, "hash": row.fingerprint, "generatedAt": at}


def _add_up(ctx: Context, part: Part, batch: Sequence[Any], sums: _Sums) -> None:
    audits = walk.audits_of(ctx, part.head)
    for row in batch:
        try:
            said = audits.amounts(row.content)
        except ValueError:
            sums.unreadable.append(row.position)
            continue
        sums.issued += row.kind == "issue"
        sums.annulled += row.kind == "annul"
        sums.tax_total += said.tax_total
        sums.gross_total += said.gross_total


async def _standing(ctx: Context, batch: Sequence[Any]) -> list[bytes]:
    """What the authority made of each record: a line of JSON each."""
    query = select(fiscal_status).where(fiscal_status.c.record_id.in_([row.id for row in batch]))
    async with ctx.reading() as inner:
        found = {row.record_id: row for row in await inner.db.execute(query)}
    return [json.dumps(_line(row, found.get(row.id)), ensure_ascii=False).encode() + b"\n" for row in batch]


def _line(row: Any, status: Any) -> Mapping[str, Any]:
    said = {} if status is None else {"code": status.code, "message": status.message, "csv": status.reference}
    sent = None if status is None or status.submitted_at is None else utc_text(status.submitted_at)
    return {
        "position": row.position,
        "number": row.number,
        "issueDate": row.issue_date.isoformat(),
        "state": None if status is None else status.state,
        **said,
        "submittedAt": sent,
    }


async def _described(ctx: Context, part: Part, sums: _Sums, bounds: Sequence[Any]) -> Mapping[str, Any]:
    previous, first = links.origin_link(part.head), bounds[0].position
    if first > 1:
        before = select(fiscal_record).where(
            fiscal_record.c.installation_id == part.head.id, fiscal_record.c.position == first - 1
        )
        async with ctx.reading() as inner:
            row = (await inner.db.execute(before)).one_or_none()
        previous = links.as_kept_record(row, None).link if row is not None else None
    return {
        **_named(part, f"{part.head.id.hex}/records/"),
        "count": bounds[1].position - first + 1,
        "follows": "" if previous is None else previous.fingerprint,
        "previous": _linked(previous),
        "first": _linked(links.as_kept_record(bounds[0], None).link),
        "last": _linked(links.as_kept_record(bounds[1], None).link),
        "issued": sums.issued,
        "annulled": sums.annulled,
        "taxTotal": str(sums.tax_total),
        "grossTotal": str(sums.gross_total),
        "unreadable": sums.unreadable,
    }


def _named(part: Part, folder: str) -> Mapping[str, Any]:
    head = part.head
    named = {"installationNumber": head.id.hex, "provider": head.channel, "environment": head.environment}
    return {"folder": folder, **named, "issuerTaxId": head.issuer_tax_id}


def _linked(link: ChainLink | None) -> Mapping[str, Any] | None:
    if link is None:
        return None
    return {
        "position": link.position,
        "number": link.number,
        "issueDate": link.issue_date.isoformat(),
        "hash": link.fingerprint,
        "generatedAt": None if link.generated_at is None else utc_text(link.generated_at),
    }


# ---------------------------------------------------------------- as one stream


class _Pipe(RawIOBase):
    """What has been written since it was taken last; it cannot be sought in, so the archive is written straight on."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        found = b"".join(self._parts)
        self._parts.clear()
        return found


async def zipped(content: AsyncIterator[File]) -> AsyncIterator[bytes]:
    """The files as one archive, in pieces, holding no more than one of them."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        async for name, data in content:
            await asyncio.to_thread(archive.writestr, name, data)
            yield pipe.taken()
    yield pipe.taken()

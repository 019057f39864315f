"""The files of an export: records and events of a period with their exact bytes, their correspondence, and a manifest.

They contain only what the tax office may see: no client data beyond the records, no notes, no users.
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

from sqlalchemy import Integer, Uuid, bindparam, select

from ledgerkit import __version__, clock
from ledgerkit.core.einvoice.chain import history, links
from ledgerkit.core.einvoice.inspection import walk
from ledgerkit.core.einvoice.modes.signed_mode_hooks import File, signed_mode
from ledgerkit.core.einvoice.table import ChainHeadRow, FiscalRecordRow, RecordStatusRow, fiscal_record
from ledgerkit.core.einvoice.transmission import correspondence
from ledgerkit.core.einvoice.values.chains import PositionRange
from ledgerkit.core.platform.api_types.wire import utc_text
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.providers.api import ChainLink

FORMAT = "ledgerkit-fiscal-export/1"


@dataclass(frozen=True, kw_only=True)
class Part:
    """Part of an export: the positions that one installation generated between two instants."""

    head: ChainHeadRow
    records: PositionRange | None
    events: PositionRange | None
    between: tuple[datetime, datetime]


@dataclass(kw_only=True)
class _Sums:
    """Numbers and totals of records, and the positions of those that cannot be read."""

    issued: int = 0
    annulled: int = 0
    tax_total: Decimal = ZERO
    gross_total: Decimal = ZERO
    unreadable: list[int] = field(default_factory=list)


async def files(ctx: Context, period: tuple[date, date], parts: Sequence[Part]) -> AsyncIterator[File]:
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
        async for file in _records(ctx, part, described):
            yield file
        if hooks is not None and part.events is not None:
            async for file in hooks.event_files(ctx, part.head, part.events, described):
                yield file
        async for file in correspondence.of_chain(ctx, part.head.id, part.records, part.between):
            yield file
    if hooks is not None:
        async for file in hooks.request_files(ctx, period):
            yield file


async def _records(ctx: Context, part: Part, described: list[Mapping[str, object]]) -> AsyncIterator[File]:
    """Yield the part's records and their statuses; add its description for the manifest."""
    if part.records is None:
        return
    folder, span = part.head.id.hex, part.records
    sums, bounds, statuses = _Sums(), list[FiscalRecordRow](), list[bytes]()
    async for batch in walk.batches(ctx, part.head.id, span.first, span.last):
        await asyncio.to_thread(_add_up, ctx, part, batch, sums)
        statuses += await retry_on_conflict(partial(_statuses, ctx, batch))
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
    """The authority's status of each record, a line of JSON each."""
    async with ctx.reading() as inner:
        statuses = await history.statuses(inner, [row.id for row in batch])
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
            row = await _RECORD_AT.row(inner.db, installation_id=part.head.id, position=first - 1)
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
    """Members of the manifest that describe a chain whose files lie in `folder`."""
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


_RECORD_AT = Prepared(
    select(fiscal_record).where(
        fiscal_record.c.installation_id == bindparam("installation_id", type_=Uuid),
        fiscal_record.c.position == bindparam("position", type_=Integer),
    ),
    FiscalRecordRow,
)


# ---------------------------------------------------------------- as one stream


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


async def zipped(content: AsyncIterator[File]) -> AsyncIterator[bytes]:
    """Yield the files as one ZIP archive, in pieces, with no more than one file in memory."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        async for name, data in content:
            await asyncio.to_thread(archive.writestr, name, data)
            yield pipe.drain()
    yield pipe.drain()

"""An export as files: the records of a period with their exact bytes, what the authority answered, and a manifest.

Only what the tax office may see is in it: nothing of clients beyond the records, no notes, no people.
"""

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import partial
from hashlib import sha256
from io import RawIOBase
from typing import Any

from sqlalchemy import select

from ledgerkit import __version__, clock
from ledgerkit.core.context import Context
from ledgerkit.core.db import persist
from ledgerkit.core.einvoice import chains, walking
from ledgerkit.core.einvoice.models import fiscal_answer, fiscal_record, fiscal_status, fiscal_submission
from ledgerkit.core.wire import utc_text
from ledgerkit.money import ZERO
from ledgerkit.providers.api import ChainLink

FORMAT = "ledgerkit-fiscal-export/1"
ANSWERS_AT_ONCE = 20

File = tuple[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A contiguous stretch of one chain: the records made in the period."""

    head: Any
    first: int
    last: int


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
    for part in parts:
        sums, ends = _Sums(), list[Any]()
        async for one in _of_part(ctx, part, sums, ends):
            hashes[one[0]] = sha256(one[1]).hexdigest()
            yield one
        described.append(await _described(ctx, part, sums, ends))
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


async def _of_part(ctx: Context, part: Part, sums: _Sums, ends: list[Any]) -> AsyncIterator[File]:
    folder = part.head.id.hex
    standing: list[bytes] = []
    async for batch in walking.batches(ctx, part.head.id, part.first, part.last):
        await asyncio.to_thread(_add_up, ctx, part, batch, sums)
        standing += await persist(partial(_standing, ctx, batch))
        ends[:] = [ends[0] if ends else batch[0], batch[-1]]
        for row in batch:
            yield f"{folder}/records/{row.position:010d}-{row.kind}.xml", row.content
    yield f"{folder}/standing.jsonl", b"".join(standing)
    async for one in _answers(ctx, part, folder):
        yield one


def _add_up(ctx: Context, part: Part, batch: Sequence[Any], sums: _Sums) -> None:
    audits = walking.audits_of(ctx, part.head)
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


async def _answers(ctx: Context, part: Part, folder: str) -> AsyncIterator[File]:
    """Every answer to a message with one of these records, raw, in the order in which they came."""
    after = None
    while True:
        query = (
            select(fiscal_answer.c.id, fiscal_answer.c.body, fiscal_submission.c.first_position)
            .join(fiscal_submission, fiscal_submission.c.id == fiscal_answer.c.submission_id)
            .where(
                fiscal_submission.c.installation_id == part.head.id,
                fiscal_submission.c.first_position <= part.last,
                fiscal_submission.c.last_position >= part.first,
            )
            .order_by(fiscal_answer.c.id)
            .limit(ANSWERS_AT_ONCE)
        )
        found = await persist(partial(_page, ctx, query, after))
        for row in found:
            yield f"{folder}/answers/{row.first_position:010d}-{row.id.hex}.xml", row.body
        if len(found) < ANSWERS_AT_ONCE:
            return
        after = found[-1].id


async def _page(ctx: Context, query: Any, after: Any) -> Sequence[Any]:
    wanted = query if after is None else query.where(fiscal_answer.c.id > after)
    async with ctx.reading() as inner:
        return (await inner.db.execute(wanted)).all()


async def _described(ctx: Context, part: Part, sums: _Sums, ends: Sequence[Any]) -> Mapping[str, Any]:
    previous = chains.origin(part.head)
    if part.first > 1:
        before = select(fiscal_record).where(
            fiscal_record.c.installation_id == part.head.id, fiscal_record.c.position == part.first - 1
        )
        async with ctx.reading() as inner:
            row = (await inner.db.execute(before)).one_or_none()
        previous = chains.link(chains.kept(row, None)) if row is not None else None
    return {
        "installationNumber": part.head.id.hex,
        "provider": part.head.channel,
        "environment": part.head.environment,
        "issuerTaxId": part.head.issuer_tax_id,
        "previous": _linked(previous),
        "first": _linked(chains.link(chains.kept(ends[0], None))),
        "last": _linked(chains.link(chains.kept(ends[1], None))),
        "records": part.last - part.first + 1,
        "issued": sums.issued,
        "annulled": sums.annulled,
        "taxTotal": str(sums.tax_total),
        "grossTotal": str(sums.gross_total),
        "unreadable": sums.unreadable,
    }


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

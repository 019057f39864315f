"""Records leave the product: a period of them, whole, contiguous, to be checked by anybody."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import func, select

from ledgerkit.core.activity import service as activity
from ledgerkit.core.context import Context
from ledgerkit.core.db import persist
from ledgerkit.core.einvoice import events, packing
from ledgerkit.core.einvoice.checking import MOST_AT_ONCE
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record
from ledgerkit.core.einvoice.packing import File, Part
from ledgerkit.core.operation import Unit, operation
from ledgerkit.core.permissions import Permission
from ledgerkit.problems import Invalid


@dataclass(frozen=True)
class Period:
    """Days on which records were made, both included, at the issuer's place."""

    first: date
    last: date


@dataclass(frozen=True)
class Export:
    """How many records it has, and its files, which are read as they are asked for."""

    name: str
    records: int
    files: AsyncIterator[File]


@operation(Permission.EINVOICE_READ, unit=Unit.OWN)
async def export(ctx: Context, period: Period, *, most: int | None = MOST_AT_ONCE) -> Export:
    """All records that were made in a period, their answers, and a manifest of it all.

    Raises Invalid for a period that ends before it begins, or for more records than `most`.
    """
    if period.last < period.first:
        raise Invalid.field("to", "lies before from")
    parts = await persist(lambda: _parts(ctx, period))
    count = sum(part.last - part.first + 1 for part in parts)
    if most is not None and count > most:
        raise Invalid(
            f"There are {count} records in this period; a request exports {most} at most.",
            remedy="Ask for a shorter period, or run `ledgerkit verifactu export` on the server.",
        )
    await persist(lambda: _noted(ctx, period, parts))
    name = f"{ctx.account.tax_id or 'records'}-{period.first.isoformat()}-{period.last.isoformat()}.zip"
    return Export(name, count, packing.files(ctx, (period.first, period.last), parts))


def _midnight(ctx: Context, day: date) -> datetime:
    """The beginning of a day at the issuer's place."""
    return datetime.combine(day, time(), ZoneInfo(ctx.account.time_zone))


async def _parts(ctx: Context, period: Period) -> list[Part]:
    """The stretch of each chain from the first record of the period to the last, without gaps."""
    begin, end = _midnight(ctx, period.first), _midnight(ctx, period.last + timedelta(days=1))
    made = fiscal_record.c.generated_at
    place = func.min(fiscal_record.c.position), func.max(fiscal_record.c.position)
    found = select(fiscal_record.c.installation_id, place[0].label("first"), place[1].label("last")).where(
        made >= begin, made < end, fiscal_record.c.environment == ctx.settings.einvoice_env.value
    )
    stretches = found.group_by(fiscal_record.c.installation_id).subquery("stretches")
    query = select(fiscal_installation, stretches.c.first, stretches.c.last).join(
        stretches, stretches.c.installation_id == fiscal_installation.c.id
    )
    async with ctx.reading() as inner:
        rows = (await inner.db.execute(query.order_by(fiscal_installation.c.id))).all()
    return [Part(head=row, first=row.first, last=row.last) for row in rows]


async def _noted(ctx: Context, period: Period, parts: list[Part]) -> None:
    """Who took records out, and which."""
    said = {"period": (None, f"{period.first.isoformat()} to {period.last.isoformat()}")}
    lines: list[activity.Line] = [
        (
            "records_exported",
            ("fiscal_installation", part.head.id),
            part.head.issuer_tax_id,
            {**said, "positions": (None, f"{part.first} to {part.last}")},
        )
        for part in parts
    ]
    days = _midnight(ctx, period.first), _midnight(ctx, period.last + timedelta(days=1)) - timedelta(seconds=1)
    async with ctx.transaction() as inner:
        await activity.record_each(inner, lines)
        for part in parts:
            await events.exported(inner, part.head, days, (part.first, part.last))

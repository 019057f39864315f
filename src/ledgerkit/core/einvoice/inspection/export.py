"""Records leave the product: a period of them, whole, contiguous, to be checked by anybody."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import func, select

from ledgerkit.core.activity import service as activity
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.event_log import events
from ledgerkit.core.einvoice.event_log.models import fiscal_event
from ledgerkit.core.einvoice.inspection import export_files
from ledgerkit.core.einvoice.inspection.export_files import Part
from ledgerkit.core.einvoice.inspection.verification import MOST_AT_ONCE
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record
from ledgerkit.core.einvoice.position_range import PositionRange
from ledgerkit.core.einvoice.transmission.correspondence import File
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Invalid, bilingual, bilingual_field


@dataclass(frozen=True)
class ExportPeriod:
    """Days on which records were made, both included, at the issuer's place."""

    first: date
    last: date


@dataclass(frozen=True)
class Export:
    """How many records and events it has, and its files, which are read as they are asked for."""

    name: str
    records: int
    events: int
    files: AsyncIterator[File]


@operation(Permission.EINVOICE_READ, unit=Unit.OWN)
async def export(ctx: Context, period: ExportPeriod, *, most: int | None = MOST_AT_ONCE) -> Export:
    """All records and events of a period, what was said to and by the authority, and a manifest of it all.

    Where records are kept, the log of events says that they were exported, and that it was itself.

    Raises Invalid for a period that ends before it begins, or for more records than `most`.
    """
    if period.last < period.first:
        raise bilingual_field(
            "to",
            ("lies before from", "Give the first day as from, the last one as to."),
            ("es anterior a from", "Indica el primer día en from y el último en to."),
        )
    parts = await retry_on_conflict(lambda: _parts(ctx, period))
    count = sum(part.records.count for part in parts if part.records)
    logged = sum(part.events.count for part in parts if part.events)
    if most is not None and count > most:
        raise bilingual(
            Invalid,
            (
                f"There are {count} records in this period; a request exports {most} at most.",
                "Ask for a shorter period, or run `ledgerkit verifactu export` on the server.",
            ),
            (
                f"En este periodo hay {count} registros; una petición exporta {most} como mucho.",
                "Pide un periodo más corto, o ejecuta `ledgerkit verifactu export` en el servidor.",
            ),
        )
    await retry_on_conflict(lambda: _noted(ctx, period, parts))
    name = f"{ctx.account.tax_id or 'records'}-{period.first.isoformat()}-{period.last.isoformat()}.zip"
    return Export(name, count, logged, export_files.files(ctx, (period.first, period.last), parts))


def _midnight(ctx: Context, day: date) -> datetime:
    """The beginning of a day at the issuer's place."""
    return datetime.combine(day, time(), ZoneInfo(ctx.account.time_zone))


async def _parts(ctx: Context, period: ExportPeriod) -> list[Part]:
    """The stretch of each chain from the first record or event of the period to the last, without gaps."""
    between = _midnight(ctx, period.first), _midnight(ctx, period.last + timedelta(days=1))
    records, logged = _stretches(fiscal_record, between), _stretches(fiscal_event, between)
    named = (("record", records), ("event", logged))
    ends = [one.c[name].label(f"{name}_{what}") for what, one in named for name in ("first", "last")]
    head = fiscal_installation.c
    query = (
        select(fiscal_installation, *ends)
        .outerjoin(records, records.c.installation_id == head.id)
        .outerjoin(logged, logged.c.installation_id == head.id)
        .where(head.environment == ctx.settings.einvoice_env.value, func.coalesce(records.c.first, logged.c.first) > 0)
        .order_by(head.id)
    )
    async with ctx.reading() as inner:
        rows = (await inner.db.execute(query)).all()
    return [
        Part(
            head=row,
            records=_span(row.first_record, row.last_record),
            events=_span(row.first_event, row.last_event),
            between=between,
        )
        for row in rows
    ]


def _stretches(table: Any, between: tuple[datetime, datetime]) -> Any:
    """First and last position of each installation made between two instants."""
    place, made = table.c.position, table.c.generated_at
    columns = table.c.installation_id, func.min(place).label("first"), func.max(place).label("last")
    found = select(*columns).where(made >= between[0], made < between[1])
    return found.group_by(table.c.installation_id).subquery()


def _span(first: int | None, last: int | None) -> PositionRange | None:
    return None if first is None or last is None else PositionRange(first=first, last=last)


async def _noted(ctx: Context, period: ExportPeriod, parts: list[Part]) -> None:
    """Who took what out: in the activity log, and where records are kept in the log of events too."""
    said = {"period": (None, f"{period.first.isoformat()} to {period.last.isoformat()}")}
    lines: list[activity.Line] = [
        (
            "records_exported",
            ("fiscal_installation", part.head.id),
            part.head.issuer_tax_id,
            said | {name: (None, f"{span.first} to {span.last}") for name, span in _spans(part)},
        )
        for part in parts
    ]
    async with ctx.transaction() as inner:
        await activity.record_each(inner, lines)
        for part in parts:
            days = part.between[0], part.between[1] - timedelta(seconds=1)
            await events.exported(inner, part.head, days, part.records, part.events)


def _spans(part: Part) -> list[tuple[str, PositionRange]]:
    return [(name, span) for name, span in (("positions", part.records), ("events", part.events)) if span]

"""Export the records of a period as files, contiguous and complete, which anybody can verify."""

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
from ledgerkit.core.einvoice.inspection.messages import InspectionMsg
from ledgerkit.core.einvoice.inspection.verification import MOST_AT_ONCE
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record
from ledgerkit.core.einvoice.position_range import PositionRange
from ledgerkit.core.einvoice.transmission.correspondence import File
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Invalid


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


@operation(
    Permission.EINVOICE_READ, name="einvoice.inspection.exporting.export", unit=Unit.OWN, effects=Effect.READ_ONLY
)
async def export(ctx: Context, period: ExportPeriod, *, most: int | None = MOST_AT_ONCE) -> Export:
    """Export all records and events of a period, the correspondence with the authority, and a manifest.

    In the signed mode the event log records the export of the records and that of the log itself.
    Raises Invalid for a period that ends before it begins, or for more records than `most`.
    """
    if period.last < period.first:
        raise Invalid.field("to", InspectionMsg.PERIOD_REVERSED)
    parts = await retry_on_conflict(lambda: _parts(ctx, period))
    count = sum(part.records.count for part in parts if part.records)
    event_count = sum(part.events.count for part in parts if part.events)
    if most is not None and count > most:
        raise Invalid(InspectionMsg.TOO_MANY_TO_EXPORT, count=count, most=most)
    await retry_on_conflict(lambda: _log(ctx, period, parts))
    name = f"{ctx.account.tax_id or 'records'}-{period.first.isoformat()}-{period.last.isoformat()}.zip"
    return Export(name, count, event_count, export_files.files(ctx, (period.first, period.last), parts))


def _midnight(ctx: Context, day: date) -> datetime:
    """Beginning of a day in the issuer's time zone."""
    return datetime.combine(day, time(), ZoneInfo(ctx.account.time_zone))


async def _parts(ctx: Context, period: ExportPeriod) -> list[Part]:
    """Positions of each chain from the first record or event of the period to the last, without gaps."""
    between = _midnight(ctx, period.first), _midnight(ctx, period.last + timedelta(days=1))
    records, events_of_period = _bounds(fiscal_record, between), _bounds(fiscal_event, between)
    bounds = (("record", records), ("event", events_of_period))
    ends = [bound.c[name].label(f"{name}_{kind}") for kind, bound in bounds for name in ("first", "last")]
    head = fiscal_installation.c
    query = (
        select(fiscal_installation, *ends)
        .outerjoin(records, records.c.installation_id == head.id)
        .outerjoin(events_of_period, events_of_period.c.installation_id == head.id)
        .where(
            head.environment == ctx.settings.einvoice_env.value,
            func.coalesce(records.c.first, events_of_period.c.first) > 0,
        )
        .order_by(head.id)
    )
    async with ctx.reading() as inner:
        rows = (await inner.db.execute(query)).all()
    return [
        Part(
            head=row,
            records=_positions(row.first_record, row.last_record),
            events=_positions(row.first_event, row.last_event),
            between=between,
        )
        for row in rows
    ]


def _bounds(table: Any, between: tuple[datetime, datetime]) -> Any:
    """First and last position that each installation generated between two instants."""
    position, generated_at = table.c.position, table.c.generated_at
    columns = table.c.installation_id, func.min(position).label("first"), func.max(position).label("last")
    query = select(*columns).where(generated_at >= between[0], generated_at < between[1])
    return query.group_by(table.c.installation_id).subquery()


def _positions(first: int | None, last: int | None) -> PositionRange | None:
    return None if first is None or last is None else PositionRange(first=first, last=last)


async def _log(ctx: Context, period: ExportPeriod, parts: list[Part]) -> None:
    """Record the export in the activity and, in the signed mode, in the event log."""
    of_period: activity.Changes = {"period": (None, f"{period.first.isoformat()} to {period.last.isoformat()}")}
    lines: list[activity.Line] = [
        (
            "records_exported",
            ("fiscal_installation", part.head.id),
            part.head.issuer_tax_id,
            {**of_period, **{name: (None, f"{span.first} to {span.last}") for name, span in _spans(part)}},
        )
        for part in parts
    ]
    async with ctx.transaction() as inner:
        await activity.record_each(inner, lines)
        for part in parts:
            days = part.between[0], part.between[1] - timedelta(seconds=1)
            await events.log_export(inner, part.head, days, part.records, part.events)


def _spans(part: Part) -> list[tuple[str, PositionRange]]:
    return [(name, span) for name, span in (("positions", part.records), ("events", part.events)) if span]

"""Export the records of a period as files, contiguous and complete, which anybody can verify."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import ARRAY, DateTime, Text, Uuid, any_, bindparam, func, or_, select

from ledgerkit.core.einvoice.inspection import export_files
from ledgerkit.core.einvoice.inspection.export_files import Part
from ledgerkit.core.einvoice.inspection.texts import InspectionMsg
from ledgerkit.core.einvoice.inspection.verification import MOST_AT_ONCE
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.modes.signed_mode_hooks import File, required_signed_mode, signed_mode
from ledgerkit.core.einvoice.table import ChainHeadRow, fiscal_installation, fiscal_record
from ledgerkit.core.einvoice.values.chains import PositionRange
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, CrossSiteRequest, Invalid
from ledgerkit.providers.api import Mode


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


@operation(Permission.EINVOICE_READ, unit=Unit.OWN, errors=[(CrossSiteRequest, {Code.CSRF_REFUSED})])
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
    return Export(name, count, event_count, export_files.files(ctx, (period.first, period.last), parts))


def _midnight(ctx: Context, day: date) -> datetime:
    """Beginning of a day in the issuer's time zone."""
    return datetime.combine(day, time(), ZoneInfo(ctx.account.time_zone))


async def _parts(ctx: Context, period: ExportPeriod) -> list[Part]:
    """Positions of each chain from the first record or event of the period to the last, without gaps."""
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

"""The mode of an issuer's chain: its records are reported at once, or signed and stored."""

from datetime import date
from uuid import UUID

from sqlalchemy import Text, Uuid, bindparam, select

from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.table import ChainHeadRow, fiscal_installation
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import FiscalChannel, Mode, Signing


def mode_of(ctx: Context, head: ChainHeadRow) -> Mode:
    """Return the mode in force today for a chain."""
    ended = head.reporting_until is not None and ctx.account.today() > head.reporting_until
    return Mode.SIGNING if ended or head.mode == Mode.SIGNING.value else Mode.REPORTING


def mode_name(ctx: Context, head: ChainHeadRow, mode: Mode) -> str:
    """Return the mode in the country's own word, as callers choose it."""
    channel = ctx.kernel.countries.channel(ctx.account.country, head.channel)
    return channel.signs.names[mode] if channel and channel.signs else mode.value


def signs_or_will_sign(ctx: Context, head: ChainHeadRow) -> bool:
    """Return True for a chain in the signed mode, or with a day on which that mode begins."""
    return head.reporting_until is not None or mode_of(ctx, head) is Mode.SIGNING


async def signing(ctx: Context) -> Signing | None:
    """Return the signed mode of the issuer's channel if its open chain signs or will sign; else None."""
    channel = channels.active(ctx)
    head = None if channel is None or channel.signs is None else await open_head(ctx, channel)
    if channel is None or head is None:
        return None
    return channel.signs if signs_or_will_sign(ctx, head) else None


async def open_head(ctx: Context, channel: FiscalChannel) -> ChainHeadRow | None:
    """Return the head of the issuer's open chain; None before the issuer's first record."""
    return await _OPEN_HEAD.row(
        ctx.db,
        channel=channel.id,
        environment=ctx.settings.einvoice_env.value,
        issuer_tax_id=ctx.account.tax_id,
    )


async def last_reporting_day(ctx: Context, installation_id: UUID) -> date | None:
    """Return the last day of reporting, as messages state it: in this year or the year before; None without one."""
    until = (await _REPORTING_UNTIL.one(ctx.db, installation_id=installation_id)).reporting_until
    return until if until is not None and ctx.account.today().year - until.year <= 1 else None


class _ReportingUntilRow(Row):
    reporting_until: date | None


_ISSUER = [
    fiscal_installation.c[name] == bindparam(name, type_=Text) for name in ("channel", "environment", "issuer_tax_id")
]
_OPEN_HEAD = Prepared(
    select(fiscal_installation).where(*_ISSUER, fiscal_installation.c.closed_at.is_(None)), ChainHeadRow
)
_REPORTING_UNTIL = Prepared(
    select(fiscal_installation.c.reporting_until).where(
        fiscal_installation.c.id == bindparam("installation_id", type_=Uuid)
    ),
    _ReportingUntilRow,
)

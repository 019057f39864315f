"""The mode of an issuer's chain: its records are reported at once, or signed and kept."""

from typing import Any

from sqlalchemy import select

from ledgerkit.core.einvoice import channels
from ledgerkit.core.einvoice.models import fiscal_installation
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import FiscalChannel, Mode, Signing


def mode_of(ctx: Context, head: Any) -> Mode:
    """The mode in force today for a chain, by its row."""
    ended = head.reporting_until is not None and ctx.account.today() > head.reporting_until
    return Mode.KEEPING if ended or head.mode == Mode.KEEPING.value else Mode.REPORTING


def mode_name(ctx: Context, head: Any, mode: Mode) -> str:
    """The mode in the country's own word, as callers choose it."""
    channel = ctx.kernel.countries.channel(ctx.account.country, head.channel)
    return channel.signs.names[mode] if channel and channel.signs else mode.value


async def signing(ctx: Context) -> Signing | None:
    """What signs the issuer's records, where they are kept or will be from a day on that is decided."""
    channel = channels.active(ctx)
    head = None if channel is None or channel.signs is None else await open_head(ctx, channel)
    if channel is None or head is None:
        return None
    reports = mode_of(ctx, head) is Mode.REPORTING and head.reporting_until is None
    return None if reports else channel.signs


async def open_head(ctx: Context, channel: FiscalChannel) -> Any | None:
    """The issuer's open chain, if it has begun."""
    query = select(fiscal_installation).where(
        fiscal_installation.c.channel == channel.id,
        fiscal_installation.c.environment == ctx.settings.einvoice_env.value,
        fiscal_installation.c.issuer_tax_id == ctx.account.tax_id,
        fiscal_installation.c.closed_at.is_(None),
    )
    return (await ctx.db.execute(query)).one_or_none()

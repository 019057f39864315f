"""Time since which the account's documents have fiscal records. A domain above tells it; invoices may not import it."""

from collections.abc import Awaitable, Callable
from datetime import date, datetime
from typing import TypeAlias
from zoneinfo import ZoneInfo

from ledgerkit.core.platform.request.context import Context

Teller: TypeAlias = Callable[[Context], Awaitable[datetime | None]]
"""Returns when the account's first record was stored; None without any."""

_TELLERS: list[Teller] = []


def told_by(teller: Teller) -> None:
    """Register a function that tells when the first record was stored."""
    _TELLERS.append(teller)


async def first_day(ctx: Context) -> date | None:
    """Return the day of the account's first record, in the account's time zone; None without any."""
    moments = [moment for teller in _TELLERS if (moment := await teller(ctx)) is not None]
    return min(moments).astimezone(ZoneInfo(ctx.account.time_zone)).date() if moments else None

"""Moment since which the account's documents have fiscal records. The room above says it: invoices know of none."""

from collections.abc import Awaitable, Callable
from datetime import date, datetime
from typing import TypeAlias
from zoneinfo import ZoneInfo

from ledgerkit.core.platform.request.context import Context

Teller: TypeAlias = Callable[[Context], Awaitable[datetime | None]]
"""Returns when the account's first record was stored; None without any."""

_TELLERS: list[Teller] = []


def told_by(teller: Teller) -> None:
    """Let somebody tell when the first record was stored."""
    _TELLERS.append(teller)


async def first_day(ctx: Context) -> date | None:
    """Return the day of the account's first record, where the account is; None without any."""
    moments = [moment for teller in _TELLERS if (moment := await teller(ctx)) is not None]
    return min(moments).astimezone(ZoneInfo(ctx.account.time_zone)).date() if moments else None

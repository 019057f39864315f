"""Followers of a client's card. The rooms above say how they follow: clients know of no invoices."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.clients.table import ClientRow

Follower: TypeAlias = Callable[[Context, ClientRow, ClientRow], Awaitable[None]]
"""Takes over a change of a card, from the row before to the row after it, in the same transaction."""

_FOLLOWERS: list[Follower] = []


def follows_cards(follower: Follower) -> None:
    """Let something follow each change of a card."""
    _FOLLOWERS.append(follower)


async def announce(ctx: Context, before: ClientRow, after: ClientRow) -> None:
    for follower in _FOLLOWERS:
        await follower(ctx, before, after)

"""Contents stored and named: outside of a transaction and inside of one, and once more where a removal came between."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ledgerkit.core.platform.attachments.removal import contents as removal
from ledgerkit.core.platform.attachments.texts import AttachmentsMsg
from ledgerkit.core.platform.attachments.uploads.contents import Content, stage
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Code, Unavailable

Named = TypeVar("Named")

_PAUSES = (0.05, 0.5, 2)
"""Seconds between attempts to store a content that is being removed; a removal takes one request to the store."""


async def stored(ctx: Context, content: bytes, name: Callable[[Context, Content], Awaitable[Named]]) -> Named:
    """Store a content, and have `name` add its attachment in a transaction; return what that returns.

    What is removed at that moment because nothing named it is stored once more. Raises as `stage` and `name` do.
    """
    for pause in _PAUSES:
        try:
            return await _attempt(ctx, content, name)
        except Unavailable as problem:
            if problem.text != removed_meanwhile().text:
                raise
            await removal.finish_abandoned(ctx.kernel, ctx.account.id)
            await asyncio.sleep(pause)
    return await _attempt(ctx, content, name)


def removed_meanwhile() -> Unavailable:
    """Return the refusal of a content that may have been removed since its storing began."""
    return Unavailable(AttachmentsMsg.CONTENT_LEFT, code=Code.STORE_UNREACHABLE, headers={"Retry-After": "1"})


async def _attempt(ctx: Context, content: bytes, name: Callable[[Context, Content], Awaitable[Named]]) -> Named:
    staged = await stage(ctx, content)

    async def attempt() -> Named:
        async with ctx.transaction() as inner:
            return await name(inner, staged)

    return await retry_on_conflict(attempt)

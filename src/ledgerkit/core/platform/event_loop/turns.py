"""Turns of the event loop between the rows of a long work, so that other requests are answered meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from time import monotonic
from typing import TypeVar

T = TypeVar("T")

SECONDS = 0.01
"""Longest time without a turn for others, apart from the time that one row takes."""


async def in_turns(items: Iterable[T]) -> AsyncIterator[T]:
    """Yield the items; after each SECONDS of work on them the event loop does what else is due."""
    began_at = monotonic()
    for item in items:
        if monotonic() - began_at > SECONDS:
            await asyncio.sleep(0)
            began_at = monotonic()
        yield item

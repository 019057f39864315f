"""Passwords by argon2id: 64 MiB and a sixth of a second each, so in threads, few at a time, in a fair queue."""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from pwdlib import PasswordHash

from ledgerkit.core.identity.fair_queue import FairQueue
from ledgerkit.core.request.operation import Errors
from ledgerkit.problems import Code, RateLimited, Unavailable

AT_ONCE = 2
WAITING = 64
WAITING_EACH = 16
"""Places in the queue, and those of one origin: whoever is let in has an answer within some six seconds."""

NO_PASSWORD = ""
"""In the place of a hash: no password opens that account."""

R = TypeVar("R")


PASSWORD_ERRORS: Errors = [(RateLimited, {Code.RATE_LIMITED}), (Unavailable, {Code.BUSY})]
"""Refusals of every operation that hashes a password."""


class Passwords:
    """Hashing and checking off the event loop, at most two at once: 128 MiB is the price of a login storm.

    `origin` is whom the work is done for (`throttle.origin`). Both raise Unavailable BUSY when too many wait.
    """

    def __init__(self, hasher: PasswordHash | None = None) -> None:
        self._hasher = hasher or PasswordHash.recommended()
        self._decoy = cache(lambda: self._hasher.hash("in the place of a hash that is not there"))
        self._queue = FairQueue(AT_ONCE, WAITING, WAITING_EACH)

    async def hashed(self, password: str, origin: str) -> str:
        return await self._in_turn(origin, lambda: self._hasher.hash(password))

    async def matches(self, password: str, known: str | None, origin: str) -> bool:
        """Tell whether `password` belongs to the hash `known`. Without one it takes just as long, and is False."""
        return await self._in_turn(origin, lambda: self._verified(password, known))

    async def _in_turn(self, origin: str, work: Callable[[], R]) -> R:
        async with self._queue.turn(origin):
            return await asyncio.to_thread(work)

    def _verified(self, password: str, known: str | None) -> bool:
        decoy = self._decoy()  # made by whoever comes first, so that it does not tell the unknown from the known
        return self._hasher.verify(password, known or decoy) and bool(known)

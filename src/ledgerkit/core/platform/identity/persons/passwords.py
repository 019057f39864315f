"""Hashing of passwords by argon2id, in threads. One hash takes 64 MiB and a sixth of a second: a queue admits few."""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from pwdlib import PasswordHash

from ledgerkit.core.platform.identity.limits.fair_queue import FairQueue
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.problems import Code, RateLimited, Unavailable

AT_ONCE = 2
WAITING = 64
WAITING_EACH = 16
"""Places in the queue, in all and for one origin: a caller who gets one has an answer within about six seconds."""

NO_PASSWORD = ""
"""Stored instead of a hash: no password opens that account."""

R = TypeVar("R")


PASSWORD_ERRORS: Errors = [(RateLimited, {Code.RATE_LIMITED}), (Unavailable, {Code.BUSY})]
"""Refusals of every operation that hashes a password."""


class Passwords:
    """Hashes and checks passwords off the event loop, at most two at once: many logins together cost 128 MiB at most.

    `origin` identifies the caller (`throttle.origin`). Both methods raise Unavailable BUSY when too many callers wait.
    """

    def __init__(self, hasher: PasswordHash | None = None) -> None:
        self._hasher = hasher or PasswordHash.recommended()
        self._decoy = cache(lambda: self._hasher.hash("in the place of a hash that is not there"))
        self._queue = FairQueue(AT_ONCE, WAITING, WAITING_EACH)

    async def hashed(self, password: str, origin: str) -> str:
        return await self._in_turn(origin, lambda: self._hasher.hash(password))

    async def matches(self, password: str, password_hash: str | None, origin: str) -> bool:
        """Return True when `password` belongs to `password_hash`; without a hash, return False after the same time."""
        return await self._in_turn(origin, lambda: self._verified(password, password_hash))

    def in_dry_run(self, _dry_run: object) -> "Passwords":
        """Return this object, which changes nothing outside of the transaction."""
        return self

    async def _in_turn(self, origin: str, work: Callable[[], R]) -> R:
        """Do `work` in a thread, and hold the turn until the thread has ended, also when the caller has gone away."""
        async with self._queue.turn(origin):
            working = asyncio.create_task(asyncio.to_thread(work))
            try:
                return await asyncio.shield(working)
            finally:
                await asyncio.wait([working])

    def _verified(self, password: str, password_hash: str | None) -> bool:
        decoy = self._decoy()  # made by the first call of either kind, so that its time does not reveal an account
        return self._hasher.verify(password, password_hash or decoy) and bool(password_hash)

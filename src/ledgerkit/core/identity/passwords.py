"""Passwords by argon2id: 64 MiB and a sixth of a second each, so in threads and few at a time."""

import asyncio
from functools import cache

from pwdlib import PasswordHash

AT_ONCE = 2


class Passwords:
    """Hashing and checking off the event loop, at most two at once: 128 MiB is the price of a login storm."""

    def __init__(self, hasher: PasswordHash | None = None) -> None:
        self._hasher = hasher or PasswordHash.recommended()
        self._nobody = cache(lambda: self._hasher.hash("nobody has this password"))
        self._room = asyncio.Semaphore(AT_ONCE)

    async def hashed(self, password: str) -> str:
        async with self._room:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def matches(self, password: str, known: str | None) -> bool:
        """Whether `password` belongs to the hash `known`. Without one it takes just as long, and is False."""
        async with self._room:
            correct = await asyncio.to_thread(self._verified, password, known)
            return correct and known is not None

    def _verified(self, password: str, known: str | None) -> bool:
        return self._hasher.verify(password, known or self._nobody())

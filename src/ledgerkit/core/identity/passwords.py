"""Passwords by argon2id: 64 MiB and a sixth of a second each, so in threads and few at a time."""

import asyncio
from functools import cache

from pwdlib import PasswordHash

AT_ONCE = 2


class Passwords:
    """Hashing and checking off the event loop, at most two at once: 128 MiB is the price of a login storm."""

    def __init__(self) -> None:
        self._hasher = PasswordHash.recommended()
        self._room = asyncio.Semaphore(AT_ONCE)

    async def hashed(self, password: str) -> str:
        async with self._room:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def matches(self, password: str, known: str | None) -> bool:
        """Whether `password` belongs to the hash `known`. Without one it takes just as long, and is False."""
        async with self._room:
            correct = await asyncio.to_thread(self._hasher.verify, password, known or _nobody())
            return correct and known is not None


@cache
def _nobody() -> str:
    """A hash that no password is checked against in earnest, so that unknown addresses take as long as known ones."""
    return PasswordHash.recommended().hash("nobody has this password")

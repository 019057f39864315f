"""Time that a server takes to answer /health while it does other work."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from http.client import HTTPConnection
from typing import Self
from urllib.parse import urlsplit

TRIES = 5
QUIET_ANSWERS = 100
WORSE = 20
"""Factor over its worst quiet answer that /health may take beside anything; parsing 16 MiB made it 1,000."""


class Watch:
    """Asks for /health over and over in a thread of its own, and knows the worst answer since it was last asked."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url).netloc
        self._answers: list[float] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self.quiet = 0.0

    async def __aenter__(self) -> Self:
        self._thread.start()
        await self._answered(QUIET_ANSWERS)
        self._answers.clear()
        await self._answered(QUIET_ANSWERS)
        self.quiet = max(self._answers)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._ended.set()
        await asyncio.to_thread(self._thread.join)

    async def is_kept_waiting(self, work: Callable[[], Awaitable[object]]) -> bool:
        """Return True when `work` delays /health in every try; single delays may come from other programs."""
        for _ in range(TRIES):
            self._answers.clear()
            await work()
            await self._answered(2)
            if max(self._answers) <= WORSE * self.quiet:
                return False
        return True

    def _ask(self) -> None:
        connection = HTTPConnection(self._address, timeout=120)
        while not self._ended.is_set():
            begun = time.perf_counter()
            connection.request("GET", "/health")
            connection.getresponse().read()
            self._answers.append(time.perf_counter() - begun)
        connection.close()

    async def _answered(self, more: int) -> None:
        wanted = len(self._answers) + more
        while len(self._answers) < wanted:  # noqa: ASYNC110 - the answers come to another thread
            await asyncio.sleep(0.001)

"""The turn of a chat by itself: from a stored message to the answer that is to be stored, in a process of its own.

It finds out who writes, reads the words against the names of the books, asks the books and puts the answer into words.
What brings the message and takes the answer away (the messenger's API and the two queues) is no part of it.
"""

import os
from contextlib import AsyncExitStack
from time import process_time
from typing import Any

from process import measured, serve_jobs

from ledgerkit import clock
from ledgerkit.core.messaging.conversation import dispatch
from ledgerkit.core.messaging.conversation.turn import Arrived
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.core.messaging.messengers.messenger import Bot, Text, Update
from ledgerkit.runtime import commanding
from ledgerkit.settings import Settings
from ledgerkit.telemetry import logs

WARM = 50


class Asker:
    """A linked person who asks the same again and again."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._arrived: Arrived | None = None

    async def prepare(self, job: dict[str, Any]) -> dict[str, Any]:
        os.environ |= job["environment"]
        settings = Settings(_env_file=None, log_level="ERROR")
        logs.configure(settings)
        kernel = await self._stack.enter_async_context(commanding(settings))
        bots = kernel.service(Bots)
        update = Update(
            id=0,
            chat=job["sender"],
            sender=job["sender"],
            sender_name="Ana",
            is_private=True,
            event=Text(message="1", words=job["words"]),
        )
        bot = Bot(id="bench", name="bench")
        self._arrived = Arrived(
            kernel, bots.plugins["telegram"], bots.messengers["telegram"], bot, update, "bench", clock.now()
        )
        for _ in range(WARM):
            await self._ask()
        return {}

    async def measure(self, job: dict[str, Any]) -> dict[str, Any]:
        """Ask for so many seconds. The CPU is that of this process, in milliseconds for each turn."""
        before = process_time()
        found = await measured([self._ask], job["seconds"])
        return {**found, "cpu": 1000 * (process_time() - before) / found["done"]}

    async def _ask(self) -> None:
        outcome = await dispatch.handle(self._arrived)
        assert outcome.link is not None, outcome


if __name__ == "__main__":
    asker = Asker()
    serve_jobs({"prepare": asker.prepare, "measure": asker.measure})

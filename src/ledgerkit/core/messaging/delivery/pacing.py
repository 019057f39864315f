"""A messenger that is left alone for as long as it has asked for: by all who would show something, not by one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from ledgerkit.core.messaging.messengers.messenger import Bot, BotMessage, Json, Messenger, Update, WaitError

T = TypeVar("T")


class Paced:
    """`Messenger` whose calls that show something raise WaitError until the time has passed that it has asked for.

    Fetching has a limit of its own there: whoever fetches waits by themselves.
    """

    def __init__(self, messenger: Messenger) -> None:
        self._messenger = messenger
        self._waits_until = 0.0
        self.longest_text = messenger.longest_text
        self.longest_caption = messenger.longest_caption
        self.largest_file = messenger.largest_file

    async def identify(self) -> Bot:
        return await self._messenger.identify()

    async def updates(self, first: int, wait: float) -> Sequence[tuple[int, Json]]:
        return await self._messenger.updates(first, wait)

    def read(self, update: Json) -> Update | None:
        return self._messenger.read(update)

    async def send(self, chat: str, message: BotMessage) -> str:
        return await self._shown(lambda: self._messenger.send(chat, message))

    async def replace(self, chat: str, number: str, message: BotMessage) -> None:
        await self._shown(lambda: self._messenger.replace(chat, number, message))

    async def acknowledge(self, tap: str, words: str = "") -> None:
        await self._shown(lambda: self._messenger.acknowledge(tap, words))

    async def fetch(self, handle: str) -> bytes:
        return await self._messenger.fetch(handle)

    def link(self, bot_name: str, code: str) -> str | None:
        return self._messenger.link(bot_name, code)

    async def close(self) -> None:
        await self._messenger.close()

    async def _shown(self, call: Callable[[], Awaitable[T]]) -> T:
        now = asyncio.get_running_loop().time()
        if now < self._waits_until:
            raise WaitError(self._waits_until - now)
        try:
            return await call()
        except WaitError as busy:
            self._waits_until = max(self._waits_until, asyncio.get_running_loop().time() + busy.seconds)
            raise

"""The Bot API of the fake without HTTP between it and the bot: for thousands of turns."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from ledgerkit.core.messaging.messengers.messenger import RejectedError, SentFile
from ledgerkit.core.messaging.messengers.telegram.adapter import TelegramMessenger
from ledgerkit.core.messaging.messengers.telegram.failures import failure_of
from support.botapi.bots import Upload
from support.botapi.faults import ApiError
from support.botapi.people import FakeBot

LOOK_SECONDS = 0.005


class DirectApi:
    """`BotApi` of one bot of the fake, in the same process."""

    def __init__(self, bot: FakeBot) -> None:
        self._bot = bot

    async def call(
        self,
        method: str,
        parameters: Mapping[str, object],
        *,
        document: SentFile | None = None,
        seconds: float = 30,
    ) -> Any:
        sent = json.loads(json.dumps(parameters))
        if document is not None:
            sent["document"] = Upload(document.name, document.media_type, document.content)
        if method == "getUpdates":
            return await self._updates(sent)
        return self._answer(method, sent)

    async def download(self, path: str, limit: int) -> bytes:
        try:
            content = self._bot.file_at(path)
        except ApiError as refusal:
            raise RejectedError(str(refusal)) from None
        if len(content) > limit:
            raise RejectedError(path)
        return content

    async def close(self) -> None:
        """Do nothing: there is no connection."""

    async def _updates(self, parameters: dict[str, Any]) -> Any:
        """The updates, as soon as there are some; none after the time that the call waits."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + parameters["timeout"]
        while True:
            found = self._answer("getUpdates", {**parameters, "timeout": 0})
            if found or loop.time() > ends:
                return json.loads(json.dumps(found))
            await asyncio.sleep(LOOK_SECONDS)

    def _answer(self, method: str, parameters: Mapping[str, Any]) -> Any:
        try:
            return self._bot.call(method, parameters)
        except ApiError as refusal:
            raise failure_of(method, refusal.code, refusal.body) from None


def direct(bot: FakeBot) -> TelegramMessenger:
    """Telegram as the product speaks to it, without HTTP."""
    messenger = TelegramMessenger("http://127.0.0.1", SecretStr(bot.token))
    messenger._api = DirectApi(bot)
    return messenger

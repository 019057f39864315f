"""A bot that is served by a `RunningBot` of the test's own, beside an application that serves none."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import SecretStr

from ledgerkit.core.messaging.delivery.running_bot import RunningBot
from ledgerkit.core.messaging.messengers.telegram.adapter import PLUGIN, TelegramMessenger
from support.botapi import BotApiServer, FakeBot
from support.office import Office


@asynccontextmanager
async def delivering(
    office: Office, telegram: BotApiServer, bot: FakeBot, token: str = ""
) -> AsyncIterator[RunningBot]:
    """Serve a bot until the block ends; with another `token` than the bot has, nothing is fetched."""
    messenger = TelegramMessenger(telegram.base, SecretStr(token or bot.token))
    delivery = RunningBot(office.kernel, PLUGIN, messenger)
    await delivery.start()
    try:
        yield delivery
    finally:
        await delivery.stop()
        await messenger.close()

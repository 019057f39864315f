"""A bot that is served by a `RunningBot` of the test's own, beside an application that serves none."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import SecretStr

from ledgerkit.core.messaging.delivery.running_bot import RunningBot
from ledgerkit.core.messaging.messengers.messenger import Messenger
from ledgerkit.core.messaging.messengers.telegram.adapter import PLUGIN, TelegramMessenger
from support.botapi import BotApiServer, FakeBot
from support.office import Office


@asynccontextmanager
async def delivering(office: Office, messenger: Messenger) -> AsyncIterator[RunningBot]:
    """Serve the bot of a messenger until the block ends."""
    delivery = RunningBot(office.kernel, PLUGIN, messenger)
    await delivery.start()
    try:
        yield delivery
    finally:
        await delivery.stop()
        await messenger.close()


async def failure(office: Office, bot: FakeBot) -> str | None:
    """Return what is noted to keep a bot from working; None for nothing, and for a bot that was never served."""
    rows = await office.rows("select failure from messaging_bot where bot = :bot", bot=str(bot.id))
    return rows[0].failure if rows else None


def speaking(telegram: BotApiServer, bot: FakeBot, token: str = "") -> TelegramMessenger:
    """Telegram over HTTP, as the bot; with another `token` than the bot has, nothing is fetched."""
    return TelegramMessenger(telegram.base, SecretStr(token or bot.token))

"""A Bot API on loopback, a bot of it for each test, and the messenger that speaks for the bot."""

from collections.abc import AsyncIterator, Iterator

import pytest
from pydantic import SecretStr

from ledgerkit.core.messaging.messengers.telegram.adapter import TelegramMessenger
from support.botapi import BotApiServer, Chat, FakeBot, bot_api


@pytest.fixture(scope="module")
def telegram() -> Iterator[BotApiServer]:
    with bot_api() as server:
        yield server


@pytest.fixture
def bot(telegram) -> FakeBot:
    return telegram.bot()


@pytest.fixture
def chat(bot) -> Chat:
    return bot.chat("Ana García", language="es")


@pytest.fixture
async def messenger(telegram, bot) -> AsyncIterator[TelegramMessenger]:
    adapter = TelegramMessenger(telegram.base, SecretStr(bot.token))
    yield adapter
    await adapter.close()

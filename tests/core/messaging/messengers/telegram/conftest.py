"""A Bot API on loopback, a bot of it for each test, and the messenger that speaks for the bot."""

from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from ledgerkit.core.messaging.messengers.telegram.adapter import TelegramMessenger
from support.botapi import Chat, FakeBot


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

"""Bots of the test's own, whose updates a `RunningBot` of the test's own handles."""

from collections.abc import AsyncIterator

import pytest

from ledgerkit.core.messaging.delivery import running_bot
from support.botapi import FakeBot
from support.delivering import delivering, speaking
from support.office import Office, cloned, opened
from support.talking import Talk, linked


@pytest.fixture(scope="module", autouse=True)
def brisk():
    """Fractions of a second where the delivery would pause for seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running_bot, "POLL_SECONDS", 1.0)
        patch.setattr(running_bot, "SWEEP_SECONDS", 0.05)
        patch.setattr(running_bot, "FIRST_PAUSE", 0.05)
        patch.setattr(running_bot, "LONGEST_PAUSE", 0.2)
        yield


@pytest.fixture(scope="module")
async def desk(postgres, tmp_path_factory, cheap_passwords, telegram, model) -> AsyncIterator[Office]:
    """An application that knows a messenger and fetches nothing from it."""
    settings = {
        "telegram_token": telegram.bot().token,
        "telegram_api_base": telegram.base,
        "ai_base_url": model.url,
        "ai_model": "seer",
        "worker": "apart",
    }
    directory = tmp_path_factory.mktemp("delivery")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, **settings) as office:
        yield office


@pytest.fixture
def bot(telegram) -> FakeBot:
    """A bot that nobody serves yet."""
    return telegram.bot()


@pytest.fixture
async def delivery(desk, telegram, bot):
    async with delivering(desk, speaking(telegram, bot)) as delivery:
        yield delivery


@pytest.fixture
async def ana(delivery, desk, bot) -> Talk:
    """The owner of a new account in a chat with the bot, which is served."""
    return await linked(desk, bot, await desk.account())

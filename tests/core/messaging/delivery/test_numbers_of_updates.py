"""Numbers of updates: fetched from the next on, or all after a long silence, and kept for a while."""

from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import text

from ledgerkit.core.messaging.delivery import inbox
from ledgerkit.core.messaging.delivery.inbox import Arrival, Inbox
from ledgerkit.core.messaging.messengers.messenger import Bot
from support.database import as_owner


@pytest.fixture
def own_bot() -> Bot:
    return Bot(id=uuid4().hex, name="numbered_bot")


@pytest.fixture
async def stored(desk, own_bot) -> Inbox:
    """An inbox in which the update 50 was stored."""
    updates = Inbox(desk.kernel, "telegram", own_bot, uuid4())
    assert await updates.take() == 0
    assert await updates.store([Arrival(50, "7", {"update_id": 50})], 51)
    return updates


async def passed(desk, own_bot, time: timedelta) -> None:
    """Let the last updates have come, and been handled, so long ago."""
    async with as_owner(desk.kernel) as connection:
        for statement in (
            "update messaging_bot set received_at = now() - cast(:time as interval) where bot = :bot",
            "update messaging_update set handled_at = now() - cast(:time as interval) where bot = :bot",
        ):
            await connection.execute(text(statement), {"bot": own_bot.id, "time": time})


async def test_updates_are_fetched_from_the_next_on(desk, own_bot, stored):
    await passed(desk, own_bot, timedelta(days=5))

    assert await stored.take() == 51


async def test_after_six_days_of_silence_all_updates_are_fetched(desk, own_bot, stored):
    """Telegram numbers them anew after a week, and the numbers that were handled are forgotten by then."""
    await passed(desk, own_bot, timedelta(days=6, minutes=1))
    await inbox.forget(desk.kernel)

    assert await stored.take() == 0
    assert await desk.rows("select 1 from messaging_update where bot = :bot", bot=own_bot.id) == []


async def test_numbers_are_kept_for_two_days(desk, own_bot, stored):
    await passed(desk, own_bot, timedelta(days=1, hours=23))
    await inbox.forget(desk.kernel)

    assert len(await desk.rows("select 1 from messaging_update where bot = :bot", bot=own_bot.id)) == 1

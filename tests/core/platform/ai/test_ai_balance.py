"""The balance of AI actions (interface decisions A3)."""

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from sqlalchemy import text

from support.api import Api
from support.database import as_owner


async def balance(api: Api) -> dict[str, Any]:
    return (await api.get("/auth/me"))["tokens"]


async def used(kernel, team_id: str, month: str, count: int, purchased: int) -> None:
    async with as_owner(kernel) as connection:
        await connection.execute(
            text("insert into ai_balance (account_id, month, used, purchased) values (cast(:a as uuid), :m, :u, :p)"),
            {"a": team_id, "m": datetime.fromisoformat(month).date(), "u": count, "p": purchased},
        )


async def test_free_actions_begin_anew_each_month_and_bought_ones_stay(kernel, ana):
    await used(kernel, ana.team["id"], "2026-11-01", 20, 7)
    caller = Api(ana.client, {"x-api-key": ana.api_key})

    with time_machine.travel(datetime(2026, 11, 30, 22, 59, tzinfo=UTC), tick=False):
        november = await balance(caller)
    with time_machine.travel(datetime(2026, 11, 30, 23, 0, tzinfo=UTC), tick=False):
        december = await balance(caller)

    assert november == {
        "monthlyLimit": 25,
        "monthlyUsed": 20,
        "monthlyRemaining": 5,
        "purchased": 7,
        "total": 12,
        "resetsAt": "2026-11-30T23:00:00.000Z",
    }
    changed = {"monthlyUsed": 0, "monthlyRemaining": 25, "total": 32, "resetsAt": "2026-12-31T23:00:00.000Z"}
    assert december == november | changed


class TestUnlimited:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"ai_monthly_actions": -1})

    async def test_no_limit_is_minus_one(self, ana):
        found = await balance(ana)

        assert (found["monthlyLimit"], found["monthlyRemaining"], found["total"]) == (-1, -1, -1)

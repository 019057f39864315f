from typing import Any

import pytest
from sqlalchemy import text

from support.api import Api
from support.database import as_owner, set_role


class Team:
    """Ana's team: people join with a role and are removed again."""

    def __init__(self, kernel: Any, ana: Api) -> None:
        self._kernel, self.ana = kernel, ana

    async def joined(self, name: str, role: str = "member") -> tuple[Api, str]:
        """A new member at work, and their user id."""
        email = f"{name}@example.com"
        api = await Api.register(self.ana.client, email)
        await self.joins(email, role)
        return api, (await api.get("/auth/me"))["user"]["id"]

    async def joins(self, email: str, role: str = "member") -> None:
        await set_role(self._kernel, team_id=self.ana.team["id"], user_email=email, role=role)

    async def removed(self, user_id: str) -> None:
        statement = "delete from membership where account_id = cast(:team as uuid) and user_id = cast(:person as uuid)"
        async with as_owner(self._kernel) as connection:
            await connection.execute(text(statement), {"team": self.ana.team["id"], "person": user_id})


@pytest.fixture
def team(kernel, ana) -> Team:
    return Team(kernel, ana)


@pytest.fixture
async def me(ana) -> str:
    """Ana's user id."""
    return (await ana.get("/auth/me"))["user"]["id"]

from typing import Any

import pytest

from support.api import Api
from support.database import set_role


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
        await self.ana.delete(f"/api/teams/current/members/{user_id}")


@pytest.fixture
def team(kernel, ana) -> Team:
    return Team(kernel, ana)


@pytest.fixture
async def me(ana) -> str:
    """Ana's user id."""
    return (await ana.get("/auth/me"))["user"]["id"]

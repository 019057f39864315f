import pytest

from support.api import Api


@pytest.fixture
def member(ana, client):
    """Makes somebody a member of ana's team, at work in it: `await member("rosa@example.com", "viewer")`."""

    async def make(email: str = "rosa@example.com", role: str = "member") -> Api:
        made = await Api.register(client, email)
        invited = await ana.post("/api/teams/current/invite", {"email": email, "role": role})
        made.team = {"memberId": invited["member"]["id"], "userId": invited["member"]["userId"]}
        await made.post(f"/api/teams/switch/{ana.team['id']}")
        return made

    return make

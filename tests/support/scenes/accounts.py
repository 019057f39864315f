"""Accounts and teams."""

from uuid import uuid4

from support.api import PASSWORD, Api
from support.scenes.ask import ADMINS, EVERYBODY, Ask, Failing

ASKS: dict[str, Ask] = {
    "POST /auth/register": Ask(body={"email": "nueva@example.com", "password": PASSWORD}),
    "POST /auth/login": Ask(body={"email": "ana@example.com", "password": PASSWORD}),
    "GET /auth/me": Ask(allowed=EVERYBODY),
    "POST /api/teams": Ask(body={"name": "Otra", "country": "ES"}, allowed=EVERYBODY),
    "GET /api/teams/current": Ask(allowed=EVERYBODY),
    "PUT /api/teams/current": Ask(body={"city": "Sevilla"}, allowed=ADMINS),
    "POST /api/teams/switch/{teamId}": Ask("team", allowed=EVERYBODY),
    "GET /api/teams/my-teams": Ask(allowed=EVERYBODY),
    "GET /api/teams/my-role": Ask(allowed=EVERYBODY),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /auth/register", 400): Failing("POST", "/auth/register", {"email": "nobody", "password": PASSWORD}),
    ("POST /auth/login", 401): Failing(
        "POST", "/auth/login", {"email": "ana@example.com", "password": "another secret"}
    ),
    ("POST /api/teams", 400): Failing("POST", "/api/teams", {"country": "ES"}),
    ("POST /api/teams/switch/{teamId}", 403): Failing("POST", f"/api/teams/switch/{uuid4()}"),
}


async def scene(api: Api) -> dict[str, str]:
    return {"team": api.team.get("id", "")}

"""Accounts and teams."""

from uuid import uuid4

from support.api import PASSWORD, Api
from support.scenes.ask import ADMINS, EVERYBODY, OWNER, Ask, Failing, Ids


async def _with_a_newcomer(caller: Api, ids: Ids) -> Ids:
    """Somebody is registered who can be invited."""
    await caller.client.post("/auth/register", json={"email": "socia@example.com", "password": PASSWORD})
    return ids


ASKS: dict[str, Ask] = {
    "POST /auth/register": Ask(body={"email": "nueva@example.com", "password": PASSWORD}),
    "POST /auth/login": Ask(body={"email": "ana@example.com", "password": PASSWORD}),
    "GET /auth/me": Ask(allowed=EVERYBODY),
    "POST /auth/refresh": Ask(allowed=EVERYBODY),
    "POST /auth/logout": Ask(allowed=EVERYBODY),
    "POST /api/teams": Ask(body={"name": "Otra", "country": "ES"}, allowed=EVERYBODY),
    "GET /api/teams/current": Ask(allowed=EVERYBODY),
    "PUT /api/teams/current": Ask(body={"city": "Sevilla"}, allowed=ADMINS),
    "POST /api/teams/current/invite": Ask(
        body={"email": "socia@example.com", "role": "member"}, allowed=ADMINS, before=_with_a_newcomer
    ),
    "GET /api/teams/current/members": Ask(allowed=EVERYBODY),
    "PATCH /api/teams/current/members/{memberId}/role": Ask("team member", {"role": "viewer"}, allowed=ADMINS),
    "DELETE /api/teams/current/members/{memberId}": Ask("doomed team member", allowed=ADMINS),
    "POST /api/teams/current/regenerate-key": Ask(allowed=OWNER),
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
    ("POST /api/teams/current/invite", 400): Failing("POST", "/api/teams/current/invite", {"email": "nadie"}),
    ("POST /api/teams/current/invite", 404): Failing(
        "POST", "/api/teams/current/invite", {"email": "nadie@example.com"}
    ),
    ("PATCH /api/teams/current/members/{memberId}/role", 400): Failing(
        "PATCH", f"/api/teams/current/members/{uuid4()}/role", {"role": "owner"}
    ),
    ("PATCH /api/teams/current/members/{memberId}/role", 404): Failing(
        "PATCH", f"/api/teams/current/members/{uuid4()}/role", {"role": "viewer"}
    ),
    ("DELETE /api/teams/current/members/{memberId}", 404): Failing("DELETE", f"/api/teams/current/members/{uuid4()}"),
    ("POST /api/teams/switch/{teamId}", 403): Failing("POST", f"/api/teams/switch/{uuid4()}"),
}


FILLS = ("mail_log",)
"""Tables that the scene writes to."""


async def scene(api: Api) -> dict[str, str]:
    if not api.team:
        return {"team": ""}
    return {
        "team": api.team["id"],
        "team member": await _new_member(api),
        "doomed team member": await _new_member(api),
    }


async def _new_member(api: Api) -> str:
    """The id of a new membership of the team, of somebody whom no other test knows."""
    other = await Api.register(api.client, f"{uuid4().hex}@example.com")
    return str((await api.post("/api/teams/current/invite", {"email": other.email}))["member"]["id"])

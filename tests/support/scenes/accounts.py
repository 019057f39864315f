"""Accounts and teams."""

from functools import partial
from uuid import uuid4

from support.api import PASSWORD, Api, kernel_of
from support.letters import Mailbox
from support.scenes.ask import ADMINS, EVERYBODY, OWNER, Ask, Failing, Ids, Of
from support.work import worked_off


async def _with_a_newcomer(caller: Api, ids: Ids) -> Ids:
    """Somebody is registered who can be invited."""
    await caller.client.post("/auth/register", json={"email": "socia@example.com", "password": PASSWORD})
    return ids


async def _logged_in_anew(caller: Api, ids: Ids) -> Ids:
    """Log a person in again: an attempt before may have ended the login. A caller with a key stays one."""
    if "Authorization" in caller.headers and caller.email:
        await caller.log_in()
    return ids


async def _with_an_export(caller: Api, ids: Ids) -> Ids:
    """The caller's export is ready, if they may have one."""
    await caller.request("POST", "/auth/export")
    await worked_off(kernel_of(caller.client))
    return ids


async def _as_somebody_else(caller: Api, ids: Ids) -> Ids:
    """Somebody new, whose password nothing else needs; a caller with a key stays one."""
    if "Authorization" in caller.headers and caller.email:
        other = await Api.register(caller.client, f"{uuid4().hex}@example.com")
        caller.headers = other.headers
    return ids


async def _with_a_link(caller: Api, ids: Ids, page: str) -> Ids:
    """A link has been mailed to somebody new, whose token the request names."""
    kernel, email = kernel_of(caller.client), f"{uuid4().hex}@example.com"
    other = await Api.register(caller.client, email)
    if page == "verify":
        await other.post("/auth/verify/resend")
    else:
        await other.post("/auth/password/forgot", {"email": email})
    await worked_off(kernel)
    return {**ids, "link": Mailbox(kernel.settings.data_dir / "mail").token(email, page)}


ASKS: dict[str, Ask] = {
    "POST /auth/register": Ask(body={"email": "nueva@example.com", "password": PASSWORD}),
    "POST /auth/login": Ask(body={"email": "ana@example.com", "password": PASSWORD}),
    "POST /auth/session": Ask(body={"email": "ana@example.com", "password": PASSWORD}),
    "GET /auth/session": Ask(),
    "POST /auth/session/proof": Ask(body={"password": PASSWORD}, allowed=EVERYBODY),
    "DELETE /auth/session": Ask(allowed=EVERYBODY, before=_logged_in_anew),
    "GET /auth/me": Ask(allowed=EVERYBODY),
    "POST /auth/refresh": Ask(allowed=EVERYBODY),
    "POST /auth/password/forgot": Ask(body={"email": "ana@example.com"}),
    "POST /auth/password/reset": Ask(
        body={"token": Of("link"), "password": "three or four words"}, before=partial(_with_a_link, page="reset")
    ),
    "POST /auth/verify": Ask(
        body={"token": Of("link"), "password": PASSWORD}, before=partial(_with_a_link, page="verify")
    ),
    "POST /auth/verify/resend": Ask(allowed=EVERYBODY),
    "POST /auth/regenerate-key": Ask(allowed=EVERYBODY),
    "POST /auth/export": Ask(allowed=EVERYBODY),
    "GET /auth/export": Ask(allowed=EVERYBODY, before=_with_an_export),
    "GET /auth/export/download": Ask(allowed=EVERYBODY, before=_with_an_export),
    "DELETE /auth/export": Ask(allowed=EVERYBODY),
    "POST /auth/password": Ask(
        body={"old": PASSWORD, "new": "three or four words"}, allowed=EVERYBODY, before=_as_somebody_else
    ),
    "POST /auth/logout-everywhere": Ask(allowed=EVERYBODY, before=_logged_in_anew),
    "POST /auth/logout": Ask(allowed=EVERYBODY, before=_logged_in_anew),
    "DELETE /auth/me": Ask(body={"password": PASSWORD}, allowed=EVERYBODY, before=_as_somebody_else),
    "POST /api/teams": Ask(body={"name": "Otra", "country": "ES"}, allowed=EVERYBODY),
    "GET /api/teams/current": Ask(allowed=EVERYBODY),
    "POST /api/teams/current": Ask(body={"name": "Otra", "country": "ES"}, allowed=ADMINS),
    "PUT /api/teams/current": Ask(body={"city": "Sevilla"}, allowed=ADMINS),
    "POST /api/teams/current/invite": Ask(
        body={"email": "socia@example.com", "role": "member"}, allowed=ADMINS, before=_with_a_newcomer
    ),
    "GET /api/teams/current/invitations": Ask(allowed=ADMINS),
    "GET /api/teams/current/members": Ask(allowed=EVERYBODY),
    "PATCH /api/teams/current/members/{memberId}/role": Ask("team member", {"role": "viewer"}, allowed=ADMINS),
    "DELETE /api/teams/current/members/{memberId}": Ask("doomed team member", allowed=ADMINS),
    "POST /api/teams/current/regenerate-key": Ask(allowed=OWNER),
    "POST /api/teams/switch/{teamId}": Ask("team", allowed=EVERYBODY),
    "GET /api/teams/my-teams": Ask(allowed=EVERYBODY),
    "GET /api/teams/usual-tax-rate": Ask(allowed=EVERYBODY),
    "GET /api/teams/my-role": Ask(allowed=EVERYBODY),
    "GET /api/teams/roles": Ask(allowed=EVERYBODY),
}

FAILURES: dict[tuple[str, int], Failing] = {
    ("POST /auth/register", 400): Failing("POST", "/auth/register", {"email": "nobody", "password": PASSWORD}),
    ("POST /auth/login", 401): Failing(
        "POST", "/auth/login", {"email": "ana@example.com", "password": "another secret"}
    ),
    ("POST /auth/session", 401): Failing(
        "POST", "/auth/session", {"email": "ana@example.com", "password": "another secret"}
    ),
    ("POST /auth/password/forgot", 400): Failing("POST", "/auth/password/forgot", {"email": "nobody"}),
    ("POST /auth/password/reset", 400): Failing(
        "POST", "/auth/password/reset", {"token": "x" * 43, "password": PASSWORD}
    ),
    ("POST /auth/verify", 400): Failing("POST", "/auth/verify", {"token": "x" * 43, "password": PASSWORD}),
    ("POST /auth/password", 400): Failing("POST", "/auth/password", {"old": "not mine", "new": PASSWORD}),
    ("GET /auth/export", 404): Failing("GET", "/auth/export"),
    ("POST /auth/session/proof", 400): Failing("POST", "/auth/session/proof", {"password": "not mine"}),
    ("GET /auth/export/download", 404): Failing("GET", "/auth/export/download"),
    ("DELETE /auth/me", 400): Failing("DELETE", "/auth/me", {"password": "not mine"}),
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

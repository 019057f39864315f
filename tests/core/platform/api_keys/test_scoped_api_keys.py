"""API keys with scopes: made by a login, shown once, acting as their person within their scopes, gone at once."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import time_machine
from structlog.testing import capture_logs

from ledgerkit.core.platform.api_keys.operations import MOST_KEYS
from ledgerkit.core.platform.database.transactions import Database, Pooling
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.identity.logins.tokens import key_digest
from ledgerkit.core.platform.identity.persons.scoped_keys import KeyUse
from ledgerkit.core.platform.request.scopes import Scope
from support.api import CLIENT, PASSWORD, Api
from support.database import everything_stored, set_role
from support.letters import Mailbox
from support.scopes import with_scoped_key
from support.work import worked_off

KEYS = "/api/keys"
ALL_SCOPES = [scope.value for scope in Scope]
NEW = {"name": "Gestoría", "scopes": ["write", "read"]}
TOMORROW = "2026-12-02T10:00:00+01:00"


@pytest.fixture
async def rosa(kernel, ana, client) -> Api:
    """A member of ana's team."""
    api = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    api.team = ana.team
    return api


async def listed(owner: Api) -> list[dict[str, object]]:
    return await owner.get(KEYS)


# ---------------------------------------------------------------- making


async def test_a_key_is_shown_once_and_then_by_its_beginning(ana):
    body = await ana.post(KEYS, NEW)

    key = body.pop("key")
    assert key.startswith("lks_")
    assert len(key) == len("lks_") + 43
    assert key.startswith(body["prefix"])
    assert len(body["prefix"]) == 12
    assert (body["name"], body["scopes"]) == ("Gestoría", ["read", "write"])
    assert (body["expiresAt"], body["lastUsedAt"]) == (None, None)
    assert await listed(ana) == [body]


async def test_only_the_digest_is_stored(ana, kernel):
    key = (await ana.request("POST", KEYS, NEW, **{"Idempotency-Key": "once"})).json()["key"]

    stored = await everything_stored(kernel)

    assert key_digest(key) in stored
    assert key not in stored
    assert key[12:] not in stored


async def test_a_repeated_request_gets_the_same_key(ana):
    first = await ana.request("POST", KEYS, NEW, **{"Idempotency-Key": "once"})
    second = await ana.request("POST", KEYS, NEW, **{"Idempotency-Key": "once"})

    assert second.headers["idempotent-replayed"] == "true"
    assert first.json() == second.json()
    assert len(await listed(ana)) == 1


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"name": " "}, "name", "string_too_short"),
        ({"scopes": []}, "scopes", "too_short"),
        ({"scopes": ["everything"]}, "scopes[0]", "enum"),
        ({"scopes": None}, "scopes", "list_type"),
        ({"expiresAt": "2027-01-01T00:00:00"}, "expiresAt", "timezone_aware"),
        ({"expiresAt": "soon"}, "expiresAt", "datetime_from_date_parsing"),
        ({"expiresAt": "9999-12-31T23:59:59-23:59"}, "expiresAt", "date_out_of_range"),
        ({"expiresAt": "0001-01-01T00:00:00+14:00"}, "expiresAt", "VALIDATION_ERROR"),
        ({"expiresAt": "2026-11-01T00:00:00Z"}, "expiresAt", "VALIDATION_ERROR"),
    ],
)
async def test_what_makes_no_key_is_named(ana, fields, field, code):
    problem = await ana.refused(400, "POST", KEYS, {**NEW, **fields})

    assert [(error["field"], error["code"]) for error in problem["errors"]] == [(field, code)]
    assert await listed(ana) == []


async def test_a_person_has_a_hundred_keys_at_most(ana, berta):
    for _ in range(MOST_KEYS):
        await ana.post(KEYS, NEW)

    problem = await ana.refused(400, "POST", KEYS, NEW)

    assert "100" in problem["detail"]
    assert "/api/keys/{id}" in problem["remedy"]
    await berta.post(KEYS, NEW)


@pytest.mark.parametrize(("method", "path"), [("GET", KEYS), ("POST", KEYS), ("DELETE", f"{KEYS}/x")])
async def test_keys_manage_no_keys(ana, method, path):
    scoped = await with_scoped_key(ana, *ALL_SCOPES)
    for caller in (
        scoped,
        Api(ana.client, {"x-api-key": ana.api_key}),
        Api(ana.client, {"x-api-key": ana.team["apiKey"]}),
    ):
        problem = await caller.refused(401, method, path, NEW if method == "POST" else None)

        assert "login" in problem["detail"]


# ---------------------------------------------------------------- acting


@pytest.mark.parametrize("header", ["x-api-key", "Authorization"])
async def test_a_key_acts_as_its_person(ana, header):
    scoped = await with_scoped_key(ana, "read", "write")
    caller = Api(ana.client, {header: scoped.api_key if header == "x-api-key" else f"Bearer {scoped.api_key}"})

    client = await caller.post("/api/clients", CLIENT)

    assert (await caller.get("/auth/me"))["user"]["email"] == ana.email
    entry = next(one for one in await ana.get("/api/invoices/activity/feed") if one["entityId"] == client["id"])
    assert (entry["userName"], entry["channel"], entry["client"]) == ("ana", "api", "Asistente")
    assert entry["keyPrefix"] == scoped.api_key[:12]


async def test_the_log_says_who_made_and_revoked_a_key(ana):
    body = await ana.post(KEYS, NEW)
    await ana.delete(f"{KEYS}/{body['id']}")

    entries = [one for one in await ana.get("/api/invoices/activity/feed") if one["entityType"] == "api_key"]

    assert [(one["action"], one["entityLabel"], one["entityId"]) for one in entries] == [
        ("revoked", "Gestoría", body["id"]),
        ("created", "Gestoría", body["id"]),
    ]
    assert entries[1]["changes"] == {"scopes": {"from": None, "to": ["read", "write"]}}


async def test_what_a_key_does_not_cover_is_refused_for_that_reason(ana):
    reader = await with_scoped_key(ana, "read")

    problem = await reader.refused(403, "POST", "/api/clients", CLIENT)

    assert (problem["code"], problem["requiredScope"]) == ("INSUFFICIENT_SCOPE", "write")
    assert problem["requiredPermission"] == "clients:write"
    assert await reader.get("/api/clients") == []


async def test_what_the_role_does_not_grant_is_the_roles_matter(rosa):
    scoped = await with_scoped_key(rosa, *ALL_SCOPES)

    problem = await scoped.refused(403, "PUT", "/api/teams/current", {"city": "Sevilla"})

    assert (problem["code"], problem["requiredRoles"]) == ("FORBIDDEN_ROLE", ["owner", "admin"])


async def test_a_key_has_the_role_of_the_moment(kernel, ana, rosa):
    scoped = await with_scoped_key(rosa, *ALL_SCOPES)
    await scoped.post("/api/clients", CLIENT)

    await set_role(kernel, team_id=ana.team["id"], user_email=rosa.email, role="viewer")

    await scoped.refused(403, "POST", "/api/clients", CLIENT)
    assert (await scoped.get("/api/teams/my-role"))["role"] == "viewer"


async def test_who_asks_is_told_what_the_credentials_cover(ana):
    assert (await ana.get("/auth/me"))["scopes"] == ALL_SCOPES
    assert (await Api(ana.client, {"x-api-key": ana.api_key}).get("/auth/me"))["scopes"] == ALL_SCOPES
    me = await (await with_scoped_key(ana, "fiscal", "read")).get("/auth/me")
    assert me["scopes"] == ["read", "fiscal"]


# ---------------------------------------------------------------- one account


async def test_a_key_stays_in_its_account_whatever_is_active(ana):
    scoped = await with_scoped_key(ana, *ALL_SCOPES)
    other = await ana.post("/api/teams", {"name": "Otra", "country": "ES"})

    assert (await scoped.get("/api/teams/current"))["team"]["id"] == ana.team["id"]
    assert [one["id"] for one in await scoped.get("/api/teams/my-teams")] == [ana.team["id"]]
    problem = await scoped.refused(403, "GET", "/api/clients", **{"X-Team-Id": other["id"]})
    assert problem["code"] == "NOT_TEAM_MEMBER"
    assert (await scoped.request("GET", "/api/clients", **{"X-Team-Id": ana.team["id"]})).status_code == 200
    assert await listed(ana) == []
    (key,) = (await ana.request("GET", KEYS, **{"X-Team-Id": ana.team["id"]})).json()
    await ana.refused(404, "DELETE", f"{KEYS}/{key['id']}")


async def test_a_key_changes_no_active_team_and_founds_none(ana):
    scoped = await with_scoped_key(ana, *ALL_SCOPES)
    other = await ana.post("/api/teams", {"name": "Otra", "country": "ES"})

    await scoped.post(f"/api/teams/switch/{ana.team['id']}")

    assert (await ana.get("/api/teams/current"))["team"]["id"] == other["id"]
    await scoped.refused(403, "POST", f"/api/teams/switch/{other['id']}")
    await scoped.refused(403, "POST", "/api/teams", {"name": "Tercera", "country": "ES"})


async def test_no_scope_shows_or_replaces_the_teams_key(ana):
    scoped = await with_scoped_key(ana, *ALL_SCOPES)

    assert (await scoped.get("/api/teams/current"))["team"]["apiKey"] is None
    problem = await scoped.refused(403, "POST", "/api/teams/current/regenerate-key")
    assert (problem["code"], problem["requiredScope"]) == ("INSUFFICIENT_SCOPE", None)


async def test_nobody_leaves_a_team_by_a_key_for_less(rosa):
    scoped = await with_scoped_key(rosa, "read", "write", "fiscal")
    me = (await rosa.get("/auth/me"))["user"]["id"]

    problem = await scoped.refused(403, "DELETE", f"/api/teams/current/members/{me}")

    assert problem["requiredScope"] == "team"
    await rosa.delete(f"/api/teams/current/members/{me}")


async def test_a_key_of_the_personal_workspace_goes_on_in_the_team_that_takes_it_over(client):
    eva = await Api.register(client, "eva@example.com")
    scoped = await with_scoped_key(eva, "read")

    team = await eva.post("/api/teams", {"name": "Eva", "country": "ES"})

    assert (await scoped.get("/api/teams/current"))["team"]["id"] == team["id"]


# ---------------------------------------------------------------- ending


async def test_a_revoked_key_opens_nothing_from_then_on(ana, berta):
    scoped = await with_scoped_key(ana, "read")
    (key,) = await listed(ana)
    await berta.refused(404, "DELETE", f"{KEYS}/{key['id']}")

    await ana.delete(f"{KEYS}/{key['id']}")

    problem = await scoped.refused(401, "GET", "/api/clients")
    assert "revoked" in problem["detail"]
    assert "POST /api/keys" in problem["remedy"]
    assert await listed(ana) == []
    await ana.refused(404, "DELETE", f"{KEYS}/{key['id']}")


async def test_an_expired_key_says_when_it_expired(ana):
    with time_machine.travel(datetime(2026, 12, 1, 12, tzinfo=UTC), tick=False) as time:
        await ana.log_in()
        scoped = await with_scoped_key(ana, "read", expiresAt=TOMORROW)
        await scoped.get("/api/clients")
        time.shift(timedelta(hours=21))

        problem = await scoped.refused(401, "GET", "/api/clients")

        assert problem["detail"] == 'The API key "Asistente" expired at 2026-12-02T09:00:00.000Z.'
        assert "POST /api/keys" in problem["remedy"]
        await ana.log_in()
        assert [one["expiresAt"] for one in await listed(ana)] == ["2026-12-02T09:00:00.000Z"]


async def test_the_end_of_a_membership_ends_its_keys(ana, rosa):
    scoped = await with_scoped_key(rosa, "read")
    me = (await rosa.get("/auth/me"))["user"]["id"]

    await ana.delete(f"/api/teams/current/members/{me}")
    await scoped.refused(401, "GET", "/api/clients")
    await ana.post("/api/teams/current/invite", {"email": rosa.email, "role": "admin"})

    await scoped.refused(401, "GET", "/api/clients")


async def test_a_change_of_password_and_the_end_of_logins_keep_keys(ana):
    scoped = await with_scoped_key(ana, "read")

    await ana.post("/auth/regenerate-key")
    await ana.post("/auth/logout-everywhere")
    await ana.log_in()
    await ana.post("/auth/password", {"old": PASSWORD, "new": "three or four words"})

    assert await scoped.get("/api/clients") == []


async def test_a_forgotten_password_ends_keys(ana, kernel, settings):
    scoped = await with_scoped_key(ana, "read")
    await ana.post("/auth/password/forgot", {"email": ana.email})
    await worked_off(kernel)
    token = Mailbox(settings.data_dir / "mail").token(ana.email, "reset")

    await ana.post("/auth/password/reset", {"token": token, "password": "three or four words"})

    await scoped.refused(401, "GET", "/api/clients")


async def test_whoever_goes_leaves_no_key(ana, kernel):
    scoped = await with_scoped_key(ana, "read")

    await ana.request("DELETE", "/auth/me", {"password": PASSWORD})
    await worked_off(kernel)

    await scoped.refused(401, "GET", "/api/clients")
    assert key_digest(scoped.api_key) not in await everything_stored(kernel)


# ---------------------------------------------------------------- what is not a key


@pytest.mark.parametrize("header", ["x-api-key", "Authorization"])
@pytest.mark.parametrize(
    ("credential", "said"), [("lks_nonsense", "revoked"), ("lks_" + "A" * 43, "revoked"), ("lka_" + "A" * 43, "/mcp")]
)
async def test_what_is_no_key_is_refused_in_words(client, header, credential, said):
    headers = {header: credential if header == "x-api-key" else f"Bearer {credential}"}

    problem = await Api(client, headers).refused(401, "GET", "/api/clients")

    assert said in problem["detail"]
    assert "POST /api/keys" in problem["remedy"]


# ---------------------------------------------------------------- last use


async def test_the_last_use_is_noted_once_a_minute_beside_the_requests(ana, kernel):
    moment = datetime(2026, 12, 1, 12, tzinfo=UTC)
    with time_machine.travel(moment, tick=False) as time:
        await ana.log_in()
        scoped = await with_scoped_key(ana, "read")
        uses = []
        for seconds in (0, 59, 2):
            time.shift(timedelta(seconds=seconds))
            await scoped.get("/api/clients")
            await kernel.service(Authenticator).stop()
            uses.append((await listed(ana))[0]["lastUsedAt"])

    assert uses == ["2026-12-01T12:00:00.000Z", "2026-12-01T12:00:00.000Z", "2026-12-01T12:01:01.000Z"]


async def test_a_note_that_cannot_be_stored_is_logged_and_no_matter():
    database = Database("postgresql+asyncpg://nobody@127.0.0.1:1/nothing", Pooling(size=1))
    use, key_id = KeyUse(database), uuid4()

    with capture_logs() as logs:
        use.note(key_id, None)
        use.note(key_id, None)
        await use.finish()

    assert [(line["log_level"], line["key"]) for line in logs] == [("warning", str(key_id))]
    await database.close()

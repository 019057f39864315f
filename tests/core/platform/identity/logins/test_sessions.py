"""Another token before the first ends, and the end of logins and keys."""

from datetime import UTC, datetime, timedelta

import jwt
import pytest
import time_machine
from sqlalchemy import text

from ledgerkit.core.platform.identity.logins import sessions
from support.api import PASSWORD, Api
from support.database import as_owner, everything_stored, row_counts

PERSONAL = ["/auth/refresh", "/auth/logout", "/auth/logout-everywhere", "/auth/regenerate-key"]


def bearer(ana: Api, token: str) -> Api:
    return Api(ana.client, {"Authorization": f"Bearer {token}"})


def claims(token: str) -> dict:
    return jwt.decode(token, options={"verify_signature": False})


async def refreshed(api: Api) -> Api:
    return bearer(api, (await api.post("/auth/refresh"))["token"])


async def logged_in(api: Api) -> Api:
    """Log the caller's person in once more."""
    answer = await api.client.post("/auth/login", json={"email": api.email, "password": PASSWORD})
    return bearer(api, answer.json()["token"])


async def test_a_refreshed_token_is_another_one_of_the_same_user(ana):
    answer = await ana.post("/auth/refresh")

    assert answer.keys() == {"token", "accessToken", "tokenType", "expiresIn"}
    assert (answer["token"], answer["tokenType"], answer["expiresIn"]) == (answer["accessToken"], "Bearer", 86400)
    other = bearer(ana, answer["token"])
    assert (await other.get("/auth/me"))["user"] == (await ana.get("/auth/me"))["user"]


async def test_a_refreshed_token_lives_for_a_day_from_now(ana):
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=23), tick=False):
        token = (await ana.post("/auth/refresh"))["token"]

    with time_machine.travel(datetime.now(UTC) + timedelta(hours=46)):
        assert (await bearer(ana, token).get("/auth/me"))["user"]["email"] == ana.email
        await ana.refused(401, "POST", "/auth/refresh")


async def test_thirty_days_after_the_password_no_refreshing_helps(ana):
    begun, caller = datetime.now(UTC), ana
    for hours in range(23, 30 * 24, 23):
        with time_machine.travel(begun + timedelta(hours=hours), tick=False):
            answer = await caller.post("/auth/refresh")
            caller = bearer(ana, answer["token"])

    left = 30 * 24 - hours
    assert hours * 3600 + answer["expiresIn"] <= 30 * 86_400
    assert 0 < answer["expiresIn"] <= left * 3600
    with time_machine.travel(begun + timedelta(days=30, seconds=1), tick=False):
        await caller.refused(401, "GET", "/auth/me")
        await caller.refused(401, "POST", "/auth/refresh")


async def test_each_refresh_with_one_key_is_a_fresh_one_and_none_is_stored(kernel, ana):
    before = await row_counts(kernel)

    first, second = [await ana.request("POST", "/auth/refresh", **{"Idempotency-Key": "7f3c"}) for _ in range(2)]

    assert claims(first.json()["token"])["jti"] != claims(second.json()["token"])["jti"]
    assert await row_counts(kernel) == before


@pytest.mark.parametrize("place", [0, 1, 2], ids=["the first", "a refreshed", "the last"])
async def test_logging_out_ends_the_login_with_all_its_tokens(ana, place):
    tokens = [ana, await refreshed(ana)]
    tokens.append(await refreshed(tokens[1]))

    assert await tokens[place].post("/auth/logout") == {"ok": True}

    for token in tokens:
        for method, path in (("GET", "/auth/me"), ("POST", "/auth/refresh"), ("POST", "/auth/logout")):
            problem = await token.refused(401, method, path)
            assert (problem["code"], bool(problem["remedy"])) == ("UNAUTHENTICATED", True)
        await token.refused(401, "GET", "/api/invoices", **{"X-Team-Id": ana.team["id"]})


async def test_logging_out_ends_nothing_else(ana, berta):
    other = await logged_in(ana)
    await other.post("/auth/logout")

    key = Api(ana.client, {"x-api-key": ana.api_key})

    assert [(await one.request("GET", "/auth/me")).status_code for one in (ana, key, berta)] == [200] * 3
    assert (await (await logged_in(ana)).request("GET", "/auth/me")).status_code == 200


async def test_logging_out_everywhere_ends_every_login_and_no_key(ana, berta):
    tokens = [ana, await refreshed(ana), await logged_in(ana)]

    assert await tokens[1].post("/auth/logout-everywhere") == {"ok": True}

    for token in tokens:
        await token.refused(401, "GET", "/auth/me")
        await token.refused(401, "POST", "/auth/refresh")
    key = Api(ana.client, {"x-api-key": ana.api_key})
    assert [(await one.request("GET", "/auth/me")).status_code for one in (key, berta)] == [200] * 2
    assert (await (await logged_in(ana)).request("GET", "/auth/me")).status_code == 200


async def test_a_new_key_kills_the_one_before_at_once_and_is_what_logins_give(ana, berta):
    answer = await ana.post("/auth/regenerate-key")

    old, new = (Api(ana.client, {"x-api-key": key}) for key in (ana.api_key, answer["apiKey"]))
    await old.refused(401, "GET", "/auth/me")
    assert (await new.get("/auth/me"))["user"]["email"] == ana.email
    again = await ana.client.post("/auth/login", json={"email": ana.email, "password": PASSWORD})
    assert again.json()["apiKey"] == answer["apiKey"]
    others = (ana.team["apiKey"], berta.api_key, berta.team["apiKey"])
    assert [(await Api(ana.client, {"x-api-key": key}).request("GET", "/auth/me")).status_code for key in others] == [
        200
    ] * 3


async def test_a_new_key_is_made_once_under_one_idempotency_key_and_never_stored(kernel, ana):
    first, second = [await ana.request("POST", "/auth/regenerate-key", **{"Idempotency-Key": "k"}) for _ in range(2)]

    assert first.json() == second.json()
    assert second.headers["idempotent-replayed"] == "true"
    assert first.json()["apiKey"][41:] not in await everything_stored(kernel)


@pytest.mark.parametrize("path", PERSONAL)
async def test_an_api_key_is_no_login(kernel, ana, path):
    before = await row_counts(kernel)

    for headers in (
        {"x-api-key": ana.api_key},
        {"x-api-key": ana.team["apiKey"]},
        {"Authorization": f"Bearer {ana.api_key}"},
    ):
        problem = await Api(ana.client, headers).refused(401, "POST", path)
        assert "API key" in problem["detail"]
        assert "POST /auth/login" in problem["remedy"]

    assert await row_counts(kernel) == before


async def test_what_was_revoked_is_remembered_as_long_as_its_last_token_could_live(kernel, ana):
    begun = datetime.now(UTC)
    await ana.post("/auth/logout")

    with time_machine.travel(begun + timedelta(days=29, hours=23), tick=False):
        await sessions.forget(kernel)
        kept = (await row_counts(kernel))["revoked_login"]
    with time_machine.travel(begun + timedelta(days=30, hours=1), tick=False):
        await sessions.forget(kernel)

    assert (kept, (await row_counts(kernel))["revoked_login"]) == (1, 0)


async def test_a_token_from_before_logins_had_ids_is_a_login_of_its_own(kernel, ana):
    """An upgrade logs nobody out, and what was logged out before it stays so."""
    async with as_owner(kernel) as connection:
        [user] = (await connection.execute(text("select id from app_user where email = 'ana@example.com'"))).scalars()
    now = datetime.now(UTC)
    old = {"sub": str(user), "ver": 1, "iat": now, "exp": now + timedelta(hours=1), "jti": "old"}
    tokens = kernel.service(sessions.Tokens)
    token = jwt.encode(
        {**old, "iss": "ledgerkit", "aud": "ledgerkit"}, tokens._signing, "HS256", headers={"kid": tokens._kid}
    )
    caller = bearer(ana, token)
    assert (await caller.get("/auth/me"))["user"]["email"] == ana.email
    descendant = await refreshed(caller)

    await caller.post("/auth/logout")

    await caller.refused(401, "GET", "/auth/me")
    await descendant.refused(401, "GET", "/auth/me")

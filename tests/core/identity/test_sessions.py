"""Another token before the first ends, and the end of one."""

from datetime import UTC, datetime, timedelta

import jwt
import pytest
import time_machine
from sqlalchemy import text

from ledgerkit.core.identity import sessions
from support.api import PASSWORD, Api
from support.database import as_owner, row_counts


def bearer(ana: Api, token: str) -> Api:
    return Api(ana.client, {"Authorization": f"Bearer {token}"})


def claims(token: str) -> dict:
    return jwt.decode(token, options={"verify_signature": False})


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


async def test_each_refresh_with_one_key_is_a_fresh_one_and_none_is_stored(kernel, ana):
    before = await row_counts(kernel)

    first, second = [await ana.request("POST", "/auth/refresh", **{"Idempotency-Key": "7f3c"}) for _ in range(2)]

    assert claims(first.json()["token"])["jti"] != claims(second.json()["token"])["jti"]
    assert await row_counts(kernel) == before


async def test_a_token_that_was_logged_out_is_dead_at_once(ana):
    other = bearer(ana, (await ana.post("/auth/refresh"))["token"])

    assert await other.post("/auth/logout") == {"ok": True}

    for method, path in (("GET", "/auth/me"), ("POST", "/auth/refresh"), ("POST", "/auth/logout")):
        problem = await other.refused(401, method, path)
        assert (problem["code"], bool(problem["remedy"])) == ("UNAUTHENTICATED", True)
    await other.refused(401, "GET", "/api/invoices", **{"X-Team-Id": ana.team["id"]})


async def test_logging_out_ends_nothing_else(ana):
    other = bearer(ana, (await ana.post("/auth/refresh"))["token"])
    await other.post("/auth/logout")

    key = Api(ana.client, {"x-api-key": ana.api_key})
    again = await ana.client.post("/auth/login", json={"email": ana.email, "password": PASSWORD})

    assert [(await one.request("GET", "/auth/me")).status_code for one in (ana, key)] == [200, 200]
    assert again.status_code == 200


@pytest.mark.parametrize("path", ["/auth/refresh", "/auth/logout"])
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


async def test_what_was_revoked_is_remembered_as_long_as_the_token_would_have_lived(kernel, ana):
    await ana.post("/auth/logout")

    await sessions.forget(kernel)
    await ana.refused(401, "GET", "/auth/me")
    async with as_owner(kernel) as connection:
        await connection.execute(text("update revoked_login set expires_at = now() - interval '1 second'"))
    await sessions.forget(kernel)

    assert (await row_counts(kernel))["revoked_login"] == 0

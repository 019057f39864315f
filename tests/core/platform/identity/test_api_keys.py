"""API keys: the same at each login, void when wrong in any part, and not to be had from the database."""

from uuid import uuid4

import pytest
from sqlalchemy import text

from ledgerkit.core.platform.identity.logins.tokens import Tokens, key_id
from support.api import PASSWORD, Api
from support.database import as_owner, everything_stored

SCHEMES = ("Bearer", "bearer", "BEARER")


async def login(client, email: str = "ana@example.com") -> dict[str, object]:
    answer = await client.post("/auth/login", json={"email": email, "password": PASSWORD})
    assert answer.status_code == 200
    return answer.json()


async def test_the_key_is_the_same_at_each_login(ana, client):
    assert [(await login(client))["apiKey"] for _ in range(2)] == [ana.api_key] * 2


async def test_a_key_has_its_form(ana):
    prefix, mac = ana.api_key.removeprefix("lk_live_").split("_", 1)

    assert ana.api_key.startswith("lk_live_")
    assert (len(prefix), len(mac)) == (32, 43)


async def test_keys_open_the_account_by_either_header(ana, client):
    for headers in ({"x-api-key": ana.api_key}, *({"Authorization": f"{word} {ana.api_key}"} for word in SCHEMES)):
        me = await Api(client, headers).get("/auth/me")

        assert me["user"]["email"] == "ana@example.com"


def damaged(key: str, other: str) -> dict[str, str]:
    head, mac = key[:41], key[41:]
    return {
        "another MAC": head + "A" * 43,
        "one character less": key[:-1],
        "one character more": key + "A",
        "no MAC": head,
        "another id": f"lk_live_{uuid4().hex}_{mac}",
        "somebody else's MAC": head + other[41:],
        "somebody else's id": other[:41] + mac,
        "no prefix": key.removeprefix("lk_live_"),
        "another prefix": key.replace("lk_live_", "lk_test_"),
        "letters of another alphabet": head + "é" * 43,
        "a dashed id": f"lk_live_{uuid4()}_{mac}",
        "nothing": "",
    }


async def test_a_key_wrong_in_any_part_opens_nothing(ana, berta, client):
    for name, key in damaged(ana.api_key, berta.api_key).items():
        answer = await client.get("/auth/me", headers={"x-api-key": key.encode()})

        assert answer.status_code == 401, name


async def test_a_team_key_is_no_user_key_and_the_other_way_round(ana, kernel):
    tokens, known = kernel.service(Tokens), key_id(ana.api_key)
    me = await ana.get("/auth/me")

    swapped = tokens.api_key(known, "team", key_id(me["user"]["id"].replace("-", "")) or uuid4(), 1)

    await Api(ana.client, {"x-api-key": swapped}).refused(401, "GET", "/auth/me")


@pytest.mark.parametrize("whose", ["user", "team"])
async def test_a_new_version_kills_the_old_key_at_once(kernel, ana, whose):
    key = ana.api_key if whose == "user" else ana.team["apiKey"]
    caller = Api(ana.client, {"x-api-key": key})
    await caller.get("/auth/me")
    async with as_owner(kernel) as connection:
        await connection.execute(text("update api_key set version = version + 1 where kind = :kind"), {"kind": whose})

    await caller.refused(401, "GET", "/auth/me")


async def test_nothing_recoverable_lies_in_the_database(kernel, ana):
    caller = Api(ana.client, {"x-api-key": ana.api_key})
    await caller.invoice()
    await caller.request("POST", "/api/clients", {"name": "x"}, **{"Idempotency-Key": "k"})
    await ana.request("POST", "/api/teams", {"name": "Otra", "country": "ES"}, **{"Idempotency-Key": "k"})
    other = await ana.get("/api/teams/my-teams")

    stored = await everything_stored(kernel)

    token = ana.headers["Authorization"].removeprefix("Bearer ")
    secrets = [PASSWORD, token, token.rpartition(".")[2], ana.api_key[41:], *(team["apiKey"][41:] for team in other)]
    assert [secret for secret in secrets if secret in stored] == []
    assert ana.api_key[8:40] not in stored  # an id is stored as uuid, with dashes
    assert "$argon2id$" in stored


async def test_the_log_names_the_key_by_its_beginning_only(ana):
    caller = Api(ana.client, {"x-api-key": ana.api_key})
    await caller.post("/api/clients", {"name": "x"})

    [entry, *_] = await ana.get("/api/invoices/activity/feed")

    assert entry["keyPrefix"] == ana.api_key[:16]

"""Registering and logging in with an Idempotency-Key: nothing that opens an account is stored."""

import asyncio
from typing import Any

import asyncpg
import httpx2
import pytest
from sqlalchemy import text

from support.api import PASSWORD
from support.database import as_owner, everything_stored, row_counts
from support.office import cloned
from support.serving import served

EVA = {"email": "eva@example.com", "password": PASSWORD, "name": "Eva Sol"}
KEY = {"Idempotency-Key": "7f3c"}


async def post(client, path: str, sent: dict[str, Any], **headers: str):
    return await client.post(f"/auth/{path}", json=sent, headers=headers)


async def works(client, answer) -> bool:
    """Return True when the token of an answer opens its account."""
    credentials = {"Authorization": f"Bearer {answer.json()['token']}"}
    return (await client.get("/auth/me", headers=credentials)).json()["user"] == answer.json()["user"]


async def test_the_same_registration_with_the_same_key_logs_in(kernel, client):
    first = await post(client, "register", EVA, **KEY)
    before = await row_counts(kernel)

    second = await post(client, "register", {**EVA, "email": "Eva@Example.com"}, **KEY)

    assert (first.status_code, second.status_code) == (200, 200)
    assert ("idempotent-replayed" in first.headers, second.headers["idempotent-replayed"]) == (False, "true")
    assert {name for name in EVA.keys() | first.json().keys() if first.json().get(name) != second.json().get(name)} == {
        "token",
        "accessToken",
    }
    assert await works(client, second)
    assert await row_counts(kernel) == before


@pytest.mark.parametrize(
    "change", [{"password": "another good secret"}, {"name": "Eva"}, {"country": "FR"}, {"currency": "USD"}]
)
async def test_another_registration_of_the_address_with_the_same_key_is_a_conflict(client, change):
    await post(client, "register", EVA, **KEY)

    answer = await post(client, "register", EVA | change, **KEY)

    assert (answer.status_code, answer.json()["code"]) == (409, "IDEMPOTENCY_CONFLICT")
    assert answer.json()["remedy"]
    assert "token" not in answer.text.replace("Idempotency", "")


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "another"}])
async def test_without_that_key_the_address_is_taken(client, headers):
    await post(client, "register", EVA, **KEY)

    answer = await post(client, "register", EVA, **headers)

    assert (answer.status_code, answer.json()["code"]) == (400, "EMAIL_TAKEN")


async def test_who_registered_without_a_key_is_not_reached_by_one(client):
    await post(client, "register", EVA)

    answer = await post(client, "register", EVA, **KEY)

    assert answer.json()["code"] == "EMAIL_TAKEN"


async def test_two_people_may_choose_the_same_key(client):
    first = await post(client, "register", EVA, **KEY)

    other = await post(client, "register", EVA | {"email": "luz@example.com"}, **KEY)

    assert (other.status_code, "idempotent-replayed" in other.headers) == (200, False)
    assert other.json()["user"]["id"] != first.json()["user"]["id"]


@pytest.mark.parametrize(("age", "status"), [(23, 200), (25, 400)])
async def test_a_registration_is_repeatable_for_a_day(kernel, client, age, status):
    await post(client, "register", EVA, **KEY)
    async with as_owner(kernel) as connection:
        await connection.execute(text("update app_user set created_at = now() - interval '1h' * :age"), {"age": age})

    assert (await post(client, "register", EVA, **KEY)).status_code == status


async def test_nothing_of_the_request_can_be_read_in_the_database(kernel, client):
    key = "a key that nobody else would choose"

    answer = await post(client, "register", EVA, **{"Idempotency-Key": key})

    stored = await everything_stored(kernel)
    body = answer.json()
    for secret in (key, PASSWORD, body["token"], body["apiKey"], body["apiKey"][-43:]):
        assert secret not in stored


async def test_each_login_with_one_key_is_a_fresh_one(kernel, client):
    await post(client, "register", EVA)
    before = await row_counts(kernel)

    first, second = [await post(client, "login", EVA, **KEY) for _ in range(2)]

    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json()["token"] != second.json()["token"]
    assert "idempotent-replayed" not in second.headers
    assert await row_counts(kernel) == before


@pytest.mark.parametrize("path", ["register", "login"])
@pytest.mark.parametrize(("key", "accepted"), [("k" * 255, True), ("k" * 256, False), ("", False), ("\x7f", False)])
async def test_a_key_is_a_word_here_too(client, path, key, accepted):
    await post(client, "register", EVA | {"email": "luz@example.com"})
    email = {"register": "eva@example.com", "login": "luz@example.com"}[path]

    answer = await post(client, path, EVA | {"email": email}, **{"Idempotency-Key": key})

    assert answer.status_code == (200 if accepted else 400)
    if not accepted:
        assert answer.json()["errors"][0]["field"] == "Idempotency-Key"


@pytest.mark.whole
async def test_twins_at_once_register_once(postgres, tmp_path):
    async with cloned(postgres) as url:
        plain = url.replace("+asyncpg", "")
        async with (
            served(tmp_path / "data", DATABASE_URL=plain) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):

            async def registered():
                """The answer to a patient caller: one of a busy machine is told to come again."""
                while (answer := await post(client, "register", EVA, **KEY)).status_code == 409:
                    assert answer.json()["code"] == "REQUEST_IN_FLIGHT"
                    await asyncio.sleep(float(answer.headers["Retry-After"]))
                return answer

            async with asyncio.timeout(60):
                answers = await asyncio.gather(*(registered() for _ in range(8)))
            database = await asyncpg.connect(plain)
            users = await database.fetchval("select count(*) from app_user")
            await database.close()

    assert {answer.status_code for answer in answers} == {200}
    assert sorted("idempotent-replayed" in answer.headers for answer in answers) == [False] + [True] * 7
    assert len({answer.json()["user"]["id"] for answer in answers}) == users == 1

"""Limits on a caller's tries: their number, the identity of a caller, and the answers beyond the limit."""

import asyncio
import threading

import httpx2
import pytest

from ledgerkit.core.platform.identity.limits.throttle import origin
from ledgerkit.core.platform.identity.persons.passwords import AT_ONCE, WAITING_EACH, Passwords
from ledgerkit.settings import RateLimit, Settings
from support.api import PASSWORD, Api, kernel_of
from support.office import eventually, until
from support.serving import served
from support.work import worked_off

BASE_URL = "http://127.0.0.1:8000"
EVA = {"email": "eva@example.com", "password": PASSWORD}


@pytest.mark.parametrize(
    ("address", "one"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2::7", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2:0:0:0:1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::7", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::1", "::/64"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_a_subscriber_is_an_address_or_a_64_of_them(address, one):
    assert origin(address) == one


def calling_from(client: httpx2.AsyncClient, address: str) -> httpx2.AsyncClient:
    """Another caller of the same server, at another network address."""
    transport = httpx2.ASGITransport(client._transport.app, raise_app_exceptions=False, client=(address, 4711))
    return httpx2.AsyncClient(transport=transport, base_url=BASE_URL)


async def tried(caller: httpx2.AsyncClient, path: str = "/auth/login", **fields: str) -> httpx2.Response:
    return await caller.post(path, json={**EVA, **fields})


class TestThrottled:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"rate_limit": RateLimit.ON})

    async def test_sixty_tries_a_minute_at_any_addresses_are_all(self, client):
        tries = [(await tried(client, email=f"{number}@example.com")).status_code for number in range(61)]
        last = await tried(client, email="another@example.com")

        assert tries == [401] * 60 + [429]
        assert last.headers["ratelimit-limit"] == "60"
        assert 1 <= int(last.headers["retry-after"]) <= 60

    async def test_a_64_of_ipv6_is_one_caller(self, client):
        places = [f"2001:db8::{number:x}" for number in range(11)]

        seen = [(await tried(calling_from(client, one))).status_code for one in places]
        elsewhere = await tried(calling_from(client, "2001:db8:0:1::1"))

        assert seen == [401] * 10 + [429]
        assert elsewhere.status_code == 401

    async def test_others_are_not_kept_out_by_somebodys_tries(self, client):
        await tried(client, "/auth/register")
        for _ in range(11):
            await tried(client, password="wrong password")

        answer = await tried(calling_from(client, "198.51.100.9"))

        assert answer.status_code == 200

    async def test_every_way_to_try_a_password_counts_as_the_same(self, client, mailbox):
        eva = await Api.register(client, "eva@example.com")
        await eva.post("/auth/verify/resend")
        await worked_off(kernel_of(client))
        token = mailbox.token("eva@example.com", "verify")
        for _ in range(3):
            await eva.refused(400, "POST", "/auth/password", {"old": "not mine", "new": PASSWORD})
            await eva.refused(400, "DELETE", "/auth/me", {"password": "not mine"})
            await tried(client, "/auth/verify", token=token, password="not mine")
        await tried(client, password="not mine")

        seen = [
            await tried(client, password="not mine"),
            await tried(client, "/auth/verify", token=token, password="not mine"),
            await eva.request("POST", "/auth/password", {"old": "not mine", "new": PASSWORD}),
            await eva.request("DELETE", "/auth/me", {"password": "not mine"}),
            await client.post(f"/verify/{token}", content=b"password=not+mine"),
        ]

        assert {answer.status_code for answer in seen} == {429}
        assert {"retry-after" in answer.headers for answer in seen} == {True}

    @pytest.mark.parametrize(
        ("path", "fields"),
        [
            ("/auth/register", {}),
            ("/auth/password/forgot", {}),
            ("/auth/password/reset", {"token": "x" * 43}),
        ],
    )
    async def test_whatever_hashes_or_mails_is_limited(self, client, path, fields):
        seen = [(await tried(client, path, **fields)).status_code for _ in range(11)]

        assert 429 not in seen[:10]
        assert seen[10] == 429

    async def test_the_refusal_is_told_in_both_languages(self, client):
        for _ in range(10):
            await tried(client)

        answer = await client.post("/auth/login", json=EVA, headers={"Accept-Language": "es"})

        assert answer.json()["detail"].startswith("Más de 10 peticiones")


class Gated:
    """A hasher whose work stands still until it is let go; `order` is which passwords it was given."""

    def __init__(self, genuine) -> None:
        self.genuine, self.order = genuine, []
        self.gate = threading.Event()

    def hash(self, password: str) -> str:
        return self.genuine.hash(password)

    def verify(self, password: str, known: str) -> bool:
        self.order.append(password)
        assert self.gate.wait(60)
        return self.genuine.verify(password, known)


async def test_in_a_storm_a_full_queue_refuses_at_once_and_others_get_through(client, cheap_passwords):
    await tried(client, "/auth/register")
    hasher = Gated(cheap_passwords._hasher)
    passwords = kernel_of(client).services[Passwords] = Passwords(hasher)
    storm = [asyncio.create_task(tried(client, password=f"guess {number}")) for number in range(80)]
    refused = 80 - AT_ONCE - WAITING_EACH

    async def shut_out() -> bool:
        return sum(one.done() for one in storm) == refused and len(hasher.order) == AT_ONCE

    async def waiting() -> bool:
        return len(passwords._queue._waiting) == 2

    await eventually(shut_out)
    answers = [one.result() for one in storm if one.done()]
    somebody = asyncio.create_task(tried(calling_from(client, "198.51.100.9")))
    await eventually(waiting)
    hasher.gate.set()
    await asyncio.gather(somebody, *storm)

    assert {(one.status_code, one.json()["code"], one.headers["retry-after"]) for one in answers} == {
        (503, "BUSY", "2")
    }
    assert somebody.result().status_code == 200
    assert hasher.order.index(PASSWORD) <= AT_ONCE + 1  # after those at work, and one more of the storm


async def test_who_leaves_makes_no_room_before_the_hash_that_they_asked_for_has_ended(cheap_passwords):
    """A thread cannot be cancelled: callers who left at once would otherwise have as many at work as there are."""
    hasher = Gated(cheap_passwords._hasher)
    passwords = Passwords(hasher)
    known = hasher.hash(PASSWORD)

    def tried_by(number: int) -> asyncio.Task[bool]:
        return asyncio.create_task(passwords.matches(PASSWORD, known, f"192.0.2.{number}"))

    leaving = [tried_by(number) for number in range(AT_ONCE)]
    await until(lambda: len(hasher.order) == AT_ONCE)
    for task in leaving:
        task.cancel()
    staying = tried_by(9)
    await asyncio.wait([staying], timeout=0.2)
    begun = len(hasher.order)
    hasher.gate.set()

    assert begun == AT_ONCE
    assert await staying
    outcomes = await asyncio.gather(*leaving, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [asyncio.CancelledError] * AT_ONCE


# ---------------------------------------------------------------- whose address counts, behind proxies


@pytest.mark.parametrize("wrong", ["*", "0.0.0.0/0", "::/0", "proxy.example", "10.0.0.1/8", "127.0.0.1, *"])
def test_what_names_no_proxies_is_refused_at_start(wrong):
    with pytest.raises(ValueError, match="name the proxies"):
        Settings(_env_file=None, forwarded_allow_ips=wrong)


def test_by_default_nobody_is_believed():
    assert Settings(_env_file=None).forwarded_allow_ips == ""


async def statuses(url: str, forwarded: list[str]) -> list[int]:
    async with httpx2.AsyncClient(base_url=url, timeout=60) as caller:
        return [
            (await caller.post("/auth/login", json=EVA, headers={"X-Forwarded-For": one})).status_code
            for one in forwarded
        ]


async def test_who_is_no_proxy_cannot_choose_an_address(tmp_path, fresh_urls):
    async with served(tmp_path / "data", DATABASE_URL=fresh_urls.owner, RATE_LIMIT="on") as server:
        seen = await statuses(server.url, [f"203.0.113.{number}" for number in range(11)])

        assert seen == [401] * 10 + [429]
        assert "LEDGERKIT_FORWARDED_ALLOW_IPS" in server.said


async def test_behind_a_proxy_the_last_untrusted_hop_counts(tmp_path, fresh_urls):
    proxied = {"RATE_LIMIT": "on", "FORWARDED_ALLOW_IPS": "127.0.0.0/8, 10.0.0.5"}
    async with served(tmp_path / "data", DATABASE_URL=fresh_urls.owner, **proxied) as server:
        invented = [f"203.0.113.{number}, 198.51.100.9, 10.0.0.5" for number in range(11)]
        seen = await statuses(server.url, invented)
        [another] = await statuses(server.url, ["198.51.100.9, 198.51.100.10, 10.0.0.5"])

    assert seen == [401] * 10 + [429]
    assert another == 401


async def test_mailed_links_lead_to_the_configured_address_whatever_host_was_asked(client, mailbox):
    await tried(client, "/auth/register")
    poisoned = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"}

    await client.post("/auth/password/forgot", json={"email": EVA["email"]}, headers=poisoned)
    await client.post("/forgot", content=b"email=eva%40example.com", headers=poisoned)
    await worked_off(kernel_of(client))

    letters = mailbox.to(EVA["email"])
    assert letters
    for letter in letters:
        assert "http://127.0.0.1:8000/reset/" in letter.get_body(("plain",)).get_content()
        assert b"evil" not in letter.as_bytes()

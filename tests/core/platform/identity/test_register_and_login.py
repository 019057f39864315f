"""Registering and logging in."""

import pytest

from ledgerkit.core.platform.identity.limits.throttle import REQUESTS, Throttle
from ledgerkit.core.platform.identity.persons.passwords import NO_PASSWORD, Passwords
from ledgerkit.settings import RateLimit, Registration
from support.api import PASSWORD, Api
from support.database import row_counts


async def post(client, path: str, **fields: object):
    return await client.post(f"/auth/{path}", json={"email": "eva@example.com", "password": PASSWORD, **fields})


async def test_registering_logs_in(client):
    body = (await post(client, "register", name="Eva Sol", country="es", currency="eur")).json()

    user = body.pop("user")
    assert body.keys() == {"token", "accessToken", "tokenType", "expiresIn", "apiKey"}
    assert (body["token"], body["tokenType"], body["expiresIn"]) == (body["accessToken"], "Bearer", 86400)
    assert {name: user[name] for name in user.keys() - {"id", "createdAt"}} == {
        "email": "eva@example.com",
        "name": "Eva Sol",
        "country": "ES",
        "currency": "EUR",
        "locale": "es",
        "timezone": "Europe/Madrid",
        "activeTeamId": None,
        "emailVerified": False,
    }
    assert user["createdAt"].endswith("Z")


async def test_defaults_are_spanish(client):
    user = (await post(client, "register")).json()["user"]

    assert (user["country"], user["currency"], user["name"]) == ("ES", "EUR", "eva")


@pytest.mark.parametrize(
    ("asked", "country", "locale"),
    [
        ("ca-ES, es;q=0.8", "ES", "ca"),
        ("es", "ES", "es"),
        ("en", "ES", "es"),
        ("", "ES", "es"),
        ("ca", "IE", "en"),
    ],
)
async def test_a_person_is_written_to_in_the_language_that_was_asked_for_and_is_spoken_there(
    client, asked, country, locale
):
    body = {"email": "eva@example.com", "password": PASSWORD, "country": country}

    answer = await client.post("/auth/register", json=body, headers={"Accept-Language": asked})

    assert answer.json()["user"]["locale"] == locale


async def test_addresses_are_one_whatever_their_case(client):
    await post(client, "register", email="Eva@Example.COM")

    again = await post(client, "register", email="eva@example.com")
    entered = await post(client, "login", email=" EVA@EXAMPLE.com ")

    assert (again.status_code, again.json()["code"]) == (400, "EMAIL_TAKEN")
    assert entered.json()["user"]["email"] == "eva@example.com"


async def test_a_taken_address_leaves_nothing_behind(kernel, client):
    await post(client, "register")
    before = await row_counts(kernel)

    problem = (await post(client, "register", password="another password")).json()

    assert (problem["code"], problem["errors"][0]["field"]) == ("EMAIL_TAKEN", "email")
    assert await row_counts(kernel) == before
    assert (await post(client, "login")).status_code == 200


async def test_unknown_address_and_wrong_password_look_alike(client):
    await post(client, "register")

    wrong = (await post(client, "login", password="wrong password")).json()
    unknown = (await post(client, "login", email="nobody@example.com")).json()

    assert wrong["code"] == unknown["code"] == "INVALID_CREDENTIALS"
    assert wrong | {"requestId": None} == unknown | {"requestId": None}


class CountingHash:
    """A real hasher that counts what it verifies."""

    def __init__(self, hasher) -> None:
        self.hasher, self.verified, self.hashed = hasher, [], []

    def hash(self, password: str) -> str:
        self.hashed.append(password)
        return self.hasher.hash(password)

    def verify(self, password: str, known: str) -> bool:
        self.verified.append(known)
        return self.hasher.verify(password, known)


def price(hashed: str) -> str:
    """Algorithm and parameters of a hash, without salt and digest."""
    return hashed.rsplit("$", 2)[0]


async def test_unknown_and_known_addresses_cost_one_verification_each(cheap_passwords):
    counting = CountingHash(cheap_passwords._hasher)
    passwords = Passwords(counting)
    known = await passwords.hashed(PASSWORD, "192.0.2.1")

    assert await passwords.matches(PASSWORD, known, "192.0.2.1")
    assert not await passwords.matches("wrong password", known, "192.0.2.1")
    assert not await passwords.matches(PASSWORD, None, "192.0.2.1")
    assert not await passwords.matches("in the place of a hash that is not there", None, "192.0.2.1")
    assert not await passwords.matches("in the place of a hash that is not there", NO_PASSWORD, "192.0.2.1")

    assert [price(one) for one in counting.verified] == [price(known)] * 5


@pytest.mark.parametrize("known", [True, False])
async def test_the_first_password_of_all_costs_as_much_for_an_unknown_address(cheap_passwords, known):
    counting = CountingHash(cheap_passwords._hasher)
    hashed = cheap_passwords._hasher.hash(PASSWORD) if known else None

    await Passwords(counting).matches(PASSWORD, hashed, "192.0.2.1")

    assert (len(counting.hashed), len(counting.verified)) == (1, 1)


@pytest.mark.parametrize("password", ["pässwörd ñ 🍕", " leading and trailing ", "tejado-y-lluvia;" * 16])
async def test_passwords_are_taken_as_they_are(client, password):
    await post(client, "register", password=password)

    assert (await post(client, "login", password=password)).status_code == 200
    assert (await post(client, "login", password=password.strip() + "x")).status_code in {400, 401}


async def test_me_shows_user_balance_and_modules(client):
    eva = await Api.register(client, "eva@example.com")

    me = await eva.get("/auth/me")

    assert me.keys() == {"user", "tokens", "modules", "scopes"}
    assert me["user"]["email"] == "eva@example.com"
    assert {name: me["tokens"][name] for name in me["tokens"].keys() - {"resetsAt"}} == {
        "monthlyLimit": 25,
        "monthlyUsed": 0,
        "monthlyRemaining": 25,
        "purchased": 0,
        "total": 25,
    }


class TestClosed:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"registration": Registration.CLOSED})

    async def test_strangers_do_not_register(self, kernel, client):
        before = await row_counts(kernel)

        answer = await post(client, "register")

        assert (answer.status_code, answer.json()["code"]) == (403, "REGISTRATION_CLOSED")
        assert await row_counts(kernel) == before


class TestThrottled:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"rate_limit": RateLimit.ON})

    async def test_the_eleventh_login_of_a_minute_is_refused(self, client):
        tries = [await post(client, "login") for _ in range(11)]
        elsewhere = await post(client, "login", email="other@example.com")

        last = tries[-1]
        assert [answer.status_code for answer in tries] == [401] * 10 + [429]
        assert last.json()["code"] == "RATE_LIMITED"
        assert 1 <= int(last.headers["retry-after"]) <= 60
        assert last.headers["ratelimit-limit"] == "10"
        assert last.headers["ratelimit-remaining"] == "0"
        assert elsewhere.status_code == 401

    async def test_requests_tell_what_is_left(self, client):
        eva = await Api.register(client, "eva@example.com")

        first, second = [await eva.request("GET", "/auth/me") for _ in range(2)]

        assert (first.headers["ratelimit-limit"], first.headers["ratelimit-remaining"]) == ("600", "599")
        assert second.headers["ratelimit-remaining"] == "598"

    async def test_the_601st_request_of_a_minute_is_refused(self, client, kernel):
        eva = await Api.register(client, "eva@example.com")
        token = eva.headers["Authorization"].removeprefix("Bearer ")
        throttle = kernel.service(Throttle)
        for _ in range(600):
            await throttle.spend(REQUESTS, token[-32:])

        problem = await eva.refused(429, "GET", "/auth/me")

        assert problem["code"] == "RATE_LIMITED"

"""Logins of browsers: a cookie that no script reads, and changes by pages of this server only."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import jwt
import pytest
import time_machine

from ledgerkit import __version__, clock
from ledgerkit.core.platform.identity.limits.throttle import Throttle
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.settings import RateLimit
from support.api import PASSWORD, Api
from support.browsers import BASE
from support.database import row_counts, set_role
from support.description import differences

COOKIE = "ledgerkit_session"
HTTPS = "https://facturas.example.com"


@dataclass
class Pages:
    """The web app in one browser: it keeps the cookie, and sends the CSRF token that it has read."""

    http: httpx2.AsyncClient
    csrf: str | None = None

    async def log_in(self, email: str, password: str = PASSWORD, **headers: str) -> httpx2.Response:
        credentials = {"email": email, "password": password}
        answer = await self.http.post("/auth/session", json=credentials, headers=headers)
        if answer.is_success:
            self.csrf = answer.json()["csrfToken"]
        return answer

    async def session(self, **headers: str) -> Any:
        answer = await self.http.get("/auth/session", headers=headers)
        assert answer.status_code == 200, answer.text
        assert differences("GET /auth/session", 200, answer.json()) == []
        return answer.json()

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        own = {} if self.csrf is None else {"X-CSRF-Token": self.csrf}
        rest = {} if body is None else {"json": body}
        return await self.http.request(method, path, headers={**own, **headers}, **rest)

    @property
    def token(self) -> str | None:
        return self.http.cookies.get(COOKIE)


@pytest.fixture
def pages(client) -> Callable[..., Pages]:
    """A browser each time, on the application of `client`."""
    transport = client._transport
    return lambda: Pages(httpx2.AsyncClient(transport=transport, base_url=BASE))


@pytest.fixture
async def logged_in(pages, ana) -> Pages:
    browser = pages()
    assert (await browser.log_in(ana.email)).status_code == 200
    return browser


@pytest.fixture
def secure(app_for, kernel) -> Callable[..., Pages]:
    """A browser each time, on a server whose public address is https."""
    settings = kernel.settings.model_copy(update={"base_url": HTTPS})
    app = app_for(settings)
    app.state.kernel = replace(kernel, settings=settings)
    return lambda: Pages(httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=HTTPS))


def attributes(answer: httpx2.Response) -> tuple[str, set[str]]:
    """Name and attributes of the only cookie that an answer sets."""
    [header] = answer.headers.get_list("set-cookie")
    pair, *rest = header.split("; ")
    return pair.partition("=")[0], {one.lower() for one in rest}


def removes_the_cookie(answer: httpx2.Response) -> bool:
    [header] = answer.headers.get_list("set-cookie") or [""]
    return header.startswith(f'{COOKIE}=""') and "Max-Age=0" in header


# ---------------------------------------------------------------- the session


async def test_a_login_answers_what_the_app_must_know_and_no_token(pages, ana):
    answer = await pages().log_in(ana.email)

    session = answer.json()
    assert differences("POST /auth/session", 200, session) == []
    assert session["user"]["email"] == ana.email
    assert session["team"] == {
        "id": ana.team["id"],
        "name": "Ana Ruiz",
        "company": None,
        "taxId": "12345678Z",
        "country": "ES",
        "currency": "EUR",
        "timezone": "Europe/Madrid",
        "role": "owner",
        "isTeam": True,
        "einvoicing": "on",
        "isSetUp": True,
    }
    assert session["teams"] == [{"id": ana.team["id"], "name": "Ana Ruiz", "role": "owner"}]
    assert session["einvoice"] == {"environment": "sandbox"}
    assert (session["aiConfigured"], session["version"]) == (False, __version__)
    assert answer.cookies[COOKIE] not in answer.text
    assert ana.api_key not in answer.text


async def test_nobody_is_logged_in_without_a_cookie(pages):
    answer = await pages().http.get("/auth/session")

    session = answer.json()
    nothing = {name: session[name] for name in ("user", "csrfToken", "team", "teams", "permissions")}
    assert nothing == {"user": None, "csrfToken": None, "team": None, "teams": [], "permissions": []}
    assert session["einvoice"] == {"environment": "sandbox"}
    assert "set-cookie" not in answer.headers
    assert differences("GET /auth/session", 200, session) == []


async def test_the_session_is_the_same_when_it_is_asked_for(pages, ana):
    browser = pages()
    opened = (await browser.log_in(ana.email)).json()

    assert await browser.session() == opened


@pytest.mark.parametrize("role", list(Role)[1:])
async def test_permissions_are_those_of_the_role_in_the_team(kernel, pages, ana, berta, role):
    await ana.post("/api/teams/current/invite", {"email": berta.email})
    await set_role(kernel, team_id=ana.team["id"], user_email=berta.email, role=role)
    browser = pages()
    await browser.log_in(berta.email)

    there = await browser.session(**{"X-Team-Id": ana.team["id"]})

    assert there["team"]["role"] == role
    assert set(there["permissions"]) == {permission.value for permission in ROLE_PERMISSIONS[role]}


async def test_a_personal_workspace_is_no_team(pages, client):
    alone = await Api.register(client, "sola@example.com")
    browser = pages()

    session = (await browser.log_in(alone.email)).json()

    assert (session["team"]["isTeam"], session["team"]["isSetUp"], session["teams"]) == (False, False, [])
    assert "team:write" in session["permissions"]


@pytest.mark.parametrize("gap", ["taxId", "address", "postalCode", "city"])
async def test_a_team_is_set_up_once_it_has_what_every_invoice_shows(logged_in, ana, gap):
    await ana.put("/api/teams/current", {gap: None})

    assert (await logged_in.session())["team"]["isSetUp"] is False


async def test_a_wrong_password_is_refused_as_by_the_login(pages, ana):
    browser = pages()
    answer = await browser.log_in(ana.email, "another secret")
    elsewhere = await browser.http.post("/auth/login", json={"email": ana.email, "password": "another secret"})

    assert answer.status_code == elsewhere.status_code == 401
    assert {**answer.json(), "requestId": "", "instance": ""} == {**elsewhere.json(), "requestId": "", "instance": ""}
    assert "set-cookie" not in answer.headers


async def test_attempts_count_together_with_those_of_the_login(app_for, kernel, ana):
    settings = kernel.settings.model_copy(update={"rate_limit": RateLimit.ON})
    throttled = replace(kernel, settings=settings, services={**kernel.services, Throttle: Throttle(active=True)})
    app = app_for(settings)
    app.state.kernel = throttled
    browser = Pages(httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=BASE))
    for path in ("/auth/login", "/auth/session") * 5:
        await browser.http.post(path, json={"email": ana.email, "password": "wrong"})

    answer = await browser.log_in(ana.email)

    assert (answer.status_code, answer.json()["code"]) == (429, "RATE_LIMITED")
    assert "retry-after" in answer.headers


# ---------------------------------------------------------------- the cookie


async def test_over_http_the_cookie_is_for_this_server_and_no_script(pages, ana):
    name, rest = attributes(await pages().log_in(ana.email))

    assert name == COOKIE
    assert rest == {"httponly", "max-age=86400", "path=/", "samesite=strict"}


async def test_over_https_the_cookie_is_bound_to_the_host_and_to_https(secure, ana):
    browser = secure()
    answer = await browser.log_in(ana.email)

    name, rest = attributes(answer)
    assert name == f"__Host-{COOKIE}"
    assert rest == {"httponly", "max-age=86400", "path=/", "samesite=strict", "secure"}
    assert (await browser.session())["user"]["email"] == ana.email


async def test_over_https_the_name_without_the_prefix_is_nobodys(secure, ana):
    token = (await secure().log_in(ana.email)).cookies[f"__Host-{COOKIE}"]

    answer = await secure().http.get("/auth/session", headers={"Cookie": f"{COOKIE}={token}"})

    assert answer.json()["user"] is None


async def test_a_cookie_opens_what_a_token_opens_through_the_web(logged_in, ana):
    created = await logged_in.ask("POST", "/api/clients", {"name": "Talleres Norte"})

    assert created.status_code == 201
    assert [one["name"] for one in (await logged_in.ask("GET", "/api/clients")).json()] == ["Talleres Norte"]
    newest = (await ana.get("/api/invoices/activity/feed"))[0]
    assert (newest["entityType"], newest["channel"]) == ("client", "web")


@pytest.mark.parametrize("credential", ["a bearer of its own", "a key of its own", "a wrong bearer", "a wrong key"])
async def test_beside_other_credentials_the_cookie_is_not_looked_at(logged_in, berta, credential):
    headers = {
        "a bearer of its own": berta.headers,
        "a key of its own": {"x-api-key": berta.api_key},
        "a wrong bearer": {"Authorization": "Bearer garbage"},
        "a wrong key": {"x-api-key": "garbage"},
    }[credential]

    answer = await logged_in.ask("GET", "/auth/me", **headers)
    session = await logged_in.session(**headers)

    if "wrong" in credential:
        assert answer.status_code == 401
    else:
        assert answer.json()["user"]["email"] == berta.email
    assert session["user"] is None


async def test_basic_credentials_do_not_fall_back_to_the_cookie(logged_in):
    answer = await logged_in.ask("GET", "/auth/me", Authorization="Basic YW5hOnNlY3JldA==")

    assert answer.status_code == 401


async def test_an_api_key_in_the_cookie_opens_nothing(pages, ana):
    for key in (ana.api_key, ana.team["apiKey"]):
        answer = await pages().http.get("/auth/me", headers={"Cookie": f"{COOKIE}={key}"})

        assert answer.status_code == 401


async def test_the_token_is_an_ordinary_login_token(logged_in, ana):
    bearer = Api(ana.client, {"Authorization": f"Bearer {logged_in.token}"})

    assert (await bearer.get("/auth/me"))["user"]["email"] == ana.email


# ---------------------------------------------------------------- changes come from pages of this server


CHANGES = {
    "POST /api/clients": {"name": "x"},
    "PUT /api/teams/current": {"city": "Soria"},
    "DELETE /auth/session": None,
}


@pytest.mark.parametrize("row", CHANGES)
@pytest.mark.parametrize("token", [None, "0" * 64, ""], ids=["none", "a wrong one", "an empty one"])
async def test_a_change_without_the_token_of_the_login_is_refused(kernel, logged_in, row, token):
    before = await row_counts(kernel)
    logged_in.csrf = token

    answer = await logged_in.ask(*row.split(), CHANGES[row])

    assert (answer.status_code, answer.json()["code"]) == (403, "CSRF_REFUSED")
    assert differences(row, 403, answer.json()) == []
    assert "csrfToken" in answer.json()["remedy"]
    assert await row_counts(kernel) == before


async def test_the_token_of_another_login_is_refused(logged_in, pages, ana):
    other = pages()
    await other.log_in(ana.email)

    answer = await logged_in.ask("POST", "/api/clients", {"name": "x"}, **{"X-CSRF-Token": str(other.csrf)})

    assert (answer.status_code, answer.json()["code"]) == (403, "CSRF_REFUSED")


FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "https://elsewhere.example"},
    {"Origin": "http://127.0.0.1:8001"},
    {"Origin": "https://127.0.0.1:8000"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://[", "Sec-Fetch-Site": "same-origin"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_a_change_by_a_page_of_another_address_is_refused(logged_in, headers):
    answer = await logged_in.ask("POST", "/api/clients", {"name": "x"}, **headers)

    assert (answer.status_code, answer.json()["code"]) == (403, "CSRF_REFUSED")
    assert differences("POST /api/clients", 403, answer.json()) == []


RECORDED = ["chain?verify=true", f"export?from={clock.today('Europe/Madrid')}&to={clock.today('Europe/Madrid')}"]
"""Reading that the law has recorded."""


@pytest.mark.parametrize("site", ["same-site", "cross-site"])
@pytest.mark.parametrize("path", RECORDED)
async def test_a_page_of_another_address_has_nothing_recorded(logged_in, kernel, path, site):
    before = await row_counts(kernel)

    answer = await logged_in.ask("GET", f"/api/einvoice/{path}", **{"Sec-Fetch-Site": site})

    assert (answer.status_code, answer.json()["code"]) == (403, "CSRF_REFUSED")
    assert differences(f"GET /api/einvoice/{path.partition('?')[0]}", 403, answer.json()) == []
    assert await row_counts(kernel) == before


@pytest.mark.parametrize("site", ["none", "same-origin"])
@pytest.mark.parametrize("path", RECORDED)
async def test_what_a_person_asks_for_is_read_and_recorded(logged_in, path, site):
    answer = await logged_in.ask("GET", f"/api/einvoice/{path}", **{"Sec-Fetch-Site": site})

    assert answer.status_code == 200


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_a_page_of_another_address_logs_nobody_in(pages, ana, headers):
    answer = await pages().log_in(ana.email, **headers)

    assert (answer.status_code, answer.json()["code"]) == (403, "CSRF_REFUSED")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-origin"},
        {"Origin": BASE, "Sec-Fetch-Site": "same-origin"},
        {"Origin": "http://LOCALHOST:8000", "Host": "localhost:8000"},
    ],
    ids=str,
)
async def test_a_change_by_a_page_of_this_server_is_done(logged_in, headers):
    cookie = {"Cookie": f"{COOKIE}={logged_in.token}"}

    answer = await logged_in.ask("POST", "/api/clients", {"name": "x"}, **headers, **cookie)

    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("origin", "status"),
    [(HTTPS, 200), ("http://facturas.example.com", 403), ("https://10.0.0.2:8000", 200), ("http://10.0.0.2:8000", 403)],
)
async def test_over_https_a_page_of_http_is_another(secure, ana, origin, status):
    host = {"Host": "10.0.0.2:8000"} if "10.0.0.2" in origin else {}

    assert (await secure().log_in(ana.email, Origin=origin, **host)).status_code == status


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_reading_needs_no_token(logged_in, method):
    logged_in.csrf = None

    assert (await logged_in.ask(method, "/api/clients")).status_code == 200


async def test_programs_need_no_token(ana):
    answer = await ana.request("POST", "/api/clients", {"name": "x"}, Origin="https://elsewhere.example")

    assert answer.status_code == 201


async def test_a_refusal_is_worded_in_the_language_asked_for(logged_in):
    logged_in.csrf = None

    problem = (await logged_in.ask("POST", "/api/clients", {}, **{"Accept-Language": "es"})).json()

    assert problem["title"] == "La petición no viene de una página de este servidor"
    assert "X-CSRF-Token" in problem["detail"]


# ---------------------------------------------------------------- renewal


async def test_in_the_first_half_of_its_time_the_cookie_stays(logged_in):
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=11, minutes=59)):
        answer = await logged_in.http.get("/auth/session")

    assert answer.json()["user"] is not None
    assert "set-cookie" not in answer.headers


async def test_in_the_second_half_it_is_renewed_and_the_login_stays_the_same(logged_in, ana):
    before = logged_in.token
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=12, minutes=1)):
        answer = await logged_in.http.get("/auth/session")
        after = answer.cookies[COOKIE]

        assert "max-age=86400" in attributes(answer)[1]
        assert answer.json()["csrfToken"] == logged_in.csrf
        assert (await logged_in.ask("POST", "/api/clients", {"name": "x"})).status_code == 201

    logins = [jwt.decode(token, options={"verify_signature": False}) for token in (before, after)]
    assert logins[0]["sid"] == logins[1]["sid"]
    assert logins[1]["exp"] - logins[0]["exp"] >= 12 * 3600


async def test_no_renewal_goes_beyond_thirty_days_after_the_password(logged_in):
    opened = datetime.now(UTC)
    for hours in range(13, 30 * 24, 13):
        with time_machine.travel(opened + timedelta(hours=hours)):
            assert (await logged_in.session())["user"] is not None

    with time_machine.travel(opened + timedelta(days=30, seconds=5)):
        assert (await logged_in.session())["user"] is None


# ---------------------------------------------------------------- the end


async def test_logging_out_ends_the_login_and_clears_the_browser(logged_in, pages, ana):
    token = logged_in.token

    answer = await logged_in.ask("DELETE", "/auth/session")

    assert answer.json() == {"ok": True}
    assert removes_the_cookie(answer)
    assert answer.headers["clear-site-data"] == '"cache"'
    assert logged_in.token is None
    stolen = await pages().http.get("/auth/me", headers={"Cookie": f"{COOKIE}={token}"})
    assert stolen.status_code == 401
    await Api(ana.client, {"Authorization": f"Bearer {token}"}).refused(401, "GET", "/auth/me")
    assert (await ana.get("/auth/me"))["user"]["email"] == ana.email


async def test_over_https_the_cookie_is_removed_by_its_name(secure, ana):
    browser = secure()
    await browser.log_in(ana.email)

    name, rest = attributes(await browser.ask("DELETE", "/auth/session"))

    assert name == f"__Host-{COOKIE}"
    assert {"max-age=0", "path=/", "secure"} <= rest


async def test_nobody_cannot_log_out(pages):
    answer = await pages().ask("DELETE", "/auth/session")

    assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHENTICATED")


ENDS = {
    "logout": ("POST", "/auth/logout", None),
    "logout everywhere": ("POST", "/auth/logout-everywhere", None),
}


@pytest.mark.parametrize("end", ENDS)
async def test_an_ended_login_is_nobodys_and_its_cookie_is_removed(logged_in, end):
    method, path, body = ENDS[end]
    assert (await logged_in.ask(method, path, body)).status_code == 200

    refused = await logged_in.ask("GET", "/api/clients")
    answer = await logged_in.http.get("/auth/session")

    assert refused.status_code == 401
    assert (answer.status_code, answer.json()["user"]) == (200, None)
    assert removes_the_cookie(answer)


async def test_an_expired_login_is_nobodys(logged_in):
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=24, minutes=1)):
        answer = await logged_in.http.get("/auth/session", headers={"Cookie": f"{COOKIE}={logged_in.token}"})

    assert answer.json()["user"] is None
    assert removes_the_cookie(answer)


async def test_another_password_by_cookie_goes_on_with_a_new_cookie(logged_in, pages, ana):
    other = pages()
    await other.log_in(ana.email)
    before = logged_in.token

    answer = await logged_in.ask("POST", "/auth/password", {"old": PASSWORD, "new": "three or four words"})

    assert answer.status_code == 200
    assert answer.json() == {"ok": True, "expiresIn": 86400}
    assert logged_in.token not in {None, before}
    assert attributes(answer)[1] == {"httponly", "max-age=86400", "path=/", "samesite=strict"}
    session = await logged_in.session()
    assert session["user"]["email"] == ana.email
    assert session["csrfToken"] != logged_in.csrf
    assert (await other.session())["user"] is None


async def test_another_password_by_token_sets_no_cookie(ana):
    answer = await ana.request("POST", "/auth/password", {"old": PASSWORD, "new": "three or four words"})

    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers


# ---------------------------------------------------------------- persons and teams


async def test_the_next_person_in_the_same_browser_has_a_session_of_their_own(logged_in, ana, berta):
    await logged_in.ask("POST", "/api/clients", {"name": "de Ana"})
    csrf_of_ana = logged_in.csrf
    await logged_in.ask("DELETE", "/auth/session")
    logged_in.csrf = None

    session = (await logged_in.log_in(berta.email, **{"X-Team-Id": ana.team["id"]})).json()

    assert (session["user"]["email"], session["team"]["id"]) == (berta.email, berta.team["id"])
    assert session["teams"] == [{"id": berta.team["id"], "name": "Berta Gil", "role": "owner"}]
    assert (await logged_in.ask("GET", "/api/clients")).json() == []
    assert (await logged_in.ask("GET", "/api/clients", **{"X-Team-Id": ana.team["id"]})).status_code == 403
    stale = await logged_in.ask("POST", "/api/clients", {"name": "x"}, **{"X-CSRF-Token": csrf_of_ana})
    assert stale.status_code == 403


async def test_a_person_who_logs_in_over_another_takes_the_browser_over(logged_in, berta):
    await logged_in.log_in(berta.email)

    assert (await logged_in.session())["user"]["email"] == berta.email
    assert (await logged_in.ask("GET", "/auth/me")).json()["user"]["email"] == berta.email


async def test_the_header_chooses_the_team(pages, ana, berta):
    await ana.post("/api/teams/current/invite", {"email": berta.email})
    browser = pages()
    await browser.log_in(berta.email)
    there = {"X-Team-Id": ana.team["id"]}

    assert (await browser.session())["team"]["id"] == berta.team["id"]
    session = await browser.session(**there)
    assert (session["team"]["id"], session["team"]["role"]) == (ana.team["id"], "member")
    assert [one["id"] for one in session["teams"]] == [berta.team["id"], ana.team["id"]]
    assert (await pages().log_in(berta.email, **there)).json()["team"]["id"] == ana.team["id"]
    assert (await browser.ask("POST", "/api/clients", {"name": "x"}, **there)).status_code == 201
    assert [one["name"] for one in await ana.get("/api/clients")] == ["x"]


@pytest.mark.parametrize("team", ["nobodys", "garbage", ""])
async def test_a_team_that_is_not_ones_own_leaves_the_session_in_the_active_one(logged_in, ana, berta, team):
    headers = {"X-Team-Id": berta.team["id"] if team == "nobodys" else team}

    session = await logged_in.session(**headers)
    refused = await logged_in.ask("GET", "/api/clients", **headers)

    assert session["team"]["id"] == ana.team["id"]
    assert (refused.status_code, refused.json()["code"]) == (403, "NOT_TEAM_MEMBER")


# ---------------------------------------------------------------- dry runs


async def test_a_dry_login_sets_no_cookie(kernel, pages, ana):
    before = await row_counts(kernel)

    credentials = {"email": ana.email, "password": PASSWORD}
    answer = await pages().http.post("/auth/session", json=credentials, headers={"Dry-Run": "true"})

    assert (answer.json()["status"], answer.json()["answer"]) == (200, None)
    assert answer.json()["leftOut"] != []
    assert "set-cookie" not in answer.headers
    assert await row_counts(kernel) == before


async def test_a_dry_logout_ends_nothing(logged_in):
    answer = await logged_in.ask("DELETE", "/auth/session", **{"Dry-Run": "true"})

    assert answer.json()["answer"] == {"ok": True}
    assert "set-cookie" not in answer.headers
    assert "clear-site-data" not in answer.headers
    assert (await logged_in.session())["user"] is not None


async def test_a_dry_reading_renews_nothing(logged_in):
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=13)):
        answer = await logged_in.http.get("/auth/session", headers={"Dry-Run": "true"})

    assert answer.json()["answer"]["csrfToken"] == logged_in.csrf
    assert "set-cookie" not in answer.headers


# ---------------------------------------------------------------- the token stays in the cookie; the password again


async def test_a_refreshed_token_is_in_the_cookie_and_not_in_the_answer(logged_in):
    before = logged_in.token

    answer = await logged_in.ask("POST", "/auth/refresh")

    assert answer.json() == {"ok": True, "expiresIn": 86400}
    assert differences("POST /auth/refresh", 200, answer.json()) == []
    assert logged_in.token not in {None, before}
    assert str(logged_in.token) not in answer.text
    assert (await logged_in.session())["user"] is not None


async def test_a_program_gets_the_refreshed_token_in_the_answer(ana):
    answer = await ana.request("POST", "/auth/refresh")

    assert answer.json()["token"] == answer.json()["accessToken"]
    assert "set-cookie" not in answer.headers


IBAN = "ES9121000418450200051332"
GUARDED: dict[str, Any] = {
    "POST /auth/regenerate-key": None,
    "POST /api/teams/current/regenerate-key": None,
    "POST /api/keys": {"name": "robot", "scopes": ["read"]},
    "POST /api/messaging/links": {"messenger": "telegram"},
    "PUT /api/einvoice/certificate": {"file": "AAAA", "password": "x"},
    "DELETE /api/einvoice/certificate": None,
    "PUT /api/teams/current": {"iban": IBAN},
}
LATER = timedelta(minutes=11)


@pytest.mark.parametrize("row", GUARDED)
async def test_an_old_session_does_nothing_grave_without_the_password(kernel, logged_in, row):
    await logged_in.session()
    before = await row_counts(kernel)
    with time_machine.travel(datetime.now(UTC) + LATER, tick=False):
        refused = await logged_in.ask(*row.split(), GUARDED[row], **{"Accept-Language": "es"})
        after = await row_counts(kernel)
        plain = await logged_in.ask("PUT", "/api/teams/current", {"iban": None, "city": "Soria"})
        wrong = await logged_in.ask("POST", "/auth/session/proof", {"password": "not mine"})
        proved = await logged_in.ask("POST", "/auth/session/proof", {"password": PASSWORD})
        again = await logged_in.ask(*row.split(), GUARDED[row])

    assert (refused.status_code, refused.json()["code"]) == (403, "PASSWORD_NEEDED")
    assert differences(row, 403, refused.json()) == []
    assert "POST /auth/session/proof" in refused.json()["remedy"]
    assert plain.status_code == 200, "another IBAN is asked for, the same one is not"
    assert after == before
    assert (wrong.status_code, wrong.json()["code"]) == (400, "INVALID_CREDENTIALS")
    assert (proved.status_code, proved.json()) == (200, {"ok": True})
    assert again.json().get("code") != "PASSWORD_NEEDED"


async def test_the_proof_holds_for_ten_minutes_also_in_a_renewed_cookie(logged_in):
    moment = datetime.now(UTC) + LATER
    with time_machine.travel(moment, tick=False):
        await logged_in.ask("POST", "/auth/session/proof", {"password": PASSWORD})
        await logged_in.ask("POST", "/auth/refresh")
    with time_machine.travel(moment + timedelta(minutes=9), tick=False):
        within = await logged_in.ask("POST", "/auth/regenerate-key")
    with time_machine.travel(moment + LATER, tick=False):
        beyond = await logged_in.ask("POST", "/auth/regenerate-key")

    assert (within.status_code, beyond.status_code) == (200, 403)


async def test_another_iban_of_a_vendor_needs_the_password_and_the_first_one_does_not(logged_in):
    made = (await logged_in.ask("POST", "/api/vendors", {"name": "Norte"})).json()
    path = f"/api/vendors/{made['id']}"
    with time_machine.travel(datetime.now(UTC) + LATER, tick=False):
        first = await logged_in.ask("PUT", path, {"iban": IBAN})
        same = await logged_in.ask("PUT", path, {"iban": IBAN, "name": "Norte SL"})
        other = await logged_in.ask("PUT", path, {"iban": "ES7921000813610123456789"})

    assert (first.status_code, same.status_code, other.status_code) == (200, 200, 403)


@pytest.mark.parametrize("row", GUARDED)
async def test_tokens_and_keys_of_programs_need_no_proof(ana, row):
    with time_machine.travel(datetime.now(UTC) + LATER, tick=False):
        answer = await ana.request(*row.split(), GUARDED[row])

    assert answer.json().get("code") != "PASSWORD_NEEDED"


async def test_wrong_passwords_count_as_wrong_logins(kernel, logged_in, ana):
    app = logged_in.http._transport.app
    app.state.kernel = replace(kernel, services={**kernel.services, Throttle: Throttle(active=True)})

    tries = [await logged_in.ask("POST", "/auth/session/proof", {"password": "not mine"}) for _ in range(10)]
    beyond = await logged_in.ask("POST", "/auth/session/proof", {"password": PASSWORD})
    login = await ana.client.post("/auth/login", json={"email": ana.email, "password": PASSWORD})

    assert {one.status_code for one in tries} == {400}
    assert (beyond.status_code, login.status_code) == (429, 429)
    assert int(beyond.headers["Retry-After"]) > 0

"""Login and consent: the pages of /oauth/consent as a browser without scripts sees them."""

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable
from datetime import timedelta
from uuid import uuid4

import httpx2
import pytest
import time_machine

from ledgerkit import clock
from ledgerkit.core.platform.identity.persons.passwords import AT_ONCE, WAITING_EACH, Passwords
from ledgerkit.core.platform.oauth.protocol.random_secrets import digest
from ledgerkit.core.platform.oauth.table import oauth_grant, oauth_login
from ledgerkit.core.platform.oauth.texts import ConsentMsg, ConsentPageMsg, OAuthMsg
from ledgerkit.core.platform.pages.texts import PagesMsg
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.settings import RateLimit
from ledgerkit.texts import text
from support.api import PASSWORD, Api
from support.browsers import Browser, Page
from support.database import as_owner
from support.oauth import AUTHORIZE, CALLBACK, Application, query_of

LOGIN_COOKIE = "ledgerkit_oauth_login"
REQUEST_COOKIE = "ledgerkit_oauth_request"


@pytest.fixture
def browser(client) -> Callable[..., Browser]:
    """A new browser each time, on the application of `client`."""
    return lambda language="en": Browser(client._transport.app, language)


@pytest.fixture
async def asked(client) -> Callable[..., str]:
    """The address that an application sends a browser to; `changed` are parameters of its request."""

    async def address(metadata: dict[str, object] | None = None, **changed: str | None) -> str:
        application = await Application.registered(client, **(metadata or {}))
        return str(httpx2.URL(AUTHORIZE, params=application.request(**changed)))

    return address


@pytest.fixture
async def decided(asked, browser, ana) -> tuple[Browser, Page]:
    """Ana's browser, logged in, on the consent page of an application that asks for `read write`."""
    visitor = browser()
    return visitor, await visitor.log_in(await visitor.open(await asked()), ana.email, PASSWORD)


async def stored(kernel, table) -> list:
    async with as_owner(kernel) as db:
        return list(await db.execute(table.select()))


# ---------------------------------------------------------------- logging in


async def test_nobody_is_logged_in_at_first(asked, browser):
    page = await browser().open(await asked())

    assert page.answer.status_code == 200
    assert page.title == "Sign in to connect An assistant"
    assert page.buttons() == {"Sign in": "login", "Cancel": "deny"}
    assert page.fields().keys() == {"token", "email", "password"}


async def test_a_login_leads_to_the_decision_by_a_redirect(asked, browser, ana):
    visitor = browser()
    page = await visitor.open(await asked())

    answer = await visitor.press(page, "login", email=f" {ana.email.upper()} ", password=PASSWORD)

    assert answer.status_code == 303
    assert answer.headers["location"] == str(page.answer.url)
    assert (await visitor.open(answer.headers["location"])).title == "Connect An assistant?"


async def test_a_login_replaces_the_browsers_cookie_and_only_its_digest_is_stored(kernel, asked, browser, ana):
    visitor = browser()
    page = await visitor.open(await asked())
    before = visitor.http.cookies[LOGIN_COOKIE]

    await visitor.log_in(page, ana.email, PASSWORD)

    after = visitor.http.cookies[LOGIN_COOKIE]
    assert after != before
    (row,) = await stored(kernel, oauth_login)
    assert row.session_hash == digest(after)


async def test_the_cookie_is_short_lived_for_these_pages_and_for_no_script(asked, browser):
    answer = (await browser().open(await asked())).answer

    (cookie,) = [one for one in answer.headers.get_list("set-cookie") if one.startswith(LOGIN_COOKIE)]
    assert {one.strip().lower() for one in cookie.split(";")[1:]} == {
        "httponly",
        "max-age=600",
        "path=/oauth",
        "samesite=lax",
    }


@pytest.mark.parametrize("base_url", ["https://books.example"])
async def test_over_https_the_cookie_is_secure(settings, app_for, kernel, base_url):
    secured = settings.model_copy(update={"base_url": base_url})
    app = app_for(secured)
    app.state.kernel = type(kernel)(**{**vars(kernel), "settings": secured})
    visitor = Browser(app)
    application = await Application.registered(visitor.http)
    address = str(httpx2.URL(AUTHORIZE, params=application.request()))
    consent = (await visitor.http.get(address)).headers["location"]

    answer = await visitor.http.get(
        consent.removeprefix(base_url), headers={"Cookie": f"{REQUEST_COOKIE}={query_of(consent)['request']}"}
    )

    (cookie,) = [one for one in answer.headers.get_list("set-cookie") if one.startswith(LOGIN_COOKIE)]
    assert "; secure" in cookie.lower()


@pytest.mark.parametrize("email", ["ana@example.com", "nobody@example.com", "nobody", "<script>"])
async def test_a_wrong_password_and_an_unknown_address_look_alike(asked, browser, ana, email):
    visitor = browser()
    page = await visitor.open(await asked())

    page = await visitor.log_in(page, email, "another secret")

    assert page.answer.status_code == 401
    assert page.alert == str(text(PagesMsg.WRONG_PASSWORD))
    assert page.fields()["email"] == email
    assert page.fields()["password"] == ""
    assert "another secret" not in page.answer.text


@pytest.mark.parametrize("email", ["x" * 300, "ana@example.com\x00"])
async def test_what_is_no_address_is_refused_in_words(asked, browser, email):
    visitor = browser()

    page = await visitor.log_in(await visitor.open(await asked()), email, PASSWORD)

    assert page.answer.status_code == 400
    assert page.alert == "That is not an e-mail address."


class TestThrottled:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"rate_limit": RateLimit.ON})

    async def test_attempts_here_and_through_the_interface_are_counted_together(self, asked, browser, client, ana):
        visitor = browser()
        page = await visitor.open(await asked())
        wrong = {"email": ana.email, "password": "another secret"}
        for _ in range(5):
            assert (await visitor.press(page, "login", **wrong)).status_code == 401
        for _ in range(5):
            await client.post("/auth/login", json=wrong)

        page = await visitor.answer(page, "login", email=ana.email, password=PASSWORD)

        assert page.answer.status_code == 429
        assert page.alert == str(text(PagesMsg.TOO_MANY_ATTEMPTS))
        assert 1 <= int(page.answer.headers["retry-after"]) <= 60


class Blocked:
    """A hasher whose work stands still until it is let go."""

    def __init__(self, genuine) -> None:
        self.genuine, self.gate = genuine, threading.Event()

    def hash(self, password: str) -> str:
        return self.genuine.hash(password)

    def verify(self, password: str, password_hash: str) -> bool:
        assert self.gate.wait(60)
        return self.genuine.verify(password, password_hash)


async def test_when_too_many_passwords_are_checked_at_once_the_page_says_so(
    asked, browser, kernel, ana, cheap_passwords
):
    visitor = browser()
    page = await visitor.open(await asked())
    hasher = Blocked(cheap_passwords._hasher)
    kernel.services[Passwords] = Passwords(hasher)
    attempts = [
        asyncio.create_task(visitor.press(page, "login", email=ana.email, password="x"))
        for _ in range(AT_ONCE + WAITING_EACH + 1)
    ]

    refused, _ = await asyncio.wait(attempts, return_when=asyncio.FIRST_COMPLETED)
    hasher.gate.set()
    await asyncio.gather(*attempts)

    (answer,) = [Page(one.result()) for one in refused]
    assert answer.answer.status_code == 503
    assert answer.alert == str(text(PagesMsg.BUSY))
    assert answer.fields()["email"] == ana.email


async def test_a_cancelled_login_denies(asked, browser):
    visitor = browser()
    page = await visitor.open(await asked())

    answer = await visitor.press(page, "deny", email="", password="")

    assert answer.status_code == 303
    assert query_of(answer.headers["location"])["error"] == "access_denied"


async def test_a_login_lasts_ten_minutes(asked, browser, ana, monkeypatch):
    visitor, before = browser(), clock.now()
    await visitor.log_in(await visitor.open(await asked()), ana.email, PASSWORD)
    after = clock.now()

    again = await visitor.open(await asked())
    later = before + timedelta(minutes=9, seconds=59)
    monkeypatch.setattr(clock, "now", lambda: later)
    still = await visitor.open(await asked())
    much_later = after + timedelta(minutes=10, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: much_later)
    after = await visitor.open(await asked())

    assert [page.title for page in (again, still)] == ["Connect An assistant?"] * 2
    assert after.title == "Sign in to connect An assistant"


async def test_a_login_ends_when_all_logins_of_the_person_are_ended(decided, ana):
    visitor, page = decided
    await ana.post("/auth/logout-everywhere")

    page = await visitor.answer(page, "allow")

    assert page.answer.status_code == 401
    assert page.title == "Sign in to connect An assistant"
    assert page.alert == "Your session on this page is over: it lasts for ten minutes. Sign in again."


async def test_another_person_can_log_in_instead(decided, berta):
    visitor, page = decided

    page = await visitor.answer(page, "logout")
    page = await visitor.log_in(page, berta.email, PASSWORD)

    assert "You are signed in as berta@example.com." in page.text
    assert list(page.options("radio")) == ["Berta Gil"]


async def test_a_login_of_the_interface_opens_no_page_and_the_pages_login_no_interface(asked, browser, ana):
    visitor = browser()
    visitor.http.headers |= ana.headers | {"x-api-key": ana.api_key}

    page = await visitor.open(await asked())

    assert page.title == "Sign in to connect An assistant"
    visitor.http.headers.pop("authorization")
    visitor.http.headers.pop("x-api-key")
    await visitor.log_in(page, ana.email, PASSWORD)
    assert (await visitor.http.get("/auth/me")).status_code == 401


# ---------------------------------------------------------------- deciding


async def test_the_page_says_who_asks_for_what_and_whose_books(decided):
    _, page = decided

    assert page.answer.status_code == 200
    assert "An assistant asks to work here in your name" in page.text
    assert "You are signed in as ana@example.com." in page.text
    assert "After your answer you go on to assistant.example." in page.text
    assert page.warnings == []
    assert page.options("radio") == {"Ana Ruiz": True}
    assert page.hint("Ana Ruiz") == "You are the owner there."
    assert page.options("checkbox") == {"Read": True, "Propose": False, "Write": True}
    assert page.buttons() == {"Allow": "allow", "Deny": "deny", "Sign in as somebody else": "logout"}


async def test_an_approval_brings_code_state_and_issuer_to_the_client(decided, kernel, ana):
    visitor, page = decided

    answer = await visitor.press(page, "allow")

    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"{CALLBACK}?code=lkc_")
    sent = query_of(answer.headers["location"])
    assert (sent["state"], sent["iss"]) == ("the state of the client", "http://127.0.0.1:8000")
    (grant,) = await stored(kernel, oauth_grant)
    assert (str(grant.account_id), list(grant.scopes)) == (ana.team["id"], ["read", "write"])


async def test_an_approval_is_logged_in_the_account(decided, ana):
    visitor, page = decided
    await visitor.press(page, "allow")

    entry = (await ana.get("/api/invoices/activity/feed"))[0]

    (grant,) = await ana.get("/api/oauth/grants")
    assert (entry["action"], entry["entityType"], entry["entityId"]) == ("granted", "oauth_grant", grant["id"])
    assert (entry["entityLabel"], entry["userName"], entry["channel"]) == ("An assistant", "ana", "web")
    assert entry["changes"] == {"scopes": {"from": None, "to": ["read", "write"]}}


async def test_a_denial_brings_the_error_to_the_client_and_grants_nothing(decided, kernel):
    visitor, page = decided

    answer = await visitor.press(page, "deny")

    sent = query_of(answer.headers["location"])
    assert (sent["error"], sent["state"], sent["iss"]) == (
        "access_denied",
        "the state of the client",
        "http://127.0.0.1:8000",
    )
    assert await stored(kernel, oauth_grant) == []


async def test_scopes_can_be_unticked_but_for_reading(decided, kernel):
    visitor, page = decided

    await visitor.press(page, "allow", scope_write=None)

    (grant,) = await stored(kernel, oauth_grant)
    assert list(grant.scopes) == ["read"]


async def test_a_scope_that_was_not_asked_for_cannot_be_ticked(decided, kernel):
    visitor, page = decided

    await visitor.press(page, "allow", scope_fiscal="on", scope_team="on")

    (grant,) = await stored(kernel, oauth_grant)
    assert list(grant.scopes) == ["read", "write"]


async def test_fiscal_acts_and_the_team_are_allowed_by_a_tick_of_the_person(asked, browser, ana, kernel):
    visitor = browser()
    everything = "read propose write fiscal team"

    page = await visitor.log_in(await visitor.open(await asked(scope=everything)), ana.email, PASSWORD)

    ticked = {"Read": True, "Propose": True, "Write": True, "Fiscal acts": False, "Team": False}
    assert page.options("checkbox") == ticked
    assert list(page.options("checkbox"))[:2] == ["Read", "Propose"]
    for scope in ("Fiscal acts", "Team"):
        assert page.hint(scope).endswith("Tick it only if you want that.")
    assert "did not ask" not in page.text
    await visitor.press(page, "allow", scope_team="on")
    (grant,) = await stored(kernel, oauth_grant)
    assert list(grant.scopes) == ["read", "propose", "write", "team"]


async def test_proposing_is_offered_in_place_of_what_was_asked_for_and_the_client_is_told(client, browser, ana):
    """RFC 6749 §3.3: the person's instruction decides, and a scope that differs is named in the token's answer."""
    visitor, application = browser(), await Application.registered(client)
    address = str(httpx2.URL(AUTHORIZE, params=application.request(scope="read write")))
    page = await visitor.log_in(await visitor.open(address), ana.email, PASSWORD)
    assert "The application did not ask for this." in page.hint("Propose")

    answer = await visitor.press(page, "allow", scope_propose="on", scope_write=None)
    again = await visitor.press(page, "allow", scope_propose="on", scope_write=None)

    assert answer.headers["location"] == again.headers["location"]
    tokens = (await application.exchange(query_of(answer.headers["location"])["code"])).json()
    assert tokens["scope"] == "read propose"
    assert (await application.refresh(tokens["refresh_token"])).json()["scope"] == "read propose"


async def test_who_may_not_read_is_offered_no_proposing(asked, browser, ana, kernel):
    visitor = browser()
    page = await visitor.log_in(await visitor.open(await asked(scope="write")), ana.email, PASSWORD)

    await visitor.press(page, "allow", scope_propose="on")

    assert page.options("checkbox") == {"Write": True}
    (grant,) = await stored(kernel, oauth_grant)
    assert list(grant.scopes) == ["write"]


async def test_the_page_says_what_a_connected_application_asks_for_now(client, browser, ana):
    visitor, application = browser(), await Application.registered(client)
    await application.connected(ana, scope="read write")
    further = str(httpx2.URL(AUTHORIZE, params=application.request(scope="read write fiscal")))
    same = str(httpx2.URL(AUTHORIZE, params=application.request(scope="read write")))

    page = await visitor.log_in(await visitor.open(further), ana.email, PASSWORD)

    (warning,) = page.warnings
    assert warning == (
        "An assistant is connected already, in Ana Ruiz, and may: Read and Write. Now it also asks for: Fiscal acts. "
        "Tick below what you want to allow."
    )
    assert page.options("checkbox")["Fiscal acts"] is False
    assert (await visitor.open(same)).warnings == []
    other = await Application.registered(client)
    assert (await visitor.open(str(httpx2.URL(AUTHORIZE, params=other.request(scope="fiscal"))))).warnings == []


async def test_a_connected_application_begins_with_what_it_was_allowed(client, browser, ana):
    """Whoever lets it propose only keeps that, and what was ticked on purpose stays ticked."""
    application = await Application.registered(client)

    async def page_for(scope: str):
        address = str(httpx2.URL(AUTHORIZE, params=application.request(scope=scope)))
        visitor = browser()
        return visitor, await visitor.log_in(await visitor.open(address), ana.email, PASSWORD)

    async def allowed(scope: str, **ticks: str | None):
        visitor, page = await page_for(scope)
        answer = await visitor.press(page, "allow", **ticks)
        await application.exchange(query_of(answer.headers["location"])["code"])

    await allowed("read fiscal", scope_fiscal="on")
    _, page = await page_for("read write fiscal team")
    assert page.options("checkbox") == {
        "Read": True,
        "Propose": False,
        "Write": True,
        "Fiscal acts": True,
        "Team": False,
    }

    await allowed("read write", scope_propose="on", scope_write=None)
    _, page = await page_for("read write")
    assert page.options("checkbox") == {"Read": True, "Propose": True, "Write": False}


POLICY = "/api/approvals/policy"


@pytest.fixture
async def connected(client, browser, ana) -> Callable[[], Awaitable[str]]:
    """One application signs in to Ana's account, again each time; returns the id of its new grant."""
    application = await Application.registered(client)
    address = str(httpx2.URL(AUTHORIZE, params=application.request(scope="read write")))

    async def again() -> str:
        visitor = browser()
        page = await visitor.log_in(await visitor.open(address), ana.email, PASSWORD)
        answer = await visitor.press(page, "allow")
        await application.exchange(query_of(answer.headers["location"])["code"])
        return max(grant["id"] for grant in await ana.get("/api/oauth/grants"))

    return again


async def ruled(person: Api) -> dict[str, str]:
    return {rule["connection"]: rule["asked"] for rule in (await person.get(POLICY))["connections"]}


async def test_the_rule_of_an_application_goes_on_when_it_signs_in_again(ana, connected):
    first = await connected()
    policy = {"asked": "host", "connections": [{"connection": first, "asked": "app"}]}
    before = await ana.request("PUT", POLICY, policy)
    second = await connected()

    upon_before = await ana.request("PUT", POLICY, policy, **{"If-Match": before.headers["etag"]})
    assert upon_before.status_code == 412
    assert first != second
    assert await ruled(ana) == {first: "app", second: "app"}


async def test_the_rule_of_a_sign_in_that_has_ended_goes_when_the_application_signs_in_again(ana, connected):
    other = str(uuid4())
    rules = [{"connection": await connected(), "asked": "app"}, {"connection": other, "asked": "host"}]
    await ana.put(POLICY, {"asked": "host", "connections": rules})

    with time_machine.travel(clock.now() + timedelta(days=61)):
        await ana.log_in()
        third = await connected()
        assert await ruled(ana) == {third: "app", other: "host"}


async def test_the_policy_opens_with_one_rule_more_than_may_be_sent(ana, connected):
    first = await connected()
    rules = [{"connection": connection, "asked": "app"} for connection in [first, *(str(uuid4()) for _ in range(199))]]
    await ana.put(POLICY, {"asked": "host", "connections": rules})
    second = await connected()

    assert len(await ruled(ana)) == 201
    too_many = [*rules, {"connection": second, "asked": "app"}]
    await ana.refused(400, "PUT", POLICY, {"asked": "host", "connections": too_many})
    await ana.put(POLICY, {"asked": "host", "connections": []})
    assert await ruled(ana) == {}


async def test_without_reading_something_else_must_be_ticked(asked, browser, ana, kernel):
    visitor = browser()
    page = await visitor.log_in(await visitor.open(await asked(scope="fiscal team")), ana.email, PASSWORD)
    assert page.options("checkbox") == {"Fiscal acts": False, "Team": False}

    page = await visitor.answer(page, "allow")

    assert page.answer.status_code == 400
    assert page.alert == "You have allowed nothing. Tick at least one right, or deny."
    assert page.options("checkbox") == {"Fiscal acts": False, "Team": False}
    await visitor.press(page, "allow", scope_team="on")
    (grant,) = await stored(kernel, oauth_grant)
    assert list(grant.scopes) == ["team"]


async def test_only_ones_own_teams_can_be_chosen_the_active_one_at_first(asked, browser, ana, berta, kernel):
    await berta.post("/api/teams/current/invite", {"email": ana.email, "role": "viewer"})
    other = await ana.post("/api/teams", {"name": "Estudio Ruiz", "country": "ES"})
    await Api.with_team(ana.client, "carla@example.com", "Carla", None)
    visitor = browser()

    page = await visitor.log_in(await visitor.open(await asked(scope="read write fiscal team")), ana.email, PASSWORD)

    assert page.options("radio") == {"Ana Ruiz": False, "Berta Gil": False, "Estudio Ruiz": True}
    assert page.hint("Berta Gil") == "You are a viewer there, so it cannot use: Write, Fiscal acts or Team."
    assert page.hint("Ana Ruiz") == "You are the owner there."
    await visitor.press(page, "allow", account=page.value("Berta Gil"))
    (grant,) = await stored(kernel, oauth_grant)
    assert str(grant.account_id) == berta.team["id"] != other["id"]
    hers = await berta.get("/api/invoices/activity/feed")
    assert hers[0]["action"] == "granted"


async def test_a_person_without_a_team_chooses_their_own_workspace(asked, browser, client, kernel):
    await Api.register(client, "eva@example.com", name="Eva Sol")
    visitor = browser()

    page = await visitor.log_in(await visitor.open(await asked()), "eva@example.com", PASSWORD)

    assert page.options("radio") == {"Your personal workspace (Eva Sol)": True}
    answer = await visitor.press(page, "allow")
    assert "code" in query_of(answer.headers["location"])


@pytest.mark.parametrize("which", ["foreign", "missing", "malformed", "none", "unstorable"])
async def test_a_team_that_is_not_ones_own_is_refused(decided, berta, ana, kernel, which):
    visitor, page = decided
    accounts = {
        "foreign": berta.team["id"],
        "missing": "01890000-0000-7000-8000-000000000000",
        "malformed": "' or true --",
        "none": None,
        "unstorable": "\x00",
    }

    page = await visitor.answer(page, "allow", account=accounts[which])

    assert page.answer.status_code == 400
    assert page.alert == "That is none of your teams. Choose one of those below."
    assert page.options("radio") == {"Ana Ruiz": True}
    assert await stored(kernel, oauth_grant) == []


async def test_who_has_left_a_team_meanwhile_cannot_choose_it(asked, browser, ana, berta, kernel):
    await berta.post("/api/teams/current/invite", {"email": ana.email, "role": "viewer"})
    visitor = browser()
    page = await visitor.log_in(await visitor.open(await asked()), ana.email, PASSWORD)
    team = page.value("Berta Gil")
    members = await berta.get("/api/teams/current/members")
    (membership,) = [one["id"] for one in members if one["email"] == ana.email]
    await berta.delete(f"/api/teams/current/members/{membership}")

    page = await visitor.answer(page, "allow", account=team)

    assert page.alert == "That is none of your teams. Choose one of those below."
    assert await stored(kernel, oauth_grant) == []


# ---------------------------------------------------------------- where the answer goes


@pytest.mark.parametrize(
    ("redirect_uri", "warning"),
    [
        ("http://127.0.0.1:33418/", "a program on your own device (127.0.0.1:33418)"),
        ("http://localhost:3118/callback", "a program on your own device (localhost:3118)"),
        ("cursor://anysphere.cursor-mcp/oauth", "opens addresses beginning with cursor:"),
        ("com.example.app:/back", "opens addresses beginning with com.example.app:"),
    ],
)
async def test_an_answer_to_the_persons_own_device_is_warned_of(asked, browser, ana, redirect_uri, warning):
    visitor = browser()
    address = await asked({"redirect_uris": [redirect_uri], "application_type": "native"})

    page = await visitor.log_in(await visitor.open(address), ana.email, PASSWORD)

    (shown,) = page.warnings
    assert warning in shown
    assert "go on to" not in page.text
    answer = await visitor.press(page, "allow")
    assert answer.headers["location"].startswith(redirect_uri)


# ---------------------------------------------------------------- attacks, and people who click twice


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;"


async def test_a_clients_name_is_text(asked, browser, ana):
    visitor = browser()
    login = await visitor.open(await asked({"client_name": HOSTILE}))
    consent = await visitor.log_in(login, ana.email, PASSWORD)

    for page in (login, consent):
        assert HOSTILE in page.title
        assert page.root.xpath("//script | //img | //*[@onerror]") == []


async def test_characters_that_turn_text_round_are_left_out(asked, browser):
    page = await browser().open(await asked({"client_name": "good\u202egnikool\u2066\u200b"}))

    assert page.title == "Sign in to connect goodgnikool"


async def test_what_was_typed_is_text(asked, browser):
    visitor = browser()

    page = await visitor.log_in(await visitor.open(await asked()), f"{HOSTILE}@example.com", "x")

    assert page.fields()["email"] == f"{HOSTILE}@example.com"
    assert page.root.xpath("//script | //img") == []


async def test_pages_cannot_be_framed_cached_or_scripted(decided, asked, browser):
    _, consent = decided
    login = await browser().open(await asked())
    over = await browser().open("/oauth/consent?request=unknown")

    for page in (login, consent, over):
        headers = page.answer.headers
        policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert set(policy) == {"default-src", "style-src", "base-uri", "frame-ancestors"}
        assert re.fullmatch(r"'sha256-[\w+/=]+'", policy["style-src"])
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
        assert "no-store" in headers["cache-control"]
        assert "access-control-allow-origin" not in headers
        assert "script" not in page.answer.text.lower()


async def test_redirects_are_not_cached_and_carry_no_referrer(decided):
    visitor, page = decided

    answer = await visitor.press(page, "allow")

    assert "no-store" in answer.headers["cache-control"]
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("action", ["allow", "deny", "logout", "login"])
@pytest.mark.parametrize("token", [None, "", "x" * 64, "\u00e9"])
async def test_a_form_of_another_site_does_nothing(decided, kernel, action, token):
    visitor, page = decided

    answer = Page(await visitor.press(page, action, token=token))

    assert answer.answer.status_code == 403
    assert answer.alert.startswith("This form was not sent by the page that you see")
    assert answer.title == "Connect An assistant?"
    assert await stored(kernel, oauth_grant) == []
    assert len(await stored(kernel, oauth_login)) == 1


async def test_a_token_of_another_browser_or_request_does_nothing(decided, asked, browser, kernel):
    visitor, _ = decided
    stranger = browser()
    other_browser = (await stranger.open(await asked())).fields()["token"]
    other_request = (await visitor.open(await asked())).fields()["token"]

    second = await visitor.open(await asked())
    for token in (other_browser, other_request):
        assert (await visitor.press(second, "allow", token=token)).status_code == 403

    assert await stored(kernel, oauth_grant) == []


async def test_without_cookies_nothing_is_done(decided, kernel):
    visitor, page = decided
    request = visitor.http.cookies[REQUEST_COOKIE]
    visitor.http.cookies.clear()
    visitor.http.cookies.set(REQUEST_COOKIE, request, path="/oauth")

    answer = Page(await visitor.press(page, "allow"))

    assert answer.answer.status_code == 403
    assert answer.title == "Sign in to connect An assistant"
    assert await stored(kernel, oauth_grant) == []


async def test_a_second_click_is_answered_as_the_first_one(decided, kernel):
    visitor, page = decided

    clicks = await asyncio.gather(visitor.press(page, "allow"), visitor.press(page, "allow"))
    third = await visitor.press(page, "allow")

    assert [answer.status_code for answer in (*clicks, third)] == [303] * 3
    assert len({answer.headers["location"] for answer in (*clicks, third)}) == 1
    answer = query_of(third.headers["location"])
    assert (answer["state"], answer.keys()) == ("the state of the client", {"code", "state", "iss"})
    assert len(await stored(kernel, oauth_grant)) == 1


@pytest.mark.parametrize(
    "changed", [{"action": "deny"}, {"scope_write": None}, {"account": "x"}, {"token": "x"}, {"action": "login"}]
)
async def test_a_second_click_on_anything_else_is_too_late(decided, changed, kernel):
    visitor, page = decided
    await visitor.press(page, "allow")

    again = Page(await visitor.press(page, **({"action": "allow"} | changed)))

    assert again.answer.status_code == 404
    assert len(await stored(kernel, oauth_grant)) == 1


async def test_a_second_click_in_another_session_is_too_late(decided):
    visitor, page = decided
    await visitor.press(page, "allow")
    cookies = {name: visitor.http.cookies[name] for name in (REQUEST_COOKIE, LOGIN_COOKIE)}

    for missing in cookies:
        visitor.http.cookies.clear()
        for name in cookies.keys() - {missing}:
            visitor.http.cookies.set(name, cookies[name], path="/oauth")
        assert (await visitor.press(page, "allow")).status_code == 404


async def test_a_code_that_is_over_is_not_given_again(decided, monkeypatch):
    visitor, page = decided
    await visitor.press(page, "allow")
    later = clock.now() + timedelta(seconds=61)
    monkeypatch.setattr(clock, "now", lambda: later)

    assert (await visitor.press(page, "allow")).status_code == 404


async def test_a_redeemed_code_is_not_given_again(client, browser, ana):
    visitor, application = browser(), await Application.registered(client)
    login = await visitor.open(str(httpx2.URL(AUTHORIZE, params=application.request())))
    page = await visitor.log_in(login, ana.email, PASSWORD)
    location = (await visitor.press(page, "allow")).headers["location"]
    assert (await application.exchange(query_of(location)["code"])).status_code == 200

    assert (await visitor.press(page, "allow")).status_code == 404


async def test_a_denial_is_given_once(decided, kernel):
    visitor, page = decided

    first = await visitor.press(page, "deny")
    second = Page(await visitor.press(page, "allow"))
    back = await visitor.open(str(page.answer.url))

    assert first.status_code == 303
    for again in (second, back):
        assert again.answer.status_code == 404
        assert again.title == str(text(OAuthMsg.NOT_CONNECTED))
        assert str(text(OAuthMsg.REQUEST_OVER)) in again.text
    assert await stored(kernel, oauth_grant) == []


async def test_a_request_is_over_after_ten_minutes(decided, monkeypatch, kernel):
    visitor, page = decided
    later = clock.now() + timedelta(minutes=10, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)

    answer = Page(await visitor.press(page, "allow"))

    assert answer.answer.status_code == 404
    assert str(text(OAuthMsg.REQUEST_OVER)) in answer.text
    assert await stored(kernel, oauth_grant) == []


async def test_a_request_of_another_browser_is_not_shown(decided, browser, berta, asked, kernel):
    _, page = decided
    stranger = browser()
    await stranger.log_in(await stranger.open(await asked()), berta.email, PASSWORD)

    seen = await stranger.open(str(page.answer.url))
    pressed = await stranger.press(page, "allow")

    assert (seen.answer.status_code, pressed.status_code) == (404, 404)
    assert "another window or another browser" in seen.text
    assert await stored(kernel, oauth_grant) == []


@pytest.mark.parametrize(
    "query", ["", "?", "?request=", "?request=x", "?request=%00", f"?request={'x' * 5000}", "?a=b"]
)
async def test_an_address_without_a_request_is_a_page(browser, query):
    visitor = browser()

    page = await visitor.open(f"/oauth/consent{query}")
    answer = await visitor.http.post(f"/oauth/consent{query}", data={"action": "allow"})

    assert (page.answer.status_code, answer.status_code) == (404, 404)
    assert str(text(OAuthMsg.REQUEST_OVER)) in page.text
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("content", [b"", b"%%%", b"\xff\xfe", b"token=%ff&action=%00", b"{}", b"a&b&c=" + b"d" * 9000])
async def test_a_form_that_is_none_is_refused_by_a_page(decided, content):
    visitor, page = decided

    answer = Page(await visitor.http.post(str(page.answer.url), content=content))

    assert answer.answer.status_code == 403
    assert answer.title == "Connect An assistant?"


@pytest.mark.parametrize("action", ["", "ALLOW", "delete"])
async def test_an_unknown_button_changes_nothing(decided, kernel, action):
    visitor, page = decided

    answer = Page(await visitor.press(page, action))

    assert answer.answer.status_code == 400
    assert await stored(kernel, oauth_grant) == []


@pytest.mark.parametrize("cookie", ["", "x", "x" * 43, "x" * 5000, "a b"])
async def test_a_cookie_that_was_not_made_here_is_nobodys(asked, browser, cookie):
    visitor = browser()
    visitor.http.cookies.set(LOGIN_COOKIE, cookie, domain="127.0.0.1", path="/oauth")

    page = await visitor.open(await asked())

    assert page.title == "Sign in to connect An assistant"


# ---------------------------------------------------------------- for everybody


@pytest.mark.parametrize(("accepted", "language"), [("es-ES,en;q=0.5", "es"), ("fr", "es"), ("en-GB", "en")])
async def test_pages_speak_the_visitors_language(asked, browser, ana, accepted, language):
    visitor = browser(accepted)

    login = await visitor.open(await asked(scope="read write fiscal team"))
    consent = await visitor.log_in(login, ana.email, PASSWORD)
    over = await visitor.open("/oauth/consent?request=x")

    assert login.title == text(ConsentPageMsg.LOGIN, client="An assistant").in_language(language)
    assert consent.title == text(ConsentPageMsg.TITLE, client="An assistant").in_language(language)
    assert [page.root.get("lang") for page in (login, consent, over)] == [language] * 3
    scopes = [ConsentPageMsg.WRITE, ConsentPageMsg.FISCAL, ConsentPageMsg.TEAM]
    names = [ConsentPageMsg.READ, ConsentPageMsg.PROPOSE, *scopes]
    assert list(consent.options("checkbox")) == [text(name).in_language(language) for name in names]


def test_every_text_of_the_pages_is_in_all_languages():
    texts = {message: text(message) for message in (*ConsentMsg, *ConsentPageMsg)}

    assert [message for message, said in texts.items() if set(said.languages) != {"ca", "en", "es"}] == []
    assert [message for message, said in texts.items() if said.in_language("en") == said.in_language("es")] == []


@pytest.mark.parametrize("scope", Scope)
async def test_every_scope_is_explained(asked, browser, ana, scope):
    visitor = browser()

    page = await visitor.log_in(await visitor.open(await asked(scope=scope.value)), ana.email, PASSWORD)

    label = next(label for label in page.options("checkbox") if "did not ask" not in page.hint(label))
    assert len(page.hint(label)) > 40


async def test_every_control_has_a_label_and_every_page_one_heading(asked, browser, ana):
    visitor = browser()
    login = await visitor.open(await asked())
    consent = await visitor.log_in(login, ana.email, PASSWORD)

    for page in (login, consent):
        controls = page.root.xpath("//input[not(@type='hidden')]")
        assert len(page.root.xpath("//h1")) == len(page.root.xpath("//main")) == 1
        assert all(page.label(control) for control in controls)
        ids = [one.get("id") for one in page.root.xpath("//*[@id]")]
        assert len(ids) == len(set(ids))
        described = {one.get("aria-describedby") for one in controls} - {None}
        assert described <= set(ids)
    assert [one.text_content() for one in consent.root.xpath("//fieldset/legend")] == [
        "Whose books may it work in?",
        "What may it do there?",
    ]

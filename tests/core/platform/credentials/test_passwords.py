"""Passwords are changed, forgotten and replaced; what must not be chosen is refused."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.platform.credentials.mailed_links import links
from ledgerkit.core.platform.identity.logins.tokens import Tokens
from ledgerkit.core.platform.identity.persons.passwords import Passwords
from ledgerkit.core.platform.request.context import Actor, Context, RequestMetadata
from ledgerkit.core.platform.request.idempotency import IdempotentCall
from ledgerkit.core.platform.request.permissions import Role
from support.api import PASSWORD, Api
from support.database import as_owner, everything_stored, overheard, row_counts
from support.letters import Mailbox
from support.work import worked_off

NEW = "three or four words"
EVA = "eva@example.com"
CHANGE, FORGOT, RESET = "/auth/password", "/auth/password/forgot", "/auth/password/reset"


@pytest.fixture
async def eva(client) -> Api:
    return await Api.register(client, EVA)


async def login(client, password: str, email: str = EVA):
    return await client.post("/auth/login", json={"email": email, "password": password})


async def forgotten(kernel, client, mailbox: Mailbox, email: str = EVA) -> str:
    """The token of a link that has just been mailed."""
    answer = await client.post(FORGOT, json={"email": email})
    assert answer.status_code == 202
    await worked_off(kernel)
    return mailbox.token(email, "reset")


async def reset(client, token: str, password: str = NEW):
    return await client.post(RESET, json={"token": token, "password": password})


# ---------------------------------------------------------------- changing


async def test_changing_needs_the_old_password_and_ends_every_login(ana, client):
    other = await login(client, PASSWORD, ana.email)

    answer = await ana.post(CHANGE, {"old": PASSWORD, "new": NEW})

    assert answer.keys() == {"token", "accessToken", "tokenType", "expiresIn"}
    for token in (ana.headers["Authorization"], f"Bearer {other.json()['token']}"):
        await Api(client, {"Authorization": token}).refused(401, "GET", "/auth/me")
        await Api(client, {"Authorization": token}).refused(401, "POST", "/auth/refresh")
    now = Api(client, {"Authorization": f"Bearer {answer['token']}"})
    assert (await now.get("/auth/me"))["user"]["email"] == ana.email
    assert (await login(client, PASSWORD, ana.email)).status_code == 401
    assert (await login(client, NEW, ana.email)).json()["apiKey"] == ana.api_key


async def test_a_wrong_old_password_changes_nothing(kernel, ana, berta):
    before = await everything_stored(kernel)

    problem = await ana.refused(400, "POST", CHANGE, {"old": "not mine", "new": NEW}, **{"Accept-Language": "es"})

    assert (problem["code"], [one["field"] for one in problem["errors"]]) == ("INVALID_CREDENTIALS", ["old"])
    assert problem["detail"] == "old: no es tu contraseña"
    assert await everything_stored(kernel) == before


async def test_a_change_is_told_by_mail_in_the_persons_language(kernel, client, mailbox):
    asked = {EVA: ("ES", "es"), "kim@example.com": ("IE", "en"), "jordi@example.com": ("ES", "ca")}
    for email, (country, language) in asked.items():
        client.headers["Accept-Language"] = language
        api = await Api.register(client, email, country=country)
        await api.post(CHANGE, {"old": PASSWORD, "new": NEW})

    assert await worked_off(kernel) == ["mail-person"] * 3

    [spanish], [english], [catalan] = (mailbox.to(email) for email in asked)
    assert (spanish["Subject"], english["Subject"]) == ("Tu contraseña ha cambiado", "Your password has been changed")
    assert catalan["Subject"] == "La teva contrasenya ha canviat"
    assert "totes les sessions anteriors han acabat" in catalan.get_body(("plain",)).get_content()
    assert "/forgot" in english.get_body(("plain",)).get_content()
    assert NEW not in str(spanish)


async def test_the_change_of_one_person_touches_nobody_else(ana, berta):
    await ana.post(CHANGE, {"old": PASSWORD, "new": NEW})

    assert (await berta.get("/auth/me"))["user"]["email"] == berta.email
    assert (await login(berta.client, PASSWORD, berta.email)).status_code == 200


@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("password1", "password_common"),
        ("PassWord1", "password_common"),
        ("  password1 ", "password_common"),
        ("aaaaaaaa", "password_common"),
        ("contraseña", "password_common"),
        ("ledgerkit", "password_common"),
        ("Password1!", "password_common"),
        ("madrid2026", "password_common"),
        ("c0ntr4s3ñ4.", "password_common"),
        ("holahola", "password_common"),
        ("Example2026", "password_is_own_name"),
        ("         ", "password_blank"),
        ("\u2003" * 9, "password_blank"),
        (EVA, "password_is_email"),
        ("Eva@Example.com", "password_is_email"),
        ("x" * 7, "string_too_short"),
        ("x" * 257, "string_too_long"),
    ],
)
async def test_what_must_not_be_chosen_is_refused_wherever_one_chooses(kernel, client, mailbox, password, code):
    refused = await client.post("/auth/register", json={"email": EVA, "password": password})
    eva = await Api.register(client, EVA)
    changed = await eva.request("POST", CHANGE, {"old": PASSWORD, "new": password})
    token = await forgotten(kernel, client, mailbox)
    replaced = await reset(client, token, password)

    for answer, field in ((refused, "password"), (changed, "new"), (replaced, "password")):
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (400, "VALIDATION_ERROR")
        assert [(one["field"], one["code"]) for one in problem["errors"]] == [(field, code)]
    assert (await login(client, PASSWORD)).status_code == 200
    assert (await reset(client, token)).status_code == 200  # a refused try has not used the link up


@pytest.mark.parametrize(
    "password",
    ["tejado y lluvia;" * 16, "correct horse battery", "contraseña larga", "madrid-lluvia-tejado", "eva-y-un-tejado"],
)
async def test_what_may_be_chosen_opens_the_account(client, eva, password):
    await eva.post(CHANGE, {"old": PASSWORD, "new": password})

    assert (await login(client, password)).status_code == 200


async def test_a_refused_password_is_told_in_spanish(client):
    answer = await client.post(
        "/auth/register", json={"email": EVA, "password": "password1"}, headers={"Accept-Language": "es"}
    )

    assert "esa contraseña es muy común" in answer.json()["detail"]


async def test_a_password_from_before_the_limit_of_256_still_opens_its_account(kernel, client, eva, cheap_passwords):
    long = "x" * 1000
    async with as_owner(kernel) as connection:
        await connection.execute(
            text("update app_user set password_hash = :hash"), {"hash": await cheap_passwords.hashed(long, "")}
        )

    assert (await login(client, long)).status_code == 200


async def test_passwords_are_not_stored_with_an_idempotency_key(kernel, eva):
    """Nor anything that could be compared with a guess by whoever has the database and not the server's secret."""
    sent = {"old": PASSWORD, "new": NEW}
    kept = []
    for secret in (kernel.secret, b"another secret of another server, long enough"):
        ctx = Context(kernel=replace(kernel, secret=secret), request_metadata=RequestMetadata(idempotency_key="k"))
        nobody = {"user_id": None, "user_name": "", "email": None, "account": None}
        ctx = replace(ctx, who=Actor(**nobody, role=Role.OWNER, permissions=frozenset()))
        kept.append(IdempotentCall(ctx, "credentials.change_password", None, [sent], sealed=True)._fingerprint)
    await eva.request("POST", CHANGE, sent, **{"Idempotency-Key": "k"})

    stored = await everything_stored(kernel)

    assert NEW not in stored
    assert PASSWORD not in stored
    assert "eyJhbGciOi" not in stored, "a token"
    assert kept[0] != kept[1]


class Slow:
    """A hasher that lets something else happen between checking a password and answering."""

    def __init__(self, genuine) -> None:
        self.genuine, self.meanwhile = genuine, None

    def hash(self, password: str) -> str:
        return self.genuine.hash(password)

    def verify(self, password: str, known: str) -> bool:
        correct = self.genuine.verify(password, known)
        if self.meanwhile is not None:
            work, self.meanwhile = self.meanwhile, None
            asyncio.run_coroutine_threadsafe(work(), self.loop).result(30)
        return correct


@pytest.fixture
def slow(kernel, cheap_passwords) -> Slow:
    found = Slow(cheap_passwords._hasher)
    kernel.services[Passwords] = Passwords(found)
    return found


async def test_a_login_under_way_with_the_old_password_does_not_outlive_the_change(client, eva, slow):
    slow.loop = asyncio.get_running_loop()
    slow.meanwhile = lambda: eva.post(CHANGE, {"old": PASSWORD, "new": NEW})

    answer = await login(client, PASSWORD)

    assert (answer.status_code, answer.json()["code"]) == (401, "INVALID_CREDENTIALS")


async def test_of_two_changes_at_once_one_is_made(client, eva, slow):
    slow.loop = asyncio.get_running_loop()
    other = Api(client, {"Authorization": f"Bearer {(await login(client, PASSWORD)).json()['token']}"})
    slow.meanwhile = lambda: other.post(CHANGE, {"old": PASSWORD, "new": "the other password"})

    problem = await eva.refused(400, "POST", CHANGE, {"old": PASSWORD, "new": NEW})

    assert problem["code"] == "INVALID_CREDENTIALS"
    assert (await login(client, "the other password")).status_code == 200


# ---------------------------------------------------------------- forgetting


async def test_a_mailed_link_replaces_the_password_and_ends_what_opened_the_account_before(
    kernel, ana, berta, client, mailbox
):
    token = await forgotten(kernel, client, mailbox, ana.email)

    answer = await reset(client, token)

    assert (answer.status_code, answer.json()) == (200, {"ok": True})
    for headers in (ana.headers, {"x-api-key": ana.api_key}):
        await Api(client, headers).refused(401, "GET", "/auth/me")
    assert (await login(client, PASSWORD, ana.email)).status_code == 401
    entered = (await login(client, NEW, ana.email)).json()
    assert entered["apiKey"] != ana.api_key
    assert entered["user"]["emailVerified"] is True
    assert (await berta.get("/auth/me"))["user"]["emailVerified"] is False


async def test_whoever_proves_an_address_takes_the_keys_of_its_teams_from_a_squatter(kernel, ana, client, mailbox):
    team_key = Api(client, {"x-api-key": ana.team["apiKey"]})
    await team_key.get("/api/invoices")

    await reset(client, await forgotten(kernel, client, mailbox, ana.email))

    await team_key.refused(401, "GET", "/api/invoices")


async def test_a_proven_persons_team_keys_outlive_a_forgotten_password(kernel, ana, client, mailbox):
    await reset(client, await forgotten(kernel, client, mailbox, ana.email))
    entered = Api(client, {"Authorization": f"Bearer {(await login(client, NEW, ana.email)).json()['token']}"})
    key = (await entered.get("/api/teams/current"))["team"]["apiKey"]

    await reset(client, await forgotten(kernel, client, mailbox, ana.email), "four or five words")

    assert (await Api(client, {"x-api-key": key}).request("GET", "/api/invoices")).status_code == 200


async def test_a_link_works_once(kernel, client, eva, mailbox):
    token = await forgotten(kernel, client, mailbox)
    await reset(client, token)

    again = await reset(client, token, "another good one")

    assert (again.status_code, again.json()["code"]) == (400, "LINK_INVALID")
    assert (await login(client, NEW)).status_code == 200


async def test_using_one_link_voids_the_others(kernel, client, eva, mailbox):
    first = await forgotten(kernel, client, mailbox)
    second = await forgotten(kernel, client, mailbox)

    assert (await reset(client, second)).status_code == 200
    assert (await reset(client, first, "another good one")).json()["code"] == "LINK_INVALID"


async def test_a_change_voids_the_links_that_were_mailed_before(kernel, client, eva, mailbox):
    token = await forgotten(kernel, client, mailbox)

    await eva.post(CHANGE, {"old": PASSWORD, "new": NEW})

    assert (await reset(client, token, "another good one")).json()["code"] == "LINK_INVALID"


@pytest.mark.parametrize(("late", "status"), [(timedelta(seconds=-2), 200), (timedelta(seconds=1), 400)])
async def test_a_link_lives_an_hour(kernel, eva, mailbox, late, status):
    client, before = eva.client, clock.now()
    token = await forgotten(kernel, client, mailbox)
    begun = before if status == 200 else clock.now()

    with time_machine.travel(begun + timedelta(hours=1) + late, tick=False):
        assert (await reset(client, token)).status_code == status


async def test_a_link_replaces_the_password_of_its_person_only(kernel, client, ana, berta, mailbox):
    token = await forgotten(kernel, client, mailbox, ana.email)

    for wrong in ("", "x", token[:-1], token + "A", token.swapcase(), "\u00f1" * 43, "A" * 43):
        assert (await reset(client, wrong)).json()["code"] == "LINK_INVALID", wrong
    await reset(client, token)

    assert (await login(client, NEW, berta.email)).status_code == 401
    assert (await login(client, PASSWORD, berta.email)).status_code == 200


async def test_a_link_of_one_purpose_is_none_of_another(kernel, client, eva, mailbox):
    await eva.post("/auth/verify/resend")
    await worked_off(kernel)
    verifying = mailbox.token(EVA, "verify")
    resetting = await forgotten(kernel, client, mailbox)

    assert (await reset(client, verifying)).json()["code"] == "LINK_INVALID"
    mixed = await client.post("/auth/verify", json={"token": resetting, "password": PASSWORD})
    assert mixed.json()["code"] == "LINK_INVALID"
    assert (await client.get(f"/reset/{verifying}")).status_code == 404
    assert (await client.get(f"/verify/{resetting}")).status_code == 404


async def test_known_and_unknown_addresses_get_the_same_answer_for_the_same_work(kernel, client, eva):
    answers, said = [], []
    for email in (EVA, "nobody@example.com"):
        with overheard(kernel) as statements:
            answers.append(await client.post(FORGOT, json={"email": email}))
        said.append(list(statements))

    assert [(one.status_code, one.json()) for one in answers] == [(202, {"ok": True})] * 2
    assert said[0] == said[1]
    assert len(said[0]) > 0


async def test_an_unknown_address_gets_no_mail_and_leaves_nothing(kernel, client, eva, mailbox):
    before = await row_counts(kernel)

    await client.post(FORGOT, json={"email": "nobody@example.com"})
    await worked_off(kernel)

    assert mailbox.mails() == []
    assert await row_counts(kernel) == before


async def test_one_person_is_mailed_three_links_an_hour_whoever_asks(kernel, client, eva, mailbox):
    for _ in range(5):
        await client.post(FORGOT, json={"email": EVA})
        await worked_off(kernel)
    many = len(mailbox.to(EVA))
    with time_machine.travel(clock.now() + timedelta(minutes=61), tick=False):
        await client.post(FORGOT, json={"email": EVA})
        await worked_off(kernel)

    assert (many, len(mailbox.to(EVA))) == (3, 4)


async def test_requests_that_wait_together_are_one_mail(kernel, client, eva, mailbox):
    for _ in range(3):
        await client.post(FORGOT, json={"email": EVA})

    assert await worked_off(kernel) == ["mail-person"]
    assert len(mailbox.to(EVA)) == 1


async def test_the_token_is_nowhere_in_the_database(kernel, client, eva, mailbox):
    token = await forgotten(kernel, client, mailbox)

    assert token not in await everything_stored(kernel)


async def test_old_links_are_forgotten(kernel, client, eva, mailbox):
    await forgotten(kernel, client, mailbox)

    with time_machine.travel(clock.now() + timedelta(days=9), tick=False):
        await links.forget(kernel)

    assert (await row_counts(kernel))["mailed_link"] == 0


async def test_the_mail_is_of_no_account(kernel, ana, client, mailbox):
    await forgotten(kernel, client, mailbox, ana.email)

    assert (await row_counts(kernel))["mail_log"] == 0


# ---------------------------------------------------------------- the pages


def assert_closed(page) -> None:
    """No script, nobody's index, and its address goes to nobody."""
    assert "<script" not in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert (page.headers["referrer-policy"], page.headers["cache-control"]) == ("no-referrer", "private, no-store")
    assert "noindex" in page.headers["x-robots-tag"]


async def test_the_page_of_the_link_replaces_the_password(kernel, client, eva, mailbox):
    token = await forgotten(kernel, client, mailbox)
    pages = [await client.get(f"/reset/{token}") for _ in range(3)]

    short = await client.post(f"/reset/{token}", content=b"password=short")
    common = await client.post(f"/reset/{token}", content=b"password=password1", headers={"Accept-Language": "en"})
    done = await client.post(f"/reset/{token}", content=b"password=three+or+four+words")
    again = await client.post(f"/reset/{token}", content=b"password=three+or+four+words")

    assert {page.status_code for page in pages} == {200}  # looking uses nothing up
    assert (short.status_code, common.status_code, done.status_code, again.status_code) == (400, 400, 200, 404)
    assert "La contraseña debe tener al menos 8 caracteres" in short.text
    assert "this password is very common" in common.text
    assert EVA in done.text
    assert (await login(client, NEW)).status_code == 200
    for page in (*pages, short, done, again):
        assert_closed(page)


async def test_the_page_that_asks_for_a_link_says_the_same_for_everybody(kernel, client, eva, mailbox):
    asked = await client.get("/forgot")
    known = await client.post("/forgot", content=b"email=eva%40example.com")
    unknown = await client.post("/forgot", content=b"email=nobody%40example.com")
    wrong = await client.post("/forgot", content=b"email=%3Cb%3E")
    await worked_off(kernel)

    assert (asked.status_code, known.status_code, unknown.status_code, wrong.status_code) == (200, 200, 200, 400)
    assert known.text == unknown.text
    assert "&lt;b&gt;" in wrong.text
    assert len(mailbox.mails()) == 1
    for page in (asked, known, wrong):
        assert_closed(page)


async def test_pages_of_links_that_never_were_are_all_the_same(client):
    pages = [await client.get(f"/{kind}/{token}") for kind in ("reset", "verify") for token in ("x", "A" * 43)]
    pages += [
        await client.post(f"/{kind}/{'A' * 43}", content=b"password=three+or+four") for kind in ("reset", "verify")
    ]

    assert {page.status_code for page in pages} == {404}
    assert len({page.text for page in pages}) == 1


async def test_a_form_of_many_bytes_is_refused(client):
    answer = await client.post(f"/reset/{'A' * 43}", content=b"password=" + b"x" * (17 << 10))

    assert answer.status_code == 413


async def test_a_stolen_token_of_before_is_worth_nothing_to_the_new_version(kernel, client, eva, mailbox):
    """Whoever holds the database and an old version cannot go on, since the version is signed."""
    await reset(client, await forgotten(kernel, client, mailbox))
    async with as_owner(kernel) as connection:
        [user] = (await connection.execute(text("select id from app_user"))).scalars()

    stale = kernel.service(Tokens).login_token(user, 1, timedelta(hours=1)).token

    await Api(client, {"Authorization": f"Bearer {stale}"}).refused(401, "GET", "/auth/me")

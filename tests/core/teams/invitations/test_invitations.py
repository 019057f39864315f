"""Invitations: who is registered joins, who is not gets a mail whose token is the only way in."""

import re
from dataclasses import replace
from datetime import timedelta

import httpx2
import pytest
import time_machine

from ledgerkit import clock
from ledgerkit.app import create_app
from ledgerkit.core.teams.invitations import operations as invitations
from ledgerkit.settings import Registration
from support.api import PASSWORD, Api
from support.database import as_owner, everything_stored, prove_address, row_counts, set_role

INVITE = "/api/teams/current/invite"
MEMBERS = "/api/teams/current/members"
ROSA = "rosa@example.com"


async def invited(api: Api, email: str = ROSA, **fields: str):
    """The problem that inviting an unregistered address is answered with."""
    problem = await api.refused(404, "POST", INVITE, {"email": email, **fields})
    assert problem["code"] == "USER_NOT_REGISTERED"
    return problem


async def register(client, email: str = ROSA, **fields: str):
    return await client.post("/auth/register", json={"email": email, "password": PASSWORD, **fields})


def logged_in(client, answer) -> Api:
    assert answer.status_code == 200, answer.text
    return Api(client, {"Authorization": f"Bearer {answer.json()['token']}"}, api_key=answer.json()["apiKey"])


async def roles(api: Api) -> dict[str, str]:
    return {one["email"]: one["role"] for one in await api.get(MEMBERS)}


async def states(kernel) -> list[str]:
    """States of all invitations, the oldest first."""
    async with as_owner(kernel) as connection:
        found = await connection.exec_driver_sql("select state from invitation order by id")
        return list(found.scalars())


# ---------------------------------------------------------------- somebody who is registered


@pytest.mark.parametrize("role", ["admin", "finance", "operations", "member", "viewer", None])
async def test_who_is_registered_joins_at_once_and_is_told(ana, client, mailbox, role):
    rosa = await Api.register(client, ROSA, name="Rosa Sol")
    wanted = {} if role is None else {"role": role}

    answer = await ana.post(INVITE, {"email": "Rosa@Example.COM", **wanted})

    member = answer["member"]
    assert (member["name"], member["email"], member["role"]) == ("Rosa Sol", ROSA, role or "member")
    assert (answer["notified"], answer["deliveredTo"]) == (False, "file")
    [mail] = mailbox.to(ROSA)
    assert mail["Subject"] == "Ya formas parte del equipo Ana Ruiz"
    assert "ana te ha añadido" in mail.get_body(("plain",)).get_content()
    assert (await rosa.get("/api/teams/my-role"))["teamId"] is None
    assert [one["role"] for one in await rosa.get("/api/teams/my-teams")] == [role or "member"]


async def test_the_mail_is_in_the_language_of_who_gets_it(ana, client, mailbox):
    await Api.register(client, ROSA, country="IE")

    await ana.post(INVITE, {"email": ROSA})

    assert mailbox.to(ROSA)[0]["Subject"] == "You are now a member of the team Ana Ruiz"


async def test_a_member_is_not_invited_again(kernel, ana, member, mailbox):
    await member(ROSA, "viewer")
    before = await row_counts(kernel)

    for email in (ROSA, "ana@example.com"):
        problem = await ana.refused(400, "POST", INVITE, {"email": email, "role": "admin"})
        assert (problem["code"], problem["errors"][0]["field"]) == ("ALREADY_MEMBER", "email")

    assert await row_counts(kernel) == before
    assert (await roles(ana))[ROSA] == "viewer"
    assert len(mailbox.mails()) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "email"),
        ({"email": "rosa"}, "email"),
        ({"email": None}, "email"),
        ({"email": f"{'x' * 255}@example.com"}, "email"),
        ({"email": "ñandú@example.com"}, "email"),
        ({"email": ROSA, "role": "owner"}, "role"),
        ({"email": ROSA, "role": "boss"}, "role"),
        ({"email": ROSA, "role": None}, "role"),
    ],
)
async def test_what_cannot_be_invited_is_named_and_nothing_is_kept(kernel, ana, mailbox, body, field):
    before = await row_counts(kernel)

    problem = await ana.refused(400, "POST", INVITE, body)

    assert [one["field"] for one in problem["errors"]] == [field]
    assert await row_counts(kernel) == before
    assert mailbox.mails() == []


@pytest.mark.parametrize("role", ["finance", "operations", "member", "viewer"])
async def test_only_admins_invite_and_nobody_else_learns_who_is_registered(ana, member, mailbox, role):
    rosa = await member(ROSA, role)
    sent = len(mailbox.mails())

    answers = [await rosa.refused(403, "POST", INVITE, {"email": email}) for email in ("ana@example.com", "x@y.es")]

    assert {one["detail"] for one in answers} == {answers[0]["detail"]}
    assert len(mailbox.mails()) == sent


async def test_a_teams_key_invites_in_the_teams_name(ana, client, mailbox):
    await Api.register(client, ROSA)
    key = Api(client, {"x-api-key": ana.team["apiKey"]})

    answer = await key.post(INVITE, {"email": ROSA})

    assert answer["member"]["invitedBy"] is None
    assert "Ana Ruiz te ha añadido" in mailbox.to(ROSA)[0].get_body(("plain",)).get_content()


# ---------------------------------------------------------------- somebody who is not


async def test_an_unregistered_address_gets_a_mail_and_the_404_says_so(ana, mailbox):
    problem = await invited(ana, role="finance")

    [mail] = mailbox.to(ROSA)
    text, html = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
    token = mailbox.token(ROSA)
    assert mail["Subject"] == "Invitación al equipo Ana Ruiz"
    assert mail["Reply-To"] == "ana@example.com"
    assert mail["Content-Language"] == "es"
    for part in (text, html):
        assert f"http://127.0.0.1:8000/join/{token}" in part
        assert "finanzas" in part
        assert "ana te invita" in part
    assert {name: problem["invitation"][name] for name in ("email", "role", "deliveredTo")} == {
        "email": ROSA,
        "role": "finance",
        "deliveredTo": "file",
    }
    assert token not in str(problem)
    assert "LEDGERKIT_SMTP_URL" in problem["remedy"]


async def test_abroad_the_invitation_is_in_english(client, mailbox):
    eva = await Api.register(client, "eva@example.com")
    await eva.post("/api/teams", {"name": "Studio", "country": "IE"})

    await invited(eva)

    [mail] = mailbox.to(ROSA)
    assert (mail["Subject"], mail["Content-Language"]) == ("Invitation to the team Studio", "en")


async def test_registering_with_the_token_joins_with_the_role(ana, client, mailbox):
    await invited(ana, role="operations")

    answer = await register(client, invitationToken=mailbox.token(ROSA))

    rosa = logged_in(client, answer)
    user = answer.json()["user"]
    assert (user["activeTeamId"], user["emailVerified"]) == (ana.team["id"], True)
    assert await rosa.get("/api/teams/my-role") == {"role": "operations", "teamId": ana.team["id"]}
    [owner, member] = await ana.get(MEMBERS)
    assert (member["email"], member["role"], member["invitedBy"]) == (ROSA, "operations", owner["userId"])
    feed = await ana.get("/api/invoices/activity/feed")
    assert [(one["action"], one["userName"]) for one in feed[:2]] == [("joined", "rosa"), ("invited", "ana")]
    assert len(mailbox.mails()) == 1


async def test_who_joined_by_invitation_has_a_home_to_go_back_to(ana, client, mailbox):
    await invited(ana)
    rosa = logged_in(client, await register(client, invitationToken=mailbox.token(ROSA)))

    await ana.delete(f"{MEMBERS}/{(await ana.get(MEMBERS))[1]['id']}")

    assert await rosa.get("/api/teams/my-role") == {"role": "owner", "teamId": None}


async def test_typing_an_invited_address_lets_nobody_in(ana, client, mailbox):
    await invited(ana, role="admin")

    stranger = logged_in(client, await register(client))

    assert await stranger.get("/api/teams/my-role") == {"role": "owner", "teamId": None}
    assert await roles(ana) == {"ana@example.com": "owner"}


async def test_who_registered_without_the_token_logs_in_with_it(ana, client, mailbox):
    await invited(ana, role="finance")
    await register(client)
    taken = await register(client, invitationToken=mailbox.token(ROSA))

    answer = await client.post(
        "/auth/login", json={"email": ROSA, "password": PASSWORD, "invitationToken": mailbox.token(ROSA)}
    )

    assert (taken.status_code, taken.json()["code"]) == (400, "EMAIL_TAKEN")
    assert "invitationToken" in taken.json()["remedy"]
    assert answer.json()["user"]["activeTeamId"] == ana.team["id"]
    assert (await logged_in(client, answer).get("/api/teams/my-role"))["role"] == "finance"


async def refusal(client, **fields: str) -> tuple[int, str, list[str]]:
    answer = await register(client, **fields)
    problem = answer.json()
    return answer.status_code, problem["code"], [one["field"] for one in problem["errors"]]


INVALID = (400, "INVITATION_INVALID", ["invitationToken"])


async def test_a_token_is_for_its_address_only_and_leaves_nothing_behind(kernel, ana, client, mailbox):
    await invited(ana)
    token = mailbox.token(ROSA)
    before = await row_counts(kernel)

    assert await refusal(client, email="eva@example.com", invitationToken=token) == INVALID
    for wrong in ("", "x", token[:-1], token + "A", token.swapcase(), "A" * 43, "\u00f1" * 43):
        assert await refusal(client, invitationToken=wrong) == INVALID, wrong
    assert await row_counts(kernel) == before


async def test_a_token_works_once(ana, client, mailbox):
    await invited(ana)
    token = mailbox.token(ROSA)
    rosa = logged_in(client, await register(client, invitationToken=token))
    await ana.delete(f"{MEMBERS}/{(await ana.get(MEMBERS))[1]['id']}")

    again = await client.post("/auth/login", json={"email": ROSA, "password": PASSWORD, "invitationToken": token})

    assert (again.status_code, again.json()["code"]) == (400, "INVITATION_INVALID")
    assert (await rosa.get("/api/teams/my-role"))["teamId"] is None


@pytest.mark.parametrize(("late", "status"), [(timedelta(seconds=-2), 200), (timedelta(seconds=1), 400)])
async def test_a_token_lives_seven_days(ana, client, mailbox, late, status):
    before = clock.now()
    await invited(ana)
    token = mailbox.token(ROSA)
    begun = before if status == 200 else clock.now()

    with time_machine.travel(begun + timedelta(days=7) + late, tick=False):
        answer = await register(client, invitationToken=token)

    assert answer.status_code == status, answer.text


async def test_a_second_invitation_replaces_the_first(kernel, ana, client, mailbox):
    await invited(ana, role="admin")
    first = mailbox.token(ROSA)
    await invited(ana, role="viewer")

    assert await refusal(client, invitationToken=first) == INVALID
    rosa = logged_in(client, await register(client, invitationToken=mailbox.token(ROSA)))

    assert (await rosa.get("/api/teams/my-role"))["role"] == "viewer"
    assert await states(kernel) == ["replaced", "joined"]


async def test_joining_another_way_voids_the_invitation(kernel, ana, client, mailbox):
    await invited(ana, role="admin")
    await register(client)
    await ana.post(INVITE, {"email": ROSA, "role": "viewer"})

    again = await client.post(
        "/auth/login", json={"email": ROSA, "password": PASSWORD, "invitationToken": mailbox.token_of(ROSA, 0)}
    )

    assert again.json()["code"] == "INVITATION_INVALID"
    assert (await roles(ana))[ROSA] == "viewer"


@pytest.mark.parametrize("loss", ["removed", "left", "demoted"])
async def test_who_may_no_longer_invite_has_no_invitations_out(ana, client, member, mailbox, loss):
    """An admin about to be removed could come back by an invitation to another address of theirs."""
    rosa = await member(role="admin")
    members = f"{MEMBERS}/{rosa.team['memberId']}"
    await rosa.refused(404, "POST", INVITE, {"email": "new@example.com", "role": "admin"})
    token = mailbox.token("new@example.com")
    assert (await client.get(f"/join/{token}")).status_code == 200

    if loss == "demoted":
        await ana.patch(f"{members}/role", {"role": "finance"})
    else:
        await (ana if loss == "removed" else rosa).delete(members)

    assert (await client.get(f"/join/{token}")).status_code == 404
    anonymous = Api(client, {})
    credentials = {"email": "new@example.com", "password": "a good password", "invitationToken": token}
    refused = await anonymous.refused(400, "POST", "/auth/register", credentials)
    assert refused["code"] == "INVITATION_INVALID"


async def test_the_token_proves_the_address_so_every_team_that_invited_it_is_joined(ana, berta, client, mailbox):
    await invited(ana, role="viewer")
    await invited(berta, role="finance")

    rosa = logged_in(client, await register(client, invitationToken=mailbox.token_of(ROSA, 0)))

    assert {one["id"]: (one["role"], one["isActive"]) for one in await rosa.get("/api/teams/my-teams")} == {
        ana.team["id"]: ("viewer", True),
        berta.team["id"]: ("finance", False),
    }
    for team in (ana, berta):
        [joined, *_] = await team.get("/api/invoices/activity/feed")
        assert (joined["action"], joined["teamId"]) == ("joined", team.team["id"])


async def test_a_member_who_opens_another_teams_invitation_keeps_the_role_they_have(kernel, ana, client, mailbox):
    await invited(ana, role="admin")
    rosa = logged_in(client, await register(client))
    await set_role(kernel, team_id=ana.team["id"], user_email=ROSA, role="viewer")

    answer = await client.post(
        "/auth/login", json={"email": ROSA, "password": PASSWORD, "invitationToken": mailbox.token(ROSA)}
    )

    assert answer.status_code == 200
    assert (await rosa.get("/api/teams/my-role"))["role"] == "viewer"


async def test_the_token_is_nowhere_in_the_database(kernel, ana, mailbox):
    await invited(ana)

    stored = await everything_stored(kernel)

    assert ROSA in stored
    assert mailbox.token(ROSA) not in stored


async def test_old_invitations_are_forgotten(kernel, ana, mailbox):
    await invited(ana)

    with time_machine.travel(clock.now() + timedelta(days=29, hours=23), tick=False):
        await invitations.forget(kernel)
        kept = await states(kernel)
    with time_machine.travel(clock.now() + timedelta(days=30, hours=1), tick=False):
        await invitations.forget(kernel)

    assert (kept, await states(kernel)) == (["open"], [])


@pytest.fixture
async def closed(kernel):
    """Client of a server on these data whose operator has closed registration."""
    shut = kernel.settings.model_copy(update={"registration": Registration.CLOSED})
    app = create_app(shut)
    app.state.kernel = replace(kernel, settings=shut)
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as caller:
        yield caller


async def test_where_registration_is_closed_the_invited_register_and_strangers_do_not(ana, closed, mailbox):
    await invited(ana)
    token = mailbox.token(ROSA)

    stranger = await register(closed, "eva@example.com")
    wrong = await register(closed, "eva@example.com", invitationToken=token)
    answer = await register(closed, invitationToken=token)

    assert (stranger.status_code, stranger.json()["code"]) == (403, "REGISTRATION_CLOSED")
    assert wrong.json()["code"] == "INVITATION_INVALID"
    assert (await logged_in(closed, answer).get("/api/teams/my-role"))["teamId"] == ana.team["id"]


class TestLimited:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"invitation_limit": 3})

    async def test_an_owner_has_so_many_invitations_a_day_over_all_teams_and_people(self, kernel, ana, client, mailbox):
        await Api.register(client, ROSA)
        key = Api(client, {"x-api-key": ana.team["apiKey"]})
        await invited(ana, "a@example.com")
        await key.post(INVITE, {"email": ROSA, "role": "admin"})
        await ana.post("/api/teams", {"name": "Otra", "country": "ES"})
        await invited(ana, "c@example.com")
        before, sent = await row_counts(kernel), len(mailbox.mails())

        for caller, email in ((ana, "d@example.com"), (key, "d@example.com"), (ana, ROSA)):
            answer = await caller.request("POST", INVITE, {"email": email})
            assert (answer.status_code, answer.json()["code"]) == (429, "RATE_LIMITED")
            assert 86_300 < int(answer.headers["retry-after"]) <= 86_400

        assert (await row_counts(kernel), len(mailbox.mails())) == (before, sent)

    async def test_a_day_later_there_are_new_ones(self, ana):
        for letter in "abc":
            await invited(ana, f"{letter}@example.com")

        with time_machine.travel(clock.now() + timedelta(hours=23, minutes=59), tick=True):
            await ana.refused(429, "POST", INVITE, {"email": "d@example.com"})
        with time_machine.travel(clock.now() + timedelta(days=1), tick=True):
            fresh = await client_login(ana)
            await invited(fresh, "d@example.com")


async def client_login(api: Api) -> Api:
    answer = await api.client.post("/auth/login", json={"email": api.email, "password": PASSWORD})
    return logged_in(api.client, answer)


class TestWithoutInvitations:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"invitation_limit": 0})

    async def test_the_operator_can_switch_them_off(self, ana):
        problem = await ana.refused(429, "POST", INVITE, {"email": ROSA})

        assert "LEDGERKIT_INVITATION_LIMIT" in problem["remedy"]


# ---------------------------------------------------------------- the page behind the link


def fields_of(page) -> set[str]:
    return set(re.findall(r'<input id="(\w+)"', page.text))


@pytest.fixture
async def link(ana, mailbox) -> str:
    await invited(ana, role="finance")
    return f"/join/{mailbox.token(ROSA)}"


async def test_the_page_lets_a_newcomer_choose_a_password(ana, client, link):
    page = await client.get(link)
    done = await client.post(link, content=b"name=Rosa+Sol&password=a+long+enough+secret")

    assert (page.status_code, done.status_code) == (200, 200)
    assert "Invitación al equipo Ana Ruiz" in page.text
    assert fields_of(page) == {"email", "name", "password"}
    assert "Ya formas parte del equipo Ana Ruiz" in done.text
    entered = await client.post("/auth/login", json={"email": ROSA, "password": PASSWORD})
    rosa = logged_in(client, entered)
    assert (entered.json()["user"]["name"], (await rosa.get("/api/teams/my-role"))["role"]) == ("Rosa Sol", "finance")


async def test_the_page_asks_who_has_a_proven_account_for_its_password_only(kernel, ana, client, link):
    await register(client)
    await prove_address(kernel, ROSA)

    page = await client.get(link, headers={"Accept-Language": "en-GB,en;q=0.9"})
    wrong = await client.post(link, content=b"password=not+mine", headers={"Accept-Language": "en-GB"})
    right = await client.post(link, content=b"password=a+long+enough+secret")

    assert fields_of(page) == {"email", "password"}
    assert (wrong.status_code, "The password is wrong." in wrong.text) == (401, True)
    assert right.status_code == 200
    assert ROSA in await roles(ana)


async def test_the_page_says_what_is_wrong_and_keeps_what_was_typed(ana, client, link):
    short = await client.post(link, content=b"name=%3Cb%3ERosa&password=short")
    empty = await client.post(link, content=b"\xff\xfe=%zz")

    assert (short.status_code, empty.status_code) == (400, 400)
    assert "La contraseña debe tener al menos 8 caracteres" in short.text
    assert "&lt;b&gt;Rosa" in short.text
    assert "short" not in short.text
    assert ROSA not in await roles(ana)


async def test_a_used_wrong_or_late_link_all_look_the_same(client, link):
    await client.post(link, content=b"password=a+long+enough+secret")

    pages = [await client.get(one) for one in (link, "/join/x", f"/join/{'A' * 43}")]
    pages += [await client.post(link, content=b"password=a+long+enough+secret")]

    assert {page.status_code for page in pages} == {404}
    assert len({page.text for page in pages}) == 1
    assert "ya no es válida" in pages[0].text


async def test_looking_at_the_page_uses_nothing_up(client, link):
    pages = [await client.get(link) for _ in range(3)]

    assert {page.status_code for page in pages} == {200}


@pytest.mark.parametrize("path", ["", "x"])
async def test_the_page_runs_nothing_and_passes_its_address_to_nobody(client, link, path):
    page = await client.get(link + path)

    assert "<script" not in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert (page.headers["referrer-policy"], page.headers["cache-control"]) == ("no-referrer", "private, no-store")
    assert "noindex" in page.headers["x-robots-tag"]


async def test_a_teams_name_is_text_on_the_page_and_in_the_mail(client, mailbox):
    eva = await Api.register(client, "eva@example.com")
    await eva.post("/api/teams", {"name": "<img src=x>\u202e Estudio", "country": "ES"})
    await invited(eva)

    page = await client.get(f"/join/{mailbox.token(ROSA)}")
    html = mailbox.to(ROSA)[0].get_body(("html",)).get_content()

    assert "<img" not in page.text
    assert "<img" not in html
    assert "\u202e" not in html

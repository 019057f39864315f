"""Somebody registers another person's address first: what is meant for its owner never reaches them."""

import re
from typing import Any

import pytest

from ledgerkit.settings import VerifyEmail
from support.api import PASSWORD, Api
from support.database import overheard, prove_address, row_counts, set_role
from support.work import worked_off

INVITE, MEMBERS = "/api/teams/current/invite", "/api/teams/current/members"
ROSA = "rosa@example.com"
HERS = "the password that rosa chose"


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={"verify_email": VerifyEmail.ON})


@pytest.fixture
async def squatter(client) -> Api:
    """Has registered rosa's address with a password of their own."""
    return await Api.register(client, ROSA, name="Rosa?")


async def invited(api: Api, email: str = ROSA, role: str = "finance") -> dict[str, Any]:
    return await api.refused(404, "POST", INVITE, {"email": email, "role": role})


async def roles(api: Api) -> dict[str, str]:
    return {one["email"]: one["role"] for one in await api.get(MEMBERS)}


def doors(squatter: Api) -> list[Any]:
    """Every way in that the squatter has had."""
    token, key = squatter, Api(squatter.client, {"x-api-key": squatter.api_key})
    return [token.request("GET", "/auth/me"), token.request("POST", "/auth/refresh"), key.request("GET", "/auth/me")]


async def assert_shut_out(squatter: Api) -> None:
    for asked in doors(squatter):
        assert (await asked).status_code == 401
    entered = await squatter.client.post("/auth/login", json={"email": ROSA, "password": PASSWORD})
    assert entered.status_code == 401


async def test_inviting_an_unproven_address_lets_nobody_in(ana, squatter, mailbox):
    problem = await invited(ana)

    assert problem["code"] == "USER_NOT_REGISTERED"
    assert await squatter.get("/api/teams/my-teams") == []
    assert await roles(ana) == {"ana@example.com": "owner"}
    assert mailbox.to(ROSA)[-1]["Subject"] == "Invitación al equipo Ana Ruiz"


async def test_an_inviter_cannot_tell_an_unproven_address_from_an_unknown_one(kernel, ana, squatter, mailbox):
    told, asked = [], []
    for email in (ROSA, "nadie@example.com"):
        with overheard(kernel) as statements:
            told.append(await invited(ana, email))
        asked.append(list(statements))

    def plain(value: Any, email: str) -> str:
        ids = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}|\d{4}-\d\d-\d\dT[^'\"]+", "#", str(value))
        return ids.replace(email, "@")

    assert plain(told[0], ROSA) == plain(told[1], "nadie@example.com")
    assert asked[0] == asked[1]
    letters = [mailbox.to(email)[-1].get_body(("plain",)).get_content() for email in (ROSA, "nadie@example.com")]
    assert re.sub(r"/join/\S+", "/join/", letters[0]) == re.sub(r"/join/\S+", "/join/", letters[1])


async def test_a_proven_address_joins_at_once(kernel, ana, squatter):
    await prove_address(kernel, ROSA)

    answer = await ana.post(INVITE, {"email": ROSA, "role": "viewer"})

    assert answer["member"]["email"] == ROSA
    assert (await roles(ana))[ROSA] == "viewer"


async def test_a_member_whose_address_is_unproven_is_a_member_still(kernel, ana, squatter):
    await set_role(kernel, team_id=ana.team["id"], user_email=ROSA, role="viewer")

    problem = await ana.refused(400, "POST", INVITE, {"email": ROSA})

    assert problem["code"] == "ALREADY_MEMBER"


async def test_the_owner_of_the_mailbox_begins_anew_and_the_squatter_is_shut_out(kernel, ana, squatter, mailbox):
    planted = await squatter.post("/api/clients", {"name": "Planted"})
    await invited(ana)
    token = mailbox.token(ROSA)

    answer = await squatter.client.post(
        "/auth/register",
        json={"email": ROSA, "password": HERS, "invitationToken": token, "replaceUnverified": True},
    )

    rosa = Api(squatter.client, {"Authorization": f"Bearer {answer.json()['token']}"})
    user = answer.json()["user"]
    assert (user["email"], user["emailVerified"], user["activeTeamId"]) == (ROSA, True, ana.team["id"])
    assert await rosa.get("/api/teams/my-role") == {"role": "finance", "teamId": ana.team["id"]}
    await assert_shut_out(squatter)
    await rosa.delete(f"{MEMBERS}/{user['id']}")
    assert await rosa.get("/api/clients") == []
    await rosa.refused(404, "GET", f"/api/clients/{planted['id']}")


async def test_what_a_squatter_founded_and_whom_they_let_in_reaches_the_owner_by_no_way(ana, squatter, mailbox):
    team = await squatter.post("/api/teams", {"name": "Trap", "country": "ES"})
    team_key = Api(squatter.client, {"x-api-key": team["apiKey"]})
    await invited(ana)

    answer = await squatter.client.post(
        "/auth/register",
        json={
            "email": ROSA,
            "password": HERS,
            "invitationToken": mailbox.token(ROSA),
            "replaceUnverified": True,
        },
    )

    rosa = Api(squatter.client, {"Authorization": f"Bearer {answer.json()['token']}"})
    assert [one["id"] for one in await rosa.get("/api/teams/my-teams")] == [ana.team["id"]]
    await team_key.refused(401, "GET", "/api/invoices")


async def test_without_being_told_to_nobodys_account_is_left_behind(ana, squatter, mailbox):
    """Registering an address is no proof of a squatter: its owner may only never have confirmed it."""
    await invited(ana)

    answer = await squatter.client.post(
        "/auth/register", json={"email": ROSA, "password": HERS, "invitationToken": mailbox.token(ROSA)}
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "EMAIL_TAKEN")
    assert "replaceUnverified" in answer.json()["remedy"]
    assert (await squatter.request("GET", "/auth/me")).status_code == 200


@pytest.mark.parametrize("token", [None, "A" * 43, "of another"])
async def test_without_the_mailed_token_nobody_takes_an_address(kernel, ana, squatter, mailbox, token):
    await invited(ana, "eva@example.com")
    sent = {"email": ROSA, "password": HERS, "replaceUnverified": True}
    given = mailbox.token("eva@example.com") if token == "of another" else token
    before = await row_counts(kernel)

    answer = await squatter.client.post(
        "/auth/register", json=sent if given is None else {**sent, "invitationToken": given}
    )

    assert answer.status_code == 400
    assert await row_counts(kernel) == before
    assert (await squatter.request("GET", "/auth/me")).status_code == 200


async def test_a_proven_account_is_never_left_behind(kernel, ana, berta, client, mailbox):
    rosa = await Api.register(client, ROSA)
    await invited(ana)
    await prove_address(kernel, ROSA)

    answer = await client.post(
        "/auth/register",
        json={
            "email": ROSA,
            "password": HERS,
            "invitationToken": mailbox.token(ROSA),
            "replaceUnverified": True,
        },
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "EMAIL_TAKEN")
    assert (await rosa.request("GET", "/auth/me")).status_code == 200


async def test_a_used_token_takes_no_address_a_second_time(kernel, ana, squatter, mailbox):
    await invited(ana)
    sent = {"email": ROSA, "password": HERS, "invitationToken": mailbox.token(ROSA), "replaceUnverified": True}
    await squatter.client.post("/auth/register", json=sent)
    before = await row_counts(kernel)

    again = await squatter.client.post("/auth/register", json=sent | {"password": "another good one"})

    assert again.json()["code"] == "INVITATION_INVALID"
    assert await row_counts(kernel) == before


async def test_who_knows_the_password_keeps_the_account_and_proves_the_address(ana, client, mailbox):
    rosa = await Api.register(client, ROSA)
    kept = await rosa.post("/api/clients", {"name": "Mine"})
    await invited(ana)

    answer = await client.post(
        "/auth/login", json={"email": ROSA, "password": PASSWORD, "invitationToken": mailbox.token(ROSA)}
    )

    assert answer.json()["user"]["emailVerified"] is True
    assert (await roles(ana))[ROSA] == "finance"
    member = next(one for one in await ana.get(MEMBERS) if one["email"] == ROSA)
    await ana.delete(f"{MEMBERS}/{member['id']}")
    assert [one["id"] for one in await rosa.get("/api/clients")] == [kept["id"]]


async def test_a_squatter_leaves_the_teams_that_let_them_in_before(kernel, ana, berta, squatter, mailbox):
    """A squatter may be a member already, from the time when addresses needed no proof."""
    await set_role(kernel, team_id=berta.team["id"], user_email=ROSA, role="admin")
    await invited(ana)

    await squatter.client.post(
        "/auth/register",
        json={
            "email": ROSA,
            "password": HERS,
            "invitationToken": mailbox.token(ROSA),
            "replaceUnverified": True,
        },
    )

    assert await roles(berta) == {"berta@example.com": "owner"}
    [left, *_] = await berta.get("/api/invoices/activity/feed")
    assert (left["action"], left["entityType"]) == ("left", "member")


# ---------------------------------------------------------------- the page behind the link


@pytest.fixture
async def link(ana, squatter, mailbox) -> str:
    await invited(ana)
    return f"/join/{mailbox.token(ROSA)}"


async def test_the_page_asks_whose_the_unproven_account_is(client, link):
    page = await client.get(link, headers={"Accept-Language": "en"})

    assert re.findall(r'type="radio" name="account" value="(\w+)"', page.text) == ["mine", "new"]
    assert "that nobody has confirmed" in page.text
    assert "/forgot" in page.text
    assert "<script" not in page.text


async def test_the_page_lets_the_owner_begin_anew(ana, client, squatter, link):
    done = await client.post(link, content=b"account=new&password=the+password+that+rosa+chose")

    assert (done.status_code, "Ya formas parte" in done.text) == (200, True)
    assert (await roles(ana))[ROSA] == "finance"
    await assert_shut_out(squatter)
    entered = await client.post("/auth/login", json={"email": ROSA, "password": HERS})
    assert entered.json()["user"]["activeTeamId"] == ana.team["id"]


@pytest.mark.parametrize("account", [b"account=mine&", b"", b"account=%00&"])
async def test_a_password_that_is_not_the_accounts_takes_nothing_by_accident(ana, client, squatter, link, account):
    answer = await client.post(link, content=account + b"password=the+password+that+rosa+chose")

    assert answer.status_code == 401
    assert (await squatter.request("GET", "/auth/me")).status_code == 200
    assert ROSA not in await roles(ana)


async def test_the_page_lets_who_knows_the_password_keep_the_account(ana, client, squatter, link):
    done = await client.post(link, content=b"account=mine&password=a+long+enough+secret")

    assert done.status_code == 200
    assert (await squatter.request("GET", "/auth/me")).json()["user"]["emailVerified"] is True


async def test_a_refused_new_password_keeps_the_choice(client, link):
    answer = await client.post(link, content=b"account=new&password=password1")

    assert answer.status_code == 400
    assert re.search(r'value="new" required checked', answer.text)
    assert "es una contraseña muy común" in answer.text


async def test_after_a_reset_by_the_owner_the_squatter_is_shut_out_too(kernel, squatter, mailbox):
    await squatter.client.post("/auth/password/forgot", json={"email": ROSA})
    await worked_off(kernel)

    answer = await squatter.client.post(
        "/auth/password/reset", json={"token": mailbox.token(ROSA, "reset"), "password": HERS}
    )

    assert answer.status_code == 200
    await assert_shut_out(squatter)


async def test_whoever_was_released_cannot_log_in_by_the_address_they_were_given(ana, client, squatter, link):
    me = (await squatter.get("/auth/me"))["user"]["id"]
    await client.post(link, content=b"account=new&password=the+password+that+rosa+chose")

    for password in (PASSWORD, "", HERS, "in the place of a hash that is not there"):
        answer = await client.post("/auth/login", json={"email": f"{me}@released.invalid", "password": password})
        assert answer.status_code == 401

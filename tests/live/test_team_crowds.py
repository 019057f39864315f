"""Many at once on one team: its members, their roles, their keys, and where who leaves finds themselves."""

import asyncio
from collections import Counter

import httpx2
import pytest

from support.api import PASSWORD, Api
from support.office import Office

CROWD = 32
INVITE = "/api/teams/current/invite"
MEMBERS = "/api/teams/current/members"
MEMBERSHIPS = (
    "select u.email, m.role, m.user_id from membership m join app_user u on u.id = m.user_id where m.account_id = :team"
)


async def people(office: Office, count: int, word: str) -> list[Api]:
    """So many new users, one after the other: of one network address, few may have passwords hashed at a time."""
    return [await Api.register(office.client, f"{word}{n}@example.com") for n in range(count)]


async def at_once(requests) -> Counter[int]:
    answers: list[httpx2.Response] = await asyncio.gather(*requests)
    return Counter(answer.status_code for answer in answers)


async def owners(office: Office, team: str) -> list[str]:
    rows = await office.rows(MEMBERSHIPS, team=team)
    assert len({row.user_id for row in rows}) == len(rows)
    return [row.email for row in rows if row.role == "owner"]


async def test_one_person_invited_by_many_at_once_is_one_member(office, ana):
    [rosa] = await people(office, 1, "once")

    seen = await at_once(ana.request("POST", INVITE, {"email": rosa.email}) for _ in range(CROWD))

    assert seen == {201: 1, 400: CROWD - 1}
    assert len(await ana.get(MEMBERS)) == 2


@pytest.mark.whole
async def test_many_people_invited_at_once_are_all_members(office, ana):
    crowd = await people(office, CROWD, "many")

    seen = await at_once(ana.request("POST", INVITE, {"email": one.email}) for one in crowd)

    assert seen == {201: CROWD}
    assert len(await ana.get(MEMBERS)) == CROWD + 1
    assert await owners(office, ana.team["id"]) == [ana.email]


@pytest.mark.whole
async def test_inviting_changing_and_removing_one_team_at_once_stays_consistent(office, ana):
    crowd = await people(office, CROWD, "mixed")
    member_ids = [(await ana.post(INVITE, {"email": one.email}))["member"]["id"] for one in crowd[:16]]
    [owner, *_] = await ana.get(MEMBERS)

    seen = await at_once(
        [ana.request("POST", INVITE, {"email": one.email}) for one in crowd[16:]]
        + [ana.request("PATCH", f"{MEMBERS}/{one}/role", {"role": "finance"}) for one in member_ids]
        + [ana.request("DELETE", f"{MEMBERS}/{one}") for one in member_ids[::2]]
        + [ana.request("DELETE", f"{MEMBERS}/{owner['id']}")]
        + [ana.request("PATCH", f"{MEMBERS}/{owner['userId']}/role", {"role": "viewer"})]
    )

    roles = {one["email"]: one["role"] for one in await ana.get(MEMBERS)}
    final_roles = {one.email: "finance" for one in crowd[1:16:2]}
    invited = {one.email: "member" for one in crowd[16:]}
    assert roles == {ana.email: "owner", **final_roles, **invited}
    assert await owners(office, ana.team["id"]) == [ana.email]
    assert seen.keys() <= {200, 201, 400, 404}
    assert (seen[201], seen[400]) == (16, 2)
    assert seen[200] + seen[404] == 24


@pytest.mark.whole
async def test_who_switches_while_being_removed_is_never_locked_out(office, ana):
    crowd = await people(office, 16, "switching")
    member_ids = [(await ana.post(INVITE, {"email": one.email}))["member"]["id"] for one in crowd]

    await at_once(
        request
        for one, member in zip(crowd, member_ids, strict=True)
        for request in (
            one.request("POST", f"/api/teams/switch/{ana.team['id']}"),
            ana.request("DELETE", f"{MEMBERS}/{member}"),
            one.request("POST", f"/api/teams/switch/{ana.team['id']}"),
        )
    )

    for one in crowd:
        assert await one.get("/api/teams/my-role") == {"role": "owner", "teamId": None}
    assert len(await ana.get(MEMBERS)) == 1


@pytest.mark.whole
async def test_who_is_removed_from_two_teams_at_once_has_one_home(office, ana):
    berta, eva = await office.account("Berta Gil"), await office.account("Eva Sol")
    for _ in range(4):
        for team in (ana, berta):
            await team.post(INVITE, {"email": eva.email})
        await eva.post(f"/api/teams/switch/{ana.team['id']}")
        hers = [next(m["id"] for m in await team.get(MEMBERS) if m["email"] == eva.email) for team in (ana, berta)]

        await at_once(team.request("DELETE", f"{MEMBERS}/{one}") for team, one in zip((ana, berta), hers, strict=True))

        assert await eva.get("/api/teams/my-role") == {"role": "owner", "teamId": None}
    rows = await office.rows(
        "select a.kind from membership m join account a on a.id = m.account_id join app_user u on u.id = m.user_id"
        " where u.email = :email",
        email=eva.email,
    )
    assert Counter(row.kind for row in rows) == {"team": 1, "personal": 1}


async def test_one_invitation_accepted_by_many_at_once_lets_one_in(office, ana):
    problem = await ana.refused(404, "POST", INVITE, {"email": "crowd@example.com", "role": "finance"})
    [mail] = [
        one
        for one in sorted((office.kernel.settings.data_dir / "mail").glob("*.eml"))
        if b"crowd@example.com" in one.read_bytes()
    ]
    token = mail.read_text().split("/join/")[1][:46].replace("=\n", "")[:43]
    sent = {"email": "crowd@example.com", "password": PASSWORD, "invitationToken": token}

    answers = await asyncio.gather(*(office.client.post("/auth/register", json=sent) for _ in range(8)))

    codes = Counter(answer.json().get("code", "joined") for answer in answers)
    assert problem["invitation"]["role"] == "finance"
    assert codes["joined"] == 1
    assert codes.keys() <= {"joined", "EMAIL_TAKEN", "INVITATION_INVALID"}
    assert [one["role"] for one in await ana.get(MEMBERS)] == ["owner", "finance"]


@pytest.mark.whole
async def test_an_address_invited_by_many_at_once_has_one_open_invitation(office, ana):
    seen = await at_once(ana.request("POST", INVITE, {"email": "pending@example.com"}) for _ in range(16))

    rows = await office.rows("select state from invitation where email = 'pending@example.com'")
    assert seen == {404: 16}
    assert Counter(row.state for row in rows) == {"open": 1, "replaced": 15}


@pytest.mark.whole
async def test_the_days_invitations_are_counted_exactly_by_a_crowd(office, ana):
    limit = office.kernel.settings.invitation_limit

    seen = await at_once(ana.request("POST", INVITE, {"email": f"n{n}@example.com"}) for n in range(limit + 14))

    assert seen == {404: limit, 429: 14}


async def test_an_old_key_is_dead_for_the_very_next_request(office, ana):
    for _ in range(8):
        key = (await ana.get("/api/teams/current"))["team"]["apiKey"]
        old = Api(office.client, {"x-api-key": key})
        before = await at_once(old.request("GET", "/api/clients") for _ in range(8))

        fresh = (await ana.post("/api/teams/current/regenerate-key"))["apiKey"]
        after = await at_once(old.request("GET", "/api/clients") for _ in range(8))

        assert (before, after) == ({200: 8}, {401: 8})
        assert (await Api(office.client, {"x-api-key": fresh}).request("GET", "/api/clients")).status_code == 200


async def test_new_keys_made_by_many_at_once_leave_one_that_works(office, ana):
    answers = await asyncio.gather(*(ana.post("/api/teams/current/regenerate-key") for _ in range(16)))

    keys = {answer["apiKey"] for answer in answers}
    alive = [
        key for key in keys if (await Api(office.client, {"x-api-key": key}).request("GET", "/api/clients")).is_success
    ]
    assert len(keys) == 16
    assert alive == [(await ana.get("/api/teams/current"))["team"]["apiKey"]]

"""Members: found by either id, their roles, parting with them, and where they find themselves afterwards."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine

from ledgerkit import clock
from ledgerkit.core.platform.api_types.wire import utc_text
from support.api import Api
from support.database import row_counts

MEMBERS = "/api/teams/current/members"
GIVEN = ["admin", "finance", "operations", "member", "viewer"]


async def roles(api: Api) -> dict[str, str]:
    return {one["email"]: one["role"] for one in await api.get(MEMBERS)}


async def actions(api: Api) -> list[tuple[str, str]]:
    return [(one["action"], one["entityLabel"]) for one in await api.get("/api/invoices/activity/feed")]


async def test_a_list_of_members_shows_each_of_them_in_the_order_of_joining(ana, member):
    rosa = await member(role="finance")

    owner, other = await ana.get(MEMBERS)

    assert (owner["email"], owner["role"], owner["invitedBy"]) == ("ana@example.com", "owner", None)
    assert other == {
        "id": rosa.team["memberId"],
        "userId": rosa.team["userId"],
        "name": "rosa",
        "email": "rosa@example.com",
        "role": "finance",
        "joinedAt": other["joinedAt"],
        "invitedBy": owner["userId"],
        "lastActiveAt": other["lastActiveAt"],
    }
    assert (await ana.get("/api/teams/current"))["members"] == [owner, other]


async def test_members_are_paged_when_asked(ana, member):
    await member("rosa@example.com")
    await member("olga@example.com")

    whole = await ana.request("GET", MEMBERS)
    part = await ana.request("GET", f"{MEMBERS}?page=2&limit=2")

    assert (len(whole.json()), whole.headers["x-total-count"], whole.headers["x-page-size"]) == (3, "3", "1000")
    assert [one["email"] for one in part.json()] == ["olga@example.com"]


async def test_last_activity_is_of_this_team_and_exact_to_five_minutes(ana, client):
    rosa = await Api.register(client, "rosa@example.com")
    await ana.post("/api/teams/current/invite", {"email": "rosa@example.com"})
    began, seen = clock.now(), []

    for minutes in (0, 4, 6, 7):
        with time_machine.travel(began + timedelta(minutes=minutes), tick=False):
            await rosa.get("/api/clients")
            seen.append((await ana.get(MEMBERS))[1]["lastActiveAt"])
            await rosa.request("GET", "/api/clients", **{"X-Team-Id": ana.team["id"]})
            seen.append((await ana.get(MEMBERS))[1]["lastActiveAt"])

    first, later = (utc_text(began + timedelta(minutes=minutes)) for minutes in (0, 6))
    assert seen == [None, first, first, first, first, later, later, later]


# ---------------------------------------------------------------- roles


@pytest.mark.parametrize("known", ["memberId", "userId"])
@pytest.mark.parametrize("role", GIVEN)
async def test_a_role_is_given_by_either_id_and_counts_at_once(ana, member, known, role):
    rosa = await member(role="viewer" if role != "viewer" else "admin")

    answer = await ana.patch(f"{MEMBERS}/{rosa.team[known]}/role", {"role": role})

    assert answer["member"] == (await ana.get(MEMBERS))[1]
    assert (await rosa.get("/api/teams/my-role"))["role"] == role
    assert (await actions(ana))[0] == ("role_changed", "rosa")


async def test_the_same_role_again_changes_and_logs_nothing(kernel, ana, member):
    rosa = await member(role="viewer")
    before = await row_counts(kernel)

    answer = await ana.patch(f"{MEMBERS}/{rosa.team['memberId']}/role", {"role": "viewer"})

    assert answer["member"]["role"] == "viewer"
    assert await row_counts(kernel) == before


@pytest.mark.parametrize("body", [{"role": "owner"}, {"role": "Admin"}, {"role": ""}, {"role": None}, {"role": 1}, {}])
async def test_nobody_is_made_an_owner_or_what_does_not_exist(ana, member, body):
    rosa = await member()

    problem = await ana.refused(400, "PATCH", f"{MEMBERS}/{rosa.team['memberId']}/role", body)

    assert [one["field"] for one in problem["errors"]] == ["role"]
    assert (await roles(ana))["rosa@example.com"] == "member"


async def test_the_owner_is_neither_demoted_nor_removed_by_anybody(ana, member):
    admin = await member(role="admin")
    key = Api(ana.client, {"x-api-key": ana.team["apiKey"]})
    [owner, _] = await ana.get(MEMBERS)

    for caller in (ana, admin, key):
        for known in (owner["id"], owner["userId"]):
            demoted = await caller.refused(400, "PATCH", f"{MEMBERS}/{known}/role", {"role": "viewer"})
            removed = await caller.refused(400, "DELETE", f"{MEMBERS}/{known}")
            assert {demoted["code"], removed["code"]} == {"OWNER_PROTECTED"}

    assert (await roles(ana))["ana@example.com"] == "owner"


async def test_an_admin_changes_other_admins_and_even_themselves(member):
    admin, other = await member("rosa@example.com", "admin"), await member("olga@example.com", "admin")

    await admin.patch(f"{MEMBERS}/{other.team['memberId']}/role", {"role": "viewer"})
    await admin.patch(f"{MEMBERS}/{admin.team['userId']}/role", {"role": "member"})

    await other.refused(403, "PATCH", f"{MEMBERS}/{admin.team['memberId']}/role", {"role": "viewer"})
    await admin.refused(403, "PATCH", f"{MEMBERS}/{other.team['memberId']}/role", {"role": "admin"})


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_members_of_another_team_are_missing_ones(ana, berta, member, method):
    rosa = await member()
    path = f"{MEMBERS}/{{}}/role" if method == "PATCH" else f"{MEMBERS}/{{}}"

    for known in (rosa.team["memberId"], rosa.team["userId"], str(uuid4()), "x", "%00"):
        problem = await berta.refused(404, method, path.format(known), {"role": "viewer"})
        assert problem["code"] == "NOT_FOUND"

    assert (await roles(ana))["rosa@example.com"] == "member"


# ---------------------------------------------------------------- parting


async def everything_of(member: Api) -> list[Api]:
    """Each way in which a member can ask."""
    return [member, Api(member.client, {"x-api-key": member.api_key})]


async def test_who_is_removed_is_at_home_at_once_with_every_credential(ana, member):
    rosa = await member(role="admin")
    draft = await rosa.invoice()

    assert await ana.delete(f"{MEMBERS}/{rosa.team['memberId']}") == {"ok": True}

    for caller in await everything_of(rosa):
        assert await caller.get("/api/teams/my-role") == {"role": "owner", "teamId": None}
        assert await caller.get("/api/invoices") == []
        await caller.refused(404, "GET", f"/api/invoices/{draft['id']}")
        pinned = await caller.refused(403, "GET", "/api/invoices", **{"X-Team-Id": ana.team["id"]})
        switched = await caller.refused(403, "POST", f"/api/teams/switch/{ana.team['id']}")
        assert {pinned["code"], switched["code"]} == {"NOT_TEAM_MEMBER"}
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["id"] == draft["id"]
    assert await roles(ana) == {"ana@example.com": "owner"}
    assert (await actions(ana))[0] == ("removed", "rosa")


async def test_who_is_removed_keeps_what_was_theirs_at_home(ana, client):
    rosa = await Api.register(client, "rosa@example.com")
    own = await rosa.invoice()
    invited = await ana.post("/api/teams/current/invite", {"email": "rosa@example.com"})
    await rosa.post(f"/api/teams/switch/{ana.team['id']}")

    await ana.delete(f"{MEMBERS}/{invited['member']['id']}")

    assert [one["id"] for one in await rosa.get("/api/invoices")] == [own["id"]]


async def test_a_person_whose_workspace_became_a_team_gets_a_new_workspace(ana, berta):
    """Not berta's own team: what her programs still send to ana's would be written into berta's books."""
    await berta.invoice()
    invited = await ana.post("/api/teams/current/invite", {"email": "berta@example.com", "role": "finance"})
    await berta.post(f"/api/teams/switch/{ana.team['id']}")

    await ana.delete(f"{MEMBERS}/{invited['member']['id']}")

    assert await berta.get("/api/teams/my-role") == {"role": "owner", "teamId": None}
    assert await berta.get("/api/invoices") == []
    assert [one["id"] for one in await berta.get("/api/teams/my-teams")] == [berta.team["id"]]
    await berta.post(f"/api/teams/switch/{berta.team['id']}")
    assert len(await berta.get("/api/invoices")) == 1


async def test_a_fresh_home_is_made_once_and_the_next_team_takes_it_over(kernel, ana, berta):
    for _ in range(2):
        invited = await ana.post("/api/teams/current/invite", {"email": "berta@example.com"})
        await berta.post(f"/api/teams/switch/{ana.team['id']}")
        await ana.delete(f"{MEMBERS}/{invited['member']['id']}")
    before = await row_counts(kernel)
    draft = await berta.invoice()

    await berta.post("/api/teams", {"name": "Otra", "country": "ES"})

    assert [one["id"] for one in await berta.get("/api/invoices")] == [draft["id"]]
    assert (await row_counts(kernel))["account"] == before["account"]


async def test_who_works_elsewhere_goes_on_there(ana, berta):
    invited = await ana.post("/api/teams/current/invite", {"email": "berta@example.com"})

    await ana.delete(f"{MEMBERS}/{invited['member']['id']}")

    assert (await berta.get("/api/teams/my-role"))["teamId"] == berta.team["id"]


@pytest.mark.parametrize("role", GIVEN)
@pytest.mark.parametrize("known", ["memberId", "userId"])
async def test_everybody_may_leave(ana, member, role, known):
    rosa = await member(role=role)

    await rosa.delete(f"{MEMBERS}/{rosa.team[known].upper()}")

    assert await rosa.get("/api/teams/my-role") == {"role": "owner", "teamId": None}
    assert (await actions(ana))[0] == ("left", "rosa")


@pytest.mark.parametrize("role", ["finance", "operations", "member", "viewer"])
async def test_only_admins_part_with_others_and_nobody_else_learns_who_is_there(ana, member, role):
    rosa, olga = await member("rosa@example.com", role), await member("olga@example.com", "viewer")

    for known in (olga.team["memberId"], olga.team["userId"], str(uuid4()), "x"):
        problem = await rosa.refused(403, "DELETE", f"{MEMBERS}/{known}")
        assert problem["requiredRoles"] == ["owner", "admin"]

    assert len(await ana.get(MEMBERS)) == 3


async def test_a_removed_member_can_come_back(ana, member):
    rosa = await member(role="admin")
    await ana.delete(f"{MEMBERS}/{rosa.team['userId']}")

    await ana.post("/api/teams/current/invite", {"email": "rosa@example.com", "role": "viewer"})
    await rosa.post(f"/api/teams/switch/{ana.team['id']}")

    assert (await rosa.get("/api/teams/my-role"))["role"] == "viewer"


async def test_removing_twice_is_removing_a_missing_one(ana, member):
    rosa = await member()
    await ana.delete(f"{MEMBERS}/{rosa.team['memberId']}")

    await ana.refused(404, "DELETE", f"{MEMBERS}/{rosa.team['memberId']}")


async def test_without_a_team_there_are_no_members_to_change(client):
    alone = await Api.register(client, "sola@example.com")
    asked = [
        ("POST", "/api/teams/current/invite", {"email": "x@example.com"}),
        ("GET", MEMBERS, None),
        ("PATCH", f"{MEMBERS}/{uuid4()}/role", {"role": "viewer"}),
        ("DELETE", f"{MEMBERS}/{uuid4()}", None),
        ("POST", "/api/teams/current/regenerate-key", None),
    ]

    for method, path, body in asked:
        assert (await alone.refused(404, method, path, body))["code"] == "NO_TEAM"


# ---------------------------------------------------------------- the team's key


async def test_a_new_key_works_and_the_old_one_is_dead_at_once(ana):
    old = Api(ana.client, {"x-api-key": ana.team["apiKey"]})
    await old.get("/api/invoices")

    answer = await ana.post("/api/teams/current/regenerate-key")

    assert (await old.refused(401, "GET", "/api/invoices"))["code"] == "UNAUTHENTICATED"
    assert answer.keys() == {"apiKey"}
    new = Api(ana.client, {"x-api-key": answer["apiKey"]})
    assert (await new.get("/api/teams/my-role"))["teamId"] == ana.team["id"]
    assert (await ana.get("/api/teams/current"))["team"]["apiKey"] == answer["apiKey"]
    assert (await actions(ana))[0] == ("key_regenerated", "Ana Ruiz")
    assert answer["apiKey"] not in str(await ana.get("/api/invoices/activity/feed"))


async def test_personal_keys_and_other_teams_keys_live_on(ana, berta):
    await ana.post("/api/teams/current/regenerate-key")

    for key in (ana.api_key, berta.api_key, berta.team["apiKey"]):
        await Api(ana.client, {"x-api-key": key}).get("/api/invoices")


async def test_only_the_owner_makes_a_new_key(ana, member):
    admin, key = await member(role="admin"), Api(ana.client, {"x-api-key": ana.team["apiKey"]})

    for caller in (admin, key):
        problem = await caller.refused(403, "POST", "/api/teams/current/regenerate-key")
        assert problem["requiredRoles"] == ["owner"]

    await key.get("/api/invoices")

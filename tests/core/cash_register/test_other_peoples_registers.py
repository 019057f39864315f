"""Registers of other people: who moves money in them and closes them, and what the log says of it."""

import pytest

from support.api import Api
from support.database import set_role
from support.tills import REGISTERS, Till, movement

CLOSING = {"closingAmount": 100}


@pytest.fixture
async def rosa(kernel, ana, client) -> Api:
    """A member of ana's team."""
    api = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    return api


@pytest.fixture
async def departed(ana, rosa) -> Till:
    """The open register of rosa, who has left the team."""
    till = await Till.of(rosa)
    await ana.delete(f"/api/teams/current/members/{(await rosa.get('/auth/me'))['user']['id']}")
    return till


async def colleague(kernel, ana, client, role: str) -> Api:
    api = await Api.register(client, f"{role}@example.com", name=role.title())
    await set_role(kernel, team_id=ana.team["id"], user_email=f"{role}@example.com", role=role)
    return api


@pytest.mark.parametrize("role", ["owner", "admin", "finance"])
async def test_whoever_manages_registers_moves_money_in_a_departed_members_and_closes_it(
    kernel, ana, client, departed, role
):
    caller = ana if role == "owner" else await colleague(kernel, ana, client, role)

    emptied = await caller.post(f"{departed.path}/movement", movement("cash_out", 100))
    closed = await caller.post(f"{departed.path}/close", {"closingAmount": 0})

    assert (emptied["expectedAmount"], closed["status"], closed["difference"], closed["zNumber"]) == (0, "closed", 0, 1)
    assert closed["movements"][0]["createdBy"] == (await caller.get("/auth/me"))["user"]["id"]


@pytest.mark.parametrize("role", ["operations", "member", "viewer"])
async def test_other_roles_do_not_manage_registers(kernel, ana, client, departed, role):
    caller = await colleague(kernel, ana, client, role)
    status = 403 if role == "viewer" else 404

    await caller.refused(status, "POST", f"{departed.path}/movement", movement("cash_out", 1))
    await caller.refused(status, "POST", f"{departed.path}/close", CLOSING)

    assert (await ana.get(departed.path))["status"] == "open"


async def test_another_accounts_register_stays_a_missing_one(berta, departed):
    await berta.refused(404, "POST", f"{departed.path}/movement", movement("cash_out", 1))
    await berta.refused(404, "POST", f"{departed.path}/close", CLOSING)


async def test_the_log_says_who_closed_whose(kernel, ana, client, departed):
    fina = await colleague(kernel, ana, client, "finance")
    await fina.post(f"{departed.path}/movement", movement("cash_in", 5))
    await fina.post(f"{departed.path}/close", CLOSING)

    closing, moving = await ana.get("/api/invoices/activity/feed?limit=2")

    assert [(one["action"], one["userName"]) for one in (closing, moving)] == [
        ("closed", "Finance"),
        ("cash_in", "Finance"),
    ]
    owner = (await ana.get(departed.path))["userName"]
    assert closing["changes"]["registerOf"] == moving["changes"]["registerOf"] == {"from": None, "to": owner}


async def test_the_log_names_nobody_when_one_closes_ones_own(ana):
    till = await Till.of(ana)
    await ana.post(f"{till.path}/close", CLOSING)

    assert "registerOf" not in (await ana.get("/api/invoices/activity/feed?limit=1"))[0]["changes"]


async def test_open_registers_are_found_without_their_ids(ana, berta, departed):
    own_till = await Till.of(ana)
    await Till.of(berta)

    seen = await ana.request("GET", f"{REGISTERS}/open")

    assert [f"{REGISTERS}/{one['id']}" for one in seen.json()] == [departed.path, own_till.path]
    assert (seen.json()[0]["status"], seen.headers["x-total-count"]) == ("open", "2")


async def test_a_member_finds_their_own_open_register_only(ana, rosa):
    await Till.of(ana)
    own_till = await Till.of(rosa)

    assert [f"{REGISTERS}/{one['id']}" for one in await rosa.get(f"{REGISTERS}/open")] == [own_till.path]


async def test_a_closed_register_is_not_listed_as_open(ana):
    till = await Till.of(ana)
    await ana.post(f"{till.path}/close", CLOSING)

    assert await ana.get(f"{REGISTERS}/open") == []


async def test_a_departed_members_open_register_blocks_nobody(kernel, ana, rosa, departed):
    await Till.of(ana)
    await rosa.post("/api/teams", {"name": "Rosa", "country": "ES"})
    await Till.of(rosa)

    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    team_header = {"X-Team-Id": ana.team["id"]}
    answer = await rosa.request("GET", f"{REGISTERS}/current", **team_header)
    await ana.post(f"{departed.path}/close", CLOSING)
    opened = await rosa.request("POST", REGISTERS, {"openingAmount": 1}, **team_header)

    assert f"{REGISTERS}/{answer.json()['id']}" == departed.path
    assert opened.status_code == 201


async def test_the_teams_own_register_is_closed_by_whoever_manages_registers(ana):
    till = await Till.of(Api(ana.client, {"x-api-key": ana.team["apiKey"]}))

    assert (await ana.post(f"{till.path}/close", CLOSING))["status"] == "closed"

"""Teams: the first takes the personal workspace over, later ones start empty (interface decisions 0, G)."""

import pytest

from support.api import ADDRESS, Api
from support.database import set_role
from support.periods import YEAR

PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5Er"
    "kJggg=="
)
NEW = {"name": "Estudio", "country": "ES"}


@pytest.fixture
async def eva(client) -> Api:
    """Somebody without a team."""
    return await Api.register(client, "eva@example.com", name="Eva Sol")


async def test_before_a_team_one_owns_a_personal_workspace(eva):
    assert await eva.get("/api/teams/my-role") == {"role": "owner", "teamId": None}
    assert await eva.get("/api/teams/my-teams") == []
    for method in ("GET", "PUT"):
        problem = await eva.refused(404, method, "/api/teams/current", {} if method == "PUT" else None)
        assert (problem["code"], bool(problem["remedy"])) == ("NO_TEAM", True)


async def test_the_first_team_takes_all_data_over(eva):
    made = await eva.invoice()
    paid = await eva.patch(f"/api/invoices/{made['id']}/pay")

    team = await eva.post("/api/teams", {**NEW, "taxId": "12345678z"})

    assert await eva.get("/api/teams/my-role") == {"role": "owner", "teamId": team["id"]}
    assert [one["id"] for one in await eva.get("/api/invoices")] == [paid["id"]]
    assert len(await eva.get("/api/clients")) == 1
    assert {entry["action"] for entry in await eva.get("/api/invoices/activity/feed")} == {"created", "issued", "paid"}
    assert (await eva.patch(f"/api/invoices/{(await eva.invoice())['id']}/pay"))["number"][-4:] == "0002"
    assert team["taxId"] == "12345678Z"


async def test_later_teams_start_empty(ana):
    await ana.invoice()

    other = await ana.post("/api/teams", NEW)

    assert await ana.get("/api/invoices") == await ana.get("/api/clients") == []
    assert {one["id"]: one["isActive"] for one in await ana.get("/api/teams/my-teams")} == {
        ana.team["id"]: False,
        other["id"]: True,
    }
    assert other["apiKey"] != ana.team["apiKey"]


async def test_switching_changes_the_team_of_tokens_and_keys(ana):
    await ana.invoice()
    await ana.post("/api/teams", NEW)
    key = Api(ana.client, {"x-api-key": ana.api_key})
    assert await key.get("/api/invoices") == []

    answer = await ana.post(f"/api/teams/switch/{ana.team['id']}")

    assert (answer["team"]["id"], answer["team"]["isActive"]) == (ana.team["id"], True)
    assert len(await key.get("/api/invoices")) == len(await ana.get("/api/invoices")) == 1
    assert (await ana.get("/auth/me"))["user"]["activeTeamId"] == ana.team["id"]


async def test_a_teams_key_always_means_its_team(ana):
    key = Api(ana.client, {"x-api-key": ana.team["apiKey"]})
    await ana.invoice()
    await ana.post("/api/teams", NEW)

    assert len(await key.get("/api/invoices")) == 1
    assert [one["id"] for one in await key.get("/api/teams/my-teams")] == [ana.team["id"]]


async def test_a_team_shows_its_fields(ana):
    team = ana.team

    assert {name: team[name] for name in ADDRESS} == ADDRESS
    assert (team["name"], team["country"], team["currency"], team["taxId"]) == ("Ana Ruiz", "ES", "EUR", "12345678Z")
    assert (team["timezone"], team["paymentTermDays"], team["memberCount"]) == ("Europe/Madrid", 30, 1)
    assert (team["role"], team["isActive"], team["apiKey"][:8]) == ("owner", True, "lk_live_")


async def test_the_current_team_shows_its_members(kernel, ana, client):
    await Api.register(client, "rosa@example.com", name="Rosa")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")

    found = await ana.get("/api/teams/current")

    assert {(one["name"], one["email"], one["role"]) for one in found["members"]} == {
        ("ana", "ana@example.com", "owner"),
        ("Rosa", "rosa@example.com", "member"),
    }
    assert found["team"]["memberCount"] == 2
    assert all("password" not in name.lower() for one in found["members"] for name in one)


async def test_changes_keep_what_is_absent(ana):
    answer = await ana.put("/api/teams/current", {"company": "Ana Ruiz, S.L.", "series": {"invoice": "A"}})

    changed = answer["team"]
    kept = ana.team.keys() - {"company", "series", "updatedAt"}
    assert {name: changed[name] for name in kept} == {name: ana.team[name] for name in kept}
    assert (changed["company"], changed["series"]["invoice"]) == ("Ana Ruiz, S.L.", "A")
    made = await ana.invoice()
    assert (await ana.patch(f"/api/invoices/{made['id']}/pay"))["number"].startswith(f"A{YEAR}-")


async def test_a_logo_is_drawn_anew_and_other_texts_are_kept(ana):
    drawn = (await ana.put("/api/teams/current", {"logo": PNG}))["team"]["logo"]
    kept = (await ana.put("/api/teams/current", {"logo": "http://169.254.169.254/latest"}))["team"]["logo"]
    cleared = (await ana.put("/api/teams/current", {"logo": None}))["team"]["logo"]

    assert drawn.startswith("data:image/png;base64,")
    assert drawn != PNG
    assert (kept, cleared) == ("http://169.254.169.254/latest", None)


@pytest.mark.parametrize("team", ["x", "01890000-0000-7000-8000-000000000000"])
async def test_switching_to_what_is_not_ones_team_is_refused(ana, berta, team):
    for wanted in (team, berta.team["id"]):
        problem = await ana.refused(403, "POST", f"/api/teams/switch/{wanted}")
        assert problem["code"] == "NOT_TEAM_MEMBER"
    assert (await ana.get("/api/teams/my-role"))["teamId"] == ana.team["id"]

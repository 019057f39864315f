"""Assignment of tasks: members, those who leave, the overview (interface decisions F, G)."""

from uuid import uuid4

import pytest

from support.api import Api


async def counts(api) -> list[tuple[str | None, int]]:
    return [(row["email"], row["count"]) for row in (await api.get("/api/tasks/overview"))["byAssignee"]]


async def test_a_task_goes_to_a_member_and_back_to_nobody(ana, team):
    rosa, rosas_id = await team.joined("rosa", "viewer")
    task = await ana.post("/api/tasks", {"title": "Llamar"})

    given = await ana.patch(f"/api/tasks/{task['id']}/assign", {"assignedTo": rosas_id.upper()})
    hers = await rosa.get("/api/tasks/my")
    unassigned = await ana.patch(f"/api/tasks/{task['id']}/assign", {"assignedTo": None})

    assert (given["assignedTo"], unassigned["assignedTo"]) == (rosas_id, None)
    assert hers == [given]
    assert await rosa.get("/api/tasks/my") == []
    log = (await ana.get(f"/api/tasks/{task['id']}/history"))[1:]
    assert [one["changes"] for one in log] == [
        {"assignedTo": {"from": None, "to": rosas_id}},
        {"assignedTo": {"from": rosas_id, "to": None}},
    ]


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/api/tasks"), ("PUT", "/api/tasks/{id}"), ("PATCH", "/api/tasks/{id}/assign")]
)
async def test_users_outside_the_team_cannot_be_assigned(ana, berta, team, method, path):
    bertas_id = (await berta.get("/auth/me"))["user"]["id"]
    _, rosas_id = await team.joined("rosa")
    task = await ana.post("/api/tasks", {"title": "Llamar", "assignedTo": rosas_id})
    membership = (await ana.get("/api/teams/current"))["members"][1]["id"]

    for stranger in (bertas_id, str(uuid4()), membership, "rosa@example.com", ""):
        sent = {"title": "Llamar", "assignedTo": stranger}
        problem = await ana.refused(400, method, path.replace("{id}", task["id"]), sent)

        assert problem["code"] == "ASSIGNEE_NOT_MEMBER"
        assert [error["field"] for error in problem["errors"]] == ["assignedTo"]
        assert "/api/teams/current" in problem["remedy"]

    assert await ana.get("/api/tasks") == [task]


async def test_a_member_of_another_team_cannot_be_assigned(ana, team, client):
    _, rosas_id = await team.joined("rosa")
    other = await ana.post("/api/teams", {"name": "Otra", "country": "ES"})
    there = Api(client, {**ana.headers, "X-Team-Id": other["id"]})

    problem = await there.refused(400, "POST", "/api/tasks", {"title": "Llamar", "assignedTo": rosas_id})

    assert problem["code"] == "ASSIGNEE_NOT_MEMBER"


async def test_in_a_personal_workspace_only_its_user_can_be_assigned(ana, me, client):
    alone = await Api.register(client, "sola@example.com")
    user_id = (await alone.get("/auth/me"))["user"]["id"]

    task = await alone.post("/api/tasks", {"title": "Llamar", "assignedTo": user_id})
    problem = await alone.refused(400, "PATCH", f"/api/tasks/{task['id']}/assign", {"assignedTo": me})

    assert problem["code"] == "ASSIGNEE_NOT_MEMBER"
    assert await alone.get("/api/tasks/my") == [task]
    assert await counts(alone) == [("sola@example.com", 1), (None, 0)]


async def test_assignments_stay_when_the_workspace_becomes_a_team(client):
    alone = await Api.register(client, "sola@example.com")
    user_id = (await alone.get("/auth/me"))["user"]["id"]
    task = await alone.post("/api/tasks", {"title": "Llamar", "assignedTo": user_id})

    await alone.post("/api/teams", {"name": "Estudio", "country": "ES"})

    assert await alone.get("/api/tasks/my") == [task]


async def test_a_teams_api_key_lists_the_owners_tasks(ana, me, team):
    _, rosas_id = await team.joined("rosa")
    key = Api(ana.client, {"x-api-key": ana.team["apiKey"]})
    await key.post("/api/tasks", {"title": "De Rosa", "assignedTo": rosas_id})
    task = await key.post("/api/tasks", {"title": "De Ana", "assignedTo": me})

    assert await key.get("/api/tasks/my") == await ana.get("/api/tasks/my") == [task]
    assert task["createdBy"] is None


async def test_tasks_of_a_member_who_leaves_are_unassigned(ana, me, team):
    _, rosas_id = await team.joined("rosa")
    hers = [await ana.post("/api/tasks", {"title": str(n), "assignedTo": rosas_id}) for n in range(3)]
    await ana.delete(f"/api/tasks/{hers[2]['id']}")
    others = await ana.post("/api/tasks", {"title": "De Ana", "assignedTo": me})

    await team.removed(rosas_id)

    tasks = await ana.get("/api/tasks")
    assert tasks == [*({**task, "assignedTo": None} for task in hers[:2]), others]
    assert await ana.get("/api/tasks?assignedTo=none") == tasks[:2]
    assert await ana.get(f"/api/tasks?assignedTo={rosas_id}") == []
    assert await counts(ana) == [("ana@example.com", 1), (None, 2)]
    await ana.refused(400, "PATCH", f"/api/tasks/{hers[0]['id']}/assign", {"assignedTo": rosas_id})


async def test_a_member_who_comes_back_has_no_tasks(ana, team):
    rosa, rosas_id = await team.joined("rosa")
    old = await ana.post("/api/tasks", {"title": "Antes", "assignedTo": rosas_id})
    await team.removed(rosas_id)
    await team.joins("rosa@example.com")

    assert await rosa.get("/api/tasks/my") == []
    assert await counts(ana) == [(None, 1)]
    again = await ana.patch(f"/api/tasks/{old['id']}/assign", {"assignedTo": rosas_id})
    assert await rosa.get("/api/tasks/my") == [again]
    assert await counts(ana) == [("rosa@example.com", 1), (None, 0)]
    answer = await ana.request("GET", f"/api/tasks?assignedTo={rosas_id}")
    assert answer.headers["x-total-count"] == "1"


async def test_an_empty_board_has_all_five_statuses_and_nobody(ana):
    assert await ana.get("/api/tasks/overview") == {
        "byStatus": {"backlog": 0, "todo": 0, "in_progress": 0, "review": 0, "done": 0},
        "byAssignee": [{"_id": None, "name": None, "email": None, "count": 0}],
    }


async def test_the_overview_counts_by_status_and_by_assignee(ana, berta, me, team):
    _, rosas_id = await team.joined("rosa")
    await team.joined("ociosa")
    await berta.post("/api/tasks", {"title": "Ajena"})
    tasks = [
        await ana.post("/api/tasks", {"title": "x", "status": status, "assignedTo": person})
        for status, person in (("todo", me), ("todo", rosas_id), ("done", rosas_id), ("review", None))
    ]
    await ana.patch(f"/api/tasks/{tasks[3]['id']}/complete")
    await ana.put(f"/api/tasks/{tasks[0]['id']}", {"status": "backlog", "assignedTo": rosas_id})
    await ana.patch(f"/api/tasks/{tasks[1]['id']}/assign", {"assignedTo": me})

    assert await ana.get("/api/tasks/overview") == {
        "byStatus": {"backlog": 1, "todo": 1, "in_progress": 0, "review": 0, "done": 2},
        "byAssignee": [
            {"_id": rosas_id, "name": "rosa", "email": "rosa@example.com", "count": 2},
            {"_id": me, "name": "ana", "email": "ana@example.com", "count": 1},
            {"_id": None, "name": None, "email": None, "count": 1},
        ],
    }

"""Simultaneous requests on one board: real connections, with everything committed."""

import asyncio
from itertools import cycle, islice, pairwise

import pytest
from sqlalchemy import text

from support.api import Api
from support.database import as_owner

pytestmark = pytest.mark.whole

CROWD = 32
JOIN = (
    "insert into membership (id, account_id, user_id, role)"
    " values (gen_random_uuid(), cast(:team as uuid), cast(:person as uuid), 'member')"
)
LEAVE = "delete from membership where account_id = cast(:team as uuid) and user_id = cast(:person as uuid)"
STATUSES = ["todo", "in_progress", "review", "done", "backlog"]


async def ana_of(live) -> Api:
    return await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")


async def at_once(requests) -> list[int]:
    return [answer.status_code for answer in await asyncio.gather(*requests)]


async def test_simultaneous_changes_of_one_task_are_all_kept(live):
    ana = await ana_of(live)
    one = f"/api/tasks/{(await ana.post('/api/tasks', {'title': 'Llamar'}))['id']}"
    wanted = list(islice(cycle(STATUSES), CROWD))

    answers = await at_once(ana.request("PATCH", f"{one}/status", {"status": status}) for status in wanted)

    steps = [entry["changes"]["status"] for entry in (await ana.get(f"{one}/history"))[1:]]
    task = await ana.get(one)
    overview = (await ana.get("/api/tasks/overview"))["byStatus"]
    assert set(answers) == {200}
    assert steps[0]["from"] == "backlog"
    assert all(before["to"] == after["from"] for before, after in pairwise(steps))
    assert steps[-1]["to"] == task["status"]
    assert (task["completedAt"] is not None) == (task["status"] == "done")
    assert overview == {status: int(status == task["status"]) for status in STATUSES}
    etag = (await ana.request("GET", one)).headers["etag"]
    assert etag == f'"{CROWD + 1}"'


async def test_simultaneous_moves_to_one_position_get_a_position_each(live):
    ana = await ana_of(live)
    tasks = [await ana.post("/api/tasks", {"title": str(number)}) for number in range(CROWD)]

    answers = await at_once(
        ana.request("PATCH", f"/api/tasks/{task['id']}/status", {"status": status, "position": 5})
        for task, status in zip(tasks, cycle(["todo", "review"]), strict=False)
    )

    assert set(answers) == {200}
    for status in ("todo", "review"):
        places = [task["position"] for task in await ana.get(f"/api/tasks?status={status}")]
        assert places == list(range(5, 5 + CROWD // 2))


async def test_simultaneous_new_tasks_are_all_counted(live):
    ana = await ana_of(live)
    me = (await ana.get("/auth/me"))["user"]["id"]

    answers = await at_once(
        ana.request("POST", "/api/tasks", {"title": "x", "assignedTo": me if number % 2 else None})
        for number in range(CROWD)
    )

    assert set(answers) == {201}
    listed = await ana.request("GET", "/api/tasks")
    overview = await ana.get("/api/tasks/overview")
    order = [(task["position"], task["id"]) for task in listed.json()]
    assert (len(listed.json()), listed.headers["x-total-count"]) == (CROWD, str(CROWD))
    assert order == sorted(order)
    assert overview["byStatus"]["backlog"] == CROWD
    assert [row["count"] for row in overview["byAssignee"]] == [CROWD // 2] * 2


async def test_a_member_who_is_leaving_is_assigned_no_task(live):
    ana = await ana_of(live)
    rosa = await Api.register(live, "rosa@example.com")
    rosas_id = (await rosa.get("/auth/me"))["user"]["id"]
    person = {"team": ana.team["id"], "person": rosas_id}

    async def run(statement: str) -> None:
        async with as_owner(live.kernel) as connection:
            await connection.execute(text(statement), person)

    await run(JOIN)
    tasks = [await ana.post("/api/tasks", {"title": str(number)}) for number in range(CROWD)]
    requests = [ana.request("PATCH", f"/api/tasks/{task['id']}/assign", {"assignedTo": rosas_id}) for task in tasks]
    answers, _ = await asyncio.gather(at_once(requests), run(LEAVE))

    assert set(answers) <= {200, 400}
    assert {task["assignedTo"] for task in await ana.get("/api/tasks")} == {None}
    assert (await ana.get("/api/tasks/overview"))["byAssignee"] == [
        {"_id": None, "name": None, "email": None, "count": CROWD}
    ]

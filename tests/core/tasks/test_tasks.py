"""Tasks: fields, moves, history, filters, links and deletion (interface decisions F)."""

from itertools import pairwise
from uuid import UUID, uuid4

import pytest

from support.api import CLIENT, Api

STATUSES = ["backlog", "todo", "in_progress", "review", "done"]


async def create_task(api, **fields):
    return await api.post("/api/tasks", {"title": "Llamar", **fields})


async def titles(api, query: str = "") -> list[str]:
    answer = await api.request("GET", f"/api/tasks{query}")
    assert answer.headers["x-total-count"] == str(len(answer.json()))
    return [one["title"] for one in answer.json()]


async def history(api, task) -> list[tuple[str, dict]]:
    return [(one["action"], one["changes"]) for one in await api.get(f"/api/tasks/{task['id']}/history")]


async def test_a_new_task_waits_in_the_backlog(ana, me):
    task = await create_task(ana)

    expected = {
        "title": "Llamar",
        "description": None,
        "status": "backlog",
        "priority": "medium",
        "dueDate": None,
        "assignedTo": None,
        "tags": [],
        "clientId": None,
        "invoiceId": None,
        "createdBy": me,
        "channel": "api",
        "completedAt": None,
    }
    assert {name: task[name] for name in expected} == expected
    assert task.keys() - expected.keys() == {"id", "position", "createdAt", "updatedAt"}


async def test_lists_show_the_same_fields_as_a_single_task(ana, me):
    invoice = await ana.invoice()
    links = {"assignedTo": me, "clientId": invoice["clientId"], "invoiceId": invoice["id"]}
    full = await create_task(ana, status="done", dueDate="2026-12-01", tags=["a", "ñ"], description="Ya", **links)
    bare = await create_task(ana)

    for task in (full, bare):
        assert await ana.get(f"/api/tasks/{task['id']}") == task
    assert await ana.get("/api/tasks") == [full, bare]
    assert await ana.get("/api/tasks/my") == [full]


async def test_absent_fields_keep_their_value_and_null_clears(ana, me):
    invoice = await ana.invoice()
    links = {"assignedTo": me, "clientId": invoice["clientId"], "invoiceId": invoice["id"]}
    fields = {"description": "Hoy", "dueDate": "2026-12-01", "priority": "high", "tags": ["uno"], **links}
    task = await create_task(ana, status="todo", **fields)
    one = f"/api/tasks/{task['id']}"

    renamed = await ana.put(one, {"title": "Escribir"})
    cleared = await ana.put(one, {"description": None, "dueDate": None, **dict.fromkeys(links)})

    assert renamed == {**task, "title": "Escribir", "updatedAt": renamed["updatedAt"]}
    assert {name for name in task if cleared[name] is None} == {"description", "dueDate", "completedAt", *links}
    assert (cleared["priority"], cleared["tags"], cleared["status"]) == ("high", ["uno"], "todo")


async def test_tags_are_trimmed_and_deduplicated(ana):
    task = await create_task(ana, tags=[" web ", "web", "Web"])

    assert task["tags"] == ["web", "Web"]


@pytest.mark.parametrize(
    ("field", "longest"),
    [("title", "x" * 200), ("description", "x" * 5000), ("tags", ["x" * 50]), ("tags", [str(n) for n in range(20)])],
)
async def test_values_of_the_longest_length_are_stored(ana, field, longest):
    task = await create_task(ana, **{field: longest})

    assert task[field] == longest


# ---------------------------------------------------------------- moving


@pytest.mark.parametrize("before", STATUSES)
async def test_a_task_moves_from_any_status_to_any_other(ana, before):
    for after in STATUSES:
        task = await create_task(ana, status=before)

        moved = await ana.patch(f"/api/tasks/{task['id']}/status", {"status": after})

        assert moved["status"] == after
        assert (moved["completedAt"] is not None) == (after == "done")
        assert (await ana.get(f"/api/tasks/{task['id']}")) == moved


@pytest.mark.parametrize("path", ["", "/status"])
async def test_completing_again_keeps_the_first_time(ana, path):
    task = await create_task(ana, status="done")
    method = "PATCH" if path else "PUT"

    again = await ana.request(method, f"/api/tasks/{task['id']}{path}", {"status": "done"})

    assert again.json()["completedAt"] == task["completedAt"]
    assert await history(ana, task) == [("created", {})]


async def test_a_task_in_review_can_be_completed(ana):
    task = await create_task(ana, status="review")

    done = await ana.patch(f"/api/tasks/{task['id']}/complete")

    assert (done["status"], bool(done["completedAt"])) == ("done", True)
    assert await history(ana, task) == [
        ("created", {}),
        ("completed", {"status": {"from": "review", "to": "done"}}),
    ]


@pytest.mark.parametrize("status", [one for one in STATUSES if one != "review"])
async def test_a_task_outside_review_cannot_be_completed(ana, status):
    task = await create_task(ana, status=status)

    problem = await ana.refused(400, "PATCH", f"/api/tasks/{task['id']}/complete")

    assert problem["code"] == "TASK_NOT_IN_REVIEW"
    assert status in problem["detail"]
    assert await ana.get(f"/api/tasks/{task['id']}") == task
    assert await history(ana, task) == [("created", {})]


@pytest.mark.parametrize("sent", [{"status": "closed"}, {"status": None}, {"status": "Done"}, {}])
async def test_other_statuses_do_not_exist(ana, sent):
    task = await create_task(ana)

    problem = await ana.refused(400, "PATCH", f"/api/tasks/{task['id']}/status", sent)

    assert [error["field"] for error in problem["errors"]] == ["status"]


async def test_an_outdated_version_changes_nothing(ana):
    task = await create_task(ana)
    await ana.put(f"/api/tasks/{task['id']}", {"title": "Escribir"})

    for path, sent in (("/status", {"status": "done"}), ("/assign", {"assignedTo": None})):
        await ana.refused(412, "PATCH", f"/api/tasks/{task['id']}{path}", sent, **{"If-Match": '"1"'})

    assert (await ana.get(f"/api/tasks/{task['id']}"))["status"] == "backlog"


# ---------------------------------------------------------------- history


async def test_the_history_lists_every_change_oldest_first(ana, me):
    task = await create_task(ana)
    one = f"/api/tasks/{task['id']}"
    await create_task(ana)
    await ana.put(one, {"title": "Escribir", "dueDate": "2026-12-01", "status": "todo", "assignedTo": me})
    await ana.patch(f"{one}/status", {"status": "review", "position": 3})
    await ana.patch(f"{one}/assign", {"assignedTo": None})

    entries = await ana.get(f"{one}/history")

    assert [(one["action"], one["changes"]) for one in entries] == [
        ("created", {}),
        ("status_changed", {"status": {"from": "backlog", "to": "todo"}}),
        ("updated", {"dueDate": {"from": None, "to": "2026-12-01"}, "title": {"from": "Llamar", "to": "Escribir"}}),
        ("assigned", {"assignedTo": {"from": None, "to": me}}),
        ("status_changed", {"status": {"from": "todo", "to": "review"}, "position": {"from": 1024, "to": 3}}),
        ("assigned", {"assignedTo": {"from": me, "to": None}}),
    ]
    assert {(one["entityType"], one["entityId"], one["userId"], one["teamId"]) for one in entries} == {
        ("task", task["id"], me, ana.team["id"])
    }
    assert [one["entityLabel"] for one in entries] == ["Llamar", *["Escribir"] * 5]


async def test_the_history_is_the_feed_in_reverse(ana):
    task = await create_task(ana)
    await ana.patch(f"/api/tasks/{task['id']}/status", {"status": "done"})

    entries = await ana.get(f"/api/tasks/{task['id']}/history")

    assert entries == (await ana.get("/api/invoices/activity/feed?limit=2"))[::-1]


async def test_a_history_is_paged_when_asked(ana):
    task = await create_task(ana)
    for before, after in pairwise(STATUSES):
        assert before != after
        await ana.patch(f"/api/tasks/{task['id']}/status", {"status": after})

    answer = await ana.request("GET", f"/api/tasks/{task['id']}/history?page=2&limit=2")

    assert [one["changes"]["status"]["to"] for one in answer.json()] == ["in_progress", "review"]
    assert answer.headers["x-total-count"] == "5"


# ---------------------------------------------------------------- finding


async def test_filters_narrow_the_list(ana, me):
    await create_task(ana, title="A", status="todo", priority="high", dueDate="2026-11-30", assignedTo=me)
    await create_task(ana, title="B", status="todo", priority="low", dueDate="2026-12-01")
    await create_task(ana, title="C", status="done", priority="high", dueDate="2026-12-02", assignedTo=me)
    await create_task(ana, title="D")

    listed = {
        query: sorted(await titles(ana, f"?{query}"))
        for query in (
            "status=todo",
            "status=review",
            "priority=high",
            f"assignedTo={me}",
            "assignedTo=none",
            "dueBefore=2026-12-01",
            "dueBefore=2026-12-02",
            f"status=todo&priority=high&assignedTo={me}&dueBefore=2027-01-01",
            f"status=todo&assignedTo={me}&dueBefore=2026-11-30",
        )
    }

    assert listed == {
        "status=todo": ["A", "B"],
        "status=review": [],
        "priority=high": ["A", "C"],
        f"assignedTo={me}": ["A", "C"],
        "assignedTo=none": ["B", "D"],
        "dueBefore=2026-12-01": ["A"],
        "dueBefore=2026-12-02": ["A", "B"],
        f"status=todo&priority=high&assignedTo={me}&dueBefore=2027-01-01": ["A"],
        f"status=todo&assignedTo={me}&dueBefore=2026-11-30": [],
    }
    assert sorted(await titles(ana)) == ["A", "B", "C", "D"]


async def test_totals_follow_changes(ana, me):
    one = await create_task(ana, title="A", priority="low")
    await create_task(ana, title="B", priority="low")
    await ana.put(f"/api/tasks/{one['id']}", {"priority": "urgent", "status": "todo", "assignedTo": me})
    deleted = await create_task(ana, priority="urgent", assignedTo=me)
    await ana.delete(f"/api/tasks/{deleted['id']}")

    for query in ("priority=urgent", "status=todo", f"assignedTo={me}"):
        assert await titles(ana, f"?{query}") == ["A"]
    for query in ("priority=low", "status=backlog", "assignedTo=none"):
        assert await titles(ana, f"?{query}") == ["B"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("status=open", "status"),
        ("status=", "status"),
        ("priority=1", "priority"),
        ("dueBefore=01/12/2026", "dueBefore"),
        ("dueBefore=2026-02-30", "dueBefore"),
        ("page=0", "page"),
        ("limit=101", "limit"),
    ],
)
async def test_wrong_filters_are_named(ana, query, field):
    problem = await ana.refused(400, "GET", f"/api/tasks?{query}")

    assert [error["field"] for error in problem["errors"]] == [field]


@pytest.mark.parametrize("stranger", [str(UUID(int=7)), "nobody", "%"])
async def test_a_user_outside_the_team_has_no_tasks(ana, stranger):
    await create_task(ana)

    assert await titles(ana, f"?assignedTo={stranger}") == []


async def test_tasks_are_not_paged_unless_asked(ana):
    for number in range(52):
        await create_task(ana, title=f"{number:02d}")

    answer = await ana.request("GET", "/api/tasks")
    part = await ana.request("GET", "/api/tasks?page=2&status=backlog")

    assert [one["title"] for one in answer.json()] == [f"{number:02d}" for number in range(52)]
    assert ([one["title"] for one in part.json()], part.headers["x-total-count"]) == (["50", "51"], "52")


# ---------------------------------------------------------------- links


@pytest.mark.parametrize("field", ["clientId", "invoiceId"])
async def test_links_name_records_of_the_same_account_only(ana, berta, field):
    hers = await berta.invoice()
    foreign = hers["clientId"] if field == "clientId" else hers["id"]
    task = await create_task(ana)

    for unknown_id in (foreign, str(uuid4()), "x", ""):
        for method, path in (("POST", "/api/tasks"), ("PUT", f"/api/tasks/{task['id']}")):
            problem = await ana.refused(404, method, path, {"title": "Robar", field: unknown_id})

            assert problem["code"] == "NOT_FOUND"
            assert problem["detail"] == f"No {field[:-2]} has id {unknown_id}."

    assert await ana.get("/api/tasks") == [task]
    assert (await ana.get("/api/tasks/overview"))["byStatus"]["backlog"] == 1


async def test_a_link_stays_after_its_record_is_deleted(ana):
    client = await ana.post("/api/clients", CLIENT)
    task = await create_task(ana, clientId=client["id"])
    await ana.delete(f"/api/clients/{client['id']}")

    changed = await ana.put(f"/api/tasks/{task['id']}", {"title": "Escribir", "clientId": client["id"]})

    assert changed["clientId"] == client["id"]
    await ana.refused(404, "POST", "/api/tasks", {"title": "Otra", "clientId": client["id"]})


# ---------------------------------------------------------------- hiding


async def test_a_deleted_task_is_hidden_everywhere(ana, me):
    task = await create_task(ana, status="review", assignedTo=me)

    answer = await ana.delete(f"/api/tasks/{task['id']}")

    one = f"/api/tasks/{task['id']}"
    assert answer == {"ok": True}
    assert await titles(ana) == await titles(ana, "?status=review") == await titles(ana, f"?assignedTo={me}") == []
    overview = await ana.get("/api/tasks/overview")
    assert (set(overview["byStatus"].values()), [row["count"] for row in overview["byAssignee"]]) == ({0}, [0])
    for method, path, sent in (
        ("GET", one, None),
        ("PUT", one, {}),
        ("DELETE", one, None),
        ("PATCH", f"{one}/status", {"status": "done"}),
        ("PATCH", f"{one}/assign", {"assignedTo": None}),
        ("PATCH", f"{one}/complete", None),
        ("GET", f"{one}/history", None),
    ):
        await ana.refused(404, method, path, sent)


async def test_a_member_deletes_tasks_they_created_only(ana, team, me):
    rosa, _ = await team.joined("rosa")
    created_by_rosa = await create_task(rosa, assignedTo=me)
    other = await create_task(ana)
    by_key = await create_task(Api(ana.client, {"x-api-key": ana.team["apiKey"]}))

    await rosa.delete(f"/api/tasks/{created_by_rosa['id']}")

    for task in (other, by_key):
        problem = await rosa.refused(403, "DELETE", f"/api/tasks/{task['id']}")
        assert problem["requiredRoles"] == ["owner", "admin", "finance", "operations"]
        assert (await ana.get(f"/api/tasks/{task['id']}")) == task


async def test_a_request_repeated_with_its_key_is_done_once(ana):
    key = {"Idempotency-Key": "tarea"}

    first = await ana.request("POST", "/api/tasks", {"title": "Llamar"}, **key)
    again = await ana.request("POST", "/api/tasks", {"title": "Llamar"}, **key)

    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert await titles(ana) == ["Llamar"]

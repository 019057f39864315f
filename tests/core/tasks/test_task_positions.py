"""Positions on the board: ascending whole numbers; a task sent to an occupied one comes before the task there."""

import random

import pytest

HIGHEST = 10**12


async def create_task(api, title: str, **fields):
    return await api.post("/api/tasks", {"title": title, **fields})


async def column(api, status: str = "backlog") -> list[tuple[str, int]]:
    return [(one["title"], one["position"]) for one in await api.get(f"/api/tasks?status={status}")]


async def test_new_tasks_come_last(ana):
    tasks = [await create_task(ana, title) for title in "ABC"]

    assert await column(ana) == [("A", 1024), ("B", 2048), ("C", 3072)]
    assert [one["position"] for one in tasks] == [1024, 2048, 3072]


async def test_each_column_has_its_own_positions(ana, berta):
    await create_task(berta, "Ajena")
    await create_task(ana, "A")
    await create_task(ana, "B", status="todo")

    assert await column(ana) == [("A", 1024)]
    assert await column(ana, "todo") == [("B", 1024)]


async def test_a_task_that_changes_its_column_comes_last_there(ana):
    one = await create_task(ana, "A")
    await create_task(ana, "B", status="todo")

    moved = await ana.patch(f"/api/tasks/{one['id']}/status", {"status": "todo"})

    assert moved["position"] == 2048
    assert await column(ana, "todo") == [("B", 1024), ("A", 2048)]


async def test_a_task_that_stays_in_its_column_keeps_its_position(ana):
    one = await create_task(ana, "A")
    await create_task(ana, "B")

    for method, path, sent in (("PUT", "", {"title": "A2"}), ("PATCH", "/status", {"status": "backlog"})):
        same = await ana.request(method, f"/api/tasks/{one['id']}{path}", sent)

        assert same.json()["position"] == 1024


async def test_a_free_position_is_used_without_moving_others(ana):
    await create_task(ana, "A")
    await create_task(ana, "B")

    await create_task(ana, "C", position=1500)

    assert await column(ana) == [("A", 1024), ("C", 1500), ("B", 2048)]


async def test_inserting_before_a_task_moves_only_those_without_a_gap(ana):
    for title, position in (("A", 1), ("B", 2), ("C", 3), ("D", 5), ("E", 6)):
        await create_task(ana, title, position=position)

    await create_task(ana, "X", position=2)

    assert await column(ana) == [("A", 1), ("X", 2), ("B", 3), ("C", 4), ("D", 5), ("E", 6)]


async def test_moving_up_and_down_within_a_column(ana):
    cards = {title: await create_task(ana, title) for title in "ABCD"}

    await ana.put(f"/api/tasks/{cards['D']['id']}", {"position": cards["B"]["position"]})
    await ana.patch(f"/api/tasks/{cards['A']['id']}/status", {"status": "backlog", "position": 3072})

    assert [title for title, _ in await column(ana)] == ["D", "B", "A", "C"]


async def test_tasks_that_are_moved_on_keep_version_and_history(ana):
    one = await create_task(ana, "A", position=1)
    before = await ana.request("GET", f"/api/tasks/{one['id']}")

    await create_task(ana, "X", position=1)

    after = await ana.request("GET", f"/api/tasks/{one['id']}")
    assert after.headers["etag"] == before.headers["etag"]
    assert after.json() == {**one, "position": 2}
    assert len(await ana.get(f"/api/tasks/{one['id']}/history")) == 1


async def test_deleted_tasks_and_other_columns_occupy_no_position(ana):
    deleted = await create_task(ana, "A", position=5)
    await ana.delete(f"/api/tasks/{deleted['id']}")
    await create_task(ana, "B", position=5, status="todo")

    await create_task(ana, "C", position=5)

    assert (await column(ana), await column(ana, "todo")) == ([("C", 5)], [("B", 5)])


@pytest.mark.parametrize(("position", "status"), [(-1, 400), (0, 201), (HIGHEST, 201), (HIGHEST + 1, 400), (0.5, 400)])
async def test_positions_have_bounds(ana, position, status):
    answer = await ana.request("POST", "/api/tasks", {"title": "A", "position": position})

    assert answer.status_code == status


async def test_new_tasks_come_after_the_highest_position(ana):
    for title in "ABC":
        await create_task(ana, title, position=HIGHEST)
    await create_task(ana, "D")

    assert [title for title, _ in await column(ana)] == ["C", "B", "A", "D"]


async def test_any_sequence_of_moves_ends_in_the_requested_order(ana):
    chance = random.Random(303)
    cards = {title: (await create_task(ana, title, position=place))["id"] for place, title in enumerate("ABCDEFGH")}
    wanted = list(cards)

    for _ in range(30):
        moved, target = chance.sample(wanted, 2)
        place = dict(await column(ana))[target]
        await ana.put(f"/api/tasks/{cards[moved]}", {"position": place})
        wanted.remove(moved)
        wanted.insert(wanted.index(target), moved)

        assert [title for title, _ in await column(ana)] == wanted

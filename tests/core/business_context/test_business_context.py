"""The business context: entries by key, summary, versions (interface decisions H)."""

import asyncio

import pytest

from support.api import Api
from support.database import row_counts, set_role


async def put(api, key: str, content: str = "De 9 a 18", **fields):
    return await api.put("/api/context/entry", {"key": key, "content": content, **fields})


async def keys(api) -> list[str]:
    return [entry["key"] for entry in (await api.get("/api/context"))["entries"]]


async def log(api) -> list[tuple[str, str, str, dict]]:
    feed = await api.get("/api/invoices/activity/feed")
    wanted = [one for one in feed if one["entityType"].startswith("context")]
    return [(one["action"], one["entityType"], one["entityLabel"], one["changes"]) for one in wanted]


async def test_an_empty_context_is_there(ana):
    assert await ana.get("/api/context") == {
        "id": ana.team["id"],
        "teamId": ana.team["id"],
        "summary": "",
        "entries": [],
        "updatedAt": None,
    }


async def test_a_personal_workspace_has_a_context_of_no_team(client):
    alone = await Api.register(client, "sola@example.com")
    await put(alone, "horario")

    context = await alone.get("/api/context")

    assert (context["teamId"], [entry["key"] for entry in context["entries"]]) == (None, ["horario"])


async def test_a_new_key_makes_an_entry_and_a_known_one_changes_it(ana):
    me = (await ana.get("/auth/me"))["user"]["id"]

    made = await ana.request("PUT", "/api/context/entry", {"key": "horario", "content": "De 9 a 18"})
    changed = await ana.request("PUT", "/api/context/entry", {"key": "horario", "content": "De 8 a 15"})

    assert (made.status_code, changed.status_code) == (201, 200)
    assert (made.json()["message"], changed.json()["message"]) == ("Entry horario created.", "Entry horario updated.")
    first, second = made.json()["entry"], changed.json()["entry"]
    plain = {"key": "horario", "title": None, "category": None, "order": 0, "updatedBy": me}
    assert first == {**plain, "content": "De 9 a 18", "createdAt": first["createdAt"], "updatedAt": first["updatedAt"]}
    assert second == {**first, "content": "De 8 a 15", "updatedAt": second["updatedAt"]}
    assert (await ana.get("/api/context"))["entries"] == [second]


async def test_absent_fields_keep_their_value_and_null_clears(ana):
    await put(ana, "horario", title="Horario", category="Tienda", order=3)

    kept = (await put(ana, "horario", "De 8 a 15"))["entry"]
    cleared = (await put(ana, "horario", title=None, category=None))["entry"]

    assert (kept["title"], kept["category"], kept["order"]) == ("Horario", "Tienda", 3)
    assert (cleared["title"], cleared["category"], cleared["order"]) == (None, None, 3)


async def test_entries_stand_by_category_order_and_key(ana):
    for key, category, order in (("d", "Ventas", 0), ("c", "Tienda", 2), ("b", "Tienda", 1), ("a", "Tienda", 2)):
        await put(ana, key, category=category, order=order)
    await put(ana, "z")

    assert await keys(ana) == ["z", "b", "a", "c", "d"]


async def test_a_deleted_entry_is_gone_and_its_key_is_free(ana):
    await put(ana, "horario")

    gone = await ana.delete("/api/context/entry/horario")

    assert gone == {"message": "Entry horario deleted."}
    assert await keys(ana) == []
    problem = await ana.refused(404, "DELETE", "/api/context/entry/horario")
    assert "GET /api/context" in problem["remedy"]
    assert (await put(ana, "horario"))["message"] == "Entry horario created."


async def test_the_summary_is_written_anew(ana):
    first = await ana.put("/api/context/summary", {"summary": "Un estudio\nde diseño"})
    context = await ana.get("/api/context")
    second = await ana.put("/api/context/summary", {"summary": ""})

    assert first == {"summary": "Un estudio\nde diseño", "updatedAt": context["updatedAt"]}
    assert (context["summary"], second["summary"]) == (first["summary"], "")


# ---------------------------------------------------------------- whose it is


async def test_each_account_has_keys_of_its_own(ana, berta):
    await put(ana, "horario", "de Ana")
    await put(ana, "precios", "de Ana")
    await ana.put("/api/context/summary", {"summary": "de Ana"})
    made = await put(berta, "horario", "de Berta")

    problem = await berta.refused(404, "DELETE", "/api/context/entry/precios")
    missing = await berta.refused(404, "DELETE", "/api/context/entry/otra")

    assert made["message"] == "Entry horario created."
    assert problem["detail"].replace("precios", "otra") == missing["detail"]
    assert "de Ana" not in str(await berta.get("/api/context")) + str(await berta.get("/api/context/markdown"))
    assert [entry["content"] for entry in (await ana.get("/api/context"))["entries"]] == ["de Ana", "de Ana"]


async def test_a_members_word_changes_nothing(kernel, ana, client):
    rosa = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    await put(ana, "horario")
    before = await ana.get("/api/context")

    problem = await rosa.refused(403, "PUT", "/api/context/entry", {"key": "horario", "content": "Nunca"})

    assert problem["requiredRoles"] == ["owner", "admin"]
    assert await rosa.get("/api/context") == await ana.get("/api/context") == before


async def test_the_log_tells_of_entries_without_their_texts(ana):
    await put(ana, "horario", "secreto uno")
    await put(ana, "horario", "secreto dos", title="Horario")
    await ana.delete("/api/context/entry/horario")
    await ana.put("/api/context/summary", {"summary": "secreto tres"})

    assert await log(ana) == [
        ("updated", "context", "summary", {}),
        ("deleted", "context_entry", "horario", {}),
        ("updated", "context_entry", "horario", {"title": {"from": None, "to": "Horario"}}),
        ("created", "context_entry", "horario", {}),
    ]
    assert "secreto" not in str(await ana.get("/api/invoices/activity/feed"))


# ---------------------------------------------------------------- versions


async def test_one_version_guards_the_whole_context(ana):
    empty = (await ana.request("GET", "/api/context")).headers["etag"]
    made = await ana.request("PUT", "/api/context/entry", {"key": "a", "content": "1"}, **{"If-Match": empty})
    read = (await ana.request("GET", "/api/context")).headers["etag"]
    written = await ana.request("PUT", "/api/context/summary", {"summary": "x"}, **{"If-Match": read})

    assert (empty, made.headers["etag"], read) == ('"0"', '"1"', '"1"')
    assert written.headers["etag"] == '"2"'
    for method, path, sent in (
        ("PUT", "/api/context/entry", {"key": "a", "content": "2"}),
        ("PUT", "/api/context/entry", {"key": "b", "content": "2"}),
        ("PUT", "/api/context/summary", {"summary": "y"}),
        ("DELETE", "/api/context/entry/a", None),
    ):
        await ana.refused(412, method, path, sent, **{"If-Match": read})
    after = await ana.request("GET", "/api/context")
    assert (after.headers["etag"], after.json()["summary"], await keys(ana)) == ('"2"', "x", ["a"])


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize("key", ["a", "0", "horario", "a.b_c-d", "x" * 64])
async def test_what_a_key_looks_like(ana, key):
    made = await put(ana, key)
    gone = await ana.delete(f"/api/context/entry/{key}")

    assert (made["entry"]["key"], gone["message"]) == (key, f"Entry {key} deleted.")


WRONG = [
    ({"key": "x" * 65}, "key"),
    ({"key": ""}, "key"),
    ({"key": "Horario"}, "key"),
    ({"key": "-a"}, "key"),
    ({"key": "a b"}, "key"),
    ({"key": "a/b"}, "key"),
    ({"key": "a\n"}, "key"),
    ({"key": "ñ"}, "key"),
    ({"key": None}, "key"),
    ({"content": ""}, "content"),
    ({"content": "x" * 20_001}, "content"),
    ({"content": "a\x00b"}, "content"),
    ({"content": None}, "content"),
    ({"title": "x" * 201}, "title"),
    ({"category": "x" * 101}, "category"),
    ({"order": -1}, "order"),
    ({"order": 1_000_001}, "order"),
    ({"order": None}, "order"),
]


async def test_a_wrong_field_of_an_entry_is_named_and_nothing_is_kept(kernel, ana):
    before = await row_counts(kernel)

    for fields, field in WRONG:
        problem = await ana.refused(400, "PUT", "/api/context/entry", {"key": "a", "content": "b", **fields})

        assert [error["field"] for error in problem["errors"]] == [field], fields

    assert await row_counts(kernel) == before


@pytest.mark.parametrize(("length", "status"), [(5000, 200), (5001, 400)])
async def test_a_summary_has_five_thousand_characters_at_most(ana, length, status):
    answer = await ana.request("PUT", "/api/context/summary", {"summary": "ñ" * length})

    assert answer.status_code == status


async def test_an_entry_has_twenty_thousand_characters_at_most(ana):
    assert (await put(ana, "a", "ñ" * 20_000))["entry"]["content"] == "ñ" * 20_000


async def test_two_hundred_entries_and_no_more(ana):
    for number in range(199):
        await put(ana, f"k{number}")

    last = await ana.request("PUT", "/api/context/entry", {"key": "last", "content": "x"})
    beyond = await ana.refused(400, "PUT", "/api/context/entry", {"key": "beyond", "content": "x"})
    known = await ana.request("PUT", "/api/context/entry", {"key": "last", "content": "y"})

    assert (last.status_code, known.status_code) == (201, 200)
    assert [error["field"] for error in beyond["errors"]] == ["key"]
    assert (await ana.get("/api/context/markdown"))["entryCount"] == 200


# ---------------------------------------------------------------- many at once


async def statuses(api, names) -> list[int]:
    requests = [api.request("PUT", "/api/context/entry", {"key": name, "content": name}) for name in names]
    return sorted(answer.status_code for answer in await asyncio.gather(*requests))


@pytest.mark.whole
async def test_one_new_key_written_by_many_at_once_is_one_entry(live):
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")

    assert await statuses(ana, ["horario"] * 32) == [200] * 31 + [201]

    assert await keys(ana) == ["horario"]
    assert (await ana.request("GET", "/api/context")).headers["etag"] == '"32"'


@pytest.mark.whole
async def test_many_at_once_do_not_get_past_the_limit(live):
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    await statuses(ana, [f"k{number}" for number in range(190)])

    assert await statuses(ana, [f"n{number}" for number in range(32)]) == [201] * 10 + [400] * 22

    assert len(await keys(ana)) == 200

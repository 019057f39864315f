"""Corrections of stock, one at a time and in bulk (interface decisions E3, E4)."""

from uuid import uuid4

import pytest
from sqlalchemy import text

from support.database import as_owner


async def item(ana, **fields):
    return await ana.post("/api/catalog", {"name": "Tornillo", **fields})


async def levels(ana) -> dict[str, float | None]:
    return {one["id"]: one["stock"] for one in await ana.get("/api/catalog")}


async def ledger(kernel, item_id: str) -> list[tuple[str, float, float]]:
    query = text("select kind, quantity, stock_after from stock_movement where item_id = cast(:id as uuid) order by id")
    async with as_owner(kernel) as connection:
        return [tuple(row) for row in await connection.execute(query, {"id": item_id})]


async def test_stock_changes_by_a_delta_or_is_set(ana, kernel):
    stored_item = await item(ana, stock=10)
    path = f"/api/catalog/{stored_item['id']}/stock"

    answers = [await ana.patch(path, body) for body in ({"delta": -2.5}, {"stock": 20}, {"delta": 0}, {"stock": 20})]

    assert [one["stock"] for one in answers] == [7.5, 20, 20, 20]
    assert await ledger(kernel, stored_item["id"]) == [
        ("created", 10, 10),
        ("adjusted", -2.5, 7.5),
        ("adjusted", 12.5, 20),
    ]
    feed = await ana.get("/api/invoices/activity/feed")
    changes = [entry["changes"] for entry in feed if entry["action"] == "stock_changed"]
    assert changes == [{"stock": {"from": 7.5, "to": 20}}, {"stock": {"from": 10, "to": 7.5}}]


@pytest.mark.parametrize("body", [{}, {"delta": 1, "stock": 1}, {"delta": None}, {"delta": None, "stock": None}])
async def test_exactly_one_of_both_is_needed(ana, body):
    stored_item = await item(ana, stock=10)

    problem = await ana.refused(400, "PATCH", f"/api/catalog/{stored_item['id']}/stock", body)

    assert [error["field"] for error in problem["errors"]] == ["delta", "stock"]


@pytest.mark.parametrize(("body", "field"), [({"delta": -10.0001}, "delta"), ({"stock": -1}, "stock")])
async def test_an_adjustment_never_goes_below_zero(ana, body, field):
    stored_item = await item(ana, stock=10)

    problem = await ana.refused(400, "PATCH", f"/api/catalog/{stored_item['id']}/stock", body)

    assert (problem["code"], problem["errors"][0]["field"]) == ("INSUFFICIENT_STOCK", field)
    assert (await ana.patch(f"/api/catalog/{stored_item['id']}/stock", {"delta": -10}))["stock"] == 0


async def test_an_untracked_stock_begins_at_zero(ana):
    first, second, third = [await item(ana) for _ in range(3)]

    counted = await ana.patch(f"/api/catalog/{first['id']}/stock", {"stock": 0})
    come = await ana.patch(f"/api/catalog/{second['id']}/stock", {"delta": 3})
    await ana.post("/api/catalog/bulk-stock", {"adjustments": [{"itemId": third["id"], "adjustment": 0}]})

    assert (counted["stock"], come["stock"], (await levels(ana))[third["id"]]) == (0, 3, 0)


async def test_services_and_items_with_variants_cannot_be_adjusted(ana):
    service = await item(ana, type="service")
    varied = await item(ana, variants=[{"name": "S", "stock": 1}])

    for one in (service, varied):
        problem = await ana.refused(400, "PATCH", f"/api/catalog/{one['id']}/stock", {"delta": 1})

        assert (problem["code"], bool(problem["remedy"])) == ("STOCK_NOT_ADJUSTABLE", True)


async def test_a_variant_is_adjusted_by_its_index(ana, kernel):
    stored_item = await item(ana, variants=[{"name": "S", "stock": 4}, {"name": "M"}])
    path = f"/api/catalog/{stored_item['id']}/variant-stock"

    answers = [
        await ana.patch(path, {"variantIndex": index, "adjustment": by}) for index, by in ((0, -4), (1, 2.5), (1, 0))
    ]

    assert [one["stock"] for one in answers] == [0, 2.5, 2.5]
    assert [one["stock"] for one in answers[-1]["variants"]] == [0, 2.5]
    assert await ledger(kernel, stored_item["id"]) == [("created", 4, 4), ("adjusted", -4, 0), ("adjusted", 2.5, 2.5)]


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"variantIndex": 2, "adjustment": 1}, "VALIDATION_ERROR", "variantIndex"),
        ({"variantIndex": -1, "adjustment": 1}, "VALIDATION_ERROR", "variantIndex"),
        ({"variantIndex": "0", "adjustment": 1}, "VALIDATION_ERROR", "variantIndex"),
        ({"variantIndex": 0}, "VALIDATION_ERROR", "adjustment"),
        ({"adjustment": 1}, "VALIDATION_ERROR", "variantIndex"),
        ({"variantIndex": 0, "adjustment": -4.5}, "INSUFFICIENT_STOCK", "adjustment"),
        ({"variantIndex": 1, "adjustment": -1}, "INSUFFICIENT_STOCK", "adjustment"),
    ],
)
async def test_a_wrong_adjustment_of_a_variant_is_named(ana, body, code, field):
    stored_item = await item(ana, variants=[{"name": "S", "stock": 4}, {"name": "M", "stock": 0}])

    problem = await ana.refused(400, "PATCH", f"/api/catalog/{stored_item['id']}/variant-stock", body)

    named = {problem["code"], *(error["field"] for error in problem["errors"])}
    assert {code, field} <= named
    assert "/stock" not in problem["remedy"], "an item with variants refuses a stock of its own"


async def test_an_outdated_version_is_not_adjusted(ana):
    stored_item = await item(ana, stock=1)
    path = f"/api/catalog/{stored_item['id']}/stock"

    first = await ana.request("PATCH", path, {"delta": 1}, **{"If-Match": '"1"'})
    stale = await ana.request("PATCH", path, {"delta": 1}, **{"If-Match": '"1"'})

    assert (first.status_code, first.headers["etag"], stale.status_code) == (200, '"2"', 412)


async def test_an_adjustment_repeated_with_its_key_is_made_once(ana):
    stored_item = await item(ana, stock=1)
    path, key = f"/api/catalog/{stored_item['id']}/stock", {"Idempotency-Key": "once"}

    answers = [await ana.request("PATCH", path, {"delta": 1}, **key) for _ in range(3)]

    assert [answer.json()["stock"] for answer in answers] == [2, 2, 2]


# ---------------------------------------------------------------- in bulk


def bulk(*adjustments: tuple[str, float]):
    return {"adjustments": [{"itemId": item_id, "adjustment": by} for item_id, by in adjustments]}


async def test_many_items_are_adjusted_and_adjustments_of_one_item_add_up(ana, kernel):
    first, second = await item(ana, stock=3), await item(ana, stock=3)

    result = await ana.post("/api/catalog/bulk-stock", bulk((first["id"], -5), (second["id"], 1.5), (first["id"], 4)))

    assert result == {
        "updated": 3,
        "items": [
            {"itemId": first["id"], "name": "Tornillo", "stock": 2},
            {"itemId": second["id"], "name": "Tornillo", "stock": 4.5},
        ],
    }
    assert await levels(ana) == {first["id"]: 2, second["id"]: 4.5}
    assert (await ledger(kernel, first["id"]))[1:] == [("adjusted", -1, 2)]


async def test_many_items_are_counted(ana, kernel):
    more, fewer, untracked = await item(ana, stock=3), await item(ana, stock=3), await item(ana)
    counts = [{"itemId": one["id"], "stock": stock} for one, stock in ((more, 7), (fewer, 1.5), (untracked, 0))]

    result = await ana.post("/api/catalog/bulk-stock", {"adjustments": counts})

    assert [one["stock"] for one in result["items"]] == [7, 1.5, 0]
    assert await levels(ana) == {more["id"]: 7, fewer["id"]: 1.5, untracked["id"]: 0}
    assert (await ledger(kernel, fewer["id"]))[1:] == [("adjusted", -1.5, 1.5)]


async def test_a_count_is_never_below_zero_nor_beside_another_adjustment(ana):
    stored_item = await item(ana, stock=3)
    count = {"itemId": stored_item["id"], "stock": 7}
    wrong = {
        "adjustments[0].stock": [{**count, "stock": -1}],
        "adjustments[1].stock": [{"itemId": stored_item["id"], "adjustment": 1}, count],
        "adjustments[0]": [{**count, "adjustment": 1}],
    }

    for field, adjustments in wrong.items():
        problem = await ana.refused(400, "POST", "/api/catalog/bulk-stock", {"adjustments": adjustments})
        assert [error["field"] for error in problem["errors"]] == [field]

    assert await levels(ana) == {stored_item["id"]: 3}


async def test_a_variant_is_counted_by_its_index(ana, kernel):
    stored_item = await item(ana, variants=[{"name": "S", "stock": 4}, {"name": "M"}])
    path = f"/api/catalog/{stored_item['id']}/variant-stock"

    answer = await ana.patch(path, {"variantIndex": 0, "stock": 9})
    problem = await ana.refused(400, "PATCH", path, {"variantIndex": 0, "stock": -1})

    assert (answer["stock"], answer["variants"][0]["stock"]) == (9, 9)
    assert (problem["code"], problem["errors"][0]["field"]) == ("INSUFFICIENT_STOCK", "stock")
    assert await ledger(kernel, stored_item["id"]) == [("created", 4, 4), ("adjusted", 5, 9)]


async def test_bulk_adjustments_are_all_made_or_none(ana):
    good, poor = await item(ana, stock=5), await item(ana, stock=5)
    service, varied = await item(ana, type="service"), await item(ana, variants=[{"name": "S", "stock": 1}])
    before = await levels(ana)

    unknown = await ana.refused(
        400,
        "POST",
        "/api/catalog/bulk-stock",
        bulk((good["id"], 1), (str(uuid4()), 1), (service["id"], 1), (varied["id"], 1), ("x", 1), (poor["id"], -9)),
    )
    short = await ana.refused(400, "POST", "/api/catalog/bulk-stock", bulk((good["id"], 1), (poor["id"], -5.5)))

    assert unknown["code"] == "STOCK_NOT_ADJUSTABLE"
    assert [error["field"] for error in unknown["errors"]] == [f"adjustments[{n}].itemId" for n in (1, 2, 3, 4)]
    assert short["code"] == "INSUFFICIENT_STOCK"
    assert [error["field"] for error in short["errors"]] == ["adjustments[1].adjustment"]
    assert await levels(ana) == before


@pytest.mark.parametrize(("count", "status"), [(0, 200), (200, 200), (201, 400)])
async def test_two_hundred_adjustments_are_made_at_most(ana, count, status):
    stored_item = await item(ana, stock=0)

    answer = await ana.request("POST", "/api/catalog/bulk-stock", bulk(*[(stored_item["id"], 0.5)] * count))

    assert answer.status_code == status
    assert (await levels(ana))[stored_item["id"]] == (count / 2 if status == 200 else 0)

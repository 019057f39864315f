"""Import of analysed supplier invoices into the catalog, once each (interface decisions E11, E12)."""

from uuid import uuid4

import pytest


async def item(ana, **fields):
    return await ana.post("/api/catalog", {"name": "Mesa", **fields})


async def confirmed(ana, items, answers=None, **fields):
    return await ana.post("/api/catalog/confirm-import", {"analysis": {"items": items, **fields}, "answers": answers})


async def items(ana) -> dict[str, dict[str, object]]:
    return {one["name"]: one for one in await ana.get("/api/catalog")}


async def test_new_items_are_created_and_matched_ones_added_to(ana):
    existing = await item(ana, sku="M", stock=3, cost=4, unitPrice=10)

    result = await confirmed(
        ana,
        [
            {"name": "Mesa roble", "matchedItemId": existing["id"], "quantity": 2.5, "unitPrice": 5},
            {"name": "Silla", "sku": "S", "quantity": 6, "unitPrice": 3, "taxRate": 21, "suggestedAction": "create"},
            {"name": "Portes", "quantity": 1, "unitPrice": 9, "suggestedAction": "skip"},
        ],
        invoiceNumber="2026/1",
    )

    assert result == {
        "created": 1,
        "updated": 1,
        "itemResults": [
            {"name": "Mesa roble", "action": "updated"},
            {"name": "Silla", "action": "created"},
            {"name": "Portes", "action": "skipped"},
        ],
        "vendorId": None,
        "supplierInvoiceId": None,
        "warnings": ["The analysis names no vendor, so no supplier invoice was recorded."],
    }
    items_by_name = await items(ana)
    assert items_by_name["Mesa"] == {
        **existing,
        "stock": 5.5,
        "cost": 5,
        "updatedAt": items_by_name["Mesa"]["updatedAt"],
    }
    wanted = {"sku": "S", "stock": 6, "cost": 3, "unitPrice": 3, "taxRate": 21, "type": "product"}
    assert wanted.items() <= items_by_name["Silla"].items()
    assert len(items_by_name) == 2


async def test_the_same_analysis_twice_does_nothing(ana):
    existing = await item(ana, stock=3)
    lines = [{"name": "Mesa", "matchedItemId": existing["id"], "quantity": 2}, {"name": "Silla", "quantity": 1}]

    await confirmed(ana, lines, invoiceNumber="2026/1")
    again = await confirmed(ana, lines, invoiceNumber="2026/1")
    other = await confirmed(ana, lines, invoiceNumber="2026/2")

    assert (again["created"], again["updated"]) == (0, 0)
    assert [one["action"] for one in again["itemResults"]] == ["skipped", "skipped"]
    assert (other["created"], other["updated"]) == (1, 1)
    assert {one["stock"] for one in await ana.get("/api/catalog")} == {7, 1}


async def test_one_accounts_analysis_is_new_to_another(ana, berta):
    lines = [{"name": "Silla", "quantity": 1}]

    result = [await confirmed(one, lines) for one in (ana, berta)]

    assert [one["created"] for one in result] == [1, 1]


async def test_answers_decide_on_the_lines_that_their_questions_name(ana):
    existing = await item(ana, stock=3)
    line = {"name": "Mesa", "matchedItemId": existing["id"], "quantity": 2}
    lines = [
        {**line, "question": 0},
        {**line, "question": 1},
        {"name": "Silla", "question": 2},
        {"name": "Cama", "question": 3},
        line,
    ]

    result = await confirmed(ana, lines, ["yes", "No", "no", "quizá"], questions=["¿a?", "¿b?", "¿c?", "¿d?", "¿e?"])

    actions = [one["action"] for one in result["itemResults"]]
    assert actions == ["updated", "created", "skipped", "created", "updated"]
    assert sorted((one["name"], one["stock"]) for one in await ana.get("/api/catalog") if one["stock"]) == [
        ("Mesa", 2),
        ("Mesa", 7),
    ]


async def test_items_without_a_stock_of_their_own_get_the_cost_only(ana):
    stored_items = [
        await item(ana),
        await item(ana, type="service"),
        await item(ana, variants=[{"name": "S", "stock": 1}]),
    ]

    await confirmed(
        ana, [{"name": "x", "matchedItemId": one["id"], "quantity": 2, "unitPrice": 7} for one in stored_items]
    )

    by_id = {one["id"]: (one["stock"], one["cost"]) for one in await ana.get("/api/catalog")}
    assert [by_id[one["id"]] for one in stored_items] == [(None, 7), (None, 7), (1, 7)]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "analysis"),
        ({"analysis": {}}, "analysis.items"),
        ({"analysis": "x"}, "analysis"),
        ({"analysis": {"items": [{"quantity": 1}]}}, "analysis.items[0].name"),
        ({"analysis": {"items": [{"name": "x", "quantity": -1}]}}, "analysis.items[0].quantity"),
        ({"analysis": {"items": [{"name": "x", "suggestedAction": "buy"}]}}, "analysis.items[0].suggestedAction"),
        ({"analysis": {"items": [{"name": "x", "suggestedAction": "update"}]}}, "analysis.items[0].matchedItemId"),
        ({"analysis": {"items": [{"name": "x", "matchedItemId": "x"}]}}, "analysis.items[0].matchedItemId"),
        ({"analysis": {"items": []}, "answers": ["yes"]}, "answers[0]"),
        ({"analysis": {"items": []}, "answers": "yes"}, "answers"),
    ],
)
async def test_each_wrong_field_is_named(ana, body, field):
    problem = await ana.refused(400, "POST", "/api/catalog/confirm-import", body)

    assert [error["field"] for error in problem["errors"]] == [field]


async def test_items_of_other_accounts_are_not_found_and_nothing_is_stored(ana, berta):
    hers = await item(berta, stock=1)
    lines = [{"name": "Silla"}, {"name": "Mesa", "matchedItemId": hers["id"], "quantity": 1}]

    results = await ana.refused(400, "POST", "/api/catalog/confirm-import", {"analysis": {"items": lines}})
    lines[1]["matchedItemId"] = str(uuid4())
    await ana.refused(400, "POST", "/api/catalog/confirm-import", {"analysis": {"items": lines}})

    assert [error["field"] for error in results["errors"]] == ["analysis.items[1].matchedItemId"]
    assert (await ana.get("/api/catalog"), (await berta.get("/api/catalog"))[0]["stock"]) == ([], 1)
    lines[1]["suggestedAction"] = "skip"
    assert (await confirmed(ana, lines))["created"] == 1

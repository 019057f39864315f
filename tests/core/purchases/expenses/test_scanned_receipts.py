"""Receipts that are attached to an expense with its creation, by the id that a scan answered."""

from uuid import uuid4

from support.pictures import data_url, png

EXPENSE = {"description": "Gasóleo", "amount": 60, "date": "2026-11-02"}


async def uploaded(api):
    return (await api.post("/api/attachments", {"name": "ticket.png", "content": data_url(png())}))["id"]


async def attached(api, expense):
    return await api.get(f"/api/attachments?documentType=expense&documentId={expense['id']}")


async def test_the_receipt_is_attached_and_shown(ana):
    receipt_id = await uploaded(ana)

    expense = await ana.post("/api/expenses", {**EXPENSE, "receiptId": receipt_id})

    assert expense["receiptUrl"] == f"/api/attachments/{receipt_id}/content"
    assert expense["source"] == "receipt_scan"
    assert expense == await ana.get(f"/api/expenses/{expense['id']}")
    assert [one["id"] for one in await attached(ana, expense)] == [receipt_id]


async def test_a_link_and_a_source_of_the_callers_stay(ana):
    fields = {"receiptId": await uploaded(ana), "receiptUrl": "https://files.example/1", "source": "messaging"}

    expense = await ana.post("/api/expenses", {**EXPENSE, **fields})

    assert (expense["receiptUrl"], expense["source"]) == ("https://files.example/1", "messaging")
    assert len(await attached(ana, expense)) == 1


async def test_the_receipt_of_another_expense_is_refused_and_nothing_is_stored(ana):
    receipt_id = await uploaded(ana)
    await ana.post("/api/expenses", {**EXPENSE, "receiptId": receipt_id})

    problem = await ana.refused(409, "POST", "/api/expenses", {**EXPENSE, "receiptId": receipt_id})

    assert problem["code"] == "ATTACHED_ALREADY"
    assert len(await ana.get("/api/expenses")) == 1


async def test_unknown_receipts_and_those_of_others_are_not_found(ana, berta):
    for receipt_id in (str(uuid4()), "x", await uploaded(berta)):
        await ana.refused(404, "POST", "/api/expenses", {**EXPENSE, "receiptId": receipt_id})

    assert await ana.get("/api/expenses") == []

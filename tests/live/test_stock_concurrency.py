"""Simultaneous changes of one stock: none is lost, none refused by accident (real connections, real commits)."""

import asyncio
from decimal import Decimal

import pytest

from support.api import invoice_body, item

WRITERS = 32


async def at_once(requests):
    answers = await asyncio.gather(*requests)
    return [answer.status_code for answer in answers]


async def ledger(office, item_id: str) -> tuple[Decimal, Decimal, int]:
    """The stock, the sum of its movements, and how many they are."""
    [row] = await office.rows(
        "select i.stock, sum(m.quantity), count(*) from catalog_item i join stock_movement m on m.item_id = i.id"
        " where i.id = cast(:id as uuid) group by i.stock",
        id=item_id,
    )
    return tuple(row)


async def test_concurrent_adjustments_lose_nothing(office, ana):
    stored_item = await ana.post("/api/catalog", {"name": "Tornillo", "stock": 100})
    path = f"/api/catalog/{stored_item['id']}/stock"

    statuses = await at_once(ana.request("PATCH", path, {"delta": 2 if n % 2 else -1}) for n in range(WRITERS))

    assert set(statuses) == {200}
    assert await ledger(office, stored_item["id"]) == (116, 116, WRITERS + 1)


async def test_the_last_piece_is_taken_once(office, ana):
    stored_item = await ana.post("/api/catalog", {"name": "Tornillo", "stock": 1})
    path = f"/api/catalog/{stored_item['id']}/stock"

    statuses = await at_once(ana.request("PATCH", path, {"delta": -1}) for _ in range(WRITERS))

    assert sorted(statuses) == [200] + [400] * (WRITERS - 1)
    assert await ledger(office, stored_item["id"]) == (0, 0, 2)


@pytest.mark.whole
@pytest.mark.parametrize("einvoicing", ["on", "off"])
async def test_simultaneous_movements_of_all_kinds_add_up(office, ana, einvoicing):
    """Goods of a deleted invoice come back where it was voided; those of a reported one stay sold."""
    await ana.put("/api/teams/current", {"einvoicing": einvoicing})
    plain, varied, other = [
        await ana.post("/api/catalog", {"name": "Tornillo", **fields})
        for fields in ({"stock": 1000}, {"variants": [{"name": "S", "stock": 1000}, {"name": "M"}]}, {"stock": 1000})
    ]
    lines = [
        item(unitPrice=1, quantity=1, catalogItemId=plain["id"]),
        item(unitPrice=1, quantity=2, catalogItemId=varied["id"], variantIndex=0),
        item(unitPrice=1, quantity=3, catalogItemId=other["id"]),
    ]
    sold = [await ana.post("/api/invoices", invoice_body(items=lines)) for _ in range(2 * WRITERS // 4)]
    voided, paid = sold[::2], sold[1::2]
    for one in voided:
        await ana.patch(f"/api/invoices/{one['id']}/pay")

    def bulk(*ids):
        return ana.request(
            "POST", "/api/catalog/bulk-stock", {"adjustments": [{"itemId": one, "adjustment": 1} for one in ids]}
        )

    statuses = await at_once(
        [ana.request("PATCH", f"/api/invoices/{one['id']}/pay") for one in paid]
        + [ana.request("DELETE", f"/api/invoices/{one['id']}") for one in voided]
        + [bulk(other["id"], plain["id"]) for _ in range(WRITERS // 8)]
        + [bulk(plain["id"], other["id"]) for _ in range(WRITERS // 8)]
        + [
            ana.request("PATCH", f"/api/catalog/{varied['id']}/variant-stock", {"variantIndex": n % 2, "adjustment": 1})
            for n in range(WRITERS // 4)
        ]
    )

    assert set(statuses) == {200}
    answer, come = len(paid) if einvoicing == "off" else len(sold), WRITERS // 4
    assert [(await ledger(office, one["id"]))[:2] for one in (plain, varied, other)] == [
        (1000 - answer + come,) * 2,
        (1000 - 2 * answer + come,) * 2,
        (1000 - 3 * answer + come,) * 2,
    ]


async def test_one_file_imported_simultaneously_creates_its_items_once(ana):
    rows = [{"name": f"Pieza {n}", "sku": f"P-{n}", "stock": n} for n in range(50)]

    statuses = await at_once(ana.request("POST", "/api/catalog/import", {"rows": rows}) for _ in range(WRITERS // 4))

    assert set(statuses) == {200}
    assert len(await ana.get("/api/catalog")) == 50


async def test_one_analysis_confirmed_simultaneously_is_imported_once(office, ana):
    stored_item = await ana.post("/api/catalog", {"name": "Tornillo", "stock": 0})
    line = {"name": "Tornillo", "matchedItemId": stored_item["id"], "quantity": 7}

    statuses = await at_once(
        ana.request("POST", "/api/catalog/confirm-import", {"analysis": {"items": [line]}}) for _ in range(WRITERS)
    )

    assert set(statuses) == {200}
    assert (await ledger(office, stored_item["id"]))[:2] == (7, 7)


async def test_one_invoice_voided_and_paid_simultaneously_agrees_with_its_stock(office, ana):
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    stored_item = await ana.post("/api/catalog", {"name": "Tornillo", "stock": 10})
    sold = await ana.post("/api/invoices", invoice_body(items=[item(quantity=3, catalogItemId=stored_item["id"])]))
    path = f"/api/invoices/{sold['id']}"

    await at_once(
        [ana.request("PATCH", f"{path}/pay") for _ in range(8)]
        + [ana.request("DELETE", path) for _ in range(4)]
        + [ana.request("POST", f"{path}/restore") for _ in range(4)]
    )
    await ana.request("DELETE", path)

    assert (await ledger(office, stored_item["id"]))[:2] == (10, 10)

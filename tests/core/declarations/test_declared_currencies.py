"""Form 303 and the record books of documents in another currency: in euros by their exchange rate, or named."""

import pytest

from support.api import item

DOLLARS = {"currency": "USD", "exchangeRate": 0.92, "exchangeRateSource": "ECB 2026-07-01"}
EXPORT = item(unitPrice=1000, taxCategory="export", exemptionCode="E2", taxRate=0)


@pytest.fixture
async def vendor(declarant):
    return await declarant.post("/api/vendors", {"name": "Cloud Inc.", "country": "US"})


async def declared(declarant) -> dict:
    answer = await declarant.post("/api/tax-declarations/generate", {"country": "ES", "year": 2026, "period": "Q3"})
    return answer["declaration"]


async def bought(declarant, vendor, **fields):
    given = {"vendorId": vendor["id"], "invoiceDate": "2026-07-03", "total": 500, **fields}
    return await declarant.post("/api/supplier-invoices", given)


async def test_the_boxes_are_in_euros(declarant, vendor):
    await declarant.sold(1000, "2026-07-01", **DOLLARS)  # 920.00 and 193.20
    draft = await declarant.invoice(items=[EXPORT], issueDate="2026-07-02", **DOLLARS)
    await declarant.patch(f"/api/invoices/{draft['id']}/pay", {"paidAt": "2026-07-02"})
    await bought(declarant, vendor, reverseCharge=True, taxRate=21, **DOLLARS)  # 460.00 and 96.60

    declaration = await declared(declarant)

    boxes = declaration["boxes"]
    expected = {"07": 920, "09": 193.2, "12": 460, "13": 96.6, "28": 460, "29": 96.6, "60": 920, "46": 193.2}
    assert {box: boxes[box] for box in expected} == expected
    assert not [one for one in declaration["warnings"] if "exchangeRate" in one["message"]]
    balance = await declarant.get("/api/expenses/vat-balance?year=2026&quarter=3")
    assert (balance["outputVat"], balance["deductibleInputVat"], balance["balance"]) == (289.8, 96.6, 193.2)


async def test_the_books_are_in_euros(declarant, vendor):
    await declarant.sold(1000, "2026-07-01", **DOLLARS)
    await bought(declarant, vendor, reverseCharge=True, taxRate=21, **DOLLARS)

    issued, received = [
        (await declarant.request("GET", f"/api/tax-declarations/books?book={book}&year=2026&period=Q3&format=csv")).text
        for book in ("issued", "received")
    ]

    assert [amount in issued for amount in ("920,00", "193,20", "1113,20")] == [True] * 3
    assert [amount in received for amount in ("460,00", "96,60")] == [True] * 2
    assert "1000,00" not in issued
    assert "500,00" not in received


async def test_without_a_rate_the_warning_asks_for_it(declarant, vendor):
    sold = await declarant.sold(1000, "2026-07-01", currency="USD")
    owed = await bought(declarant, vendor, currency="USD")

    declaration = await declared(declarant)

    assert declaration["boxes"].get("09", 0) == 0
    [warning] = [one for one in declaration["warnings"] if "exchangeRate" in one["message"]]
    assert warning["documentIds"] == [sold["id"], owed["id"]]

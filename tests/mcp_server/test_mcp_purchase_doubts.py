"""Doubtful tax of a purchase is said to an assistant, and on the card that a person reads."""

import pytest

from ledgerkit.mcp_server.tools import TOOLS

GERMAN = {"vendor": "Berlin GmbH", "vendorTaxId": "DE811907980", "other": {"vendorCountry": "DE"}}
EXPENSE = {"description": "Muebles", "amount": 119, "taxRate": 19, "date": "2026-11-02"}


@pytest.fixture
async def owner(site):
    return await site.person()


@pytest.fixture
def agent(site, owner):
    return site.agent(owner)


def codes(record):
    return [warning.partition(":")[0] for warning in record.get("warnings") or ()]


async def billed(agent, **fields):
    vendor = await agent.ok("save_vendor", name="Zweite GmbH", taxId="DE811569869", country="DE")
    bill = {"vendorId": vendor["id"], "invoiceDate": "2026-11-02", "total": 119, "taxRate": 19, **fields}
    return await agent.ok("create_supplier_invoice", **bill)


def test_the_fields_that_put_it_right_are_published():
    for name in ("create_expense", "create_supplier_invoice"):
        named = TOOLS[name].schema["properties"]["other"]["description"]
        assert [field for field in ("intraEu", "reverseCharge", "deductiblePercent") if field not in named] == []


async def test_creating_changing_and_reading_say_what_is_doubtful(agent):
    expense, bill = await agent.ok("create_expense", **EXPENSE, **GERMAN), await billed(agent)
    read = [await agent.ok("get_expense", id=expense["id"]), await agent.ok("get_supplier_invoice", id=bill["id"])]
    mended = await agent.ok("update_expense", id=expense["id"], other={"deductiblePercent": 0})

    assert [codes(one) for one in (expense, bill, *read, mended)] == [["FOREIGN_VAT_DEDUCTED"]] * 4 + [[]]
    assert (expense["deductibleTaxAmount"], bill["deductibleTaxAmount"]) == (19, 19)


async def test_a_rate_that_does_not_exist_and_a_filed_period(agent, owner):
    asked = {"country": "ES", "form": "303", "year": 2026, "period": "Q2"}
    form = (await owner.post("/api/tax-declarations/generate", asked))["declaration"]
    await owner.patch(f"/api/tax-declarations/{form['id']}/submit")

    expense = await agent.ok("create_expense", **{**EXPENSE, "date": "2026-05-27"})
    read = await agent.ok("get_expense", id=expense["id"])

    assert codes(expense) == codes(read) == ["PURCHASE_RATE_UNKNOWN", "PERIOD_FILED"]
    assert "303 2026 Q2" in read["warnings"][1]

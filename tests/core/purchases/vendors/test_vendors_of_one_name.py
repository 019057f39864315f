"""An assistant that names a vendor by a name that several have is asked which of them is meant."""

from dataclasses import replace

import pytest

from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Channel, Context, RequestMetadata
from ledgerkit.core.purchases.expenses import operations as expenses
from ledgerkit.core.purchases.expenses.api import ExpenseChange, ExpenseInput
from ledgerkit.problems import Invalid

BOUGHT = {"description": "Tóner", "amount": 121, "taxRate": 21, "date": "2026-11-02"}


@pytest.fixture
async def namesakes(ana):
    first = {"name": "Papelería Sol", "taxId": "B29805314", "city": "Málaga"}
    return [await ana.post("/api/vendors", one) for one in (first, {"name": "papeleria sol", "city": "Vigo"})]


@pytest.fixture
async def over_mcp(kernel, ana):
    actor = await kernel.service(Authenticator).by_key(ana.api_key, pinned=ana.team["id"])
    return Context(kernel=kernel, who=replace(actor, channel=Channel.MCP), request_metadata=RequestMetadata())


async def test_an_assistant_is_asked_which_vendor_is_meant(ana, namesakes, over_mcp):
    with pytest.raises(Invalid) as caught:
        await expenses.create(over_mcp, ExpenseInput.model_validate({**BOUGHT, "vendor": "Papelería Sol"}))

    problem = caught.value.body()
    assert (problem["code"], problem["errors"][0]["field"]) == ("VENDOR_AMBIGUOUS", "vendor")
    assert problem["candidates"] == [
        {"id": namesakes[1]["id"], "name": "papeleria sol", "city": "Vigo"},
        {"id": namesakes[0]["id"], "name": "Papelería Sol", "taxId": "B29805314", "city": "Málaga"},
    ]
    assert "vendorId" in problem["remedy"]
    assert await ana.get("/api/expenses") == []


@pytest.mark.parametrize("place", [0, 1])
async def test_an_id_or_a_tax_id_says_which_one(namesakes, over_mcp, place):
    meant = {"vendorId": namesakes[1]["id"]} if place else {"vendor": "Papelería Sol", "vendorTaxId": "B29805314"}

    bought = await expenses.create(over_mcp, ExpenseInput.model_validate({**BOUGHT, **meant}))

    assert bought.vendor_id == namesakes[place]["id"]


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    "change",
    [
        {"vendor": "PAPELERIA SOL", "description": "Papel"},
        {"vendor": "Papelería Sol"},
        {"vendorCountry": "ES", "vendor": "papelería sol"},
        {"vendorTaxId": None},
    ],
)
async def test_a_change_keeps_the_vendor_that_an_expense_has(namesakes, over_mcp, place, change):
    vendor_id = namesakes[place]["id"]
    bought = await expenses.create(
        over_mcp, ExpenseInput.model_validate({**BOUGHT, "vendorId": vendor_id, "vendor": "Sol"})
    )

    changed = await expenses.update(over_mcp, bought.id, ExpenseChange.model_validate(change))

    assert changed.vendor_id == vendor_id


async def test_a_change_to_another_vendor_of_several_is_asked_about(namesakes, over_mcp, ana):
    other = await ana.post("/api/vendors", {"name": "Luna"})
    bought = await expenses.create(over_mcp, ExpenseInput.model_validate({**BOUGHT, "vendorId": other["id"]}))

    with pytest.raises(Invalid, match="Papelería Sol"):
        await expenses.update(over_mcp, bought.id, ExpenseChange.model_validate({"vendor": "Papelería Sol"}))


async def test_the_only_vendor_of_a_name_is_that_vendor(ana, over_mcp):
    stored = await ana.post("/api/vendors", {"name": "Papelería Sol", "taxId": "B29805314"})

    bought = await expenses.create(over_mcp, ExpenseInput.model_validate({**BOUGHT, "vendor": "PAPELERIA SOL"}))

    assert (bought.vendor_id, bought.vendor) == (stored["id"], "PAPELERIA SOL")


async def test_over_rest_the_newest_is_taken(ana, namesakes):
    bought = await ana.post("/api/expenses", {**BOUGHT, "vendor": "Papelería Sol"})

    assert bought["vendorId"] == namesakes[1]["id"]

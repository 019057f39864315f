"""Filters that cannot be met are refused: an empty list would say that there is nothing."""

import re
from pathlib import Path

import ledgerkit.core
from ledgerkit.mcp_server.catalogue.history import KINDS

UNKNOWN = "0192f0c0-0000-7000-8000-000000000000"
OF_A_PARTY = [
    ("list_invoices", "clientId"),
    ("get_history", "clientId"),
    ("list_expenses", "vendorId"),
    ("list_supplier_invoices", "vendorId"),
    ("list_supplier_payments", "vendorId"),
]
OF_OTHER_VIEWS = [
    ("list_tax_declarations", "calendar", {"form": "349", "status": "draft"}),
    ("list_tax_declarations", "supported", {"year": 2026}),
    ("list_tasks", "mine", {"status": "todo"}),
    ("list_tasks", "overview", {"dueBefore": "2026-01-01"}),
    ("list_catalog_items", "categories", {"search": "taza"}),
    ("get_cash_register", "current", {"id": UNKNOWN}),
    ("get_cash_register", "history", {"from": "2026-01-01"}),
]


async def test_a_client_or_vendor_that_does_not_exist_is_refused_and_one_may_be_named(site):
    ana = await site.person()
    agent = site.agent(ana)
    draft = await ana.invoice()
    vendor = await agent.ok("save_vendor", name="Sol y Sombra")
    await agent.ok(
        "create_expense", description="Toldo", amount=50, vendorId=vendor["id"], taxRate=21, date="2026-03-02"
    )

    for tool, field in OF_A_PARTY:
        for named in (UNKNOWN, "Nadie"):
            assert (await agent.refused(tool, **{field: named}))["code"] == "NOT_FOUND"
    assert [one["id"] for one in (await agent.ok("list_invoices", clientId=draft["client"]["name"]))["items"]] == [
        draft["id"]
    ]
    assert (await agent.ok("list_expenses", vendorId="sombra"))["total"] == 1
    assert (await agent.ok("list_supplier_invoices", vendorId="sombra"))["total"] == 0


async def test_the_history_of_a_client_who_was_removed_can_be_read(site):
    agent = site.agent(await site.person())
    client = await agent.ok("save_client", name="Norte")
    await agent.ok("delete_record", kind="client", id=client["id"])

    history = await agent.ok("get_history", clientId=client["id"])

    assert [entry["action"] for entry in history["items"]] == ["deleted", "created"]


async def test_a_category_that_no_expense_is_in_is_refused_with_what_is_usual(site):
    agent = site.agent(await site.person())
    await agent.ok("create_expense", description="Taxi", amount=50, category="travel", taxRate=10, date="2026-03-02")

    problem = await agent.refused("list_expenses", category="viajes")
    usual = await agent.ok("list_expenses", category="meals")
    of_another_year = await agent.ok("list_expenses", category="travel", to="2020-01-01")

    assert problem["errors"][0]["field"] == "category"
    assert "travel" in problem["remedy"]
    assert usual["total"] == of_another_year["total"] == 0


async def test_a_kind_of_record_that_the_history_does_not_have_is_refused_with_those_that_it_has(site):
    agent = site.agent(await site.person())

    problem = await agent.refused("get_history", type="nonsense")

    assert problem["errors"][0]["field"] == "type"
    assert "supplier_invoice" in problem["errors"][0]["message"]
    sources = Path(ledgerkit.core.__file__).parent.rglob("*.py")
    recorded = "".join(source.read_text() for source in sources)
    assert set(re.findall(r"activity\.record\(\s*\w+,\s*[^(]*?\(\"(\w+)\",", recorded)) <= KINDS
    assert {"invoice", "team", "expense", "fiscal_demand"} <= KINDS


async def test_the_history_is_searched_by_application_and_a_client_is_a_customer(site):
    agent = site.agent(await site.person())
    await agent.ok("save_client", name="Norte")

    problem = await agent.refused("get_history", client="Norte")
    nothing = await agent.ok("get_history", application="nobody")

    assert problem["errors"][0]["code"] == "extra_forbidden"
    assert nothing["items"] == []


async def test_a_filter_of_another_view_is_refused(site):
    agent = site.agent(await site.person())

    for tool, view, filters in OF_OTHER_VIEWS:
        problem = await agent.refused(tool, view=view, **filters)
        assert {error["field"] for error in problem["errors"]} == filters.keys(), (tool, view)
    assert "items" in await agent.ok("list_tax_declarations", view="calendar", year=2026, country="ES")

"""Pictures over MCP: a model server reads them, and the account pays one action for each."""

import base64
from collections.abc import AsyncIterator

import pytest

from ledgerkit.settings import Settings
from mcp_server.conftest import Site
from support.modelserver import BILL, ModelServer, calls_tool, fails, model_server, reads
from support.office import cloned
from support.pictures import data_url, png

ACTIONS = 25
RECEIPT = {
    "kind": "receipt",
    "vendor_name": "Cafetería Ría, S.L.",
    "vendor_tax_id": "B12345674",
    "document_number": "T-0042",
    "issue_date": "2026-11-02",
    "currency": "EUR",
    "total": 12.1,
    "subtotal": 11,
    "tax_total": 1.1,
    "taxes": [{"rate": 10, "base": 11, "amount": 1.1}],
    "lines": [{"description": "2 menús del día", "quantity": 2, "unit_price": 5.5, "total": 11}],
}
TOOLS = ("scan_receipt", "read_supplier_invoice_image")


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[ModelServer]:
    async with model_server() as server:
        yield server


@pytest.fixture(scope="module")
async def reading_site(postgres, cheap_passwords, tmp_path_factory, served_site, server) -> AsyncIterator[Site]:
    """The application with a model that reads pictures."""
    async with cloned(postgres) as url:
        settings = Settings(
            _env_file=None,
            data_dir=tmp_path_factory.mktemp("mcp_pictures"),
            database_url=url,
            rate_limit="off",
            secret_key="a secret of the tests, forty characters long",
            ai_base_url=server.url,
            ai_monthly_actions=ACTIONS,
        )
        async with served_site(settings, cheap_passwords) as running:
            yield running


async def actions_left(person) -> int:
    return (await person.get("/auth/me"))["tokens"]["total"]


async def test_a_receipt_is_read_checked_and_recorded(reading_site, server):
    person = await reading_site.person()
    agent = reading_site.agent(person)
    server.says(reads(RECEIPT))

    scan = await agent.ok("scan_receipt", image=data_url(png(), "image/png"))

    assert (scan["amount"], scan["vendor"], scan["date"], scan["category"]) == (
        12.1,
        "Cafetería Ría, S.L.",
        "2026-11-02",
        "meals",
    )
    assert await person.get("/api/expenses") == []
    assert await actions_left(person) == ACTIONS - 1
    sent = {name: scan[name] for name in ("description", "amount", "vendor", "date", "category", "receiptId")}
    expense = await agent.ok("create_expense", **sent)
    stored = await person.get(f"/api/expenses/{expense['id']}")
    assert (stored["source"], stored["amount"]) == ("receipt_scan", 12.1)


async def test_a_supplier_invoice_is_analysed_and_confirmed(reading_site, server):
    person = await reading_site.person()
    agent = reading_site.agent(person)
    server.says(reads(BILL))

    analysis = await agent.ok("read_supplier_invoice_image", image=data_url(png(), "image/png"))

    assert (analysis["vendor"]["name"], analysis["total"]) == ("Ferretería Sur, S.L.", 24.2)
    assert [item["name"] for item in analysis["items"]] == ["Martillo"]
    assert (await person.get("/api/catalog"), await person.get("/api/supplier-invoices")) == ([], [])
    assert await actions_left(person) == ACTIONS - 1


@pytest.mark.whole
@pytest.mark.parametrize("tool", TOOLS)
async def test_recognition_takes_over_from_a_model_that_fails(reading_site, server, tool):
    person = await reading_site.person()
    server.says(fails(500))

    answer = await reading_site.agent(person).ok(tool, image=data_url(png(), "image/png"))

    assert answer["warnings"] == ["Nothing could be read in the document."]
    assert (await person.get("/api/expenses"), await person.get("/api/catalog")) == ([], [])


@pytest.mark.parametrize("tool", TOOLS)
async def test_what_is_no_picture_is_refused_by_its_field(reading_site, tool):
    person = await reading_site.person()
    words = base64.b64encode(b"no picture").decode()

    problem = await reading_site.agent(person).refused(tool, image=f"data:image/png;base64,{words}")

    assert [error["field"] for error in problem["errors"]] == ["image"]
    assert await actions_left(person) == ACTIONS


async def test_a_picture_that_orders_a_tool_call_gets_none(reading_site, server):
    person = await reading_site.person()
    server.says(calls_tool())

    scan = await reading_site.agent(person).ok("scan_receipt", image=data_url(png(), "image/png"))

    assert "amount" not in scan
    assert await person.get("/api/expenses") == []
    assert all("tools" not in request for request in server.requests)

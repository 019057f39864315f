"""Answers on a company with 5,000 invoices: never longer than hosts take, and lists that leave nothing out."""

from statistics import quantiles

import pytest
from pydantic_core import to_json
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from ledgerkit.core.platform.request.operation import Effect
from ledgerkit.mcp_server.tools import TOOLS

pytestmark = pytest.mark.whole

INVOICES, CLIENTS, BILLS, ITEMS = 5_000, 400, 1_000, 500
AT_ONCE = 500
"""Invoices of one import: a busy machine answers within the time that a client waits."""
MOST_BYTES = 20_000
FORM, JOURNEY = 3_000, 12_000
PAGES = ({}, {"limit": 100}, {"limit": 100, "detail": "full"}, {"limit": 50, "detail": "full"})
VIEWS = {
    "get_cash_register": [{"view": view} for view in ("current", "open", "history", "summary")],
    "get_payables": [{"view": view} for view in ("summary", "aging", "by_vendor", "alerts")],
    "get_report": [
        {"kind": kind, **period}
        for kind in ("profit_loss", "cash_flow", "tax_summary", "vat_balance", "income_summary")
        for period in ({}, {"year": 2026})
    ],
    "list_catalog_items": [{"view": view} for view in ("items", "low_stock", "categories")],
    "list_tasks": [{"view": view} for view in ("all", "mine", "overview")],
    "list_tax_declarations": [{"view": view} for view in ("declarations", "calendar", "supported")],
    "get_document": [{"kind": "catalog_csv"}],
    "list_invoices": [{}, {"status": "overdue"}, {"search": "cliente 7"}],
    "search": [{"q": words, "limit": 20} for words in ("cliente", "proveedor 7", "producto", "121,00")],
    "get_receivables": [{"view": view} for view in ("by_client", "summary", "invoices")],
}
READING = {name for name, tool in TOOLS.items() if Effect.READ_ONLY in tool.effects}
RECORDS = {
    "get_client": "/api/clients",
    "get_invoice": "/api/invoices",
    "get_supplier_invoice": "/api/supplier-invoices",
    "get_vendor": "/api/vendors",
    "get_expense": "/api/expenses",
    "get_task": "/api/tasks",
}


def invoice_row(number):
    day = f"2026-{number % 10 + 1:02}-{number % 28 + 1:02}"
    client = {"clientName": f"Cliente {number % CLIENTS}", "clientCountry": "ES", "description": "Trabajos del mes"}
    return {"number": f"A-{number}", "issueDate": day, "dueDate": day, **client, "base": "100,00", "taxRate": "21"}


def bill_row(number):
    return {
        "number": f"P-{number}",
        "invoiceDate": f"2026-{number % 10 + 1:02}-05",
        "vendorName": f"Proveedor {number % 100}",
        "base": "80,00",
        "taxRate": "21",
    }


@pytest.fixture(scope="module")
async def company(site, site_url):
    """Company whose books came in as those of a new customer do: through the imports, and autovacuum has seen them."""
    owner = await site.person()
    for first in range(0, INVOICES, AT_ONCE):
        rows = [invoice_row(number) for number in range(first, first + AT_ONCE)]
        imported = await owner.post("/api/invoices/import", {"rows": rows})
        assert imported["documents"] == AT_ONCE, imported
    bills = await owner.post("/api/supplier-invoices/import", {"rows": [bill_row(n) for n in range(BILLS)]})
    assert bills["documents"] == BILLS, bills
    items = [{"type": "product", "name": f"Producto {n}", "sku": f"P{n}", "unitPrice": 5} for n in range(ITEMS)]
    await owner.post("/api/catalog/import", {"rows": items})
    await owner.post("/api/expenses", {"description": "Tren", "amount": 60, "date": "2026-03-03"})
    await owner.post("/api/tasks", {"title": "Revisar"})
    declaration = {"country": "ES", "year": 2026, "period": "Q3", "form": "303"}
    await owner.post("/api/tax-declarations/generate", declaration)
    await _analyze(site_url)
    return owner


async def _analyze(url):
    """Gather statistics, which the cluster of the tests does not do by itself."""
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.execute(text("analyze"))
    await engine.dispose()


async def calls_of(name, company):
    """The arguments with which a reading tool is tried."""
    if path := RECORDS.get(name):
        return [{"id": record["id"]} for record in (await company.get(path))[:20]]
    if name == "get_tax_declaration":
        declaration = (await company.get("/api/tax-declarations"))["declarations"][0]
        return [{"id": declaration["id"]}, {"id": declaration["id"], "box": "07"}]
    is_list = "cursor" in TOOLS[name].schema["properties"]
    return [{**view, **page} for view in VIEWS.get(name, [{}]) for page in (PAGES if is_list else ({},))]


async def test_answers_stay_within_what_hosts_take(site, company, scores):
    agent, largest = site.agent(company), {}
    for name in sorted(READING):
        sizes = [len(to_json(await agent.ok(name, **arguments))) for arguments in await calls_of(name, company)]
        largest[name] = quantiles(sizes, n=20, method="inclusive")[-1] if len(sizes) > 1 else sizes[0]

    assert largest.keys() == READING
    for name, size in sorted(largest.items(), key=lambda one: -one[1])[:5]:
        scores.note(f"  p95 bytes: {name}", f"{size:,.0f}")
    scores.at_most("p95 bytes of the largest tool, 5,000 invoices", max(largest.values()), MOST_BYTES)


async def test_a_tax_form_is_computed_changed_previewed_and_locked_within_its_budget(site, company, scores):
    agent = site.agent(company)

    made = await agent.ok("generate_tax_declaration", country="ES", year=2026, period="Q2", form="303")
    changed = await agent.ok("update_tax_declaration", id=made["id"], manualOverrides={"28": 1200.5})
    preview = await agent.preview("lock_tax_declaration", id=made["id"])
    token = preview["confirmationToken"]
    locked = await agent.call("lock_tax_declaration", id=made["id"], confirmation_token=token)

    sizes = [len(to_json(answer)) for answer in (made, changed, preview, locked.body)]
    scores.at_most("bytes of a tax form, 2,000 invoices in its period", max(sizes[0], sizes[1], sizes[3]), FORM)
    scores.at_most("bytes of its journey: compute, change, preview, lock", sum(sizes), JOURNEY)


@pytest.mark.parametrize("detail", ["concise", "full"])
@pytest.mark.parametrize(
    ("tool", "number"),
    [("list_invoices", INVOICES), ("list_supplier_invoices", BILLS)],
)
@pytest.mark.parametrize("limit", [100, 97])
async def test_pages_cover_everything_exactly_once(site, company, scores, *, tool, number, detail, limit):
    """By a reader who looks at nothing but nextCursor."""
    agent, ids, cursor = site.agent(company), [], None
    while len(ids) <= number:
        part = await agent.ok(tool, cursor=cursor, limit=limit, detail=detail)
        ids += [record["id"] for record in part["items"]]
        if (cursor := part["nextCursor"]) is None:
            break

    assert part["total"] == number
    assert (len(ids), len(set(ids))) == (number, number)
    scores.count("lists whose pages cover everything exactly once")

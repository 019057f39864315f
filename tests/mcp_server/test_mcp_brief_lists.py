"""Lists in brief: PostgreSQL renders of each record what the whole record shows."""

import pytest

LISTS = {
    "list_invoices": {"client": ("clientName", "name")},
    "list_clients": {},
    "list_expenses": {},
    "list_catalog_items": {},
    "list_vendors": {},
    "list_supplier_invoices": {},
    "list_supplier_payments": {},
    "list_tasks": {},
    "list_tax_declarations": {},
}
"""By tool: the objects of which brief records show one field, with its label and name."""


async def books(site):
    """Two of everything in a new team: one plain, one with odd letters and amounts."""
    ana = await site.person()
    agent = site.agent(ana)
    for name, amount in (("Norte", 100), ('Ñ "🧾" \\', 0.1)):
        client = await ana.post("/api/clients", {"name": name})
        await ana.invoice(clientId=client["id"], client=None, notes=name)
        await ana.post("/api/expenses", {"description": name, "amount": amount, "date": "2026-03-02"})
        await ana.post("/api/catalog", {"name": name, "unitPrice": amount})
        await ana.post("/api/tasks", {"title": name, "tags": [name], "clientId": client["id"]})
        vendor = await agent.ok("save_vendor", name=name)
        bought = await agent.ok(
            "create_supplier_invoice",
            vendorId=vendor["id"],
            invoiceNumber=name,
            invoiceDate="2026-03-02",
            items=[{"description": name, "quantity": 1, "unitPrice": amount}],
        )
        await agent.ok("record_supplier_payment", id=bought["id"], amount=0.05, paymentMethod="transfer")
    await agent.ok("generate_tax_declaration", country="ES", form="303", year=2026, period="Q1")
    return agent


@pytest.fixture
async def agent(site):
    return await books(site)


async def test_a_brief_record_shows_what_the_whole_one_shows(agent):
    for tool, objects in LISTS.items():
        whole = await agent.ok(tool, detail="full")
        concise = await agent.ok(tool)

        assert (concise["total"], concise["nextCursor"]) == (whole["total"], whole["nextCursor"])
        assert len(concise["items"]) >= 1 + (tool != "list_tax_declarations")
        for record, shown in zip(whole["items"], concise["items"], strict=True):
            inner = {label: (record[name] or {}).get(field) for name, (label, field) in objects.items()}
            assert len(shown) < len(record)
            assert {name: {**record, **inner}[name] for name in shown} == shown


async def test_pages_in_brief_follow_each_other_and_what_changes(agent):
    first = await agent.ok("list_invoices", limit=1)
    second = await agent.ok("list_invoices", limit=1, cursor=first["nextCursor"])
    (record,) = first["items"]
    await agent.ok("update_invoice", id=record["id"], dueDate="2030-01-01")

    (changed,) = (await agent.ok("list_invoices", limit=1))["items"]

    assert second["items"][0]["id"] != record["id"]
    assert second["nextCursor"] is None
    assert changed == record | {"dueDate": "2030-01-01"}

"""Lists of invoices and clients: the same records as one by one, found by text, in order."""

from datetime import UTC, datetime

import pytest
import time_machine

from support.api import Api, item

SHAPES = [
    {},
    {"retentionRate": 15, "notes": 'Ñandú «ß» 🍕 "comillas" \\ / \n\t', "terms": "", "purchaseOrder": "PO/7"},
    {"items": [item(discount=33.333, unitPrice=0.0001, quantity=9999.9999)]},
    {"items": [item(taxCategory="exempt", exemptionCode="E1"), item(taxCategory="export"), item(taxRate=4)]},
    {"items": [item(surchargeRate=5.2, regimeKey="18", unit="h")]},
    {"client": {"name": "Acme <b>&</b> Söhne", "taxId": "DE136695976", "country": "DE", "language": "en"}},
    {"currency": "USD", "issueDate": "2026-02-28", "operationDate": "2026-02-27", "dueDate": "2026-02-28"},
    {"docType": "simplified", "client": None},
    {"items": [item(unitPrice=99999999.99)], "iban": "ES9121000418450200051332", "paymentMethod": "transfer"},
    {"placeOfSupply": "Canarias", "buyerReference": "R-1", "taxRate": 0},
]


async def everything(api: Api) -> list[dict]:
    """Invoices of every shape: drafts, paid, shared, corrected."""
    sold = await api.post("/api/catalog", {"name": "Taza", "variants": [{"name": "S"}]})
    named = {"items": [item(catalogItemId=sold["id"], variantIndex=0)]}
    invoice = [await api.post("/api/invoices", {**plain(), **shape}) for shape in (*SHAPES, named)]
    paid = invoice[0]
    await api.patch(f"/api/invoices/{paid['id']}/pay")
    await api.post(f"/api/invoices/{invoice[1]['id']}/share")
    for _ in range(3):
        note = {**plain(), "docType": "credit_note", "rectifies": paid["id"], "items": [item(quantity=-1)]}
        invoice.append(await api.post("/api/invoices", note))
    return [await api.get(f"/api/invoices/{one['id']}") for one in invoice]


def plain() -> dict:
    return {"client": {"name": "Talleres Norte", "taxId": "B12345674"}, "items": [item()]}


async def test_a_list_shows_what_each_invoice_shows(ana, berta):
    single = await everything(ana)
    await berta.invoice()

    listed = {one["id"]: one for one in await ana.get("/api/invoices")}

    assert listed == {one["id"]: {**one, "warnings": []} for one in single}  # doubts are those of one draft
    assert len(single[0]["rectifiedBy"]) == 3


async def test_a_list_of_the_deleted_says_when(ana):
    invoice = await ana.invoice()
    await ana.delete(f"/api/invoices/{invoice['id']}")

    [listed] = await ana.get("/api/invoices?includeDeleted=true")

    assert {name for name in invoice if invoice[name] != listed[name]} - {"updatedAt"} == {"deletedAt"}
    assert listed["deletedAt"].endswith("Z")


async def test_the_newest_issue_date_comes_first_then_the_newest_record(ana):
    days = ["2026-03-01", "2026-11-01", "2026-03-01", "2025-12-31"]
    invoice = [(await ana.invoice(issueDate=day))["id"] for day in days]

    listed = [one["id"] for one in await ana.get("/api/invoices")]

    assert listed == [invoice[1], invoice[2], invoice[0], invoice[3]]


FOUND = {
    "number": ["F2026-0001", "f2026", "0001"],
    "client": ["Ñandú", "nandu", "ÑANDÚ", "café", "CAFÉ ñ"],
    "tax id": ["B12345674", "b1234"],
    "line": ["diseño", "DISENO", "rótulo"],
    "notes": ["urgente"],
    "literal": ["100%", "a_b", "\\"],
}


async def test_search_looks_everywhere_whatever_case_and_accents(ana):
    fields = {
        "client": {"name": "Café Ñandú, S.L.", "taxId": "B12345674"},
        "items": [item(description="Diseño de rótulo 100% a_b c\\d")],
        "notes": "¡Urgente!",
        "issueDate": "2026-11-02",
    }
    invoice = await ana.invoice(**fields)
    await ana.invoice(client={"name": "Otro"}, items=[item(description="Cosa axb 1000")])
    await ana.patch(f"/api/invoices/{invoice['id']}/pay")
    await ana.put(f"/api/invoices/{invoice['id']}", {"dueDate": "2099-01-31"})

    for where, queries in FOUND.items():
        for query in queries:
            answer = await ana.client.get("/api/invoices", params={"search": query}, headers=ana.headers)

            assert [one["id"] for one in answer.json()] == [invoice["id"]], (where, query)
            assert answer.headers["x-total-count"] == "1"


@pytest.mark.parametrize("query", ["%", "_", "%%", "a%b", "x_x", "' or true --", "\\", "F2026-0002", "*"])
async def test_search_knows_no_wildcards(ana, query):
    await ana.patch(f"/api/invoices/{(await ana.invoice(issueDate='2026-11-02'))['id']}/pay")

    answer = await ana.client.get("/api/invoices", params={"search": query}, headers=ana.headers)

    assert answer.json() == []


async def test_an_empty_search_finds_all(ana):
    await ana.invoice()

    for query in ("", "%20", "%20%20"):
        assert len(await ana.get(f"/api/invoices?search={query}")) == 1


async def test_search_and_status_go_together(ana):
    paid = await ana.invoice(notes="uno")
    await ana.patch(f"/api/invoices/{paid['id']}/pay")
    await ana.invoice(notes="uno")
    await ana.patch(f"/api/invoices/{(await ana.invoice(notes='dos'))['id']}/pay")

    answer = await ana.request("GET", "/api/invoices?status=paid&search=uno")

    assert [one["id"] for one in answer.json()] == [paid["id"]]
    assert answer.headers["x-total-count"] == "1"


CLIENTS = [
    {"name": "Ayuntamiento", "dir3": {"accountingOffice": "L01", "managingBody": "L02", "processingUnit": "L03"}},
    {"name": "Zapatería Ñ", "taxId": "b-12345674", "equivalenceSurcharge": True, "defaultTaxRate": 10.5},
    {"name": "acme", "country": "DE", "taxId": "DE136695976", "email": "A@Example.com", "isCompany": False},
    {"name": "Éclair", "notes": "x\ny", "paymentTermDays": 0, "defaultRetentionRate": 7, "language": "en"},
]


async def test_a_list_shows_what_each_client_shows(ana, berta):
    for one in CLIENTS:
        await ana.post("/api/clients", one)
    await berta.post("/api/clients", {"name": "Ajeno"})
    paid = await ana.invoice(client={"name": "Zapatería Ñ", "taxId": "B12345674"}, taxRate=10)
    await ana.patch(f"/api/invoices/{paid['id']}/pay")

    listed = await ana.get("/api/clients")

    assert [one["name"] for one in listed] == ["acme", "Ayuntamiento", "Éclair", "Zapatería Ñ"]
    assert listed == [await ana.get(f"/api/clients/{one['id']}") for one in listed]
    assert (listed[3]["taxId"], listed[3]["invoiceCount"], listed[3]["totalInvoiced"]) == ("B12345674", 1, 1336.8)
    assert listed[3]["balance"] == 0


SOUGHT = [
    ("zapateria", ["Zapatería Ñ"]),
    ("b1234", ["Zapatería Ñ"]),
    ("EXAMPLE", ["acme"]),
    ("%", []),
    ("ex", ["acme"]),
]


@pytest.mark.parametrize(("query", "names"), SOUGHT)
async def test_clients_are_found_by_name_tax_id_and_email(ana, query, names):
    for one in CLIENTS:
        await ana.post("/api/clients", one)

    answer = await ana.client.get("/api/clients", params={"search": query}, headers=ana.headers)

    assert [one["name"] for one in answer.json()] == names
    assert answer.headers["x-total-count"] == str(len(names))


@pytest.mark.usefixtures("unreported")
async def test_the_summary_is_the_sum_of_the_documents(ana):
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=True):
        caller = Api(ana.client, {"x-api-key": ana.api_key})
        for day in ("2025-12-31", "2026-02-01", "2026-10-01", "2026-11-20"):
            invoice = await caller.invoice(issueDate=day, retentionRate=15)
            await caller.patch(f"/api/invoices/{invoice['id']}/pay", {"paidAt": day})
        foreign = await caller.invoice(issueDate="2026-11-20", currency="USD")
        await caller.patch(f"/api/invoices/{foreign['id']}/pay")
        await caller.invoice(items=[item(unitPrice=5)])

        matches = await caller.get("/api/invoices/context")
        listed = await caller.get("/api/invoices")

    assert (matches["currency"], matches["asOf"]) == ("EUR", "2026-11-21")
    assert matches["year"] == {"invoiced": 3600, "collected": 3 * 1272, "expenses": 0, "profit": 3600}
    of_quarter = {"invoiced": 2400, "collected": 2 * 1272, "expenses": 0, "profit": 2400}
    assert matches["quarter"] == of_quarter | {"outputVat": 504, "vatBalance": 504}
    assert matches["pending"] == {"count": 0, "amount": 0}
    assert matches["overdue"] == {"count": 0, "amount": 0, "oldestDays": 0}
    assert [(one["name"], one["invoiced"]) for one in matches["topClients"]] == [("Talleres Norte, S.L.", 3600)]
    same = ("id", "number", "total", "issueDate")
    recent = [{name: one[name] for name in same} for one in listed[:5]]
    assert [{name: one[name] for name in same} for one in matches["recentInvoices"]] == recent


async def test_counts_are_those_of_the_lists(ana, berta):
    overdue = await ana.invoice(issueDate="2026-01-02", dueDate="2026-01-03")
    issued, paid, deleted, _ = [await ana.invoice() for _ in range(4)]
    await berta.invoice()
    for one in (overdue, issued):
        await ana.patch(f"/api/invoices/{one['id']}/send")
    await ana.patch(f"/api/invoices/{paid['id']}/pay")
    await ana.delete(f"/api/invoices/{deleted['id']}")

    counts = await ana.get("/api/invoices/counts")

    listed = {status: len(await ana.get(f"/api/invoices?status={status}")) for status in counts if status != "total"}
    assert counts == {"total": 4, **listed}
    assert counts == {"total": 4, "draft": 1, "sent": 1, "paid": 1, "overdue": 1}

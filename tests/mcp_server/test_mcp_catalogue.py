"""Every tool does what the REST operations behind it do: equal objects and equal problems, seen from both faces."""

import json
from datetime import date

import pytest

from support.api import CLIENT, invoice_body, item
from support.periods import YEAR, quarter
from support.told import told

UNKNOWN = "0192f0c0-0000-7000-8000-000000000000"
OWN = {"id", "channel", "createdAt", "updatedAt", "createdBy", "keyPrefix", "generatedAt"}
"""Fields that differ in two records of the same content."""


def content(record):
    return {name: value for name, value in record.items() if name not in OWN}


def without_payments(supplier_invoice):
    return {name: value for name, value in supplier_invoice.items() if name != "payments"}


async def test_clients(site):
    ana = await site.person()
    agent = site.agent(ana).in_full

    client = await agent.ok("save_client", name="Norte, S.L.", taxId="B12345674", email="n@example.com")
    changed = await agent.ok("save_client", id=client["id"], city="Gijón", other={"paymentTermDays": 15})
    by_rest = await ana.get(f"/api/clients/{client['id']}")
    await ana.post("/api/invoices", invoice_body(client=None, clientId=client["id"]))
    listed = await agent.ok("list_clients", search="norte", detail="full")

    assert changed == by_rest
    assert (changed["city"], changed["paymentTermDays"], changed["email"]) == ("Gijón", 15, "n@example.com")
    assert listed["items"] == await ana.get("/api/clients?search=norte")


async def test_one_client_comes_with_its_open_invoices(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    draft = await agent.ok("create_invoice", **invoice_body())
    await agent.ok("emit_einvoice", invoiceId=draft["id"])

    client = await agent.ok("get_client", id=draft["clientId"])

    (invoice,) = client.pop("openInvoices")
    assert (invoice["id"], invoice["balance"], client.pop("openInvoiceCount")) == (draft["id"], draft["total"], 1)
    assert client == await ana.get(f"/api/clients/{draft['clientId']}")


async def test_invoices(site):
    ana = await site.person()
    agent = site.agent(ana).in_full

    draft = await agent.ok("create_invoice", **invoice_body(other={"buyerReference": "PO-1"}))
    changed = await agent.ok("update_invoice", id=draft["id"], notes="Gracias", items=[item(unitPrice=50)])
    copied = await agent.ok("duplicate_invoice", id=draft["id"])
    by_rest = await ana.get(f"/api/invoices/{draft['id']}")
    shared = await agent.ok("share_invoice", id=draft["id"])
    brief = (await agent.ok("list_invoices", clientId=draft["clientId"]))["items"]

    assert changed == by_rest
    assert (changed["buyerReference"], changed["notes"]) == ("PO-1", "Gracias")
    assert content(copied)["items"] == changed["items"]
    assert shared["shareUrl"].endswith(shared["shareToken"])
    assert {one["id"] for one in brief} == {draft["id"], copied["id"]}
    assert {one["client"]["name"] for one in brief} == {CLIENT["name"]}
    assert (await agent.ok("share_invoice", id=draft["id"], revoke=True)) == {"ok": True}


async def test_a_payment_asks_only_where_it_would_seal(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    draft, issued = await ana.invoice(), await ana.invoice()
    await agent.ok("emit_einvoice", invoiceId=issued["id"])

    preview = await agent.preview("mark_invoice_paid", id=draft["id"])
    plain = await agent.call("mark_invoice_paid", id=issued["id"], amount=10, method="transfer")

    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"
    assert preview["answer"]["status"] == "paid"
    assert plain.body == await ana.get(f"/api/invoices/{issued['id']}")
    assert plain.body["amountPaid"] == 10


async def test_mail_goes_out_when_it_is_confirmed(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    draft = await ana.invoice(client={**CLIENT, "email": "cliente@example.com"})

    await agent.preview("send_invoice", id=draft["id"])
    before = (await ana.get(f"/api/invoices/{draft['id']}"))["status"]
    sent = await agent.ok("send_invoice", id=draft["id"])
    again = await agent.ok("send_invoice", id=draft["id"], email="otra@example.com")

    assert before == "draft"
    assert (sent["invoice"]["status"], sent["deliveredTo"], again["deliveredTo"]) == ("sent", "file", "file")


async def test_fiscal_records(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    invoice = await ana.invoice()
    record = await agent.ok("emit_einvoice", invoiceId=invoice["id"])
    issued = await agent.ok("get_invoice", id=invoice["id"])

    status = await agent.ok("get_einvoice_status", invoiceId=invoice["id"])
    note = await agent.ok(
        "create_credit_note",
        invoiceId=invoice["id"],
        originalFiscalId=record["fiscalId"],
        originalDate=issued["issueDate"],
    )

    assert status == await ana.get(f"/api/einvoice/status/{invoice['id']}") | {"qr": None}
    alerts = await ana.get("/api/einvoice/alerts")
    due = {name: alerts[name] for name in ("needsAction", "rejected", "acceptedWithErrors", "newest")}
    assert await agent.ok("get_einvoice_status") == await ana.get("/api/einvoice/providers") | {"fiscalAlerts": due}
    assert note["number"].startswith("R")
    assert record["qr"] is None


async def test_expenses(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    fields = {"description": "Licencia", "amount": 121, "taxRate": 21, "date": "2026-03-02", "vendor": "Sol, S.L."}

    expense = await agent.ok("create_expense", **fields, other={"deductiblePercent": 50})
    by_rest = await ana.post("/api/expenses", {**fields, "deductiblePercent": 50})
    changed = await agent.ok("update_expense", id=expense["id"], category="software")
    listed = await agent.ok("list_expenses", category="software", **{"from": "2026-03-01"})

    assert content(expense) == content(by_rest)
    assert changed == await agent.ok("get_expense", id=expense["id"]) == await ana.get(f"/api/expenses/{expense['id']}")
    assert [one["id"] for one in listed["items"]] == [expense["id"]]
    assert (await agent.ok("categorize_expense", description="Gasóleo A"))["category"] == "fuel"


async def test_figures_and_declarations(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    invoice = await ana.invoice()
    await agent.ok("emit_einvoice", invoiceId=invoice["id"])
    day = date.fromisoformat((await agent.ok("get_invoice", id=invoice["id"]))["issueDate"])
    year = day.year

    reports = {
        "profit_loss": "/api/expenses/profit-loss",
        "cash_flow": "/api/expenses/cashflow",
        "tax_summary": "/api/expenses/tax-summary",
        "vat_balance": "/api/expenses/vat-balance",
        "income_summary": "/api/expenses/income-summary",
    }
    for kind, path in reports.items():
        assert await agent.ok("get_report", kind=kind) == await ana.get(path), kind

    made = await agent.ok("generate_tax_declaration", country="ES", year=year, period=quarter(day), form="303")
    changed = await agent.ok("update_tax_declaration", id=made["id"], notes="Revisado")
    one = await agent.ok("get_tax_declaration", id=made["id"])
    with_box = await agent.ok("get_tax_declaration", id=made["id"], box="07")
    listed = await agent.ok("list_tax_declarations", year=year, detail="full")
    calendar = await agent.ok("list_tax_declarations", view="calendar", year=year)
    checks = await agent.ok("list_tax_declarations", view="checks", country="ES", year=year)

    assert changed["notes"] == "Revisado"
    assert one == (await ana.get(f"/api/tax-declarations/{made['id']}"))["declaration"]
    assert [document["documentId"] for document in with_box["documents"]] == [invoice["id"]]
    assert [entry["id"] for entry in listed["items"]] == [made["id"]]
    assert calendar["items"] == await ana.get(f"/api/tax-declarations/calendar?year={year}")
    assert checks["items"] == await ana.get(f"/api/tax-declarations/checks?country=ES&year={year}")
    assert made["id"] in {term["declarationId"] for one in checks["items"] for term in one["left"]["terms"]}
    assert await agent.ok("list_tax_declarations", view="supported") == await ana.get("/api/tax-declarations/supported")


async def test_the_business_at_a_glance(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    entry = await agent.ok("save_context_entry", key="terms", content="Cobramos a 15 días")
    summary = await agent.ok("update_context_summary", summary="Estudio de diseño")

    context = await agent.ok("get_business_context")

    rest = await ana.get("/api/context")
    assert context == {**rest, "figures": await ana.get("/api/invoices/context"), "fiscalAlerts": None}
    assert (entry["entry"], summary["summary"]) == (rest["entries"][0], rest["summary"])


async def test_the_catalogue_and_its_stock(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    variants = [{"name": "S", "stock": 3}, {"name": "M", "stock": 4}]
    shirt = await agent.ok("save_catalog_item", name="Camiseta", unitPrice=12.5, variants=variants)
    mug = await agent.ok("save_catalog_item", name="Taza", unitPrice=6, stock=10, other={"lowStockThreshold": 5})

    await agent.ok("save_catalog_item", id=mug["id"], unitPrice=7)
    await agent.ok("adjust_stock", itemId=mug["id"], delta=-2)
    await agent.ok("adjust_stock", itemId=mug["id"], stock=6)
    await agent.ok("adjust_stock", itemId=shirt["id"], variantIndex=1, delta=2)
    many = await agent.ok("adjust_stock", adjustments=[{"itemId": mug["id"], "adjustment": -3}])
    imported = await agent.ok("import_catalog", rows=[{"name": "Tornillo", "sku": "T-4", "unitPrice": "0,12"}])

    items = await agent.ok("list_catalog_items", detail="full")
    low = await agent.ok("list_catalog_items", view="low_stock")
    assert items["items"] == await ana.get("/api/catalog")
    assert {one["name"]: one["stock"] for one in items["items"]} == {"Camiseta": 9, "Taza": 3, "Tornillo": None}
    assert [one["name"] for one in low["items"]] == ["Taza"]
    after = {"itemId": mug["id"], "name": "Taza", "stock": 3}
    assert (many, imported) == ({"updated": 1, "items": [after]}, {"imported": 1, "errors": [], "warnings": []})
    assert await agent.ok("list_catalog_items", view="categories") == {
        "items": await ana.get("/api/catalog/categories")
    }


async def test_stock_is_counted_one_by_one_and_in_bulk(site):
    agent = site.agent(await site.person())
    mug, cup = [await agent.ok("save_catalog_item", name=name, stock=4) for name in ("Taza", "Copa")]
    shirt = await agent.ok("save_catalog_item", name="Camiseta", variants=[{"name": "S", "stock": 3}])

    counted = await agent.ok(
        "adjust_stock", adjustments=[{"itemId": mug["id"], "stock": 9}, {"itemId": cup["id"], "adjustment": -1}]
    )
    size = await agent.ok("adjust_stock", itemId=shirt["id"], variantIndex=0, stock=8)

    assert counted == {
        "updated": 2,
        "items": [
            {"itemId": mug["id"], "name": "Taza", "stock": 9},
            {"itemId": cup["id"], "name": "Copa", "stock": 3},
        ],
    }
    assert (size["stock"], size["variants"][0]["stock"]) == (8, 8)


async def test_a_count_that_is_unclear_changes_nothing(site):
    agent = site.agent(await site.person())
    mug = await agent.ok("save_catalog_item", name="Taza", stock=4)
    count = {"itemId": mug["id"], "stock": 9}

    for arguments in (
        {"adjustments": [{"itemId": mug["id"], "adjustment": 9, "stock": 9}]},
        {"adjustments": [{"itemId": mug["id"]}]},
        {"adjustments": [count, {"itemId": mug["id"], "adjustment": 1}]},
        {"adjustments": [count, count]},
        {"adjustments": [count], "itemId": mug["id"]},
        {"adjustments": [count], "stock": 9},
        {"itemId": mug["id"]},
        {"itemId": mug["id"], "delta": 1, "stock": 5},
        {},
    ):
        problem = await agent.refused("adjust_stock", **arguments)
        assert (problem["code"], bool(problem["errors"])) == ("VALIDATION_ERROR", True), arguments

    listed = await agent.ok("list_catalog_items")
    assert [one["stock"] for one in listed["items"]] == [4]


async def test_two_hundred_equal_errors_of_rows_are_one(site):
    agent = site.agent(await site.person())
    rows = [{"nombre": f"Tornillo {number}", "precio": "0,12", "iva": 10} for number in range(200)]
    rows[99] = {"name": "Tuerca", "unitPrice": "x"}
    rows[100] = {"name": "Arandela"}

    answer = await agent.ok("import_catalog", rows=rows)

    assert answer["imported"] == 1
    assert answer["errors"] == ["rows 1-99, 102-200: name is required", "row 100: unitPrice: 'x' is no number"]
    named = "nombre (did you mean name?), precio (did you mean unitPrice?), iva (did you mean taxRate?)"
    assert answer["warnings"] == [f"These columns are unknown and were not read: {named}."]
    assert len(json.dumps(answer)) < 400  # a line for each row took 5.7 kB


async def test_a_read_supplier_invoice_is_confirmed_into_stock(site):
    agent = site.agent(await site.person()).in_full
    lines = [{"name": "Tornillo M4", "sku": "T-4", "quantity": 200, "unitPrice": 0.05}]
    analysis = {"vendor": {"name": "Ferretería Sur, S.L."}, "invoiceNumber": "2026/118", "items": lines}

    done = await agent.ok("confirm_catalog_import", analysis=analysis)

    assert (done["created"], done["updated"]) == (1, 0)
    assert (await agent.ok("get_vendor", id=done["vendorId"]))["name"] == "Ferretería Sur, S.L."


async def test_payables(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    vendor = await agent.ok("save_vendor", name="Sol, S.L.", taxId="B12345674")
    await agent.ok("save_vendor", id=vendor["id"], defaultCategory="office")
    fields = {"vendorId": vendor["id"], "invoiceDate": "2026-02-01", "taxRate": 21, "total": 121}
    first = await agent.ok("create_supplier_invoice", **fields, invoiceNumber="A-1")
    second = await agent.ok("create_supplier_invoice", **fields, invoiceNumber="A-2")
    paid = await agent.ok("record_supplier_payment", id=first["id"], amount=21, paymentMethod="transfer")
    await agent.preview("cancel_supplier_invoice", id=second["id"])
    cancelled = await agent.ok("cancel_supplier_invoice", id=second["id"], reason="Duplicada")

    assert cancelled == without_payments(await ana.get(f"/api/supplier-invoices/{second['id']}"))
    assert cancelled["cancelReason"] == "Duplicada"
    assert await agent.ok("get_supplier_invoice", id=first["id"]) == await ana.get(
        f"/api/supplier-invoices/{first['id']}"
    )
    listed = await agent.ok("list_supplier_invoices", vendorId=vendor["id"], detail="full")
    assert listed["items"] == await ana.get(f"/api/supplier-invoices?vendorId={vendor['id']}")
    payments = await agent.ok("list_supplier_payments", id=first["id"], detail="full")
    (of_rest,) = await ana.get(f"/api/supplier-invoices/{first['id']}/payments")
    assert payments["items"] == [{**of_rest, "invoiceNumber": "A-1"}]
    assert paid == of_rest
    assert (await agent.ok("list_supplier_payments"))["total"] == 1
    assert [one["id"] for one in (await agent.ok("list_vendors", search="sol"))["items"]] == [vendor["id"]]
    assert await agent.ok("get_payables") == await ana.get("/api/supplier-invoices/summary")
    assert await agent.ok("get_payables", view="aging", detail="full") == await ana.get("/api/supplier-invoices/aging")
    assert await agent.ok("get_payables", view="alerts", detail="full") == await ana.get(
        "/api/supplier-invoices/alerts"
    )
    by_vendor = await agent.ok("get_payables", view="by_vendor", detail="full")
    assert by_vendor["items"] == await ana.get("/api/supplier-invoices/accounts-payable")


async def test_tasks(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    me = (await agent.ok("whoami"))["user"]
    draft = await ana.invoice()
    task = await agent.ok(
        "save_task", title="Llamar", assignedTo=me["id"], invoiceId=draft["id"], clientId=draft["clientId"]
    )
    await agent.ok("save_task", id=task["id"], priority="high")
    await agent.ok("move_task", id=task["id"], status="review")
    done = await agent.ok("move_task", id=task["id"], complete=True)
    both = await agent.refused("move_task", id=task["id"], complete=True, status="done")
    unassigned = await agent.ok("move_task", id=task["id"], assignedTo=None)
    await agent.ok("move_task", id=task["id"], assignedTo=me["id"])

    shown = await agent.ok("get_task", id=task["id"])
    (listed,) = (await agent.ok("list_tasks", detail="full", priority="high"))["items"]
    of_rest = await ana.get(f"/api/tasks/{task['id']}")
    names = {"clientName": CLIENT["name"], "invoiceNumber": None, "assignedToName": me["name"]}
    assert listed == of_rest | names
    actions = [entry["action"] for entry in await ana.get(f"/api/tasks/{task['id']}/history")]
    assert [entry["action"] for entry in shown["history"]] == actions[::-1]
    assert shown == of_rest | names | {"history": shown["history"], "historyCount": len(actions)}
    assert (done["status"], unassigned["assignedTo"], both["code"]) == ("done", None, "VALIDATION_ERROR")
    assert await agent.ok("list_tasks", view="overview") == await ana.get("/api/tasks/overview")
    assert [one["id"] for one in (await agent.ok("list_tasks", view="mine"))["items"]] == [task["id"]]


async def test_the_team(site):
    ana = await site.person()
    berta = await site.person("Berta Gil")
    agent = site.agent(ana).in_full
    await agent.ok("save_company", city="Oviedo", other={"phone": "600000000"})

    joined = (await agent.ok("invite_member", email=berta.email, role="viewer"))["member"]
    changed = await agent.ok("set_member_role", memberId=joined["id"], role="finance")
    team = await agent.ok("get_team")
    await agent.ok("remove_member", memberId=joined["id"])

    assert changed["member"]["role"] == "finance"
    assert (team["team"]["city"], team["myRole"], len(team["members"])) == ("Oviedo", "owner", 2)
    assert {"apiKey", "logo"}.isdisjoint(team["team"])
    assert len((await agent.ok("get_team"))["members"]) == 1


async def test_namesakes_are_asked_for_and_an_id_answers(site):
    agent = site.agent(await site.person())
    await agent.ok("save_client", name="Talleres Norte, S.L.", taxId="B12345674")
    line = {"description": "Obra", "unitPrice": 10}
    only = await agent.ok("create_invoice", client={"name": "talleres norte sl"}, items=[line])
    madrid = await agent.ok("save_client", name="María López", taxId="12345678Z", city="Madrid")
    vigo = await agent.ok("save_client", name="Maria Lopez", city="Vigo")

    problem = await agent.refused("create_invoice", client={"name": "maria lopez"}, items=[line])
    drafted = await agent.ok("create_invoice", clientId=problem["candidates"][0]["id"], items=[line])

    assert (only["client"]["name"], only["client"]["taxId"]) == ("Talleres Norte, S.L.", "B12345674")
    assert problem["code"] == "CLIENT_AMBIGUOUS"
    assert problem["candidates"] == [
        {"id": vigo["id"], "name": "Maria Lopez", "city": "Vigo"},
        {"id": madrid["id"], "name": "María López", "taxId": "12345678Z", "city": "Madrid"},
    ]
    assert drafted["clientId"] == vigo["id"]
    assert (await agent.ok("list_clients"))["total"] == 3


async def test_inviting_an_unregistered_address_is_done_and_says_so(site):
    ana = await site.person()
    agent = site.agent(ana).in_full

    invited = await agent.ok("invite_member", email="nadie@example.com", role="viewer")

    assert invited["member"] is None
    invitation = invited["invitation"]
    assert (invitation["email"], invitation["role"]) == ("nadie@example.com", "viewer")
    assert "nadie@example.com" in invited["message"]
    over_rest = await ana.refused(404, "POST", "/api/teams/current/invite", {"email": "otra@example.com"})
    assert over_rest["code"] == "USER_NOT_REGISTERED"


async def test_inviting_a_member_is_refused_before_it_is_asked(site):
    ana = await site.person()
    berta = await site.colleague(ana, "viewer")

    problem = await site.agent(ana).in_full.refused("invite_member", email=berta.email, role="viewer")

    assert problem["code"] == "ALREADY_MEMBER"


async def test_the_till(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    till = await agent.ok("open_cash_register", openingAmount=100)
    sale = {"id": till["id"], "type": "sale", "amount": 12.1, "description": "Café"}

    plain = await agent.call("add_cash_movement", **{**sale, "type": "cash_in"})
    lines = {"lineItems": [{"description": "Café", "unitPrice": 10, "taxRate": 21}]}
    preview = await agent.preview("add_cash_movement", **sale, **lines)
    sold = await agent.ok("add_cash_movement", **sale, **lines, idempotency_key="sale-1")
    again = await agent.ok("add_cash_movement", **sale, **lines, idempotency_key="sale-1")

    assert not plain.body.get("confirmationRequired")
    assert preview["writes"]
    assert sold == again
    current = await ana.get("/api/cash-register/current")
    shown = await agent.ok("get_cash_register")
    assert [one["id"] for one in shown.pop("movements")] == [one["id"] for one in current.pop("movements")[::-1]]
    assert shown == current | {"nextCursor": None}
    assert sold["movementCount"] == 2
    assert (await agent.ok("get_cash_register", view="open"))["total"] == 1
    closed = await agent.ok("close_cash_register", id=till["id"], closingAmount=124.2)
    assert (closed["status"], closed["difference"]) == ("closed", 0)
    assert (await agent.ok("get_cash_register", view="register", id=till["id"]))["zNumber"] == closed["zNumber"]
    assert (await agent.ok("get_cash_register", view="history"))["total"] == 1
    assert await agent.ok("get_cash_register", view="summary") == await ana.get("/api/cash-register/summary")
    assert (await agent.refused("get_cash_register", view="register"))["errors"][0]["field"] == "id"


async def test_a_sale_of_one_amount_is_invoiced_when_it_is_confirmed(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    till = await agent.ok("open_cash_register", openingAmount=100)
    sale = {"id": till["id"], "type": "sale", "amount": 11, "description": "Menú", "taxRate": 10}

    preview = await agent.preview("add_cash_movement", **sale)
    sold = await agent.ok("add_cash_movement", **sale)

    assert preview["writes"]
    invoice = await ana.get(f"/api/invoices/{sold['movement']['invoiceId']}")
    assert (invoice["number"], invoice["subtotal"], invoice["total"]) == (f"T{YEAR}-0001", 10, 11)


async def test_a_refund_that_names_no_sale_takes_the_one_that_fits_or_lists_them(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    till = await agent.ok("open_cash_register", openingAmount=100)
    for amount in (20, 20, 5):
        await agent.ok("add_cash_movement", id=till["id"], type="sale", amount=amount, description="Venta")
    refund = {"id": till["id"], "type": "refund", "description": "Devolución"}

    problem = await agent.refused("add_cash_movement", **refund, amount=20)
    chosen = problem["candidates"][0]
    named = await agent.ok("add_cash_movement", **refund, amount=20, invoiceId=chosen["invoiceId"])
    found = await agent.ok("add_cash_movement", **refund, amount=20)

    assert problem["code"] == "REFUND_NEEDS_INVOICE"
    assert [one["number"] for one in problem["candidates"]] == [f"T{YEAR}-0002", f"T{YEAR}-0001"]
    assert (named["movement"]["invoiceId"], named["warnings"]) == (chosen["invoiceId"], [])
    assert f"T{YEAR}-0001" in found["warnings"][0]


DELETED = ["invoice", "client", "expense", "catalog_item", "task", "vendor", "tax_declaration", "context_entry"]


@pytest.mark.parametrize("kind", DELETED)
async def test_a_record_is_deleted_when_it_is_confirmed(site, kind):
    ana = await site.person()
    agent = site.agent(ana).in_full
    creating = {
        "invoice": ("create_invoice", invoice_body()),
        "client": ("save_client", {"name": "Norte"}),
        "expense": ("create_expense", {"description": "x", "amount": 1, "date": "2026-03-02"}),
        "catalog_item": ("save_catalog_item", {"name": "Taza"}),
        "task": ("save_task", {"title": "x"}),
        "vendor": ("save_vendor", {"name": "Sol"}),
        "tax_declaration": ("generate_tax_declaration", {"country": "ES", "year": 2026, "period": "Q1", "form": "303"}),
        "context_entry": ("save_context_entry", {"key": "terms", "content": "x"}),
    }
    reading = {
        "invoice": "list_invoices",
        "client": "list_clients",
        "expense": "list_expenses",
        "catalog_item": "list_catalog_items",
        "task": "list_tasks",
        "vendor": "list_vendors",
        "tax_declaration": "list_tax_declarations",
    }
    tool, arguments = creating[kind]
    created = await agent.ok(tool, **arguments)
    record_id = created.get("id", "terms")

    await agent.preview("delete_record", kind=kind, id=record_id)
    between = (await agent.ok(reading[kind]))["total"] if kind in reading else 1
    await agent.ok("delete_record", kind=kind, id=record_id)

    assert between == 1
    if kind in reading:
        assert (await agent.ok(reading[kind]))["total"] == 0
    assert (await agent.refused("delete_record", kind=kind, id=UNKNOWN))["code"] in {"NOT_FOUND", "VALIDATION_ERROR"}


@pytest.mark.parametrize(
    ("tool", "arguments", "method", "path", "body"),
    [
        ("get_client", {"id": UNKNOWN}, "GET", f"/api/clients/{UNKNOWN}", None),
        ("save_client", {"email": "x"}, "POST", "/api/clients", {"email": "x"}),
        ("save_client", {"id": UNKNOWN, "name": "x"}, "PUT", f"/api/clients/{UNKNOWN}", {"name": "x"}),
        ("create_expense", {"amount": "doce"}, "POST", "/api/expenses", {"amount": "doce"}),
        ("update_expense", {"id": UNKNOWN}, "PUT", f"/api/expenses/{UNKNOWN}", {}),
        ("get_task", {"id": UNKNOWN}, "GET", f"/api/tasks/{UNKNOWN}", None),
        ("save_task", {"status": "late"}, "POST", "/api/tasks", {"status": "late"}),
        ("get_vendor", {"id": UNKNOWN}, "GET", f"/api/vendors/{UNKNOWN}", None),
        ("save_vendor", {"iban": "ES00"}, "POST", "/api/vendors", {"iban": "ES00"}),
        ("create_supplier_invoice", {}, "POST", "/api/supplier-invoices", {}),
        ("get_supplier_invoice", {"id": UNKNOWN}, "GET", f"/api/supplier-invoices/{UNKNOWN}", None),
        ("save_catalog_item", {"unitPrice": "1,500"}, "POST", "/api/catalog", {"unitPrice": "1,500"}),
        ("generate_tax_declaration", {"year": 2026}, "POST", "/api/tax-declarations/generate", {"year": 2026}),
        ("lock_tax_declaration", {"id": UNKNOWN}, "PATCH", f"/api/tax-declarations/{UNKNOWN}/submit", None),
        ("open_cash_register", {"openingAmount": -1}, "POST", "/api/cash-register", {"openingAmount": -1}),
        ("save_context_entry", {"key": "Ñ"}, "PUT", "/api/context/entry", {"key": "Ñ"}),
        (
            "set_member_role",
            {"memberId": UNKNOWN, "role": "admin"},
            "PATCH",
            f"/api/teams/current/members/{UNKNOWN}/role",
            {"role": "admin"},
        ),
        ("get_report", {"kind": "tax_summary", "quarter": 5}, "GET", "/api/expenses/tax-summary?quarter=5", None),
        ("list_expenses", {"from": "01/03/2026"}, "GET", "/api/expenses?from=01/03/2026", None),
        ("list_tasks", {"status": "late"}, "GET", "/api/tasks?status=late", None),
    ],
)
async def test_problems_are_those_of_rest(site, tool, arguments, method, path, body):  # noqa: PLR0917 - one row each
    ana = await site.person()

    by_rest = (await ana.request(method, path, body)).json()
    by_agent = await site.agent(ana).in_full.refused(tool, **arguments)

    assert told(by_agent) == told(by_rest)

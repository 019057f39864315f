"""Attempts of an assistant to do what is approved in the web app only: none of them does anything."""

import random
from uuid import uuid4

from ledgerkit.core.platform.request.operation import OPERATIONS
from ledgerkit.mcp_server.tools import TOOLS
from support.api import Api
from support.periods import YEAR
from support.sampling import examples

IBAN = "ES9121000418450200051332"
ASKED = {name for name, each in OPERATIONS.items() if each.act is not None and each.act.asked_if is not None}
OF_TOOLS = ASKED & {operation.name for tool in TOOLS.values() for operation in tool.declared}
"""Operations about which a person is asked, and which a tool does."""


def line(price):
    return {"description": "Diseño", "quantity": 1, "unitPrice": price, "taxRate": 21}


async def books(ana, site, agent):
    """Calls of the tools by the operation of the act that each asks about."""
    colleague = await site.colleague(ana, "viewer")
    members = (await ana.get("/api/teams/current"))["members"]
    member = {"memberId": next(one["id"] for one in members if one["email"] == colleague.email)}
    draft, emitted, mailed = [await ana.invoice() for _ in range(3)]
    for invoice in (emitted, mailed):
        await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    emitted = await ana.get(f"/api/invoices/{emitted['id']}")
    await ana.post(f"/api/invoices/{mailed['id']}/share")
    clients = [await ana.post("/api/clients", {"name": name}) for name in ("Sur", "Sur, S.L.")]
    vendors = [await ana.post("/api/vendors", {"name": name}) for name in ("Papelera", "La Papelera")]
    bill = {"vendorId": vendors[0]["id"], "invoiceNumber": "1", "invoiceDate": f"{YEAR}-01-02", "total": 121}
    expense = {"description": "Mesa", "amount": 121, "taxRate": 21, "date": "2025-08-01"}
    period = {"country": "ES", "year": 2025, "period": "Q3", "form": "303"}
    form = (await ana.post("/api/tax-declarations/generate", period))["declaration"]
    await ana.put("/api/context/entry", {"key": "horario", "content": "De 9 a 18"})
    till = await ana.post("/api/cash-register", {"openingAmount": 100})
    sale = {"type": "sale", "amount": 12.1, "description": "Té", "paymentMethod": "cash", "lineItems": [line(10)]}
    await agent.ok("save_client", name="Oeste")
    original = {"originalFiscalId": emitted["einvoice"]["fiscalId"], "originalDate": emitted["issueDate"]}
    doomed = {
        "clients.delete": ("client", clients[0]["id"]),
        "vendors.delete": ("vendor", vendors[1]["id"]),
        "expenses.delete": ("expense", (await ana.post("/api/expenses", expense))["id"]),
        "tasks.delete": ("task", (await ana.post("/api/tasks", {"title": "Revisar"}))["id"]),
        "invoices.delete": ("invoice", draft["id"]),
        "catalog.deactivate": ("catalog_item", (await ana.post("/api/catalog", {"name": "Té", "unitPrice": 1}))["id"]),
        "declarations.delete": ("tax_declaration", form["id"]),
        "business_context.delete_entry": ("context_entry", "horario"),
    }
    merged = {"keepId": clients[0]["id"], "duplicateId": clients[1]["id"]}
    calls = {
        **{name: ("delete_record", {"kind": kind, "id": id_}) for name, (kind, id_) in doomed.items()},
        "cash_register.move": ("add_cash_movement", {"id": till["id"], **sale}),
        "cash_register.close": ("close_cash_register", {"id": till["id"], "closingAmount": 90}),
        "declarations.submission.submit": ("lock_tax_declaration", {"id": form["id"]}),
        "declarations.update": ("update_tax_declaration", {"id": form["id"], "iban": IBAN}),
        "einvoice.emit": ("emit_einvoice", {"invoiceId": draft["id"]}),
        "einvoice.issuance.annul": ("annul_einvoice", {"fiscalId": original["originalFiscalId"], "reason": "Error"}),
        "einvoice.issuance.credit_note": (
            "create_credit_note",
            {"invoiceId": emitted["id"], **original, "reason": "R1", "items": [line(10)]},
        ),
        "einvoice.issuance.pay": ("mark_invoice_paid", {"id": draft["id"]}),
        "einvoice.issuance.send_invoice": ("send_invoice", {"id": draft["id"]}),
        "einvoice.status.send_email": ("send_invoice", {"id": emitted["id"], "email": "x@example.com"}),
        "invoices.public_links.share": ("share_invoice", {"id": emitted["id"]}),
        "invoices.public_links.unshare": ("share_invoice", {"id": mailed["id"], "revoke": True}),
        "merging.merge_clients": ("merge_records", {"type": "client", **merged}),
        "merging.merge_vendors": (
            "merge_records",
            {"type": "vendor", "keepId": vendors[0]["id"], "duplicateId": vendors[1]["id"]},
        ),
        "supplier_invoices.cancel": (
            "cancel_supplier_invoice",
            {"id": (await ana.post("/api/supplier-invoices", bill))["id"]},
        ),
        "teams.invitations.invite": ("invite_member", {"email": "socia@example.com", "role": "admin"}),
        "teams.members.change_role": ("set_member_role", {**member, "role": "admin"}),
        "teams.members.remove_member": ("remove_member", member),
        "teams.update_current": ("save_company", {"iban": IBAN}),
        "undoing.undo": ("undo", {}),
        "vendors.create": ("save_vendor", {"name": "Imprenta", "iban": IBAN}),
        "vendors.update": ("save_vendor", {"id": vendors[0]["id"], "iban": IBAN}),
    }
    eva = await Api.register(site.client, f"{uuid4().hex}@example.com")
    company = {"name": "Estudio Sol", "taxId": "12345678Z", "address": "Calle Mayor 1", "city": "Madrid"}
    return {"teams.set_up": (eva, "save_company", company), **{name: (ana, *call) for name, call in calls.items()}}


async def writes(api):
    """Entries of the log that are not about proposals: whatever is done has one."""
    entries = await api.get("/api/activity/history?limit=100")
    return [entry["id"] for entry in entries if entry["entityType"] != "approval"]


async def test_two_hundred_attempts_of_an_assistant_do_nothing(site):
    """Acts are called without a token, and with tokens that are made up, earlier, of another act or altered."""
    ana = await site.person()
    calls = await books(ana, site, site.agent(ana))
    eva, *_ = calls["teams.set_up"]
    earlier = {
        name: (await site.agent(person).preview(tool, **arguments))["confirmationToken"]
        for name, (person, tool, arguments) in calls.items()
    }
    for person in (ana, eva):
        await person.put("/api/approvals/policy", {"asked": "app", "connections": []})
    before, chance = [await writes(person) for person in (ana, eva)], random.Random(26)
    proposed = {}
    drawn = [*calls, *chance.choices(list(calls), k=examples(200) - len(calls))]

    for number, name in enumerate(drawn):
        person, tool, arguments = calls[name]
        own, of_another = earlier[name], earlier[chance.choice(list(calls))]
        tokens = [None, "", "yes", own, own[::-1], of_another, str(uuid4())] if number >= len(calls) else [None]
        token = chance.choice(tokens)
        sent = arguments if token is None else {**arguments, "confirmation_token": token}
        answer = (await site.agent(person).call(tool, **sent)).body
        assert ("proposed" in answer) is (token is None), (name, answer)
        assert "confirmationToken" not in answer, name
        if token is None:
            proposed[name] = await person.get(f"/api/approvals/{answer['approvalId']}")

    assert calls.keys() == OF_TOOLS
    assert [name for name, proposal in proposed.items() if proposal["operation"] != name] == []
    assert proposed.keys() == OF_TOOLS
    assert [await writes(person) for person in (ana, eva)] == before

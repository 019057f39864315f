"""REST and MCP are two faces of one thing: equal results, equal problems."""

import pytest

from support.api import CLIENT, invoice_body, item
from support.told import told

UNKNOWN = "0192f0c0-0000-7000-8000-000000000000"


async def test_an_invoice_made_by_an_agent_is_what_rest_shows(site):
    ana = await site.person()
    agent = site.agent(ana).in_full

    made = await agent.ok("create_invoice", **invoice_body(retentionRate=15, notes="ñ 🧾 <b>", dueDate="2036-12-31"))

    assert made == await ana.get(f"/api/invoices/{made['id']}")
    assert made == await agent.ok("get_invoice", id=made["id"])
    assert [made] == await ana.get("/api/invoices")
    assert [made] == (await agent.ok("list_invoices", detail="full"))["items"]


async def test_both_faces_make_the_same_invoice_of_the_same_fields(site):
    ana = await site.person()
    body = invoice_body(items=[item(quantity=1.5, unitPrice=0.335), item(taxRate=10, discount=12.5)])

    by_agent = await site.agent(ana).in_full.ok("create_invoice", **body)
    by_rest = await ana.post("/api/invoices", body)

    own = {"id", "channel", "createdAt", "updatedAt"}
    assert {k: v for k, v in by_agent.items() if k not in own} == {k: v for k, v in by_rest.items() if k not in own}


async def test_an_agent_is_told_that_e_invoicing_is_off(site):
    ana = await site.person()
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    agent, draft = site.agent(ana).in_full, await ana.invoice()

    known = await agent.ok("whoami")
    by_agent = await agent.refused("emit_einvoice", invoiceId=draft["id"])
    by_rest = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    assert known["team"]["einvoicing"] == "off"
    assert by_agent["code"] == "EINVOICING_OFF"
    assert told(by_agent) == told(by_rest)


async def test_an_emission_gives_the_same_record_on_both_faces(site):
    ana = await site.person()
    invoice = await ana.invoice()

    by_agent = await site.agent(ana).in_full.ok("emit_einvoice", invoiceId=invoice["id"])

    by_rest = await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    assert by_agent == {**by_rest, "qr": None}


async def test_an_agent_annuls_and_emits_again_as_rest_does(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    invoice = await ana.invoice()
    emitted = await agent.ok("emit_einvoice", invoiceId=invoice["id"])
    annulling = {"fiscalId": emitted["fiscalId"], "reason": "Duplicada"}

    annulled = await agent.ok("annul_einvoice", **annulling)
    again = await agent.refused("annul_einvoice", **annulling)
    by_rest = await ana.refused(400, "POST", "/api/einvoice/annul", annulling)
    back = await agent.ok("emit_einvoice", invoiceId=invoice["id"], correct=True)

    assert (annulled["status"], annulled["reason"]) == ("annulled", "Duplicada")
    assert told(again) == told(by_rest)
    assert (back["status"], back["corrects"]) == ("accepted", (await history(ana, invoice))[-4]["record"])
    feed = await ana.get("/api/invoices/activity/feed?limit=10")
    assert {entry["channel"] for entry in feed if entry["action"] == "annulment_requested"} == {"mcp"}


async def history(api, invoice):
    return (await api.get(f"/api/einvoice/status/{invoice['id']}"))["history"]


async def test_whoami_gathers_what_rest_tells_in_three_answers(site):
    ana = await site.person()

    known = await site.agent(ana).in_full.ok("whoami")

    me, team = await ana.get("/auth/me"), (await ana.get("/api/teams/current"))["team"]
    assert {name: known[name] for name in ("user", "tokens", "modules", "scopes")} == me
    assert known["role"] == (await ana.get("/api/teams/my-role"))["role"]
    assert known["team"] == {name: team[name] for name in ("id", "name", "taxId", "country", "einvoicing")}


async def test_whoami_has_no_team_in_a_personal_workspace(site):
    ana = await site.person()
    alone = await ana.register(site.client, "alone@example.com")

    known = await site.agent(alone).in_full.ok("whoami")

    assert (known["team"], known["role"]) == (None, "owner")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"client": CLIENT, "items": []},
        {"client": {"name": ""}, "items": [{"description": "x"}]},
        invoice_body(items=[item(unitPrice="doce"), item(quantity=1e20, taxRate=-1)]),
        invoice_body(items=[item(unitPrice=1.23456)]),
        invoice_body(issueDate="2026-02-30", currency="euros", docType="receipt"),
        invoice_body(taxRate=17),
        invoice_body(rectifies=UNKNOWN, docType="credit_note"),
        invoice_body(client={"name": "A\x00"}),
        invoice_body(items={"description": "x"}),
        invoice_body(clientId="nobody", client=None),
    ],
)
async def test_what_rest_refuses_to_draft_mcp_refuses_in_the_same_words(site, body):
    ana = await site.person()

    by_rest = await ana.request("POST", "/api/invoices", body)
    by_agent = await site.agent(ana).in_full.refused("create_invoice", **body)

    assert by_rest.status_code == by_agent["status"], by_agent
    assert told(by_agent) == told(by_rest.json())
    assert by_agent["instance"] is None
    assert by_agent["requestId"]


@pytest.mark.parametrize(("name", "value"), [("status", "late"), ("open", "maybe"), ("limit", 101), ("limit", 0)])
async def test_a_wrong_filter_is_the_same_problem(site, name, value):
    ana = await site.person()

    by_rest = await ana.refused(400, "GET", f"/api/invoices?{name}={value}")
    by_agent = await site.agent(ana).in_full.refused("list_invoices", **{name: value})

    assert told(by_agent) == told(by_rest)


async def test_what_is_open_is_the_same(site):
    ana, other = await site.person(), await site.person()
    vendor = (await ana.post("/api/vendors", {"name": "Sol"}))["id"]
    bill = {"vendorId": vendor, "invoiceDate": "2026-03-02", "total": 121, "taxRate": 21}
    bills = [(await ana.post("/api/supplier-invoices", bill | {"invoiceNumber": str(each)}))["id"] for each in (1, 2)]
    drafts = [(await ana.invoice())["id"] for _ in range(3)]
    for draft in drafts[:2]:
        await ana.post("/api/einvoice/emit", {"invoiceId": draft})
    await ana.patch(f"/api/invoices/{drafts[0]}/pay")
    payment = {"amount": 121, "paymentMethod": "transfer", "paymentDate": "2026-03-02"}
    await ana.post(f"/api/supplier-invoices/{bills[0]}/payments", payment)

    for tool, path, owed in (
        ("list_invoices", "/api/invoices", drafts[1]),
        ("list_supplier_invoices", "/api/supplier-invoices", bills[1]),
    ):
        listed = (await site.agent(ana).ok(tool, open=True))["items"]
        assert [one["id"] for one in listed] == [one["id"] for one in await ana.get(f"{path}?open=true")] == [owed]
        assert (await site.agent(other).ok(tool, open=True))["items"] == []


@pytest.mark.parametrize("given", [UNKNOWN, "not an id"])
async def test_an_invoice_that_does_not_exist_is_the_same_problem(site, given):
    ana = await site.person()
    agent = site.agent(ana).in_full

    by_rest = await ana.refused(404, "GET", f"/api/invoices/{given}")
    emitting = await ana.refused(404, "POST", "/api/einvoice/emit", {"invoiceId": given})

    assert told(await agent.refused("get_invoice", id=given)) == told(by_rest)
    assert told(await agent.refused("emit_einvoice", invoiceId=given)) == told(emitting)


async def test_a_role_that_may_not_is_the_same_problem(site):
    ana = await site.person()
    victor = await site.colleague(ana, "viewer")
    invoice = await ana.invoice()

    drafting = await victor.refused(403, "POST", "/api/invoices", invoice_body())
    emitting = await victor.refused(403, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})

    agent = site.agent(victor).in_full
    assert told(await agent.refused("create_invoice", **invoice_body())) == told(drafting)
    assert told(await agent.refused("emit_einvoice", invoiceId=invoice["id"])) == told(emitting)
    assert drafting["requiredRoles"] == ["owner", "admin", "finance", "operations", "member"]
    assert (await agent.ok("get_invoice", id=invoice["id"]))["id"] == invoice["id"]


async def test_emitting_without_a_tax_id_of_ones_own_is_the_same_problem(site):
    ana = await site.person(tax_id=None)
    invoice = await ana.invoice()

    by_rest = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    by_agent = await site.agent(ana).in_full.refused("emit_einvoice", invoiceId=invoice["id"])

    assert told(by_agent) == told(by_rest)
    assert by_agent["remedy"]


@pytest.mark.parametrize(("language", "word"), [("en", "full invoice"), ("es", "factura completa")])
async def test_what_the_authority_would_refuse_is_the_same_problem_in_either_language(site, language, word):
    ana = await site.person()
    much = await ana.invoice(docType="simplified", client=None, items=[item(unitPrice=5000)])
    wanted = {"accept-language": language}

    answer = await ana.request("POST", "/api/einvoice/emit", {"invoiceId": much["id"]}, **wanted)
    by_agent = await site.agent(ana, **wanted).in_full.refused("emit_einvoice", invoiceId=much["id"])

    assert told(by_agent) == told(answer.json())
    assert (by_agent["code"], by_agent["errors"][0]["code"]) == ("FISCAL_CHECK_FAILED", "1150")
    assert word in by_agent["remedy"]
    assert set(by_agent["errors"][0]["translations"]) == {"ca", "es", "en"}


@pytest.mark.parametrize(("language", "word"), [("en", "has been annulled"), ("es", "se ha anulado")])
async def test_what_we_refuse_ourselves_is_the_same_problem_in_either_language(site, language, word):
    ana = await site.person()
    invoice = await ana.invoice()
    record = await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    await ana.post("/api/einvoice/annul", {"fiscalId": record["fiscalId"], "reason": "Duplicada"})
    noted = {
        "invoiceId": invoice["id"],
        "originalFiscalId": record["fiscalId"],
        "originalDate": invoice["issueDate"],
    }
    wanted = {"accept-language": language}

    by_rest = await ana.refused(400, "POST", "/api/einvoice/credit-note", noted, **wanted)
    by_agent = await site.agent(ana, **wanted).in_full.refused("create_credit_note", **noted)

    assert told(by_agent) == told(by_rest)
    assert by_agent["code"] == "INVOICE_ANNULLED"
    assert word in by_agent["detail"]


async def test_an_agent_is_told_of_a_taken_number_and_what_a_replacement_would_overwrite(site):
    ana = await site.person()
    agent = site.agent(ana).in_full
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:taken 605000]", unitPrice=7)])

    by_rest = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    taken = await agent.refused("emit_einvoice", invoiceId=invoice["id"])
    preview = await agent.preview("emit_einvoice", invoiceId=invoice["id"], replace=True)
    renumbered = await agent.ok("emit_einvoice", invoiceId=invoice["id"], renumber=True)

    held = taken["result"]["takenBy"]
    assert (taken["code"], by_rest["code"], held["total"]) == ("NUMBER_TAKEN", "NUMBER_TAKEN", 6050)
    assert "sustituir para siempre" in preview["question"]
    assert "Total de lo que se sustituye: 6.050,00 EUR" in preview["question"]
    assert held["hash"] not in preview["question"]
    assert preview["answer"]["replaces"]["hash"] == held["hash"]
    assert "replaced" in [one["action"] for one in preview["writes"]]
    assert (renumbered["status"], renumbered["number"] == taken["result"]["number"]) == ("accepted", False)

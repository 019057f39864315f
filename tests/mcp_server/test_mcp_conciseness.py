"""Answers are brief unless full detail is asked for: nothing empty, and of a tax form the boxes that are not zero."""

import json
from datetime import date
from uuid import uuid4

import pytest
from pydantic_core import to_json

from ledgerkit.core.platform.request.operation import Effect
from ledgerkit.mcp_server.conciseness import TRUE_AS_A_RULE, concise, refusal
from ledgerkit.mcp_server.schemas import DETAIL
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.problems import Code, Internal, Invalid, NotFound, ProblemsMsg
from support.api import invoice_body, item
from support.periods import quarter

FORM, JOURNEY = 3_000, 12_000
"""Most bytes of a tax form, and of its journey: compute, change a box, preview of the lock, lock."""


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ({"id": "a", "notes": None, "paid": False, "tags": [], "client": {}, "terms": ""}, {"id": "a"}),
        ({"total": 0, "rate": 0.0}, {"total": 0, "rate": 0.0}),
        ({"client": {"name": "Norte", "city": None}, "lines": [{"unit": None, "n": 1}]},
         {"client": {"name": "Norte"}, "lines": [{"n": 1}]}),
        ({"items": [], "total": 0, "nextCursor": None}, {"items": [], "total": 0, "nextCursor": None}),
        ({"isActive": False, "deductible": False, "ok": False, "triangular": False},
         {"isActive": False, "deductible": False, "ok": False}),
        ({"createdBy": "u", "channel": "mcp", "hash": "00", "pdfUrl": "x", "n": 1}, {"n": 1}),
        ({"remedy": {"en": "Do it.", "es": "Hazlo.", "ca": "Fes-ho."}}, {"remedy": "Hazlo."}),
        ({"remedy": {"en": "Do it."}}, {"remedy": "Do it."}),
        ({"qr": "data:image/png;base64,AAAA", "n": 1}, {"n": 1}),
        ({"register": None}, {"register": None}),
        ({"changes": {"paid": {"from": False, "to": True}}}, {"changes": {"paid": {"to": True}}}),
    ],
)  # fmt: skip
def test_what_a_brief_answer_leaves_out(answer, shown):
    assert concise(answer, "es") == shown


def test_a_form_has_its_boxes_that_are_not_zero_with_their_names_and_what_was_computed():
    form = {
        "boxes": {"07": 100.0, "09": 21.0, "28": 0.0, "29": 5.0},
        "effectiveBoxes": {"07": 100.0, "09": 20.0, "28": 0.0, "29": 0.0},
        "boxNames": {"07": "Base", "09": "Tax", "28": "Deductible", "29": "Deducted"},
        "sections": [{"title": "x", "lines": []}],
        "evidence": {"07": ["a"]},
        "notes": None,
    }

    assert concise({"answer": form}, "en")["answer"] == {
        "boxes": {
            "07": {"name": "Base", "value": 100.0},
            "09": {"name": "Tax", "value": 20.0, "computed": 21.0},
            "29": {"name": "Deducted", "value": 0.0, "computed": 5.0},
        }
    }


def size(answer):
    return len(to_json(answer))


async def test_the_journey_of_a_form_is_read_in_twelve_kilobytes(site):
    ana = await site.person()
    agent = site.agent(ana, **{"Accept-Language": "es"})
    for line in (item(unitPrice=1000), item(unitPrice=50, taxRate=10)):
        draft = await agent.ok("create_invoice", **invoice_body(items=[line], retentionRate=15))
        await agent.ok("emit_einvoice", invoiceId=draft["id"])
    issued = date.fromisoformat((await agent.ok("get_invoice", id=draft["id"]))["issueDate"])
    day = {"amount": 121, "taxRate": 21, "date": f"{issued}"}
    await agent.ok("create_expense", description="Papel", vendor="Sol, S.L.", **day)

    period = {"country": "ES", "form": "303", "year": issued.year, "period": quarter(issued)}
    made = await agent.ok("generate_tax_declaration", **period)
    changed = await agent.ok("update_tax_declaration", id=made["id"], manualOverrides={"28": 1200.5})
    preview = await agent.preview("lock_tax_declaration", id=made["id"])
    locked = await agent.ok("lock_tax_declaration", id=made["id"])
    whole = await agent.ok("get_tax_declaration", id=made["id"], detail="full")

    assert sum(map(size, (made, changed, preview, locked))) <= JOURNEY
    assert max(size(made), size(changed), size(locked)) <= FORM < size(whole)
    assert made["boxes"]["07"] == {"name": whole["boxNames"]["07"], "value": 1000}
    assert changed["boxes"]["28"]["value"] == 1200.5
    assert "boxes" not in preview["answer"], "the question has said what is locked"
    shown = {box: value for box, value in whole["effectiveBoxes"].items() if value or whole["boxes"][box]}
    assert {box: content["value"] for box, content in locked["boxes"].items()} == shown
    assert {box: content["name"] for box, content in locked["boxes"].items()}.items() <= whole["boxNames"].items()


def empty_parts(value, path=""):
    """Places of null, false, empty texts, lists and objects."""
    if isinstance(value, dict | list):
        if not value:
            yield path
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in members:
            yield from empty_parts(inner, f"{path}.{name}")
    elif value is None or value is False or value == "":
        yield path


async def books(site):
    """A team with some of everything, and the arguments of tools that read and write it."""
    ana = await site.person()
    agent = site.agent(ana)
    draft = await agent.ok("create_invoice", **invoice_body())
    await agent.ok("emit_einvoice", invoiceId=draft["id"])
    vendor = await agent.ok("save_vendor", name="Sol, S.L.", taxId="B12345674")
    bill = {"vendorId": vendor["id"], "invoiceDate": "2026-02-01", "taxRate": 21, "total": 121, "invoiceNumber": "A-1"}
    expense = {"description": "Licencia", "amount": 121, "taxRate": 21, "date": "2026-03-02"}
    me = (await agent.ok("whoami"))["user"]
    ids = {
        "client": draft["clientId"],
        "invoice": draft["id"],
        "vendor": vendor["id"],
        "supplier_invoice": (await agent.ok("create_supplier_invoice", **bill))["id"],
        "expense": (await agent.ok("create_expense", **expense))["id"],
        "task": (await agent.ok("save_task", title="Llamar", assignedTo=me["id"], clientId=draft["clientId"]))["id"],
    }
    await agent.ok("save_catalog_item", name="Taza", unitPrice=6, stock=2, other={"lowStockThreshold": 5})
    await agent.ok("record_supplier_payment", id=ids["supplier_invoice"], amount=21, paymentMethod="transfer")
    await agent.ok("open_cash_register", openingAmount=5)
    form = await agent.ok("generate_tax_declaration", country="ES", form="303", year=2026, period="Q4")
    ids["tax_declaration"] = form["id"]
    return agent, ids


def reading_calls(ids):
    special = {
        "get_document": [{"kind": "catalog_csv"}],
        "get_report": [{"kind": kind} for kind in ("profit_loss", "tax_summary", "income_summary")],
        "get_payables": [{"view": view} for view in ("summary", "aging", "by_vendor", "alerts")],
        "get_cash_register": [{"view": view} for view in ("current", "open", "history", "summary")],
        "list_tax_declarations": [{"view": view} for view in ("declarations", "calendar", "supported")],
        "list_tasks": [{"view": view} for view in ("all", "mine", "overview")],
        "search": [{"q": "norte"}, {"q": "121,00"}],
        "get_einvoice_status": [{}, {"invoiceId": ids["invoice"]}],
    }
    for name, tool in TOOLS.items():
        if Effect.READ_ONLY in tool.effects:
            kind = name.removeprefix("get_")
            yield from ((name, call) for call in special.get(name, [{"id": ids[kind]} if kind in ids else {}]))


async def test_no_answer_has_what_says_nothing_and_none_is_longer_than_in_full(site):
    agent, ids = await books(site)
    stays = {"items", "nextCursor", "register", *TRUE_AS_A_RULE}

    for tool, arguments in reading_calls(ids):
        brief, whole = await agent.ok(tool, **arguments), await agent.ok(tool, **arguments, detail="full")
        assert [path for path in empty_parts(brief) if path.rpartition(".")[2] not in stays] == [], tool
        assert size(brief) <= size(whole), tool
        assert "/api/" not in json.dumps(brief), tool
        if size(whole) > 1.5 * size(brief) and size(whole) > 1_000:
            assert DETAIL in TOOLS[tool].schema["properties"], f"{tool}: {size(brief)} of {size(whole)}"


async def test_tasks_have_names_beside_ids_whatever_answers_them(site):
    agent, ids = await books(site)

    saved = await agent.ok("save_task", id=ids["task"], priority="high")
    moved = await agent.ok("move_task", id=ids["task"], status="review")
    read = await agent.ok("get_task", id=ids["task"])

    names = {(task["clientName"], task["assignedToName"]) for task in (saved, moved, read)}
    assert names == {("Talleres Norte, S.L.", read["assignedToName"])}


async def test_an_invoice_names_others_by_their_numbers(site):
    ana = await site.person()
    agent = site.agent(ana)
    original = await ana.invoice()
    record = await agent.ok("emit_einvoice", invoiceId=original["id"])
    issued = (await agent.ok("get_invoice", id=original["id"]))["issueDate"]
    credit = {"invoiceId": original["id"], "originalFiscalId": record["fiscalId"], "originalDate": issued}
    note = await agent.ok("create_credit_note", **credit)

    credited = await agent.ok("get_invoice", id=original["id"])
    (of_note,) = [await agent.ok("get_invoice", id=each) for each in credited["rectifiedBy"]]

    assert credited["rectifiedByNumbers"] == [note["number"]]
    assert (of_note["rectifies"], of_note["rectifiesNumber"]) == (original["id"], record["number"])


async def test_full_detail_is_what_rest_shows(site):
    ana = await site.person()
    agent = site.agent(ana)
    draft = await agent.ok("create_invoice", **invoice_body(), detail="full")

    assert draft == await ana.get(f"/api/invoices/{draft['id']}")
    assert set(await agent.ok("get_invoice", id=draft["id"])) < set(draft)


async def test_how_much_is_shown_is_no_part_of_what_is_confirmed_or_repeated(site):
    agent = site.agent(await site.person())
    key = uuid4().hex
    draft = await agent.ok("create_invoice", **invoice_body(), idempotency_key=key)
    again = await agent.ok("create_invoice", **invoice_body(), idempotency_key=key, detail="full")

    preview = await agent.preview("emit_einvoice", invoiceId=draft["id"], detail="full")
    token = preview["confirmationToken"]
    done = await agent.call("emit_einvoice", invoiceId=draft["id"], confirmation_token=token)

    assert again["id"] == draft["id"]
    assert preview["answer"]["corrects"] is None
    assert (done.failed, done.body["status"]) == (False, "accepted")
    assert (await agent.ok("list_invoices"))["total"] == 1


# ---------------------------------------------------------------- refusals


def test_a_refusal_says_each_thing_once():
    problem = Invalid.field("dueDate", ProblemsMsg.BROKEN, code=Code.INVOICE_LOCKED)

    assert refusal(problem, "en", "r1") == {
        "code": "INVOICE_LOCKED",
        "errors": [{"field": "dueDate", "message": "Something went wrong on our side."}],
        "remedy": problem.remedy,
    }


def test_the_request_is_named_where_the_fault_is_ours():
    assert refusal(Internal(ProblemsMsg.BROKEN), "en", "r1")["requestId"] == "r1"
    assert "requestId" not in refusal(NotFound(ProblemsMsg.BROKEN), "en", "r1")


@pytest.mark.parametrize("detail", ["concise", "full"])
async def test_the_authority_s_refusal_has_no_picture(site, detail):
    ana = await site.person()
    agent = site.agent(ana)
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1100]")])
    preview = await agent.preview("emit_einvoice", invoiceId=invoice["id"])

    token = preview["confirmationToken"]
    refused = await agent.refused("emit_einvoice", invoiceId=invoice["id"], confirmation_token=token, detail=detail)

    assert refused["code"] == "AUTHORITY_REJECTED"
    assert "data:image" not in json.dumps(refused)
    assert refused["result"]["number"]
    assert size(refused) < (1_500 if detail == "concise" else 4_000)


async def test_what_goes_without_saying_and_what_only_programs_read_is_in_full_detail_only(site):
    ana = await site.person()
    agent = site.agent(ana)
    draft = await agent.ok("create_invoice", **invoice_body())
    whole = await agent.ok("get_invoice", id=draft["id"], detail="full")
    form = await agent.ok("generate_tax_declaration", country="ES", form="349", year=2026, period="Q1")
    whole_form = await agent.ok("get_tax_declaration", id=form["id"], detail="full")

    assert (whole["issuedBy"], whole["origin"]) == ("issuer", "own")
    assert {"issuedBy", "origin"}.isdisjoint(draft)
    assert whole_form["recordFields"]
    assert "recordFields" not in form


async def test_the_state_of_einvoicing_is_without_explanations_and_former_law(site):
    agent = site.agent(await site.person())

    brief, whole = await agent.ok("get_einvoice_status"), await agent.ok("get_einvoice_status", detail="full")

    assert "former" in whole["obligations"][-1]
    assert brief["obligations"][-1].keys() <= {"who", "from", "source", "announced"}
    assert size(brief) < 2_000


async def test_comparisons_that_agree_are_named_only(site):
    agent = site.agent(await site.person())
    for period in ("Q1", "Q2"):
        await agent.ok("generate_tax_declaration", country="ES", form="303", year=2026, period=period)

    brief = await agent.ok("list_tax_declarations", view="checks", year=2026)
    whole = await agent.ok("list_tax_declarations", view="checks", year=2026, detail="full")

    assert [check["code"] for check in brief["items"]] == [check["code"] for check in whole["items"]]
    assert all("left" not in check for check in brief["items"] if check["state"] != "different")
    assert size(brief) < size(whole) / 3


async def test_previews_do_not_repeat_the_record(site):
    ana = await site.person()
    agent = site.agent(ana)
    draft = await agent.ok("create_invoice", **invoice_body())
    await agent.ok("emit_einvoice", invoiceId=draft["id"])
    form = await agent.ok("generate_tax_declaration", country="ES", form="303", year=2026, period="Q1")
    unsealed = await agent.ok("create_invoice", **invoice_body())

    paid = await agent.preview("mark_invoice_paid", id=unsealed["id"])
    sent = await agent.preview("send_invoice", id=draft["id"])
    locked = await agent.preview("lock_tax_declaration", id=form["id"])

    assert "items" not in paid["answer"]
    assert paid["answer"]["status"] == "paid"
    assert "items" not in str(sent["answer"])
    assert "boxes" not in locked["answer"]
    assert max(size(paid), size(sent), size(locked)) < 2_000

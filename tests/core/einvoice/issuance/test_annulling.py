"""Annulling an invoice: the record, the effect on all figures, and what may still be done to the invoice."""

import asyncio
from collections import Counter
from decimal import Decimal
from io import BytesIO

import pypdfium2
import pytest
import zxingcpp
from lxml import etree

from ledgerkit.providers.es.sandbox import Fault
from support.api import item
from support.issuing import as_earlier_versions_did
from support.office import emit, eventually, settled, until, waiting, withheld
from support.periods import YEAR

SF = "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/SuministroInformacion.xsd}"
FIGURES = ("invoiceCount", "totalInvoiced", "balance")
FLAGS = ("Subsanacion", "SinRegistroPrevio", "RechazoPrevio")


def marked(marker: str) -> list[dict]:
    return [item(description=f"Identidad visual [sandbox:{marker}]")]


async def annul(api, result, reason="Emitida por error"):
    return await api.post("/api/einvoice/annul", {"fiscalId": result["fiscalId"], "reason": reason})


async def refused(status, api, result, reason="Emitida por error"):
    return await api.refused(status, "POST", "/api/einvoice/annul", {"fiscalId": result["fiscalId"], "reason": reason})


async def reactivate(api, invoice):
    return await api.post("/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True})


async def record_kinds(office, api) -> list[tuple[str, str]]:
    """Element name and flags of each record of an account."""
    kinds = []
    for record in await office.records(api):
        root = etree.fromstring(record.content)
        flags = " ".join(f"{name}={root.findtext(SF + name)}" for name in FLAGS if root.find(SF + name) is not None)
        kinds.append((etree.QName(root).localname, flags))
    return kinds


async def figures(api) -> dict:
    """All figures in which an invoice counts."""
    [client] = await api.get("/api/clients")
    return {
        "client": {name: client[name] for name in FIGURES},
        "profit": await api.get("/api/expenses/profit-loss"),
        "tax": await api.get("/api/expenses/tax-summary"),
        "vat": await api.get("/api/expenses/vat-balance"),
        "income": await api.get("/api/expenses/income-summary"),
        "cash": await api.get("/api/expenses/cashflow"),
    }


@pytest.fixture
async def other_invoice(ana):
    """An invoice that stays, so that no figure is empty."""
    invoice = await ana.invoice(items=[item(unitPrice=100)], retentionRate=15)
    await emit(ana, invoice)
    return invoice


async def test_an_annulment_is_reported_in_the_same_chain(office, ana):
    invoice = await ana.invoice()
    result = await emit(ana, invoice)

    answer = await annul(ana, result)

    assert (answer["ok"], answer["fiscalId"], answer["status"]) == (True, result["fiscalId"], "annulled")
    assert (answer["reason"], answer["number"], answer["warning"]) == ("Emitida por error", f"F{YEAR}-0001", None)
    assert answer["csv"]
    assert await record_kinds(office, ana) == [("RegistroAlta", ""), ("RegistroAnulacion", "")]
    assert [entry.state for entry in office.authority.records(ana.team["taxId"])] == ["Anulada"]
    assert office.authority.chain_breaks(ana.team["taxId"]) == ()
    _, record = await office.records(ana)
    assert b"por error" not in record.content


async def test_the_invoice_stays_as_it_is_and_says_that_it_is_annulled(ana):
    invoice = await ana.invoice()
    result = await emit(ana, invoice)

    await annul(ana, result)

    stored = await ana.get(f"/api/invoices/{invoice['id']}")
    assert (stored["status"], stored["number"], stored["total"], stored["balance"]) == (
        "sent",
        f"F{YEAR}-0001",
        1452,
        0,
    )
    stamp = stored["einvoice"]
    assert (stamp["status"], stamp["kind"], stamp["corrects"]) == ("annulled", "annul", result["id"])
    assert (stamp["fiscalId"], stamp["qrUrl"]) == (result["fiscalId"], None)
    [listed] = await ana.get("/api/invoices?status=sent")
    assert listed == stored


@pytest.mark.parametrize(
    "fields",
    [{}, {"items": [item(surchargeRate=5.2)]}, {"retentionRate": 15}, {"items": [item(taxCategory="exempt")]}],
    ids=["plain", "surcharge", "retention", "exempt"],
)
async def test_all_figures_are_as_before_it_was_issued_and_come_back_with_it(ana, other_invoice, fields):
    before = await figures(ana)
    invoice = await ana.invoice(**fields)
    result = await emit(ana, invoice)
    counted = await figures(ana)

    await annul(ana, result)
    without = await figures(ana)
    await reactivate(ana, invoice)

    assert counted != before
    assert without == before
    assert await figures(ana) == counted


async def test_figures_of_a_paid_invoice_go_with_its_payments_and_a_warning_says_so(ana, other_invoice):
    before = await figures(ana)
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    await ana.patch(f"/api/invoices/{invoice['id']}/pay")
    counted = await figures(ana)

    answer = await annul(ana, result)

    assert "1452.00 EUR" in answer["warning"]
    assert await figures(ana) == before
    await reactivate(ana, invoice)
    assert await figures(ana) == counted
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["status"] == "paid"


async def test_goods_come_back_with_an_annulment_and_go_again_with_a_revival(ana):
    product = await ana.post("/api/catalog", {"type": "product", "name": "Silla", "unitPrice": 60, "stock": 10})

    async def stock():
        [now] = await ana.get("/api/catalog")
        return now["stock"]

    invoice = await ana.invoice(items=[item(quantity=3, unitPrice=60, catalogItemId=product["id"])])
    result = await emit(ana, invoice)
    levels = [await stock()]
    await annul(ana, result)
    levels.append(await stock())
    await reactivate(ana, invoice)
    levels.append(await stock())

    assert levels == [7, 10, 7]


async def test_until_the_authority_answers_the_invoice_counts_and_shows_the_annulment_under_way(
    office, ana, other_invoice
):
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    counted = await figures(ana)

    with waiting(office) as callers:
        asking = asyncio.create_task(annul(ana, result))
        await eventually(lambda: has_records(office, ana, 3))
        stored = await ana.get(f"/api/invoices/{invoice['id']}")
        again = asyncio.create_task(annul(ana, result, "Otra vez"))
        locked = await ana.refused(400, "PATCH", f"/api/invoices/{invoice['id']}/pay")
        assert await figures(ana) == counted
        await until(lambda: callers >= {asking, again})
    first, second = await asking, await again

    assert (stored["einvoice"]["status"], stored["einvoice"]["kind"], stored["balance"]) == (
        "pending",
        "annul",
        1452,
    )
    assert (locked["code"], "is being annulled" in locked["detail"]) == ("INVOICE_ANNULLED", True)
    assert first == second
    assert first["reason"] == "Emitida por error"
    assert len(await office.records(ana)) == 3


async def has_records(office, api, count):
    return len(await office.records(api)) == count


async def test_a_refused_annulment_changes_nothing_and_can_be_requested_again(office, ana, other_invoice):
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    counted = await figures(ana)
    office.authority.faults.add(Fault(reject=1110))

    problem = await refused(422, ana, result)

    assert problem["code"] == "AUTHORITY_REJECTED"
    assert f"annulment of F{YEAR}-0002" in problem["detail"]
    assert (problem["result"]["kind"], problem["result"]["status"]) == ("annul", "rejected")
    assert await figures(ana) == counted
    stored = await ana.get(f"/api/invoices/{invoice['id']}")
    assert (stored["einvoice"]["status"], stored["einvoice"]["kind"]) == ("accepted", "issue")
    assert stored["einvoice"]["id"] == result["id"]
    assert await emit(ana, invoice) == result
    await ana.patch(f"/api/invoices/{invoice['id']}/pay")

    assert (await annul(ana, result))["status"] == "annulled"
    assert (await record_kinds(office, ana))[2:] == [
        ("RegistroAnulacion", ""),
        ("RegistroAnulacion", "RechazoPrevio=S"),
    ]


async def test_a_rejected_invoice_is_annulled_as_one_the_authority_never_had(office, ana):
    invoice = await ana.invoice(items=marked("reject 1124"))
    problem = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})

    answer = await annul(ana, problem["result"])

    assert answer["status"] == "annulled"
    assert await record_kinds(office, ana) == [("RegistroAlta", ""), ("RegistroAnulacion", "SinRegistroPrevio=S")]
    [client] = await ana.get("/api/clients")
    assert {name: client[name] for name in FIGURES} == {"invoiceCount": 0, "totalInvoiced": 0, "balance": 0}


async def test_an_annulment_of_what_was_refused_may_be_refused_too(office, ana):
    invoice = await ana.invoice(items=marked("reject 1124"))
    problem = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    office.authority.faults.add(Fault(reject=1110))
    await refused(422, ana, problem["result"])
    stored = await ana.get(f"/api/invoices/{invoice['id']}")

    await annul(ana, problem["result"])

    assert (stored["einvoice"]["status"], stored["einvoice"]["kind"]) == ("rejected", "issue")
    assert (await record_kinds(office, ana))[2] == ("RegistroAnulacion", "SinRegistroPrevio=S RechazoPrevio=S")


async def test_an_invoice_that_awaits_its_answer_is_annulled_after_it(office, ana):
    invoice = await ana.invoice()
    with withheld():
        emission = asyncio.create_task(emit(ana, invoice))
        await eventually(lambda: has_records(office, ana, 1))
        under_way = (await ana.get(f"/api/invoices/{invoice['id']}"))["einvoice"]

        problem = await refused(400, ana, under_way)

    assert (under_way["status"], problem["code"]) == ("pending", "NOT_ANNULLABLE")
    assert ("on its way" in problem["detail"], "Wait for the answer" in problem["remedy"]) == (True, True)
    assert len(await office.records(ana)) == 1
    assert (await annul(ana, await emission))["status"] == "annulled"


async def test_annulling_twice_is_a_400_with_a_remedy(office, ana):
    result = await emit(ana, await ana.invoice())
    await annul(ana, result)

    problem = await refused(400, ana, result)

    assert problem["code"] == "NOT_ANNULLABLE"
    assert "annulled already" in problem["detail"]
    assert "correct: true" in problem["remedy"]
    assert len(await office.records(ana)) == 2


async def test_an_invoice_of_another_environment_is_not_annulled_here(office, ana, other_invoice, moved):
    standing = await ana.get(f"/api/einvoice/status/{other_invoice['id']}")
    moved()

    annulling = {"fiscalId": standing["fiscalId"], "reason": "Duplicada"}
    problem = await ana.refused(400, "POST", "/api/einvoice/annul", annulling)

    assert problem["code"] == "NOT_ANNULLABLE"
    assert "`sandbox`" in problem["detail"]
    assert len(await office.records(ana)) == 1


async def test_a_reactivated_invoice_can_be_annulled_again(office, ana):
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    await annul(ana, result)

    again = await reactivate(ana, invoice)
    await annul(ana, again)

    assert (again["status"], again["kind"], again["number"]) == ("accepted", "issue", f"F{YEAR}-0001")
    assert (again["fiscalId"], again["qrUrl"]) == (result["fiscalId"], result["qrUrl"])
    kinds = [("RegistroAlta", ""), ("RegistroAnulacion", ""), ("RegistroAlta", "Subsanacion=S")]
    assert await record_kinds(office, ana) == [*kinds, ("RegistroAnulacion", "")]


async def test_a_refused_reactivation_leaves_it_annulled(office, ana, other_invoice):
    before = await figures(ana)
    invoice = await ana.invoice()
    await annul(ana, await emit(ana, invoice))
    office.authority.faults.add(Fault(reject=1110))

    problem = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True})

    assert problem["code"] == "AUTHORITY_REJECTED"
    assert await figures(ana) == before
    locked = await ana.refused(400, "PATCH", f"/api/invoices/{invoice['id']}/pay")
    assert locked["code"] == "INVOICE_ANNULLED"
    assert (await reactivate(ana, invoice))["status"] == "accepted"
    assert (await record_kinds(office, ana))[-1] == ("RegistroAlta", "Subsanacion=S RechazoPrevio=S")


async def test_emitting_an_annulled_invoice_without_correct_shows_that_it_is_annulled(office, ana):
    invoice = await ana.invoice()
    await annul(ana, await emit(ana, invoice))

    answer = await emit(ana, invoice)

    assert (answer["status"], answer["kind"]) == ("annulled", "annul")
    assert len(await office.records(ana)) == 2


LOCKED = {
    "paid": ("PATCH", "/pay", None),
    "mailed": ("PATCH", "/send", None),
    "changed": ("PUT", "", {"notes": "Gracias"}),
}


@pytest.mark.parametrize("name", LOCKED)
async def test_an_annulled_invoice_is_neither_paid_nor_mailed_nor_changed(ana, name):
    invoice = await ana.invoice()
    await annul(ana, await emit(ana, invoice))
    method, path, body = LOCKED[name]

    problem = await ana.refused(400, method, f"/api/invoices/{invoice['id']}{path}", body)

    assert problem["code"] == "INVOICE_ANNULLED"
    assert problem["remedy"]


async def test_an_annulled_invoice_is_not_paid_at_the_till(ana):
    invoice = await ana.invoice()
    await annul(ana, await emit(ana, invoice))
    register = await ana.post("/api/cash-register", {"openingAmount": 0})
    sale = {"type": "sale", "amount": 1452, "description": "Factura", "invoiceId": invoice["id"]}

    problem = await ana.refused(400, "POST", f"/api/cash-register/{register['id']}/movement", sale)

    assert problem["code"] == "INVOICE_ANNULLED"
    assert (await ana.get("/api/cash-register/current"))["salesCount"] == 0


async def test_a_correction_stays_with_the_country_of_its_first_record(office, ana):
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    await ana.put("/api/teams/current", {"country": "PT"})

    answer = await annul(ana, result)
    again = await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True})

    assert (answer["status"], again["status"]) == ("annulled", "accepted")
    assert {record.country for record in await office.records(ana)} == {"ES"}


async def test_an_annulled_invoice_cannot_be_credited(ana):
    original = await ana.invoice()
    result = await emit(ana, original)
    note = {"docType": "credit_note", "rectifies": original["id"], "items": [item(unitPrice=-10)]}
    draft = await ana.invoice(**note)

    await annul(ana, result)

    drafting = await ana.refused(400, "POST", "/api/invoices", {"client": original["client"], **note})
    emitting = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    assert [drafting["code"], emitting["code"]] == ["INVOICE_ANNULLED"] * 2
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"


async def test_an_invoice_is_annulled_after_its_credit_notes(ana, other_invoice):
    before = await figures(ana)
    original = await ana.invoice()
    result = await emit(ana, original)
    alone = await figures(ana)
    note = await ana.invoice(docType="credit_note", rectifies=original["id"], items=[item(unitPrice=-200)])
    correction = await emit(ana, note)

    problem = await refused(400, ana, result)
    await annul(ana, correction)
    without_note = await figures(ana)
    await annul(ana, result)

    assert (problem["code"], correction["number"] in problem["detail"]) == ("NOT_ANNULLABLE", True)
    assert without_note == alone
    assert await figures(ana) == before


async def test_a_restored_credit_note_does_not_settle_an_annulled_invoice(office, ana):
    original = await ana.invoice()
    result = await emit(ana, original)
    note = await ana.invoice(docType="credit_note", rectifies=original["id"], items=[item(unitPrice=-200)])
    async with as_earlier_versions_did(office, ana):
        await ana.patch(f"/api/invoices/{note['id']}/send")
        await ana.delete(f"/api/invoices/{note['id']}")
    await annul(ana, result)

    await ana.post(f"/api/invoices/{note['id']}/restore")

    assert (await ana.get(f"/api/invoices/{note['id']}"))["balance"] == -242
    assert (await ana.get(f"/api/invoices/{original['id']}"))["balance"] == 0


async def test_deleting_names_the_annulment_which_works_on_a_deleted_invoice(ana, other_invoice):
    before = await figures(ana)
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    counted = await figures(ana)

    deleted = await ana.delete(f"/api/invoices/{invoice['id']}")
    hidden = await figures(ana)
    await annul(ana, result)
    without = await figures(ana)

    assert result["fiscalId"] in deleted["warning"]
    assert "/api/einvoice/annul" in deleted["warning"]
    declared = ("client", "profit", "tax", "vat")
    assert [hidden[name] for name in declared] == [counted[name] for name in declared]
    assert without == before
    await ana.post(f"/api/invoices/{invoice['id']}/restore")
    stored = await ana.get(f"/api/invoices/{invoice['id']}")
    assert stored["einvoice"]["status"] == "annulled"
    assert await figures(ana) == before


async def test_deleting_an_annulled_invoice_needs_no_warning(ana):
    invoice = await ana.invoice()
    await annul(ana, await emit(ana, invoice))

    assert await ana.delete(f"/api/invoices/{invoice['id']}") == {"ok": True, "warning": None}


@pytest.mark.parametrize("fiscal_id", ["", "nothing", "12345678Z:F2026-0001:2026-11-21"])
async def test_an_unknown_identity_is_a_wrong_field(ana, fiscal_id):
    problem = await ana.refused(400, "POST", "/api/einvoice/annul", {"fiscalId": fiscal_id, "reason": "x"})

    assert [error["field"] for error in problem["errors"]] == ["fiscalId"]


@pytest.mark.parametrize(
    ("reason", "status"), [("", 400), ("   ", 400), ("x", 200), ("x" * 500, 200), ("x" * 501, 400)]
)
async def test_a_reason_is_one_to_five_hundred_characters(ana, reason, status):
    result = await emit(ana, await ana.invoice())

    answer = await ana.request("POST", "/api/einvoice/annul", {"fiscalId": result["fiscalId"], "reason": reason})

    assert answer.status_code == status


async def test_an_invoice_of_another_account_is_unknown(office, ana):
    result = await emit(ana, await ana.invoice())
    berta = await office.account("Berta Gil")

    problem = await refused(400, berta, result)

    assert [error["field"] for error in problem["errors"]] == ["fiscalId"]
    assert len(await office.records(ana)) == 1


async def test_sixteen_callers_annul_once_and_reactivate_once(office, ana):
    invoice = await ana.invoice()
    result = await emit(ana, invoice)

    async def together(work):
        with waiting(office) as callers:
            tasks = [asyncio.create_task(work()) for _ in range(16)]
            await until(lambda: callers.issuperset(tasks))
        return await asyncio.gather(*tasks)

    annulled = await together(lambda: annul(ana, result))
    back = await together(lambda: reactivate(ana, invoice))

    assert Counter(one["status"] for one in annulled) == {"annulled": 16}
    assert len({one["id"] for one in back}) == 1
    assert Counter(record.kind for record in await office.records(ana)) == {"issue": 2, "annul": 1}


async def test_the_activity_names_who_annulled_the_reason_and_the_outcome(office, ana):
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    office.authority.faults.add(Fault(reject=1110))
    await refused(422, ana, result)
    await annul(ana, result, "Duplicada")

    feed = await ana.get("/api/invoices/activity/feed?limit=4")

    actions = [entry["action"] for entry in reversed(feed)]
    assert actions == ["annulment_requested", "annulment_rejected", "annulment_requested", "annulled"]
    assert feed[1]["changes"]["reason"] == {"from": None, "to": "Duplicada"}


async def test_a_till_ticket_is_annulled_like_any_other(office, ana):
    register = await ana.post("/api/cash-register", {"openingAmount": 0})
    line = {"description": "Café", "quantity": 1, "unitPrice": 10, "taxRate": 10}
    sale = {"type": "sale", "amount": 11, "description": "Café", "lineItems": [line]}
    moved = await ana.post(f"/api/cash-register/{register['id']}/movement", sale)
    ticket = await ana.get(f"/api/invoices/{moved['movements'][-1]['invoiceId']}")
    standing = await settled(ana, ticket)

    answer = await annul(ana, standing)

    assert (answer["number"], answer["status"]) == (f"T{YEAR}-0001", "annulled")
    assert "11.00 EUR" in answer["warning"]
    assert (await ana.get("/api/expenses/profit-loss"))["income"] == 0
    refund = {"type": "refund", "amount": 11, "description": "Café"}
    problem = await ana.refused(400, "POST", f"/api/cash-register/{register['id']}/movement", refund)
    assert (problem["code"], problem["candidates"]) == ("REFUND_NEEDS_INVOICE", [])


async def codes_and_text(api, invoice) -> tuple[int, str]:
    """Number of QRs and text of an invoice's PDF."""
    answer = await api.request("GET", f"/api/invoices/{invoice['id']}/pdf")
    page = pypdfium2.PdfDocument(BytesIO(answer.content))[0]
    codes = zxingcpp.read_barcodes(page.render(scale=3).to_pil())
    return len(codes), page.get_textpage().get_text_bounded()


async def test_the_pdf_of_an_annulled_invoice_says_so_and_has_no_qr(ana):
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    before = await codes_and_text(ana, invoice)
    await annul(ana, result)

    codes, text = await codes_and_text(ana, invoice)

    assert (before[0], codes) == (1, 0)
    assert "ANULADA" in text
    assert "ANULADA" not in before[1]


# ---------------------------------------------------------------- struck out already, by whoever it was


async def test_an_annulment_of_an_invoice_held_as_annulled_counts_as_accepted(office, ana, other_invoice):
    before = await figures(ana)
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    office.authority.faults.add(Fault(reject=3001))

    answer = await annul(ana, result)

    assert answer["status"] == "annulled"
    stored = await ana.get(f"/api/einvoice/status/{invoice['id']}")
    assert (stored["status"], stored["errors"][0]["code"]) == ("annulled", "3001")
    assert stored["errors"][0]["message"]
    assert await figures(ana) == before


async def test_a_record_that_other_software_reported_and_annulled_is_not_our_annulment(office, ana):
    """The first answer is 1124, and the annulment is refused with 3001: whose annulment that is, is asked."""
    invoice = await ana.invoice()
    office.authority.faults.add(Fault(reject=1124))
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    rejected = (await ana.get(f"/api/invoices/{invoice['id']}"))["einvoice"]
    day = "-".join(reversed(invoice["issueDate"].split("-")))
    theirs = (ana.team["taxId"], rejected["number"], day)
    entry = office.authority.hold_of_others(theirs, Decimal(100), is_annulled=True)
    office.authority.faults.add(Fault(reject=3001))

    problem = await refused(422, ana, rejected)

    assert (problem["code"], problem["result"]["takenBy"]["status"]) == ("NUMBER_TAKEN", "annulled")
    assert (await office.records(ana))[-1].state == "rejected"
    assert office.authority.records(ana.team["taxId"]) == (entry,)


# ---------------------------------------------------------------- whoever made it out strikes it out


@pytest.mark.parametrize("by", ["issuer", "recipient", "third_party"])
async def test_the_annulment_names_the_third_party_that_issued_the_invoice(office, ana, by):
    third = {"name": "Gestoría López SL", "taxId": "B12345674", "country": "ES"} if by == "third_party" else None
    result = await emit(ana, await ana.invoice(issuedBy=by, thirdParty=third))

    answer = await annul(ana, result)

    root = etree.fromstring((await office.records(ana))[-1].content)
    named = root.findtext(f"{SF}GeneradoPor"), root.findtext(f"{SF}Generador/{SF}NombreRazon")
    client = root.findtext(f"{SF}Generador/{SF}NIF")
    assert answer["status"] == "annulled"
    if by == "issuer":
        assert named == (None, None)
    elif by == "recipient":
        assert named[0] == "D"
        assert client is not None
    else:
        assert (named, client) == (("T", third["name"]), third["taxId"])

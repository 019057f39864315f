"""POST /api/einvoice/credit-note: for the whole invoice, for a part, by substitution; refusals and effects."""

import asyncio
from uuid import uuid4

import pytest
from lxml import etree

from ledgerkit.providers.es.sandbox import Fault
from support.api import invoice_body, item
from support.database import as_owner
from support.issuing import as_earlier_versions_did
from support.office import emit, eventually, withheld
from support.periods import YEAR

PATH = "/api/einvoice/credit-note"
SF = (
    "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
    "SuministroInformacion.xsd}"
)
MIXED = [
    item(quantity=3, unitPrice=33.3333, taxRate=21),
    item(quantity=2, unitPrice=0.37, taxRate=10, discount=12.5),
    item(unitPrice=40, taxCategory="exempt", exemptionCode="E1"),
]


def ask(invoice, **fields):
    fiscal = invoice["einvoice"]
    base = {
        "invoiceId": invoice["id"],
        "originalFiscalId": fiscal["fiscalId"],
        "originalDate": invoice["issueDate"],
    }
    return {**base, **fields}


async def emitted(api, **fields):
    invoice = await api.invoice(**fields)
    await emit(api, invoice)
    return await api.get(f"/api/invoices/{invoice['id']}")


@pytest.fixture
async def original(ana):
    return await emitted(ana, items=MIXED, retentionRate=15)


@pytest.fixture
def leaf(office):
    """The text of a leaf of the account's latest record."""

    async def read(api, name: str) -> str | None:
        record = (await office.records(api))[-1]
        return next((element.text for element in etree.fromstring(record.content).iter(SF + name)), None)

    return read


async def figures(api):
    """Figures of an account's reports and of its clients."""
    profit = await api.get("/api/expenses/profit-loss")
    summary = await api.get("/api/expenses/tax-summary")
    income = await api.get("/api/expenses/income-summary")
    clients = await api.get("/api/clients")
    return {
        "income": profit["income"],
        "vat": summary["output"]["tax"],
        "untaxed": summary["output"]["untaxed"],
        "suffered": summary["retentions"]["suffered"],
        "pending": income["pending"],
        "invoiced": sum(client["totalInvoiced"] for client in clients),
        "balance": sum(client["balance"] for client in clients),
    }


NOTHING = dict.fromkeys(("income", "vat", "untaxed", "suffered", "pending", "invoiced", "balance"), 0)


async def test_by_default_everything_is_credited_to_the_cent(schema, office, ana, original, leaf):
    result = await ana.post(PATH, ask(original))

    note = await ana.get(f"/api/invoices/{result['invoiceId']}")
    now = await ana.get(f"/api/invoices/{original['id']}")
    assert (result["status"], note["number"], note["series"]) == ("accepted", f"R{YEAR}-0001", "R")
    assert (note["total"], note["rectifies"], note["correctionReason"]) == (-original["total"], original["id"], "R1")
    assert (await leaf(ana, "TipoFactura"), await leaf(ana, "TipoRectificativa")) == ("R1", "I")
    assert await leaf(ana, "ImporteTotal") == f"{-original['total'] - original['retentionAmount']:.2f}"
    assert (now["balance"], note["balance"], now["rectifiedBy"]) == (0, 0, [note["id"]])
    assert await figures(ana) == NOTHING


async def test_parts_are_credited_until_nothing_is_left(ana, original):
    first = await ana.post(PATH, ask(original, items=[item(quantity=1, unitPrice=33.3333, taxRate=21)]))
    second = await ana.post(PATH, ask(original, items=[item(description="Rebaja", unitPrice=1.11, taxRate=21)]))
    rest = await ana.post(PATH, ask(original))

    notes = [await ana.get(f"/api/invoices/{one['invoiceId']}") for one in (first, second, rest)]
    assert [note["total"] for note in notes[:2]] == [-35.33, -1.17]
    assert round(sum(note["total"] for note in notes), 2) == -original["total"]
    assert round(sum(line["lineTotal"] for line in notes[2]["items"]), 2) == notes[2]["subtotal"]
    assert await figures(ana) == NOTHING
    problem = await ana.refused(400, "POST", PATH, ask(original))
    assert problem["errors"][0]["field"] == "invoiceId"
    assert "nothing is left" in problem["detail"]


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (item(unitPrice=100, taxRate=21), 200),
        (item(unitPrice=100.01, taxRate=21), 400),
        (item(unitPrice=1, taxRate=4), 400),
        (item(unitPrice=40, taxCategory="exempt", exemptionCode="E1"), 200),
        (item(unitPrice=40.01, taxCategory="exempt", exemptionCode="E1"), 400),
        (item(unitPrice=-1, taxRate=21), 400),
    ],
)
async def test_a_part_is_at_most_what_is_left(ana, original, line, status):
    answer = await ana.request("POST", PATH, ask(original, items=[line]))

    assert answer.status_code == status, answer.text
    if status == 400:
        assert [error["field"] for error in answer.json()["errors"]] == ["items"]


async def test_a_substitution_states_the_right_and_the_replaced_amounts(ana, leaf):
    original = await emitted(ana, items=[item(unitPrice=100), item(unitPrice=50, surchargeRate=5.2)])
    await ana.post(PATH, ask(original, items=[item(unitPrice=10)]))

    result = await ana.post(PATH, ask(original, method="substitution", items=[item(unitPrice=80)]))

    note = await ana.get(f"/api/invoices/{result['invoiceId']}")
    fiscal = {
        name: await leaf(ana, name)
        for name in ("TipoRectificativa", "BaseRectificada", "CuotaRectificada", "CuotaRecargoRectificado")
    }
    assert list(fiscal.values()) == ["S", "140.00", "29.40", "2.60"]
    assert (await leaf(ana, "ImporteTotal"), note["total"], note["replaced"]["total"]) == ("96.80", 96.8, 172)
    assert (result["status"], note["balance"]) == ("accepted", 0)
    now = await figures(ana)
    assert (now["income"], now["vat"], now["pending"]) == (80, 16.8, 96.8)
    assert (now["invoiced"], now["balance"]) == (96.8, 96.8)
    rest = await ana.post(PATH, ask(original))
    last = await ana.get(f"/api/invoices/{rest['invoiceId']}")
    assert last["total"] == -96.8
    assert await figures(ana) == NOTHING


async def test_a_substitution_may_raise_what_is_owed(ana):
    original = await emitted(ana, items=[item(unitPrice=100)])

    result = await ana.post(PATH, ask(original, method="substitution", items=[item(unitPrice=150)]))

    note = await ana.get(f"/api/invoices/{result['invoiceId']}")
    assert (note["total"], note["balance"]) == (181.5, 60.5)
    now = await figures(ana)
    assert (now["income"], now["pending"], now["balance"]) == (150, 181.5, 181.5)


@pytest.mark.parametrize("reason", ["R1", "R2", "R3", "R4"])
async def test_each_reason_has_its_kind_of_record(ana, leaf, reason):
    original = await emitted(ana)

    result = await ana.post(PATH, ask(original, reason=reason))

    assert (result["status"], await leaf(ana, "TipoFactura")) == ("accepted", reason)


@pytest.mark.parametrize(("doc_type", "reason"), [("invoice", "R5"), ("invoice", "R9"), ("simplified", "R1")])
async def test_a_reason_that_does_not_go_with_the_invoice_is_refused(ana, doc_type, reason):
    original = await emitted(ana, docType=doc_type, items=[item(unitPrice=10)])

    problem = await ana.refused(400, "POST", PATH, ask(original, reason=reason))

    assert problem["errors"][0]["field"] == "reason"
    assert "R" in problem["remedy"]


async def test_an_anonymous_ticket_is_corrected_by_r5_without_a_client(ana, leaf):
    original = await emitted(ana, docType="simplified", client=None, items=[item(unitPrice=10)])

    result = await ana.post(PATH, ask(original))

    note = await ana.get(f"/api/invoices/{result['invoiceId']}")
    assert (result["status"], await leaf(ana, "TipoFactura")) == ("accepted", "R5")
    assert (note["client"]["name"], note["clientId"]) == (None, None)
    assert (await figures(ana))["income"] == 0


async def test_a_prepared_draft_is_issued_as_it_is(ana, original):
    back = [item(unitPrice=-10, description="Abono", taxRate=21)]
    draft = await ana.invoice(client=None, docType="credit_note", rectifies=original["id"], items=back)

    result = await ana.post(PATH, {**ask(original), "invoiceId": draft["id"]})
    again = await ana.post(PATH, {**ask(original), "invoiceId": draft["id"]})

    assert (result["invoiceId"], result["number"], again["id"]) == (draft["id"], f"R{YEAR}-0001", result["id"])
    assert draft["client"] == original["client"]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["correctionReason"] == "R1"


@pytest.mark.parametrize(
    ("fields", "field"),
    [({"items": [item()]}, "items"), ({"method": "substitution"}, "method"), ({"reason": "R4"}, "reason")],
)
async def test_a_prepared_draft_is_not_contradicted(ana, original, fields, field):
    back = [item(unitPrice=-10, taxRate=21)]
    note = {"docType": "credit_note", "rectifies": original["id"], "items": back, "correctionReason": "R1"}
    draft = await ana.invoice(**note)

    problem = await ana.refused(400, "POST", PATH, {**ask(original), "invoiceId": draft["id"], **fields})

    assert problem["errors"][0]["field"] == field


async def test_a_prepared_draft_is_given_no_reason_that_does_not_go_with_the_invoice(ana, original):
    back = [item(unitPrice=-10, taxRate=21)]
    draft = await ana.invoice(docType="credit_note", rectifies=original["id"], items=back)

    problem = await ana.refused(400, "POST", PATH, {**ask(original), "invoiceId": draft["id"], "reason": "R5"})

    assert problem["errors"][0]["field"] == "reason"


async def test_a_prepared_draft_credits_no_more_than_is_left(ana, original):
    back = [item(unitPrice=-100.01, taxRate=21)]
    draft = await ana.invoice(docType="credit_note", rectifies=original["id"], items=back)

    problem = await ana.refused(400, "POST", PATH, {**ask(original), "invoiceId": draft["id"]})

    assert problem["errors"][0]["field"] == "items"
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"originalFiscalId": "12345678Z:F2026-0001:2026-11-21"}, "originalFiscalId"),
        ({"originalDate": "2020-01-01"}, "originalDate"),
        ({"originalDate": None}, "originalDate"),
        ({"originalFiscalId": None}, "originalFiscalId"),
        ({"items": []}, "items"),
        ({"method": "substitution"}, "items"),
    ],
)
async def test_a_field_that_does_not_match_is_named(ana, original, fields, field):
    problem = await ana.refused(400, "POST", PATH, ask(original, **fields))

    assert [error["field"] for error in problem["errors"]] == [field]


async def test_only_emitted_invoices_are_corrected(ana, office, original):
    draft = await ana.invoice()
    body = {**ask(original), "invoiceId": draft["id"]}

    assert (await ana.refused(400, "POST", PATH, body))["code"] == "NOT_EMITTED"
    async with as_earlier_versions_did(office, ana):
        await ana.patch(f"/api/invoices/{draft['id']}/pay")
    assert (await ana.refused(400, "POST", PATH, body))["code"] == "NOT_EMITTED"
    await ana.refused(404, "POST", PATH, {**body, "invoiceId": str(uuid4())})
    berta = await office.account("Berta Gil")
    await berta.refused(404, "POST", PATH, ask(original))


async def test_a_credit_note_is_not_corrected_itself(ana, office, original):
    result = await ana.post(PATH, ask(original, items=[MIXED[2]]))
    note = await ana.get(f"/api/invoices/{result['invoiceId']}")
    draft = {"docType": "credit_note", "rectifies": note["id"], "items": [MIXED[2]]}

    drafted = await ana.refused(400, "POST", "/api/invoices", invoice_body(**draft))
    at_once = await ana.refused(400, "POST", PATH, ask(note))

    assert [error["field"] for error in drafted["errors"]] == ["rectifies"]
    assert "correct the invoice it belongs to" in drafted["detail"]
    assert [error["field"] for error in at_once["errors"]] == ["invoiceId"]
    assert note["number"] in at_once["detail"]
    assert original["number"] in at_once["remedy"]
    assert len(await office.records(ana)) == 2


async def test_an_invoice_exchanged_for_tickets_is_not_corrected_itself(ana):
    ticket = await emitted(ana, docType="simplified", client=None, items=[item(unitPrice=10)])
    full = await emitted(ana, items=None, substitutes=[ticket["id"]])

    problem = await ana.refused(400, "POST", PATH, ask(full))

    assert "simplified invoices" in problem["remedy"]


async def test_a_rejected_invoice_is_corrected_too(ana):
    bad = await ana.invoice(items=[item(description="[sandbox:reject 1124]")])
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": bad["id"]})
    original = await ana.get(f"/api/invoices/{bad['id']}")

    rest = [item(unitPrice=1200, description="Abono")]
    result = await ana.post(PATH, ask(original, items=rest))

    assert result["status"] == "accepted"


async def test_a_refusal_of_the_authority_is_a_422_with_the_result(ana):
    original = await emitted(ana)
    marked = [item(unitPrice=1, description="[sandbox:reject 1124]")]

    problem = await ana.refused(422, "POST", PATH, ask(original, items=marked))

    assert problem["result"]["status"] == "rejected"


async def test_an_idempotency_key_creates_one_credit_note(ana, office, original):
    body = ask(original, items=[item(unitPrice=1, taxRate=21)])

    first = await ana.request("POST", PATH, body, **{"Idempotency-Key": "note-1"})
    again = await ana.request("POST", PATH, body, **{"Idempotency-Key": "note-1"})

    assert (first.status_code, again.json()["id"]) == (200, first.json()["id"])
    assert len(await office.records(ana)) == 2


async def test_an_idempotency_key_holds_when_the_answer_was_lost_with_its_process(ana, office, original):
    body = ask(original, items=[item(unitPrice=1, taxRate=21)])
    first = await ana.request("POST", PATH, body, **{"Idempotency-Key": "note-2"})
    async with as_owner(office.kernel) as connection:
        await connection.exec_driver_sql("delete from idempotency_key where key = 'note-2'")

    again = await ana.request("POST", PATH, body, **{"Idempotency-Key": "note-2"})

    assert again.json()["id"] == first.json()["id"]
    assert len(await office.records(ana)) == 2


async def test_of_two_concurrent_credit_notes_one_is_created(ana, office, original):
    answers = await asyncio.gather(*(ana.request("POST", PATH, ask(original)) for _ in range(2)))

    assert sorted(answer.status_code for answer in answers) == [200, 400]
    assert len(await office.records(ana)) == 2


async def test_goods_come_back_once_and_never_more_than_went_out(ana):
    article = await ana.post("/api/catalog", {"type": "product", "name": "Taza", "unitPrice": 10, "stock": 5})
    line = item(unitPrice=10, quantity=3, catalogItemId=article["id"])
    original = await emitted(ana, items=[line])

    async def stock():
        [now] = await ana.get("/api/catalog")
        return now["stock"]

    one = item(unitPrice=10, quantity=1, catalogItemId=article["id"])
    await ana.post(PATH, ask(original, items=[one]))
    assert await stock() == 3
    too_many = {**one, "quantity": 3, "unitPrice": 1}
    problem = await ana.refused(400, "POST", PATH, ask(original, items=[too_many]))
    assert problem["errors"][0]["field"] == "items"
    right = item(unitPrice=9, quantity=1, catalogItemId=article["id"])
    await ana.post(PATH, ask(original, method="substitution", items=[right]))
    assert await stock() == 4
    await ana.post(PATH, ask(original))
    assert await stock() == 5
    assert (await figures(ana))["income"] == 0


async def test_the_rest_takes_the_cents_of_the_tax_too(ana):
    """0.48 EUR alone would give back 10 cents of tax, of the 11 that 0.50 EUR were charged."""
    original = await emitted(ana, items=[item(unitPrice=0.50)])
    await ana.post(PATH, ask(original, items=[item(unitPrice=0.02)]))

    await ana.post(PATH, ask(original))

    assert await figures(ana) == NOTHING


async def test_the_last_part_takes_the_cents_of_the_retention_too(ana):
    """Three times 2 cents would be given back of the 5 that were withheld."""
    original = await emitted(ana, items=[item(quantity=3, unitPrice=0.10)], retentionRate=15)

    for _ in range(3):
        await ana.post(PATH, ask(original, items=[item(unitPrice=0.10)]))

    assert await figures(ana) == NOTHING


async def test_an_abolished_rate_is_credited_at_the_date_of_the_invoice(ana, leaf):
    original = await emitted(ana, operationDate="2024-11-15", items=[item(taxRate=7.5)])
    other = await emitted(ana, operationDate="2026-11-02")

    result = await ana.post(PATH, ask(original))

    assert (result["status"], await leaf(ana, "FechaOperacion")) == ("accepted", "15-11-2024")
    await ana.post(PATH, ask(other))
    assert await leaf(ana, "FechaOperacion") is None


async def test_the_third_party_that_issued_the_invoice_issues_its_credit_note(ana, leaf):
    third = {"name": "Gestoría Sur, S.L.", "taxId": "B64717838", "country": "ES"}
    original = await emitted(ana, issuedBy="third_party", thirdParty=third)

    await ana.post(PATH, ask(original))

    assert await leaf(ana, "EmitidaPorTerceroODestinatario") == "T"


async def test_a_substitution_has_no_negative_amounts(ana, original):
    below = [item(unitPrice=-10, taxRate=21)]

    problem = await ana.refused(400, "POST", PATH, ask(original, method="substitution", items=below))

    assert [error["field"] for error in problem["errors"]] == ["items"]


@pytest.mark.parametrize("included", [False, True])
@pytest.mark.parametrize("price", [0.03, 0.07, 0.335, 3.33])
async def test_many_small_parts_leave_no_cent(ana, included, price):
    """One of three pieces each time, whose taxes are rounded otherwise than those of three together."""
    original = await emitted(ana, items=[item(quantity=3, unitPrice=price)], pricesIncludeTax=included)
    part = ask(original, items=[item(unitPrice=price)])

    for _ in range(2):
        await ana.post(PATH, part)
    last = await ana.request("POST", PATH, part)
    if last.status_code == 400:  # three roundings up: less is left than a piece costs
        assert price == 0.335
        rest = await ana.post(PATH, ask(original))
        note = await ana.get(f"/api/invoices/{rest['invoiceId']}")
        lines = round(sum(line["lineTotal"] for line in note["items"]), 2)
        assert lines == (note["total"] if included else note["subtotal"])
        assert note["items"][-1]["description"] == original["number"]

    assert await figures(ana) == NOTHING


async def test_no_prepared_draft_credits_more_than_is_left_however_it_is_issued(ana, original):
    fields = {
        "docType": "credit_note",
        "rectifies": original["id"],
        "items": [{**line, "quantity": -1} for line in MIXED],
    }
    first, draft = [await ana.invoice(**fields) for _ in range(2)]
    await emit(ana, first)
    before = await figures(ana)

    by_emitting = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    by_sending = await ana.refused(400, "PATCH", f"/api/invoices/{draft['id']}/pay")

    assert [error["field"] for problem in (by_emitting, by_sending) for error in problem["errors"]] == ["items"] * 2
    assert await figures(ana) == before
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None


async def test_a_prepared_draft_may_move_what_was_charged_to_another_rate(ana):
    charged = await emitted(ana, items=[item(unitPrice=100, taxRate=21)])
    moved = [item(unitPrice=-100, taxRate=21), item(unitPrice=100, taxRate=10)]

    note = await ana.invoice(docType="credit_note", rectifies=charged["id"], items=moved)

    assert (await emit(ana, note))["status"] == "accepted"
    assert (await figures(ana))["vat"] == 10


async def test_an_annulled_note_is_not_revived_once_another_credited_the_same(ana, original):
    note = await ana.post("/api/einvoice/credit-note", ask(original))
    await ana.post("/api/einvoice/annul", {"fiscalId": note["fiscalId"], "reason": "Por error"})
    await ana.post("/api/einvoice/credit-note", ask(original))

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": note["invoiceId"], "correct": True})

    assert problem["code"] == "NOT_CORRECTABLE"
    assert note["number"] in problem["detail"]
    assert await figures(ana) == NOTHING


async def test_an_annulled_note_with_a_refused_revival_is_not_revived_either(ana, office, original):
    note = await ana.post("/api/einvoice/credit-note", ask(original))
    await ana.post("/api/einvoice/annul", {"fiscalId": note["fiscalId"], "reason": "Por error"})
    again = {"invoiceId": note["invoiceId"], "correct": True}
    office.authority.faults.add(Fault(reject=1239))
    await ana.refused(422, "POST", "/api/einvoice/emit", again)
    await ana.post("/api/einvoice/credit-note", ask(original))

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": note["invoiceId"]})

    assert problem["code"] == "NOT_CORRECTABLE"
    assert await figures(ana) == NOTHING


async def test_while_an_annulled_note_is_emitted_again_no_other_replaces_it(ana, office, original):
    note = await ana.post("/api/einvoice/credit-note", ask(original))
    await ana.post("/api/einvoice/annul", {"fiscalId": note["fiscalId"], "reason": "Por error"})

    with withheld():
        holding = asyncio.create_task(ana.post("/api/einvoice/emit", {"invoiceId": note["invoiceId"], "correct": True}))
        await eventually(lambda: under_way(ana, note))
        problem = await ana.refused(400, "POST", "/api/einvoice/credit-note", ask(original))

    assert problem["code"] == "INVOICE_ANNULLED"
    assert (await holding)["status"] == "accepted"
    assert await figures(ana) == NOTHING


async def under_way(api, note) -> bool:
    fiscal_now = (await api.get(f"/api/invoices/{note['invoiceId']}"))["einvoice"]
    return (fiscal_now["kind"], fiscal_now["status"]) == ("issue", "pending")


async def test_a_corrected_ticket_is_exchanged_for_the_rest_of_it(ana):
    ticket = await emitted(ana, docType="simplified", items=[item(unitPrice=50), item(unitPrice=20)])
    await ana.post("/api/einvoice/credit-note", ask(ticket, items=[item(unitPrice=20)]))

    full = await ana.invoice(items=None, substitutes=[ticket["id"]])

    assert full["subtotal"] == 50
    assert (await emit(ana, full))["status"] == "accepted"

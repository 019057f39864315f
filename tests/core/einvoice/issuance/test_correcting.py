"""Emitting again: a new record in place of one that was refused, or that was wrong."""

import asyncio
from collections import Counter

import pytest
from lxml import etree

from ledgerkit.providers.es.sandbox import Fault
from support.api import CLIENT, item
from support.office import cloned, emit, eventually, opened, until, waiting, withheld
from support.periods import YEAR

SF = "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/SuministroInformacion.xsd}"


async def correct(api, invoice):
    return await api.post("/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True})


async def not_correctable(api, invoice):
    problem = await api.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True})
    assert problem["remedy"]
    return problem["code"]


async def change(api, invoice, **fields):
    return await api.put(f"/api/invoices/{invoice['id']}", fields)


async def locked(api, invoice, **fields):
    problem = await api.refused(400, "PUT", f"/api/invoices/{invoice['id']}", fields)
    assert "credit" in problem["remedy"]
    return problem["code"]


def marked(marker: str) -> list[dict]:
    return [item(description=f"Identidad visual [sandbox:{marker}]")]


async def flags(office, api) -> list[str]:
    """Subsanacion and RechazoPrevio of each record of an account."""
    names = ("Subsanacion", "RechazoPrevio")
    roots = [etree.fromstring(record.content) for record in await office.records(api)]
    return ["".join(root.findtext(SF + name) or "-" for name in names) for root in roots]


@pytest.fixture
async def rejected(ana):
    """An invoice whose record the authority has rejected."""
    invoice = await ana.invoice(items=marked("reject 1124"))
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return invoice


@pytest.fixture
async def accepted(ana):
    invoice = await ana.invoice()
    await emit(ana, invoice)
    return invoice


# ---------------------------------------------------------------- what was refused


async def test_a_rejected_invoice_is_emitted_again_with_its_number_once_it_is_corrected(schema, office, ana, rejected):
    await change(ana, rejected, items=[item()])

    result = await emit(ana, rejected)

    assert (result["status"], result["number"], result["errors"]) == ("accepted", f"F{YEAR}-0001", [])
    first, second = await office.records(ana)
    assert (result["id"], result["corrects"]) == (str(second.id), str(first.id))
    assert second.previous_id == first.id
    assert await flags(office, ana) == ["--", "SX"]
    assert office.authority.chain_breaks(ana.team["taxId"]) == ()
    assert schema_errors(schema, office.authority.received[-1]) == []
    invoice = await ana.get(f"/api/invoices/{rejected['id']}")
    assert (invoice["number"], invoice["einvoice"]["status"]) == (f"F{YEAR}-0001", "accepted")


def schema_errors(schema: etree.XMLSchema, message: bytes) -> list[str]:
    body = etree.fromstring(message).find("{http://schemas.xmlsoap.org/soap/envelope/}Body")
    schema.validate(body[0])
    return [str(error) for error in schema.error_log]


async def test_a_rejected_invoice_that_is_not_corrected_is_reported_and_refused_again(office, ana, rejected):
    problem = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": rejected["id"]})

    assert problem["result"]["errors"][0]["code"] == "1124"
    assert await flags(office, ana) == ["--", "SX"]


async def test_a_rejected_invoice_counts_once_however_often_it_is_reported(ana, rejected):
    before = await ana.get("/api/expenses/tax-summary")
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": rejected["id"]})
    await change(ana, rejected, items=[item()])

    await emit(ana, rejected)

    assert await ana.get("/api/expenses/tax-summary") == before
    [client] = await ana.get("/api/clients")
    assert (client["invoiceCount"], client["totalInvoiced"]) == (1, 1452)


async def test_correct_may_be_requested_for_a_rejected_invoice_too(office, ana, rejected):
    await change(ana, rejected, items=[item()])

    assert (await correct(ana, rejected))["status"] == "accepted"
    assert await flags(office, ana) == ["--", "SX"]


async def test_corrections_and_annulments_are_not_counted_against_the_months_limit(postgres, tmp_path, cheap_passwords):
    allowed = {"einvoice_wait": 20, "einvoice_limit": 2}
    async with cloned(postgres) as url, opened(url, tmp_path, cheap_passwords, **allowed) as office:
        ana = await office.account()
        invoice = await ana.invoice(items=marked("reject 1124"))
        await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
        await change(ana, invoice, items=[item()])

        result = await emit(ana, invoice)
        annulled = await ana.post("/api/einvoice/annul", {"fiscalId": result["fiscalId"], "reason": "Duplicada"})

        assert [result["status"], annulled["status"]] == ["accepted", "annulled"]
        assert (await emit(ana, await ana.invoice()))["status"] == "accepted"
        third = await ana.invoice()
        await ana.refused(402, "POST", "/api/einvoice/emit", {"invoiceId": third["id"]})


# ---------------------------------------------------------------- what is held


async def test_fields_that_are_not_printed_are_changed_and_reported_again(office, ana, accepted):
    changed = await change(ana, accepted, items=[item(regimeKey="11")])

    plain = await emit(ana, accepted)
    result = await correct(ana, accepted)

    assert changed["items"][0]["regimeKey"] == "11"
    assert plain["corrects"] is None
    assert (result["status"], result["corrects"]) == ("accepted", plain["id"])
    assert await flags(office, ana) == ["--", "S-"]
    last = etree.fromstring((await office.records(ana))[-1].content)
    assert last.findtext(f".//{SF}ClaveRegimen") == "11"


def islands(*reasons: str) -> list[dict]:
    """Lines of the IGIC that are printed alike, each under another regime."""
    line = {"unitPrice": 100, "taxCategory": "not_subject", "tax": "IGIC"}
    regimes = zip(("01", "09", "11"), reasons, strict=False)
    return [item(**line, regimeKey=regime, notSubjectReason=reason) for regime, reason in regimes]


async def test_the_line_not_subject_by_the_rules_of_place_is_reported_again(office, ana):
    invoice = await ana.invoice(items=islands("other", "location_rules", "other"))
    first = await emit(ana, invoice)
    unchanged = await not_correctable(ana, invoice)

    await change(ana, invoice, items=islands("other", "other", "location_rules"))
    result = await correct(ana, invoice)

    assert unchanged == "NOT_CORRECTABLE"
    assert (result["status"], result["corrects"]) == ("accepted", first["id"])
    regimes = [
        [leaf.text for leaf in etree.fromstring(record.content).iter(f"{SF}CalificacionOperacion")]
        for record in await office.records(ana)
    ]
    assert regimes == [["N1", "N2", "N1"], ["N1", "N1", "N2"]]


async def test_rules_of_place_are_printed_for_other_taxes_too(ana):
    invoice = await ana.invoice(items=islands("other"))
    await emit(ana, invoice)

    assert await locked(ana, invoice, items=islands("location_rules")) == "INVOICE_LOCKED"


async def test_an_invoice_accepted_with_errors_is_reported_again(office, ana):
    office.authority.faults.add(Fault(warn=2001))
    invoice = await ana.invoice()
    first = await emit(ana, invoice)

    second = await correct(ana, invoice)

    assert (first["status"], first["errors"][0]["code"]) == ("accepted_with_errors", "2001")
    assert (second["status"], second["corrects"]) == ("accepted", first["id"])
    assert await flags(office, ana) == ["--", "S-"]


@pytest.mark.parametrize("code", [2004, 2009])
async def test_a_mere_notice_takes_no_correction(office, ana, code):
    office.authority.faults.add(Fault(warn=code))
    invoice = await ana.invoice()
    await emit(ana, invoice)

    assert await not_correctable(ana, invoice) == "NOT_CORRECTABLE"
    assert len(await office.records(ana)) == 1


async def test_nothing_is_reported_again_while_nothing_has_changed(office, ana, accepted):
    assert await not_correctable(ana, accepted) == "NOT_CORRECTABLE"
    await change(ana, accepted, notes="Gracias", dueDate="2027-01-31")
    assert await not_correctable(ana, accepted) == "NOT_CORRECTABLE"
    assert len(await office.records(ana)) == 1


async def test_a_refused_correction_leaves_the_held_record_and_the_next_one_states_it(office, ana):
    office.authority.faults.add(Fault(warn=2001))
    invoice = await ana.invoice()
    await emit(ana, invoice)
    office.authority.faults.add(Fault(reject=1110))
    problem = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True})

    amounts = await locked(ana, invoice, items=[item(unitPrice=1)])
    client = await locked(ana, invoice, client={**CLIENT, "name": "Otra, S.L."})
    again = await emit(ana, invoice)

    assert (problem["result"]["status"], problem["result"]["refused"]["errors"][0]["code"]) == (
        "accepted_with_errors",
        "1110",
    )
    assert [amounts, client] == ["INVOICE_LOCKED"] * 2
    assert again["status"] == "accepted"
    assert await flags(office, ana) == ["--", "S-", "SS"]


async def test_an_invoice_that_was_never_emitted_cannot_be_corrected(office, ana):
    draft = await ana.invoice()

    assert await not_correctable(ana, draft) == "NOT_EMITTED"
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"


async def test_while_the_answer_is_awaited_there_is_nothing_to_correct_and_nothing_to_change(office, ana):
    invoice = await ana.invoice()
    with withheld():
        emitting = asyncio.create_task(emit(ana, invoice))
        await eventually(lambda: office.records(ana))

        open_still = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True})
        problem = await ana.refused(400, "PUT", f"/api/invoices/{invoice['id']}", {"items": [item(regimeKey="02")]})
        notes = await change(ana, invoice, notes="Gracias")
        under_way = (await ana.get(f"/api/invoices/{invoice['id']}"))["einvoice"]
        annulling = {"fiscalId": under_way["fiscalId"], "reason": "x"}
        unannullable = await ana.refused(400, "POST", "/api/einvoice/annul", annulling)
    result = await emitting

    assert (open_still["code"], problem["code"], notes["notes"]) == ("NOT_CORRECTABLE", "INVOICE_LOCKED", "Gracias")
    assert "has not answered yet" in open_still["detail"]
    assert unannullable["code"] == "NOT_ANNULLABLE"
    assert result["status"] == "accepted"
    assert len(await office.records(ana)) == 1


async def test_an_invoice_of_another_environment_is_neither_corrected_nor_reported_again(
    office, ana, accepted, rejected, moved
):
    moved()

    result = await emit(ana, accepted)
    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": accepted["id"], "correct": True})
    refused = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": rejected["id"]})

    assert (result["status"], result["environment"]) == ("accepted", "sandbox")
    assert problem["code"] == "NOT_CORRECTABLE"
    assert "`sandbox`" in problem["detail"]
    assert refused["result"]["environment"] == "sandbox"
    assert len(await office.records(ana)) == 2


async def test_sixteen_callers_correct_once(office, ana, rejected):
    await change(ana, rejected, items=[item()])

    with waiting(office) as callers:
        tasks = [asyncio.create_task(emit(ana, rejected)) for _ in range(16)]
        await until(lambda: callers.issuperset(tasks))
    results = await asyncio.gather(*tasks)

    assert len({result["id"] for result in results}) == 1
    assert Counter(record.state for record in await office.records(ana)) == {"rejected": 1, "accepted": 1}


async def test_sixteen_callers_with_correct_make_one_record(office, ana):
    office.authority.faults.add(Fault(warn=2001))
    invoice = await ana.invoice()
    await emit(ana, invoice)

    with waiting(office) as callers:
        tasks = [asyncio.create_task(correct(ana, invoice)) for _ in range(16)]
        await until(lambda: callers.issuperset(tasks))
    results = await asyncio.gather(*tasks)

    assert len({result["id"] for result in results}) == 1
    assert await flags(office, ana) == ["--", "S-"]


async def test_the_activity_has_the_change_and_the_correction(ana, rejected):
    await change(ana, rejected, items=[item()])
    await emit(ana, rejected)

    feed = await ana.get("/api/invoices/activity/feed?limit=5")

    assert [entry["action"] for entry in reversed(feed)] == ["emitted", "rejected", "updated", "corrected", "accepted"]


# ---------------------------------------------------------------- editing, both sides

MENDED = {
    "the client's name": {"client": {**CLIENT, "name": "Talleres Sur, S.L."}},
    "the client's tax id": {"client": {**CLIENT, "taxId": "A58818501"}},
    "descriptions": {"items": [item(description="Manual de marca")]},
    "the day of the operation": {"operationDate": "2026-11-02"},
    "notes": {"notes": "Gracias"},
    "the due date": {"dueDate": "2027-01-31"},
    "the regime": {"items": [item(regimeKey="01")]},
}

AMOUNTS = {
    "a price": {"items": [item(unitPrice=1201)]},
    "a quantity that comes to the same": {"items": [item(quantity=2, unitPrice=600)]},
    "another line": {"items": [item(), item()]},
    "a rate": {"items": [item(taxRate=10)]},
    "a surcharge": {"items": [item(surchargeRate=5.2)]},
    "a category with other taxes": {"items": [item(taxCategory="exempt")]},
    "retention": {"retentionRate": 15},
    "the day of issue": {"issueDate": "2026-11-20"},
    "the currency": {"currency": "USD"},
}


@pytest.mark.parametrize("fields", MENDED.values(), ids=MENDED)
async def test_a_rejected_invoice_can_be_corrected(ana, rejected, fields):
    before = await ana.get(f"/api/invoices/{rejected['id']}")

    after = await change(ana, rejected, **fields)

    assert {name: before[name] for name in ("number", "total", "issueDate")} == {
        name: after[name] for name in ("number", "total", "issueDate")
    }
    assert after != before


@pytest.mark.parametrize("fields", AMOUNTS.values(), ids=AMOUNTS)
async def test_a_rejected_invoice_keeps_its_amounts_and_dates(ana, rejected, fields):
    assert await locked(ana, rejected, **fields) == "INVOICE_LOCKED"


async def test_a_rate_of_zero_may_turn_out_to_be_an_exemption(ana):
    invoice = await ana.invoice(items=[item(taxRate=0, description="Curso [sandbox:reject 1124]")])
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})

    after = await change(ana, invoice, items=[item(taxCategory="exempt", description="Curso")])

    assert (after["taxBreakdown"][0]["category"], after["total"]) == ("exempt", 1200)
    assert (await emit(ana, invoice))["status"] == "accepted"


VISIBLE = {
    **AMOUNTS,
    "the client's name": {"client": {**CLIENT, "name": "Talleres Sur, S.L."}},
    "a description": {"items": [item(description="Manual de marca")]},
    "the day of the operation": {"operationDate": "2026-11-02"},
    "terms": {"terms": "Al contado"},
    "a regime that the paper has to name": {"items": [item(regimeKey="07")]},
}


@pytest.mark.parametrize("fields", VISIBLE.values(), ids=VISIBLE)
async def test_an_accepted_invoice_keeps_everything_that_is_printed(ana, accepted, fields):
    assert await locked(ana, accepted, **fields) == "INVOICE_LOCKED"

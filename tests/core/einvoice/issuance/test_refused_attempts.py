"""A refused correction or revival: the result shows the record that the authority holds, and the attempt."""

import pytest

from ledgerkit.providers.es.sandbox import Fault
from support.api import item
from support.office import emit
from support.periods import YEAR

EMIT = "/api/einvoice/emit"


@pytest.fixture
async def accepted(ana):
    """An emitted invoice, and the result of its emission."""
    invoice = await ana.invoice()
    return invoice, await emit(ana, invoice)


async def refused(office, api, invoice):
    """The problem of a correction or revival that the authority refuses."""
    office.authority.faults.add(Fault(reject=1110))
    return await api.refused(422, "POST", EMIT, {"invoiceId": invoice["id"], "correct": True})


async def results(api, invoice) -> list[dict]:
    """The fiscal result, from the status and from the invoice itself."""
    status = await api.get(f"/api/einvoice/status/{invoice['id']}")
    return [status, (await api.get(f"/api/invoices/{invoice['id']}"))["einvoice"]]


async def test_after_a_refused_correction_the_held_record_and_the_attempt_are_shown(office, ana, accepted):
    invoice, first = accepted
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item(regimeKey="11")]})

    problem = await refused(office, ana, invoice)

    _, attempt = await office.records(ana)
    assert f"the correction of F{YEAR}-0001" in problem["detail"]
    assert "1110" in problem["detail"]
    for one in (problem["result"], *await results(ana, invoice)):
        assert (one["status"], one["id"], one["csv"], one["hash"]) == (
            "accepted",
            first["id"],
            first["csv"],
            first["hash"],
        )
        assert one["errors"] == []
        assert (one["refused"]["record"], one["refused"]["kind"]) == (str(attempt.id), "issue")
        assert one["refused"]["errors"][0]["code"] == "1110"
        assert one["refused"]["errors"][0]["remedy"]["es"]


async def test_history_and_activity_have_the_refusal_and_nothing_waits(office, ana, accepted):
    invoice, first = accepted
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item(regimeKey="11")]})
    await refused(office, ana, invoice)

    status = await ana.get(f"/api/einvoice/status/{invoice['id']}")

    answers = [(one["record"] == first["id"], one["status"]) for one in status["history"] if one["event"] == "answered"]
    assert answers == [(True, "accepted"), (False, "rejected")]
    assert status["unsent"]["count"] == 0
    feed = await ana.get("/api/invoices/activity/feed?limit=100")
    actions = [one["action"] for one in feed if one["entityId"] == invoice["id"]]
    assert "correction_rejected" in actions
    assert "rejected" not in actions


async def test_emitted_again_it_is_reported_again_and_accepted(office, ana, accepted):
    invoice, first = accepted
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item(regimeKey="11")]})
    await refused(office, ana, invoice)

    again = await emit(ana, invoice)

    assert (again["status"], again["refused"], again["corrects"]) == ("accepted", None, first["id"])
    assert [one["id"] for one in await results(ana, invoice)] == [again["id"]] * 2


async def test_after_a_refused_revival_the_invoice_stays_annulled(office, ana, accepted):
    invoice, first = accepted
    await ana.post("/api/einvoice/annul", {"fiscalId": first["fiscalId"], "reason": "Duplicada"})

    problem = await refused(office, ana, invoice)

    for one in (problem["result"], *await results(ana, invoice)):
        assert (one["status"], one["kind"]) == ("annulled", "annul")
        assert (one["refused"]["kind"], one["refused"]["errors"][0]["code"]) == ("issue", "1110")
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["balance"] == 0
    assert (await emit(ana, invoice))["status"] == "accepted"


async def test_an_invoice_of_which_the_authority_holds_nothing_is_rejected(office, ana):
    invoice = await ana.invoice(items=[item(description="Una [sandbox:reject 1124]")])

    for _ in range(2):
        problem = await ana.refused(422, "POST", EMIT, {"invoiceId": invoice["id"]})

        for one in (problem["result"], *await results(ana, invoice)):
            assert (one["status"], one["refused"]) == ("rejected", None)
            assert one["errors"][0]["code"] == "1124"


async def test_a_refused_annulment_is_not_a_refused_correction(office, ana, accepted):
    invoice, first = accepted
    office.authority.faults.add(Fault(reject=1110))
    await ana.refused(422, "POST", "/api/einvoice/annul", {"fiscalId": first["fiscalId"], "reason": "Duplicada"})

    for one in await results(ana, invoice):
        assert (one["status"], one["refused"]) == ("accepted", None)


async def test_a_refused_correction_does_not_hinder_an_annulment_or_a_credit_note(office, ana, accepted):
    invoice, first = accepted
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item(regimeKey="11")]})
    await refused(office, ana, invoice)

    note = await ana.post(
        "/api/einvoice/credit-note",
        {"invoiceId": invoice["id"], "originalFiscalId": first["fiscalId"], "originalDate": invoice["issueDate"]},
    )
    await ana.post("/api/einvoice/annul", {"fiscalId": note["fiscalId"], "reason": "Prueba"})
    answer = await ana.post("/api/einvoice/annul", {"fiscalId": first["fiscalId"], "reason": "Prueba"})

    assert (note["status"], answer["status"]) == ("accepted", "annulled")

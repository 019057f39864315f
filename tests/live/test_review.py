"""Findings of a review: each would lose, block or confuse a user's records."""

import asyncio
from datetime import timedelta
from decimal import Decimal

import pytest

from ledgerkit import clock
from ledgerkit.core.platform.records import counters
from support.api import invoice_body
from support.office import emit


async def test_another_record_of_the_same_identity_is_never_taken_for_ours(office):
    ana = await office.account()
    today = clock.today("Europe/Madrid")
    invoice = ana.team["taxId"], f"F{today.year}-0001", f"{today:%d-%m-%Y}"
    theirs = office.authority.hold_of_others(invoice, Decimal(6050))

    problem = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": (await ana.invoice())["id"]})

    assert problem["code"] == "NUMBER_TAKEN"
    assert office.authority.records(ana.team["taxId"]) == (theirs,)


async def test_an_invoice_dated_ahead_does_not_close_its_series(ana):
    tomorrow = (clock.today("Europe/Madrid") + timedelta(days=1)).isoformat()
    ahead = await ana.invoice(issueDate=tomorrow, dueDate="2099-01-01")

    problem = await ana.refused(400, "PATCH", f"/api/invoices/{ahead['id']}/pay")
    paid = await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")

    assert problem["errors"][0]["field"] == "issueDate"
    assert paid["number"]


async def test_an_invoice_issued_before_the_tax_id_was_known_can_be_emitted_once_it_is(office):
    ana = await office.account()
    tax_id = ana.team["taxId"]
    await ana.put("/api/teams/current", {"taxId": None})
    early = await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")

    refused = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": early["id"]})
    await ana.put("/api/teams/current", {"taxId": tax_id})
    answer = await emit(ana, early)

    assert refused["code"] == "ISSUER_INCOMPLETE"
    assert answer["status"] == "accepted"


async def test_a_record_stays_what_it_is_when_the_team_moves_abroad(office):
    ana = await office.account()
    answer = await emit(ana, await ana.invoice())
    await ana.put("/api/teams/current", {"country": "PT"})

    status = await ana.get(f"/api/einvoice/status/{answer['invoiceId']}")
    again = await emit(ana, {"id": answer["invoiceId"]})

    assert answer["qr"]
    assert (status["qr"], again["qr"]) == (answer["qr"], answer["qr"])
    assert again["hash"] == answer["hash"]


async def test_large_turnovers_are_shown(ana):
    body = invoice_body(items=[{"description": "Casa", "quantity": 50, "unitPrice": 80_000_000}])
    for _ in range(3):
        await ana.patch(f"/api/invoices/{(await ana.post('/api/invoices', body))['id']}/pay")

    (client,) = [one for one in await ana.get("/api/clients") if one["invoiceCount"] == 3]
    summary = await ana.get("/api/invoices/context")

    assert client["totalInvoiced"] == 3 * 80_000_000 * 50 * 1.21
    assert summary["year"]["invoiced"] == 3 * 80_000_000 * 50


async def test_a_cleared_client_is_no_client_cleared(ana):
    paid = await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")

    updated = await ana.put(f"/api/invoices/{paid['id']}", {"client": None})

    assert updated["client"] == paid["client"]


async def test_a_credit_note_keeps_its_currency_and_its_kind(ana):
    invoice = await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")
    note = {"docType": "credit_note", "rectifies": invoice["id"], "items": [{"description": "x", "unitPrice": -1}]}

    foreign = await ana.refused(400, "POST", "/api/invoices", invoice_body(**note, currency="USD"))
    first = await ana.post("/api/invoices", invoice_body(**note))
    issued = await ana.patch(f"/api/invoices/{first['id']}/pay")
    again = await ana.refused(400, "POST", "/api/invoices", invoice_body(**{**note, "rectifies": issued["id"]}))

    assert foreign["errors"][0]["field"] == "currency"
    assert again["errors"][0]["field"] == "rectifies"


async def test_series_stay_apart(ana):
    problem = await ana.refused(400, "PUT", "/api/teams/current", {"series": {"invoice": "A", "creditNote": "A"}})

    assert problem["errors"][0]["field"] == "series"


@pytest.mark.whole
async def test_writers_in_one_bucket_wait_and_do_not_deadlock(office, monkeypatch):
    monkeypatch.setattr(counters, "BUCKETS", 1)
    ana = await office.account()
    drafts = [await ana.invoice() for _ in range(12)]

    paying = (ana.request("PATCH", f"/api/invoices/{draft['id']}/pay") for draft in drafts)
    creating = (ana.request("POST", "/api/invoices", invoice_body()) for _ in drafts)
    answers = await asyncio.gather(*paying, *creating)

    assert {answer.status_code for answer in answers} == {200, 201}

"""Annulling documents that others depend on: exchanged tickets, substitutions; and annulling in the signed mode."""

from collections.abc import AsyncIterator

import pytest

from support.api import item
from support.office import Office, emit
from support.signed_mode import signed_mode_office

TICKET = {"docType": "simplified", "client": None, "items": [item(unitPrice=19.9)]}


async def annul(api, result):
    return await api.post("/api/einvoice/annul", {"fiscalId": result["fiscalId"], "reason": "Emitida por error"})


async def not_annulled(api, result):
    body = {"fiscalId": result["fiscalId"], "reason": "Emitida por error"}
    return await api.refused(400, "POST", "/api/einvoice/annul", body)


async def profit(api):
    return await api.get("/api/expenses/profit-loss")


async def test_an_exchanged_ticket_is_annulled_after_its_full_invoice(ana):
    ticket = await ana.invoice(**TICKET)
    small = await emit(ana, ticket)
    full = await ana.invoice(substitutes=[ticket["id"]], items=None)
    large = await emit(ana, full)
    counted = await profit(ana)

    problem = await not_annulled(ana, small)
    await annul(ana, large)
    exchanged_back = await profit(ana)
    await annul(ana, small)

    assert (problem["code"], large["number"] in problem["detail"]) == ("NOT_ANNULLABLE", True)
    assert exchanged_back == counted
    assert (await profit(ana))["income"] == 0


async def test_a_ticket_can_be_exchanged_again_once_the_full_invoice_is_annulled(ana):
    ticket = await ana.invoice(**TICKET)
    await emit(ana, ticket)
    first = await ana.invoice(substitutes=[ticket["id"]], items=None)
    await annul(ana, await emit(ana, first))

    second = await emit(ana, await ana.invoice(substitutes=[ticket["id"]], items=None))
    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": first["id"], "correct": True})

    assert second["status"] == "accepted"
    assert problem["code"] == "NOT_CORRECTABLE"


async def test_an_annulled_ticket_is_not_exchanged(ana):
    ticket = await ana.invoice(**TICKET)
    await annul(ana, await emit(ana, ticket))

    problem = await ana.refused(
        400, "POST", "/api/invoices", {"client": {"name": "Norte", "taxId": "B12345674"}, "substitutes": [ticket["id"]]}
    )

    assert [error["field"] for error in problem["errors"]] == ["substitutes"]


async def test_a_correction_is_annulled_after_the_later_one_that_replaces_it(ana):
    original = await ana.invoice()
    await emit(ana, original)
    alone = await profit(ana)
    note = {"docType": "credit_note", "rectifies": original["id"]}
    first = await emit(ana, await ana.invoice(**note, items=[item(unitPrice=-200)]))
    second = await emit(ana, await ana.invoice(**note, items=[item(unitPrice=900)], correctionMethod="substitution"))

    problem = await not_annulled(ana, first)
    await annul(ana, second)
    await annul(ana, first)

    assert second["number"] in problem["detail"]
    assert await profit(ana) == alone


# ---------------------------------------------------------------- records that are only kept


@pytest.fixture(scope="module")
async def dual(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    """An application whose operator offers the signed mode."""
    async with signed_mode_office(postgres, tmp_path_factory.mktemp("dual"), cheap_passwords) as office:
        yield office


async def test_in_the_signed_mode_annulments_and_reactivations_take_effect_at_once(dual):
    ana = await dual.account()
    await ana.put("/api/einvoice/mode", {"mode": "no_verifactu"})
    invoice = await ana.invoice()
    result = await emit(ana, invoice)
    counted = await profit(ana)

    annulled = await annul(ana, result)
    without = await profit(ana)
    back = await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True})

    assert [result["status"], annulled["status"], back["status"]] == ["kept", "annulled", "kept"]
    assert (counted["income"], without["income"]) == (1200, 0)
    assert await profit(ana) == counted
    feed = await ana.get("/api/invoices/activity/feed?limit=3")
    assert [entry["action"] for entry in reversed(feed)] == ["emitted", "annulled", "corrected"]
    assert dual.authority.received == ()

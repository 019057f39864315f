"""Refusals around reported documents are in English and Spanish, over every interface."""

import pytest

from support.api import item
from support.scenes import FAILURES
from support.scenes.einvoice import LAST_ELSEWHERE

SPANISH = {"accept-language": "es"}


@pytest.mark.parametrize(
    "failure", [one for one in FAILURES if "/api/einvoice" in one[0]], ids=lambda one: f"{one[0]} {one[1]}"
)
async def test_every_failure_of_the_group_is_in_spanish(ana, failure):
    wrong = FAILURES[failure]

    english = await ana.refused(failure[1], wrong.method, wrong.path, wrong.body)
    spanish = await ana.refused(failure[1], wrong.method, wrong.path, wrong.body, **SPANISH)

    assert_both(english, spanish)


def assert_both(english, spanish):
    assert english["code"] == spanish["code"]
    assert spanish["detail"] != english["detail"]
    assert spanish["remedy"] != english["remedy"]
    assert all((spanish["detail"], spanish["remedy"], english["detail"], english["remedy"]))


async def emitted(api, **fields):
    invoice = await api.invoice(**fields)
    return invoice, await api.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})


async def nothing_to_correct(api):
    invoice, _ = await emitted(api)
    return "NOT_CORRECTABLE", "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True}


async def never_emitted(api):
    invoice = await api.invoice()
    return "NOT_EMITTED", "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"], "correct": True}


async def annulled_already(api):
    _, record = await emitted(api)
    body = {"fiscalId": record["fiscalId"], "reason": "Duplicada"}
    await api.post("/api/einvoice/annul", body)
    return "NOT_ANNULLABLE", "POST", "/api/einvoice/annul", body


async def corrected_before_it_is_annulled(api):
    invoice, record = await emitted(api)
    await api.post("/api/einvoice/credit-note", credit_note_body(invoice, record))
    return "NOT_ANNULLABLE", "POST", "/api/einvoice/annul", {"fiscalId": record["fiscalId"], "reason": "Duplicada"}


async def credit_note_of_an_annulled_one(api):
    invoice, record = await emitted(api)
    await api.post("/api/einvoice/annul", {"fiscalId": record["fiscalId"], "reason": "Duplicada"})
    return "INVOICE_ANNULLED", "POST", "/api/einvoice/credit-note", credit_note_body(invoice, record)


async def more_than_is_left(api):
    invoice, record = await emitted(api)
    items = [item(unitPrice=100_000)]
    return "VALIDATION_ERROR", "POST", "/api/einvoice/credit-note", credit_note_body(invoice, record) | {"items": items}


async def nothing_is_left(api):
    invoice, record = await emitted(api)
    await api.post("/api/einvoice/credit-note", credit_note_body(invoice, record))
    return "VALIDATION_ERROR", "POST", "/api/einvoice/credit-note", credit_note_body(invoice, record)


async def another_day(api):
    invoice, record = await emitted(api)
    body = credit_note_body(invoice, record) | {"originalDate": "2020-01-01"}
    return "VALIDATION_ERROR", "POST", "/api/einvoice/credit-note", body


async def a_reported_invoice_is_changed(api):
    invoice, _ = await emitted(api)
    return "INVOICE_LOCKED", "PUT", f"/api/invoices/{invoice['id']}", {"items": [item(unitPrice=1)]}


async def a_chain_that_has_begun(api):
    await emitted(api)
    return "CHAIN_BEGUN", "POST", "/api/einvoice/chain/continue", LAST_ELSEWHERE


async def no_certificate_at_all(api):
    return "CERTIFICATE_UNUSABLE", "PUT", "/api/einvoice/certificate", {"file": "bm9uZQ=="}


def credit_note_body(invoice, record):
    return {
        "invoiceId": invoice["id"],
        "originalFiscalId": record["fiscalId"],
        "originalDate": record["fiscalId"].rpartition(":")[2],
    }


TROUBLES = [
    nothing_to_correct,
    never_emitted,
    annulled_already,
    corrected_before_it_is_annulled,
    credit_note_of_an_annulled_one,
    more_than_is_left,
    nothing_is_left,
    another_day,
    a_reported_invoice_is_changed,
    a_chain_that_has_begun,
    no_certificate_at_all,
]


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.__name__)
async def test_refusals_by_state_are_in_spanish_too(ana, trouble):
    code, *request = await trouble(ana)

    english = await ana.refused(400, *request)
    spanish = await ana.refused(400, *request, **SPANISH)

    assert english["code"] == code
    assert_both(english, spanish)
    for error, spanish_error in zip(english["errors"], spanish["errors"], strict=True):
        assert error["message"] != spanish_error["message"]

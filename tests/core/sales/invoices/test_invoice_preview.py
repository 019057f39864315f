"""A preview reckons like a draft, and leaves nothing behind."""

from datetime import UTC, datetime

import pytest
import time_machine

from support.api import CLIENT, invoice_body, item
from support.database import row_counts

BODIES = [
    invoice_body(),
    invoice_body(items=[item(quantity=3, unitPrice=33.3333, discount=12.5), item(taxRate=4)], retentionRate=15),
    invoice_body(items=[item(taxRate=21, surchargeRate=5.2), item(taxCategory="exempt", exemptionCode="E1")]),
    {"docType": "simplified", "items": [item(unitPrice=10)], "taxRate": 10},
    invoice_body(currency="USD", issueDate="2026-11-02", dueDate="2026-12-24"),
]


@pytest.mark.parametrize("body", BODIES)
async def test_a_preview_is_the_draft_that_would_be_made(ana, body):
    preview = await ana.post("/api/invoices/preview", body)
    draft = await ana.post("/api/invoices", body)

    shared = preview.keys() - {"warnings", "clientId"}
    assert {name: preview[name] for name in shared} == {name: draft[name] for name in shared}


async def test_a_preview_writes_nothing(kernel, ana):
    before = await row_counts(kernel)

    preview = await ana.post("/api/invoices/preview", invoice_body(client={"name": "Nueva", "taxId": "87654321X"}))

    assert (preview["clientId"], preview["total"], preview["warnings"]) == (None, 1452, [])
    assert await row_counts(kernel) == before


async def test_a_known_client_brings_its_defaults(ana):
    stored = await ana.post("/api/clients", {**CLIENT, "defaultTaxRate": 4, "defaultRetentionRate": 7})
    body = {"client": {"name": CLIENT["name"], "taxId": CLIENT["taxId"]}, "items": [item(unitPrice=100)]}

    preview = await ana.post("/api/invoices/preview", body)

    assert (preview["clientId"], preview["taxRate"], preview["total"]) == (stored["id"], 4, 97)


async def test_what_a_draft_is_refused_for_a_preview_is_refused_for(kernel, ana):
    draft = await ana.invoice()
    before = await row_counts(kernel)

    for body, field in (
        ({}, "client"),
        (invoice_body(taxRate=20), "taxRate"),
        (invoice_body(docType="credit_note", rectifies=draft["id"]), "rectifies"),
    ):
        problem = await ana.refused(400, "POST", "/api/invoices/preview", body)
        assert field in [error["field"] for error in problem["errors"]]

    assert await row_counts(kernel) == before


async def test_a_preview_warns_of_obstacles_to_issuing(ana):
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=False):
        issued = await ana.invoice(issueDate="2026-11-20")
        await ana.patch(f"/api/invoices/{issued['id']}/pay")

        early = await ana.post("/api/invoices/preview", invoice_body(issueDate="2026-11-19"))
        ahead = await ana.post("/api/invoices/preview", invoice_body(issueDate="2026-11-22", currency="USD"))
        acme = {"name": "Acme", "taxId": "DE1", "country": "DE", "address": "Hauptstr. 1"}
        doubtful = await ana.post("/api/invoices/preview", invoice_body(client=acme))

    assert [one.partition(":")[0] for one in early["warnings"]] == ["issueDate", "ISSUE_DATE_KEPT"]
    assert "2026-11-20" in early["warnings"][0]
    assert [one.partition(":")[0] for one in ahead["warnings"]] == ["issueDate", "currency"]
    assert [one.partition(":")[0] for one in doubtful["warnings"]] == [
        "FOREIGN_BUSINESS_DOMESTIC_VAT",
        "client.taxId",
    ]


async def test_the_same_key_gives_the_same_preview(ana):
    bodies = [invoice_body(), invoice_body(), invoice_body(taxRate=10)]

    answers = [await ana.request("POST", "/api/invoices/preview", body, **{"Idempotency-Key": "k"}) for body in bodies]

    assert [answer.status_code for answer in answers] == [200, 200, 409]
    assert answers[0].json() == answers[1].json()

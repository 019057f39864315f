"""Rates of credit notes that are drafted by POST /api/invoices: those of the invoice that they correct."""

import pytest

from support.api import item
from support.issuing import issued


@pytest.fixture
async def corrected(ana, kernel):
    """Invoice at other rates than the usual ones of the team: 10 % VAT, 7 % retention."""
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    draft = await ana.invoice(items=[item(unitPrice=1000)], taxRate=10, retentionRate=7)
    await issued(kernel, ana, draft)
    return draft


async def credit_note(ana, corrected, **fields):
    lines = [{"description": "Devolución", "quantity": -1, "unitPrice": 100}]
    sent = {"docType": "credit_note", "rectifies": corrected["id"], "items": lines, **fields}
    return await ana.post("/api/invoices", sent)


async def test_absent_rates_are_those_of_the_corrected_invoice(ana, corrected):
    await ana.put("/api/teams/current", {"defaultRetentionRate": 15, "defaultTaxRate": 21})

    note = await credit_note(ana, corrected)

    assert (note["taxRate"], note["retentionRate"]) == (10, 7)
    assert (note["subtotal"], note["taxAmount"], note["retentionAmount"], note["total"]) == (-100, -10, -7, -103)


async def test_stated_rates_are_kept_zero_included(ana, corrected):
    note = await credit_note(ana, corrected, taxRate=21, retentionRate=0)

    assert (note["taxRate"], note["retentionRate"], note["retentionAmount"]) == (21, 0, 0)


async def test_a_copy_of_a_credit_note_keeps_its_rates(ana, corrected):
    note = await credit_note(ana, corrected)

    copy = await ana.post(f"/api/invoices/{note['id']}/duplicate")

    assert (copy["taxRate"], copy["retentionRate"], copy["retentionAmount"]) == (10, 7, -7)


async def test_a_credit_note_that_names_no_invoice_takes_the_usual_rates(ana, corrected):
    await ana.put("/api/teams/current", {"defaultRetentionRate": 15})
    lines = [{"description": "Devolución", "quantity": -1, "unitPrice": 100}]

    note = await ana.invoice(docType="credit_note", items=lines)

    assert note["retentionRate"] == 15

"""Credit notes of vendors among the supplier invoices, in Spain's declarations and record books."""

import pytest

from support.declarations import PATH
from support.payables import create_vendor

INVOICES = "/api/supplier-invoices"


@pytest.fixture
async def note(declarant):
    """Credit note over half of an invoice with 21 % VAT and 15 % retention; Ley 37/1992 art. 80, 90; RD 439/2007."""
    vendor = await create_vendor(declarant, "Asesoría Sol", taxId="B29805314", country="ES", postalCode="28004")
    terms = {"vendorId": vendor, "taxRate": 21, "retentionRate": 15, "retentionKind": "professional"}
    invoice = await declarant.post(
        INVOICES, terms | {"invoiceNumber": "7/26", "invoiceDate": "2026-01-15", "total": 1060}
    )
    await declarant.post(
        f"{INVOICES}/{invoice['id']}/payments",
        {"amount": 1060, "paymentMethod": "transfer", "paymentDate": "2026-01-15"},
    )
    note = await declarant.post(
        INVOICES,
        terms | {"invoiceNumber": "A1/26", "invoiceDate": "2026-02-15", "total": -530, "rectifies": invoice["id"]},
    )
    await declarant.post(
        f"{INVOICES}/{note['id']}/payments",
        {"amount": -530, "paymentMethod": "transfer", "paymentDate": "2026-02-15"},
    )
    return note


async def test_its_deduction_is_rectified_in_boxes_40_and_41(declarant, note):
    form = await declarant.generated(country="ES", form="303", year=2026, period="Q1")

    boxes = form["boxes"]
    assert (boxes["28"], boxes["29"], boxes["40"], boxes["41"], boxes["45"]) == (1000, 210, -500, -105, 105)
    evidence = await declarant.get(f"{PATH}/{form['id']}/evidence?box=41")
    assert [(one["documentId"], one["amount"]) for one in evidence] == [(note["id"], -105)]


async def test_its_retention_lowers_what_was_withheld(declarant, note):
    form = await declarant.generated(country="ES", form="111", year=2026, period="Q1")

    assert [form["boxes"][box] for box in ("07", "08", "09")] == [1, 500, 75]
    assert note["id"] in form["evidence"]["09"]


async def test_it_is_in_the_book_of_received_invoices_with_its_sign(declarant, note):
    answer = await declarant.request("GET", f"{PATH}/books?country=ES&year=2026&period=Q1&book=received&format=csv")

    rows = [row for row in answer.text.splitlines() if "A1/26" in row]
    assert len(rows) == 1
    assert "-500,00" in rows[0]
    assert "-105,00" in rows[0]

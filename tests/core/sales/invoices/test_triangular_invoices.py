"""Second supplies of triangular operations within the EU: which invoices may be one, and what is passed on."""

import pytest

from support.api import item

GERMAN = {"name": "Werkstatt Nord GmbH", "taxId": "DE811907980", "country": "DE"}
GOODS = item(unitPrice=1000, taxCategory="intra_eu_goods", taxRate=0)


@pytest.mark.parametrize(("fields", "expected"), [({}, False), ({"triangular": True}, True)])
async def test_an_invoice_is_triangular_when_it_says_so(ana, fields, expected):
    draft = await ana.invoice(client=GERMAN, items=[GOODS], **fields)

    assert (await ana.get(f"/api/invoices/{draft['id']}"))["triangular"] is expected


@pytest.mark.parametrize("is_triangular", [True, False])
async def test_a_credit_note_is_triangular_as_its_invoice_is(ana, is_triangular):
    draft = await ana.invoice(client=GERMAN, items=[GOODS], triangular=is_triangular)
    invoice = await ana.patch(f"/api/invoices/{draft['id']}/pay")

    given_back = {"rectifies": invoice["id"], "items": [{**GOODS, "unitPrice": -100}]}
    note = await ana.post("/api/invoices", {"docType": "credit_note", **given_back})

    assert (invoice["triangular"], note["triangular"]) == (is_triangular, is_triangular)


@pytest.mark.parametrize(
    "fields",
    [
        {"items": [item(unitPrice=1000)]},
        {"items": [GOODS, item(unitPrice=1000)]},
        {"client": {"name": "Talleres Norte, S.L.", "taxId": "B12345674", "country": "ES"}},
    ],
    ids=["domestic goods", "goods and others", "client at home"],
)
async def test_only_goods_for_a_client_abroad_are_triangular(ana, fields):
    body = {"client": GERMAN, "items": [GOODS], "triangular": True, **fields}

    problem = await ana.refused(400, "POST", "/api/invoices", body)

    assert [error["field"] for error in problem["errors"]] == ["triangular"]

"""Credit notes whose lines leave the tax open, and of invoices that were never reported."""

import pytest
from lxml import etree

from support.api import item
from support.office import emit

PATH = "/api/einvoice/credit-note"
ISLAND = {"tax": "IGIC", "taxRate": 7, "regimeKey": "01"}


async def credited(api, lines, *back):
    """The answer to a credit note for the lines `back` of an emitted invoice with these lines."""
    invoice = await api.invoice(items=lines)
    fiscal = await emit(api, invoice)
    body = {"invoiceId": invoice["id"], "originalFiscalId": fiscal["fiscalId"], "originalDate": invoice["issueDate"]}
    answer = await api.request("POST", PATH, body | {"items": list(back)})
    if answer.status_code == 200:
        return await api.get(f"/api/invoices/{answer.json()['invoiceId']}")
    return answer.json()


def rows(note):
    return [(row["tax"], row["category"], row["rate"], row["base"], row["regimeKey"]) for row in note["taxBreakdown"]]


@pytest.mark.parametrize("fields", [{}, {"taxRate": 7}, {"tax": "IGIC"}, ISLAND], ids=["none", "rate", "tax", "all"])
async def test_lines_that_leave_their_tax_open_have_that_of_the_invoice(ana, fields):
    lines = [item(unitPrice=100, **ISLAND), item(unitPrice=50, **ISLAND)]

    note = await credited(ana, lines, {"description": "Vuelve", "unitPrice": 40, **fields})

    assert rows(note) == [("IGIC", "standard", 7, -40, "01")]
    assert (note["total"], note["einvoice"]["status"]) == (-42.8, "accepted")


async def test_the_fields_of_a_line_choose_among_the_taxes_of_the_invoice(ana):
    lines = [
        item(unitPrice=100, taxRate=21),
        item(unitPrice=100, **ISLAND),
        item(unitPrice=100, taxCategory="exempt", exemptionCode="E1"),
    ]
    back = [
        {"description": "Vuelve", "unitPrice": 10, "taxRate": 7},
        {"description": "Vuelve", "unitPrice": 20, "taxRate": 21},
        {"description": "Vuelve", "unitPrice": 30, "taxCategory": "exempt"},
    ]

    note = await credited(ana, lines, *back)

    assert sorted(rows(note), key=lambda row: -row[3]) == [
        ("IGIC", "standard", 7, -10, "01"),
        (None, "standard", 21, -20, None),
        (None, "exempt", 0, -30, None),
    ]
    assert [row["exemptionCode"] for row in note["taxBreakdown"] if row["category"] == "exempt"] == ["E1"]


async def test_where_the_lines_do_not_agree_the_invoices_rate_stands(ana):
    lines = [item(unitPrice=100, taxRate=21), item(unitPrice=100, taxRate=10)]

    note = await credited(ana, lines, {"description": "Vuelve", "unitPrice": 10})

    assert rows(note) == [(None, "standard", 21, -10, None)]


async def test_a_tax_that_the_invoice_does_not_have_is_not_credited(ana):
    problem = await credited(ana, [item(unitPrice=100, **ISLAND)], {"description": "x", "unitPrice": 1, "taxRate": 21})

    assert problem["errors"][0]["field"] == "items"
    assert "0.00 are left" in problem["detail"]


async def test_an_invoice_from_before_all_reporting_is_corrected_by_an_emitted_draft(office, ana):
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    old = await ana.invoice(items=[item(unitPrice=100)])
    await ana.patch(f"/api/invoices/{old['id']}/pay")
    await ana.put("/api/teams/current", {"einvoicing": "on"})
    draft = await ana.invoice(docType="credit_note", rectifies=old["id"], client=None, items=[item(unitPrice=-40)])

    result = await emit(ana, draft)

    record = etree.fromstring((await office.records(ana))[-1].content)
    corrected = record.find("{*}FacturasRectificadas/{*}IDFacturaRectificada")
    issued = await ana.get(f"/api/invoices/{old['id']}")
    assert (result["status"], record.findtext("{*}TipoFactura")) == ("accepted", "R1")
    assert corrected.findtext("{*}NumSerieFactura") == issued["number"]
    assert (issued["einvoice"], issued["rectifiedBy"]) == (None, [draft["id"]])


async def test_a_draft_is_not_corrected_by_an_emitted_one(ana):
    draft = await ana.invoice()

    body = {"docType": "credit_note", "rectifies": draft["id"], "items": [item(unitPrice=-1)]}

    assert "is a draft" in (await ana.refused(400, "POST", "/api/invoices", body))["detail"]

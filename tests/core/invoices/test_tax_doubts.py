"""Warnings about the taxes of a draft, as the account's country has them."""

from support.api import invoice_body, item

GERMAN = {"name": "Beispiel GmbH", "taxId": "DE811569869", "country": "DE"}
CODE = "FOREIGN_BUSINESS_DOMESTIC_VAT"


def codes(record):
    return [warning.partition(":")[0] for warning in record["warnings"]]


async def test_a_draft_with_domestic_vat_for_a_foreign_business_is_warned_of(ana):
    body = invoice_body(client=GERMAN)

    preview = await ana.post("/api/invoices/preview", body)
    draft = await ana.post("/api/invoices", body)
    read = await ana.get(f"/api/invoices/{draft['id']}")
    changed = await ana.put(f"/api/invoices/{draft['id']}", {"notes": "dos"})
    copy = await ana.post(f"/api/invoices/{draft['id']}/duplicate")

    assert [codes(one) for one in (preview, draft, read, changed, copy)] == [[CODE]] * 5


async def test_the_warning_goes_with_the_right_category(ana):
    draft = await ana.post("/api/invoices", invoice_body(client=GERMAN, taxRate=0))
    assert codes(draft) == [CODE]

    lines = [item(taxCategory="intra_eu_services")]
    changed = await ana.put(f"/api/invoices/{draft['id']}", {"items": lines})

    assert changed["warnings"] == []
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["warnings"] == []


async def test_an_issued_invoice_is_not_warned_of(ana):
    client = {"clientName": "Beispiel GmbH", "clientTaxId": "DE811569869", "clientCountry": "DE"}
    row = {"number": "A-1", "issueDate": "2026-03-05", **client, "base": 100, "taxRate": 21}
    await ana.post("/api/invoices/import", {"rows": [row]})
    [issued] = await ana.get("/api/invoices")

    assert (await ana.get(f"/api/invoices/{issued['id']}"))["warnings"] == []


async def test_domestic_clients_are_no_doubt(ana):
    assert (await ana.invoice())["warnings"] == []

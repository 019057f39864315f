"""Warnings about the taxes of a draft, as the account's country has them."""

from support.api import invoice_body, item

GERMAN = {"name": "Beispiel GmbH", "taxId": "DE811569869", "country": "DE", "address": "Hauptstr. 1"}
COMPANY = {"name": "Talleres Sur, S.L.", "taxId": "B12345674", "country": "ES"}
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


async def test_a_simplified_invoice_above_400_is_warned_of_until_the_team_says_that_it_may(ana):
    body = invoice_body(docType="simplified", client=None, items=[item(unitPrice=400)])
    preview = await ana.post("/api/invoices/preview", body)
    draft = await ana.post("/api/invoices", body)
    low = await ana.post("/api/invoices", {**body, "items": [item(unitPrice=300)]})
    assert [codes(one) for one in (preview, draft, low)] == [["SIMPLIFIED_LIMIT"], ["SIMPLIFIED_LIMIT"], []]

    answer = await ana.put("/api/teams/current", {"higherSimplifiedLimit": True})

    assert answer["team"]["higherSimplifiedLimit"] is True
    assert codes(await ana.get(f"/api/invoices/{draft['id']}")) == []


async def test_the_limit_is_in_euro_whatever_the_invoices_currency(ana):
    money = {"currency": "USD", "exchangeRate": 0.5}
    low = await ana.invoice(docType="simplified", client=None, items=[item(unitPrice=600)], **money)
    high = await ana.invoice(docType="simplified", client=None, items=[item(unitPrice=700)], **money)

    assert [codes(one) for one in (low, high)] == [[], ["SIMPLIFIED_LIMIT"]]


async def test_missing_addresses_are_warned_of_until_they_are_there(ana):
    await ana.put("/api/teams/current", {"address": None})
    draft = await ana.invoice(client=COMPANY)
    assert codes(draft) == ["ADDRESS_MISSING"] * 2

    await ana.put("/api/teams/current", {"address": "Calle Mayor 1"})
    changed = await ana.put(f"/api/invoices/{draft['id']}", {"client": {**COMPANY, "address": "Calle Sur 3"}})

    assert codes(changed) == []


async def test_an_export_to_a_client_in_spain_is_warned_of_in_both_languages(ana):
    body = invoice_body(items=[item(taxCategory="export", taxRate=0)])

    spanish = (await ana.request("POST", "/api/invoices/preview", body, **{"Accept-Language": "es"})).json()
    english = (await ana.request("POST", "/api/invoices/preview", body, **{"Accept-Language": "en"})).json()

    assert codes(spanish) == codes(english) == ["EXPORT_WITHIN_SPAIN"]
    assert "el cliente está en España" in spanish["warnings"][0]
    assert "the client is in Spain" in english["warnings"][0]


async def test_a_rate_of_zero_for_a_client_in_spain_is_warned_of(ana):
    assert codes(await ana.invoice(taxRate=0)) == ["ZERO_RATE_WITHIN_SPAIN"]

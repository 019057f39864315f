"""Details of Spain's forms over the wire: a refund abroad, a property without reference, boxes given by hand."""

from support.declarations import PATH
from support.payables import create_vendor

PROFILE = f"{PATH}/profile?country=ES"
IBAN = "CH9300762011623852957"
"""Sample of the Swiss IBAN in the registry of SWIFT."""
BANK = {"swift": "UBSWCHZH80A", "name": "Banco AG", "address": "Bahnhofstrasse 1", "city": "Zürich", "country": "CH"}
PLACE = {
    "reference": "LOCAL 1",
    "situation": "3",
    "streetType": "CALLE",
    "streetName": "Ancha",
    "houseNumber": "4",
    "municipality": "Cádiz",
    "postalCode": "11001",
}


async def recorded(declarant, name, tax_id, day, total, **fields):
    vendor = await create_vendor(declarant, name, taxId=tax_id, country="ES", postalCode="11001")
    invoice = {"vendorId": vendor, "invoiceNumber": "1", "invoiceDate": day, "total": total, "taxRate": 21, **fields}
    return await declarant.post("/api/supplier-invoices", invoice)


async def file_of(declarant, declaration):
    answer = await declarant.request("GET", f"{PATH}/{declaration['id']}/file")
    assert answer.status_code == 200, answer.text
    return answer.content.decode("iso-8859-1")


async def test_a_refund_abroad_is_filed_with_the_bank_of_the_profile(declarant):
    """Design DR303e24, page DID00; 210.00 of VAT to get back in the last quarter (Ley 37/1992, art. 115)."""
    await declarant.put("/api/teams/current", {"taxId": "12345678Z"})
    await recorded(declarant, "Taller Sur", "B29805314", "2025-11-10", 1210)
    declaration = await declarant.generated(country="ES", form="303", year=2025, period="Q4")
    path = f"{PATH}/{declaration['id']}"
    await declarant.patch(path, {"declarationType": "X", "iban": IBAN})

    refused = await declarant.refused(400, "GET", f"{path}/file")
    await declarant.put(PROFILE, {"bankAbroad": BANK})
    content = await file_of(declarant, declaration)

    missing = ["swiftBic", "bankName", "bankAddress", "bankCity", "bankCountry"]
    assert [error["field"] for error in refused["errors"]] == missing
    assert f"UBSWCHZH80A{IBAN}" in content
    assert (await declarant.get(PROFILE))["bankAbroad"] == BANK


async def test_a_rent_without_reference_is_filed_with_the_address_of_the_profile(declarant):
    """Record design of form 180: situation 3 at 114, street at 140."""
    await declarant.put("/api/teams/current", {"taxId": "12345678Z"})
    terms = {"retentionRate": 19, "retentionKind": "rent", "leasedProperty": "Local 1"}
    invoice = await recorded(declarant, "Locales SA", "A58818501", "2025-03-10", 1020, **terms)
    payment = {"amount": 1020, "paymentMethod": "transfer", "paymentDate": "2025-03-12"}
    await declarant.post(f"/api/supplier-invoices/{invoice['id']}/payments", payment)
    await declarant.put(PROFILE, {"leasedProperties": [PLACE]})

    declaration = await declarant.generated(country="ES", form="180", year=2025, period="Y")
    line = (await file_of(declarant, declaration)).split("\r\n")[1]

    assert (line[113], line[114:134].strip(), line[134:145]) == ("3", "", "CALLEANCHA ")


async def test_a_box_that_no_document_makes_is_given_by_hand(declarant):
    """Form 303, page 05000: 717 adds up the quotas of a sector; 111: 30 has what is withheld of prizes."""
    vat = await declarant.generated(country="ES", form="303", year=2025, period="Q4")
    income = await declarant.generated(country="ES", form="111", year=2025, period="Q4")

    given = [
        (await declarant.patch(f"{PATH}/{one['id']}", {"manualOverrides": boxes}))["declaration"]
        for one, boxes in ((vat, {"701": 10, "715": -3}), (income, {"13": 1, "14": 400, "15": 76}))
    ]

    assert [(given[0]["boxes"][box], given[0]["effectiveBoxes"][box]) for box in ("701", "717")] == [(0, 10), (0, 7)]
    assert [given[1]["effectiveBoxes"][box] for box in ("13", "14", "15", "28", "30")] == [1, 400, 76, 76, 76]


async def test_a_wrong_detail_of_the_profile_is_named(declarant):
    problem = await declarant.refused(400, "PUT", PROFILE, {"bankAbroad": BANK | {"swift": "ubs"}})

    assert "swift" in problem["errors"][0]["field"]

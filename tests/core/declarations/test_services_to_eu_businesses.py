"""Services to businesses of other member states: their category is proposed, and so they reach form 349."""

import pytest

from support.api import item

GERMAN = {
    "name": "Werkstatt Nord GmbH",
    "taxId": "DE811907980",
    "country": "DE",
    "address": "Hauptstr. 1",
    "city": "Bonn",
}
PROPOSED = "TAX_PROPOSED"
DOUBTED = "FOREIGN_BUSINESS_DOMESTIC_VAT"


def codes(record):
    return [warning.partition(":")[0] for warning in record["warnings"]]


def categories(record):
    return [(line["taxCategory"], line["taxRate"]) for line in record["items"]]


@pytest.fixture
async def service(declarant):
    """A line of the catalog's service, at the usual price."""
    entry = await declarant.post(
        "/api/catalog", {"name": "Diseño", "type": "service", "unitPrice": 1000, "taxRate": 21}
    )
    return item(unitPrice=1000, catalogItemId=entry["id"])


@pytest.fixture
async def product(declarant):
    entry = await declarant.post("/api/catalog", {"name": "Silla", "type": "product", "unitPrice": 100})
    return item(unitPrice=100, catalogItemId=entry["id"])


async def test_a_service_that_states_no_rate_is_proposed_as_not_subject(declarant, service):
    body = {"client": GERMAN, "items": [service]}

    preview = await declarant.post("/api/invoices/preview", body)
    draft = await declarant.post("/api/invoices", body)

    for answer in (preview, draft):
        assert categories(answer) == [("intra_eu_services", 0)]
        assert (answer["total"], codes(answer)) == (1000, [PROPOSED])
        assert "items[0]" in answer["warnings"][0]
        assert "intra_eu_services" in answer["warnings"][0]
    read = await declarant.get(f"/api/invoices/{draft['id']}")
    assert (categories(read), codes(read)) == ([("intra_eu_services", 0)], [])


@pytest.mark.parametrize("stated", [False, True], ids=["as proposed", "as stated"])
async def test_so_taken_it_reaches_the_349_and_box_59_of_the_303(declarant, service, stated):
    line = {**service, "taxCategory": "intra_eu_services"} if stated else service
    draft = await declarant.post("/api/invoices", {"client": GERMAN, "items": [line], "issueDate": "2026-07-02"})
    sold = await declarant.patch(f"/api/invoices/{draft['id']}/pay", {"paidAt": "2026-07-02"})

    list_of_operations = await declarant.generated(country="ES", form="349", year=2026, period="Q3")
    vat = await declarant.generated(country="ES", form="303", year=2026, period="Q3")

    [record] = list_of_operations["records"]
    assert (record["fields"]["operationKey"], float(record["fields"]["base"])) == ("S", 1000)
    assert vat["evidence"]["59"] == [sold["id"]]
    assert vat["boxes"].get("150", 0) == 0


async def test_a_stated_rate_is_never_changed(declarant, service):
    card = await declarant.post("/api/clients", {**GERMAN, "name": "Zweite GmbH", "taxId": "DE811569869"})
    await declarant.put(f"/api/clients/{card['id']}", {"defaultTaxRate": 10})

    for body, rate in (
        ({"client": GERMAN, "items": [service], "taxRate": 21}, 21),
        ({"client": GERMAN, "items": [{**service, "taxRate": 10}]}, 10),
        ({"client": GERMAN, "items": [{**service, "taxRate": 0}]}, 0),
        ({"client": GERMAN, "items": [{**service, "taxCategory": "standard"}]}, 21),
        ({"clientId": card["id"], "items": [service]}, 10),
    ):
        draft = await declarant.post("/api/invoices", body)
        assert (categories(draft), codes(draft)) == ([("standard", rate)], [DOUBTED])
        assert "intra_eu_services" in draft["warnings"][0]


async def test_another_stated_category_is_never_changed(declarant, service):
    line = {**service, "taxCategory": "exempt", "exemptionCode": "E1"}

    draft = await declarant.post("/api/invoices", {"client": GERMAN, "items": [line]})

    assert (categories(draft), codes(draft)) == ([("exempt", 0)], [])


async def test_without_knowing_that_it_is_a_service_nothing_is_guessed(declarant, service, product):
    body = {"client": GERMAN, "items": [item(description="Consulting services"), product, service]}

    draft = await declarant.post("/api/invoices", body)

    assert categories(draft) == [("standard", 21), ("standard", 21), ("intra_eu_services", 0)]
    assert codes(draft) == [PROPOSED, DOUBTED]
    assert "items[2]" in draft["warnings"][0]


async def test_nothing_is_proposed_for_others(declarant, service):
    for fields in (
        {"client": {"name": "Talleres Norte, S.L.", "taxId": "B12345674", "country": "ES", "address": "Calle Sur 3"}},
        {"client": {"name": "Jeanne Petit", "country": "FR", "address": "Rue 1"}},
        {
            "client": {
                "name": "Jean Petit",
                "taxId": "AB1",
                "taxIdKind": "passport",
                "country": "FR",
                "address": "Rue 1",
            }
        },
        {"client": GERMAN, "placeOfSupply": "ES"},
    ):
        draft = await declarant.post("/api/invoices", {"items": [service], **fields})
        assert (categories(draft), codes(draft)) == ([("standard", 21)], [])


async def test_a_private_person_with_a_number_bears_iva(declarant, service):
    card = await declarant.post("/api/clients", {**GERMAN, "isCompany": False})

    draft = await declarant.post("/api/invoices", {"clientId": card["id"], "items": [service]})

    assert (categories(draft), codes(draft)) == ([("standard", 21)], [])


async def test_a_change_keeps_the_category_and_a_copy_has_it(declarant, service):
    draft = await declarant.post("/api/invoices", {"client": GERMAN, "items": [service]})

    changed = await declarant.put(f"/api/invoices/{draft['id']}", {"notes": "dos"})
    copy = await declarant.post(f"/api/invoices/{draft['id']}/duplicate")

    for answer in (changed, copy):
        assert (categories(answer), codes(answer)) == ([("intra_eu_services", 0)], [])

"""Calendar of a Spanish account: forms that only some file are in it where its documents say so."""

import pytest

from support.declarations import PATH

RENT = {"retentionRate": 19, "retentionKind": "rent", "category": "rent"}
PROFESSIONAL = {"retentionRate": 15, "retentionKind": "professional", "category": "professional"}
ALWAYS = {"303", "130", "390", "347"}


async def due(api, year=2025):
    listed = await api.get(f"{PATH}/calendar?country=ES&year={year}")
    return {(one["form"], one["year"], one["period"]) for one in listed}


async def forms(api, year=2025):
    return {form for form, _, _ in await due(api, year)}


async def test_without_documents_only_what_everybody_files_is_due(declarant):
    assert await forms(declarant) == ALWAYS


@pytest.mark.parametrize(
    ("fields", "found"), [(RENT, {"115", "180"}), (PROFESSIONAL, {"111", "190"})], ids=["rent", "fee"]
)
async def test_a_retention_brings_its_forms_of_the_year(declarant, berta, fields, found):
    await declarant.spent(1020, "2025-05-02", vendor="Sol", vendorTaxId="B29805314", invoiceNumber="1", **fields)

    assert await forms(declarant) == ALWAYS | {min(found)}
    assert await forms(declarant, 2026) == ALWAYS | found
    assert await forms(declarant, 2024) == ALWAYS
    assert await forms(berta) == ALWAYS


async def test_a_deleted_expense_tells_nothing(declarant):
    made = await declarant.spent(1020, "2025-05-02", vendor="Sol", vendorTaxId="B29805314", invoiceNumber="1", **RENT)
    await declarant.delete(f"/api/expenses/{made['id']}")

    assert await forms(declarant) == ALWAYS


async def test_a_bill_tells_as_much_as_an_expense(declarant):
    vendor = await declarant.post("/api/vendors", {"name": "Sol", "taxId": "B29805314", "country": "ES"})
    items = [{"description": "Alquiler", "quantity": 1, "unitPrice": 1000, "taxRate": 21}]
    bill = {"vendorId": vendor["id"], "invoiceNumber": "7", "invoiceDate": "2025-05-02", "dueDate": "2025-06-02"}
    await declarant.post(
        "/api/supplier-invoices", {**bill, "items": items, "retentionRate": 19, "retentionKind": "rent"}
    )

    assert await forms(declarant) == ALWAYS | {"115"}


async def test_an_acquisition_in_the_eu_brings_the_349_of_its_quarter(declarant):
    german = {"vendor": "Berlin GmbH", "vendorTaxId": "DE136695976", "vendorCountry": "DE", "invoiceNumber": "1"}
    await declarant.spent(100, "2025-05-02", intraEu="services", **german)

    assert {one for one in await due(declarant) if one[0] == "349"} == {("349", 2025, "Q2")}


async def test_a_sale_to_the_eu_brings_the_349_of_its_quarter(declarant):
    german = {"name": "Berlin GmbH", "country": "DE", "taxId": "DE136695976"}
    await declarant.sold(100, "2025-08-02", client=german, taxRate=0, taxCategory="intra_eu_services")

    assert {one for one in await due(declarant) if one[0] == "349"} == {("349", 2025, "Q3")}


async def test_a_sale_to_america_brings_none(declarant):
    american = {"name": "Acme Inc.", "country": "US", "taxId": "99-1234567"}
    await declarant.sold(100, "2025-08-02", client=american, taxRate=0, taxCategory="not_subject")

    assert "349" not in await forms(declarant)


async def test_an_earlier_declaration_brings_the_next_ones(declarant):
    await declarant.post(
        f"{PATH}/previous", {"country": "ES", "form": "111", "year": 2024, "period": "Q4", "boxes": {}}
    )

    assert await forms(declarant) == ALWAYS | {"111", "190"}


async def test_a_declaration_that_there_is_stays_in_the_calendar(declarant):
    made = await declarant.generated(country="ES", form="349", year=2025, period="Q1")
    listed = await declarant.get(f"{PATH}/calendar?country=ES&year=2025")

    assert [one["declarationId"] for one in listed if one["form"] == "349"] == [made["id"]]

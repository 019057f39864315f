"""Second supplies of triangular operations within the EU: box 120 of form 303, key T of form 349."""

from support.api import item

CLIENT = {
    "name": "Werkstatt Nord GmbH",
    "taxId": "DE811907980",
    "country": "DE",
    "address": "Hauptstr. 1",
    "city": "Bonn",
}
GOODS = item(unitPrice=1000, taxCategory="intra_eu_goods", taxRate=0)


async def sold(declarant, **fields):
    draft = await declarant.invoice(client=CLIENT, items=[GOODS], issueDate="2026-07-02", **fields)
    return await declarant.patch(f"/api/invoices/{draft['id']}/pay", {"paidAt": "2026-07-02"})


async def test_it_takes_place_where_the_goods_arrive(declarant):
    """Ley 37/1992 arts. 26.Tres and 68.Tres: not a supply of this country's, box 120; box 59 has the others."""
    second = await sold(declarant, triangular=True)
    await sold(declarant)

    declaration = await declarant.generated(country="ES", form="303", year=2026, period="Q3")

    assert [declaration["boxes"][box] for box in ("59", "120")] == [1000, 1000]
    assert declaration["evidence"]["120"] == [second["id"]]


async def test_its_key_in_the_recapitulative_statement_is_t(declarant):
    await sold(declarant, triangular=True)

    declaration = await declarant.generated(country="ES", form="349", year=2026, period="Q3")

    [record] = declaration["records"]
    assert (record["fields"]["operationKey"], float(record["fields"]["base"])) == ("T", 1000)

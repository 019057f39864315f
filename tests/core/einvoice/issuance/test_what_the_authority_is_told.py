"""Fields of an invoice beyond its amounts: stored, copied, printed, and reported to the authority."""

import pytest
from lxml import etree

from support.api import item
from support.issuing import as_earlier_versions_did
from support.office import emit

SF = (
    "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
    "SuministroInformacion.xsd}"
)
THIRD = {"name": "Gestoría Sur, S.L.", "taxId": "B64717838", "country": "ES"}
SAID = {
    "issuedBy": "third_party",
    "thirdParty": THIRD,
    "operationDescription": "Servicios de diseño de noviembre",
    "fiscalDetails": {"externalReference": "2026/77"},
}


@pytest.fixture
def recorded(office):
    """Text of the element of that name in the account's latest record; None without it."""

    async def read(api, name: str) -> str | None:
        record = (await office.records(api))[-1]
        return next((leaf.text for leaf in etree.fromstring(record.content).iter(SF + name)), None)

    return read


async def test_an_invoice_and_its_copy_have_the_fields(ana):
    invoice = await ana.invoice(**SAID)

    copy = await ana.post(f"/api/invoices/{invoice['id']}/duplicate")

    assert {name: invoice[name] for name in SAID} == SAID
    assert {name: copy[name] for name in SAID} == SAID


async def test_an_omitted_field_has_its_default(ana):
    invoice = await ana.invoice()

    assert {name: invoice[name] for name in SAID} == {**dict.fromkeys(SAID), "issuedBy": "issuer"}
    assert (invoice["substitutes"], invoice["substitutedBy"], invoice["correctionMethod"]) == ([], None, None)


async def test_a_change_keeps_the_fields_that_it_does_not_name(ana):
    invoice = await ana.invoice(**SAID)
    path = f"/api/invoices/{invoice['id']}"

    after_notes = await ana.put(path, {"notes": "x"})
    changed = await ana.put(path, {"issuedBy": "recipient", "thirdParty": None, "fiscalDetails": None})

    assert {name: after_notes[name] for name in SAID} == SAID
    assert (changed["issuedBy"], changed["thirdParty"], changed["fiscalDetails"]) == ("recipient", None, None)
    assert changed["operationDescription"] == SAID["operationDescription"]


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"issuedBy": "third_party"}, "thirdParty", "needed"),
        ({"thirdParty": THIRD}, "thirdParty", "third_party only"),
        ({**SAID, "thirdParty": {**THIRD, "taxId": "B64717839"}}, "thirdParty.taxId", ""),
        ({"fiscalDetails": {"cupon": True}}, "fiscalDetails.cupon", "coupon"),
        ({"correctionMethod": "substitution"}, "correctionMethod", "credit_note"),
        ({"correctionReason": "R1"}, "correctionReason", "credit_note"),
        ({"items": [item(tax="VAT")]}, "items[0].tax", "IGIC"),
        ({"items": [item(tax="IGIC")]}, "items[0].taxRate", "needed"),
        ({"client": {"name": "Li Wei", "taxId": "E12345678", "taxIdKind": "visa"}}, "client.taxIdKind", "passport"),
    ],
)
async def test_a_field_that_does_not_fit_is_named(ana, fields, field, message):
    problem = await ana.refused(400, "POST", "/api/invoices", {"client": {"name": "N"}, "items": [item()], **fields})

    assert [error["field"] for error in problem["errors"]] == [field]
    assert message in problem["detail"] + problem["remedy"]


async def test_the_record_has_the_issuing_party_and_the_description(ana, recorded):
    await emit(ana, await ana.invoice(**SAID))

    assert await recorded(ana, "EmitidaPorTerceroODestinatario") == "T"
    assert await recorded(ana, "DescripcionOperacion") == SAID["operationDescription"]
    assert await recorded(ana, "RefExterna") == "2026/77"


async def test_the_kind_of_an_identifier_is_stored_with_the_client_and_reported(ana, recorded):
    tourist = {"name": "Li Wei", "taxId": "E12345678", "taxIdKind": "passport", "country": "CN"}
    invoice = await ana.invoice(client=tourist)

    await emit(ana, invoice)

    again = await ana.invoice(client=None, clientId=invoice["clientId"])
    assert again["client"]["taxIdKind"] == "passport"
    assert await recorded(ana, "IDType") == "03"


async def test_another_tax_is_a_row_of_its_own_and_no_vat(ana):
    lines = [item(unitPrice=100), item(unitPrice=100, tax="IGIC", taxRate=7, regimeKey="01")]
    invoice = await ana.invoice(items=lines, client={"name": "Norte", "taxId": "B12345674"})

    await ana.patch(f"/api/invoices/{invoice['id']}/pay")

    rows = [(row["tax"], row["rate"], row["base"], row["amount"]) for row in invoice["taxBreakdown"]]
    assert rows == [(None, 21, 100, 21), ("IGIC", 7, 100, 7)]
    assert invoice["total"] == 228
    vat = await ana.get("/api/expenses/vat-balance")
    summary = await ana.get("/api/expenses/tax-summary")
    assert vat["outputVat"] == 21
    assert summary["output"]["untaxed"] == 100


async def test_the_record_has_the_tax_its_regime_and_its_base_at_cost(ana, recorded):
    group = item(unitPrice=100, quantity=1, tax="IGIC", taxRate=7, regimeKey="06", costBase=90)

    await emit(ana, await ana.invoice(items=[group]))

    names = ("Impuesto", "ClaveRegimen", "BaseImponibleOimporteNoSujeto", "BaseImponibleACoste")
    assert [await recorded(ana, name) for name in names] == ["03", "06", "100.00", "90.00"]


async def test_the_issuing_party_cannot_be_changed_after_issuing(ana):
    invoice = await ana.invoice(**SAID)
    await emit(ana, invoice)

    problem = await ana.refused(
        400, "PUT", f"/api/invoices/{invoice['id']}", {"issuedBy": "issuer", "thirdParty": None}
    )

    assert problem["code"] == "INVOICE_LOCKED"


# ---------------------------------------------------------------- exchanged for simplified invoices


@pytest.fixture
async def tickets(ana):
    """Two emitted simplified invoices: 20 net at 21 %, 10 net at 10 %; the first is paid."""
    invoice = []
    for price, rate in ((20, 21), (10, 10)):
        lines = [item(unitPrice=price, taxRate=rate)]
        invoice.append(await ana.invoice(docType="simplified", client=None, items=lines))
        await emit(ana, invoice[-1])
    await ana.patch(f"/api/invoices/{invoice[0]['id']}/pay")
    return invoice


async def figures(ana):
    """Figures that an exchange must not change."""
    income = await ana.get("/api/expenses/income-summary")
    taxes = await ana.get("/api/expenses/tax-summary")
    profit = await ana.get("/api/expenses/profit-loss")
    context = await ana.get("/api/invoices/context")
    return income, taxes, profit, context["year"], context["pending"]


async def exchanged(ana, tickets, **fields):
    return await ana.invoice(items=None, substitutes=[one["id"] for one in tickets], **fields)


async def test_a_full_invoice_takes_the_place_of_simplified_ones_and_counts_nowhere(ana, tickets, recorded):
    before = await figures(ana)
    invoice = await exchanged(ana, tickets)
    result = await emit(ana, invoice)

    full = await ana.get(f"/api/invoices/{invoice['id']}")
    assert (result["status"], await recorded(ana, "TipoFactura")) == ("accepted", "F3")
    assert (full["total"], full["balance"], full["status"]) == (35.2, 0, "sent")
    assert full["substitutes"] == [one["id"] for one in tickets]
    for one in tickets:
        assert (await ana.get(f"/api/invoices/{one['id']}"))["substitutedBy"] == invoice["id"]
    assert await figures(ana) == before
    [client] = await ana.get("/api/clients")
    assert (client["invoiceCount"], client["totalInvoiced"], client["balance"]) == (1, 0, 0)


async def test_an_exchange_is_paid_when_all_its_tickets_are(ana, tickets):
    await ana.patch(f"/api/invoices/{tickets[1]['id']}/pay")

    invoice = await exchanged(ana, tickets)
    await emit(ana, invoice)

    full = await ana.get(f"/api/invoices/{invoice['id']}")
    assert (full["status"], full["balance"]) == ("paid", 0)


async def test_a_ticket_is_exchanged_once(ana, tickets):
    first, second = await exchanged(ana, tickets), await exchanged(ana, tickets[:1])
    await emit(ana, first)

    draft = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": second["id"]})
    new = await ana.refused(400, "POST", "/api/invoices", {"client": {"name": "N"}, "substitutes": [tickets[1]["id"]]})

    for problem in (draft, new):
        assert (problem["errors"][0]["field"], "already" in problem["detail"]) == ("substitutes", True)


async def test_only_emitted_simplified_invoices_of_ones_own_are_exchanged(ana, office, tickets):
    berta = await office.account("Berta Gil")
    draft = await ana.invoice(docType="simplified", client=None, items=[item(unitPrice=1)])
    full = await ana.invoice()
    await emit(ana, full)
    ask = {"client": {"name": "N"}, "items": [item()]}

    for one, why in ((draft, "has not been emitted"), (full, "is no simplified invoice")):
        problem = await ana.refused(400, "POST", "/api/invoices", {**ask, "substitutes": [one["id"]]})
        assert why in problem["detail"]
    await berta.refused(404, "POST", "/api/invoices", {**ask, "substitutes": [tickets[0]["id"]]})
    twice = {**ask, "substitutes": [tickets[0]["id"], tickets[0]["id"]]}
    assert "twice" in (await ana.refused(400, "POST", "/api/invoices", twice))["detail"]


@pytest.mark.parametrize(("price", "status"), [(20, 200), (20.01, 200), (20.03, 400), (19.97, 400)])
async def test_an_exchange_has_the_total_of_its_tickets_but_for_cents_of_rounding(ana, tickets, price, status):
    lines = [item(unitPrice=price, taxRate=21)]
    invoice = await ana.invoice(items=lines, substitutes=[tickets[0]["id"]])

    answer = await ana.request("POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})

    assert answer.status_code == status, answer.text
    if status == 400:
        assert answer.json()["errors"][0]["field"] == "substitutes"


async def test_deleting_a_draft_of_an_exchange_frees_its_tickets(office, ana, tickets):
    invoice = await exchanged(ana, tickets)
    async with as_earlier_versions_did(office, ana):
        await ana.patch(f"/api/invoices/{invoice['id']}/send")
        await ana.delete(f"/api/invoices/{invoice['id']}")
    between = await ana.get(f"/api/invoices/{tickets[0]['id']}")

    await ana.post(f"/api/invoices/{invoice['id']}/restore")

    assert between["substitutedBy"] is None
    assert (await ana.get(f"/api/invoices/{tickets[0]['id']}"))["substitutedBy"] == invoice["id"]


async def test_the_stock_moves_with_the_simplified_one_only(ana):
    article = await ana.post("/api/catalog", {"type": "product", "name": "Taza", "unitPrice": 10, "stock": 5})
    line = item(unitPrice=10, quantity=2, catalogItemId=article["id"])
    ticket = await ana.invoice(docType="simplified", client=None, items=[line])
    await emit(ana, ticket)

    await emit(ana, await exchanged(ana, [ticket]))

    [product] = await ana.get("/api/catalog")
    assert product["stock"] == 3

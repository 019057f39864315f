"""Margin schemes: only the margin is declared, the printed invoice shows no tax, and corrections credit the same."""

from uuid import UUID

import pytest
from lxml import etree
from sqlalchemy import text

from support.api import CLIENT, item
from support.office import emit
from support.tills import Till, line, movement

SF = (
    "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
    "SuministroInformacion.xsd}"
)
TOLD = ("ClaveRegimen", "BaseImponibleOimporteNoSujeto", "CuotaRepercutida", "CuotaTotal", "ImporteTotal")


def used(price=500, cost: float | None = 379, **fields):
    """Bought for 379.00, sold for 500.00: of the margin of 121.00 the tax is 21.00."""
    return item(**{"unitPrice": price, "regimeKey": "03", "purchaseCost": cost, **fields})


def amounts(invoice):
    return [invoice[name] for name in ("subtotal", "taxAmount", "total")]


def rows(invoice):
    return [(row["base"], row["amount"], row["untaxedAmount"]) for row in invoice["taxBreakdown"]]


@pytest.fixture
def recorded_amounts(office):
    """Amounts in an account's latest record."""

    async def read(api):
        root = etree.fromstring((await office.records(api))[-1].content)
        return [next(root.iter(f"{SF}{name}")).text for name in TOLD]

    return read


@pytest.fixture
def credit(ana):
    """Credit these lines of an emitted invoice; without any, everything not credited yet."""

    async def invoice(original, fiscal, **fields):
        day = (await ana.get(f"/api/invoices/{original['id']}"))["issueDate"]
        body = {"invoiceId": original["id"], "originalFiscalId": fiscal["fiscalId"], "originalDate": day, **fields}
        note = await ana.post("/api/einvoice/credit-note", body)
        return await ana.get(f"/api/invoices/{note['invoiceId']}")

    return invoice


async def page(api, invoice) -> str:
    """The HTML of the invoice's public page."""
    link = await api.post(f"/api/invoices/{invoice['id']}/share")
    return (await api.client.get(f"/s/{link['shareToken']}")).text


# ---------------------------------------------------------------- arithmetic


@pytest.mark.parametrize(
    ("lines", "row", "sums"),
    [
        ([used()], (100, 21, 379), [479, 21, 500]),
        ([used(cost=0)], (413.22, 86.78, 0), [413.22, 86.78, 500]),
        ([used(cost=600)], (0, 0, 500), [500, 0, 500]),
        ([used(cost=600), used()], (100, 21, 879), [979, 21, 1000]),
        ([used(price=250, quantity=2)], (100, 21, 379), [479, 21, 500]),
    ],
)
async def test_only_the_margin_of_each_line_is_taxed_and_a_loss_lowers_no_other(ana, lines, row, sums):
    invoice = await ana.invoice(items=lines)

    assert (rows(invoice), amounts(invoice)) == ([row], sums)


@pytest.mark.parametrize("included", [True, False])
async def test_the_price_contains_its_tax_however_other_prices_are(ana, included):
    invoice = await ana.invoice(items=[used()], pricesIncludeTax=included)

    assert amounts(invoice) == [479, 21, 500]


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        ([used(cost=None)], "items[0].purchaseCost"),
        ([used(regimeKey="01")], "items[0].purchaseCost"),
        ([used(taxCategory="exempt", exemptionCode="E1")], "items[0].purchaseCost"),
        ([used(cost=-379)], "items[0].purchaseCost"),
        ([used(surchargeRate=5.2)], "items[0].surchargeRate"),
        ([used(), item()], "items"),
        ([used(), used(regimeKey="05")], "items"),
    ],
)
async def test_a_field_that_does_not_fit_a_margin_is_named(ana, lines, field):
    problem = await ana.refused(400, "POST", "/api/invoices", {"client": CLIENT, "items": lines})

    assert [error["field"] for error in problem["errors"]] == [field]
    assert problem["remedy"]


async def test_a_client_under_the_equivalence_surcharge_bears_none_of_it(ana):
    shop = {"name": "Mercería Sol", "taxId": "87654321X", "country": "ES"}
    await ana.post("/api/clients", {**shop, "equivalenceSurcharge": True})

    invoice = await ana.invoice(client=shop, items=[used()])

    assert (amounts(invoice), invoice["surchargeAmount"]) == ([479, 21, 500], 0)


# ---------------------------------------------------------------- record and paper


@pytest.mark.parametrize(
    ("regime", "details", "legend"),
    [
        ("03", None, "Régimen especial de los bienes usados"),
        ("03", {"marginGoods": "art"}, "Régimen especial de los objetos de arte"),
        ("05", None, "Régimen especial de las agencias de viajes"),
    ],
)
async def test_the_record_declares_the_margin_and_the_paper_states_no_tax(
    ana, recorded_amounts, regime, details, legend
):
    invoice = await ana.invoice(
        client={**CLIENT, "language": "es"}, items=[used(regimeKey=regime)], fiscalDetails=details
    )

    result = await emit(ana, invoice)

    assert (result["status"], result.get("message")) == ("accepted", None)
    assert await recorded_amounts(ana) == [regime, "100.00", "21.00", "21.00", "500.00"]
    printed = await page(ana, invoice)
    assert legend in printed
    assert "500,00" in printed
    assert not [hidden for hidden in ("21,00", "479,00", "379,00", "100,00", "21 %", "IVA") if hidden in printed]


async def test_an_unknown_kind_of_goods_is_refused_before_numbering(ana):
    invoice = await ana.invoice(items=[used()], fiscalDetails={"marginGoods": "books"})

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})

    assert [error["field"] for error in problem["errors"]] == ["fiscalDetails.marginGoods"]


async def test_a_draft_of_an_earlier_version_without_cost_is_refused_before_numbering(ana, office):
    invoice = await ana.invoice(items=[item(regimeKey="01", unitPrice=500)])
    await without_cost(office, ana, invoice)

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert [error["code"] for error in problem["errors"]] == ["MARGIN_MISSING"]
    assert "purchaseCost" in problem["remedy"]
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["number"] is None


# ---------------------------------------------------------------- corrections


async def test_a_credit_note_credits_the_same_margin(ana, recorded_amounts, credit):
    invoice = await ana.invoice(items=[used(), used(price=200, cost=300)])

    note = await credit(invoice, await emit(ana, invoice))

    assert (rows(note), amounts(note)) == ([(-100, -21, -579)], [-679, -21, -700])
    assert note["einvoice"]["status"] == "accepted"
    assert await recorded_amounts(ana) == ["03", "-100.00", "-21.00", "-21.00", "-700.00"]


async def test_parts_of_it_add_up_to_the_whole(ana, credit):
    invoice = await ana.invoice(items=[used(price=50, cost=379, quantity=10)])
    fiscal = await emit(ana, invoice)

    part = await credit(invoice, fiscal, items=[{"description": "Tres", "unitPrice": 150, "purchaseCost": 113.7}])
    rest = await credit(invoice, fiscal)

    assert rows(part) == [(-30, -6.3, -113.7)]
    assert rows(rest) == [(-70, -14.7, -265.3)]


@pytest.mark.parametrize(
    "back",
    [
        {"unitPrice": 150},
        {"unitPrice": 150, "purchaseCost": 0},
        {"unitPrice": 450, "purchaseCost": 450},
        {"unitPrice": 600, "purchaseCost": 379},
    ],
)
async def test_a_margin_that_was_not_charged_is_not_credited(ana, back):
    invoice = await ana.invoice(items=[used()])
    fiscal = await emit(ana, invoice)
    body = {"invoiceId": invoice["id"], "originalFiscalId": fiscal["fiscalId"], "originalDate": invoice["issueDate"]}

    problem = await ana.refused(
        400, "POST", "/api/einvoice/credit-note", {**body, "items": [{"description": "x", **back}]}
    )

    assert [error["field"] for error in problem["errors"]] in (["items"], ["items[0].purchaseCost"])


async def test_a_substitution_states_the_right_and_the_replaced_margin(ana, office, recorded_amounts, credit):
    invoice = await ana.invoice(items=[used()])

    note = await credit(invoice, await emit(ana, invoice), method="substitution", items=[used(cost=258)])

    assert await recorded_amounts(ana) == ["03", "200.00", "42.00", "42.00", "500.00"]
    root = etree.fromstring((await office.records(ana))[-1].content)
    assert [next(root.iter(f"{SF}{name}")).text for name in ("BaseRectificada", "CuotaRectificada")] == [
        "100.00",
        "21.00",
    ]
    assert note["replaced"]["taxBreakdown"][0]["untaxedAmount"] == 379


async def test_an_invoice_of_an_earlier_version_is_credited_as_it_was_charged(ana, office, recorded_amounts, credit):
    invoice = await ana.invoice(items=[item(regimeKey="01", unitPrice=100)])
    fiscal = await emit(ana, invoice)
    await without_cost(office, ana, invoice)

    note = await credit(invoice, fiscal)

    assert rows(note) == [(-100, -21, None)]
    assert await recorded_amounts(ana) == ["03", "-100.00", "-21.00", "-21.00", "-121.00"]


BEFORE = text(
    'update invoice set items = (select json_agg(one::jsonb || \'{"regimeKey"\\: "03"}\') from'
    ' json_array_elements(items) as one), tax_breakdown = (select json_agg(one::jsonb || \'{"regimeKey"\\: "03"}\')'
    " from json_array_elements(tax_breakdown) as one) where id = :id"
)


async def without_cost(office, api, invoice):
    """Change the invoice to one of an earlier version, which asked for no cost under the regime 03."""
    async with office.kernel.database.transaction(UUID(api.team["id"])) as connection:
        await connection.execute(BEFORE, {"id": invoice["id"]})


# ---------------------------------------------------------------- the till


async def test_a_sale_at_a_till_and_its_refund_declare_the_margin(ana, recorded_amounts):
    till = await Till.of(ana)
    one = line(500, regimeKey="03", purchaseCost=379, taxRate=21)

    sale = await till.sells(500, one)
    first = await recorded_amounts(ana)
    await till.refunds(sale, 500, one)

    assert first == ["03", "100.00", "21.00", "21.00", "500.00"]
    assert await recorded_amounts(ana) == ["03", "-100.00", "-21.00", "-21.00", "-500.00"]


async def test_a_part_of_a_sale_comes_back_by_its_lines_only(ana):
    till = await Till.of(ana)
    sale = await till.sells(500, line(500, regimeKey="03", purchaseCost=379, taxRate=21))

    problem = await till.refuses(movement("refund", 100, invoiceId=sale["invoiceId"]))

    assert [error["field"] for error in problem["errors"]] == ["lineItems"]


async def test_a_simplified_invoice_of_a_margin_is_exchanged_for_a_full_one(ana, recorded_amounts):
    till = await Till.of(ana)
    sale = await till.sells(500, line(500, regimeKey="03", purchaseCost=379, taxRate=21))

    full = await ana.post("/api/invoices", {"client": CLIENT, "substitutes": [sale["invoiceId"]]})

    assert (await emit(ana, full))["status"] == "accepted"
    assert await recorded_amounts(ana) == ["03", "100.00", "21.00", "21.00", "500.00"]

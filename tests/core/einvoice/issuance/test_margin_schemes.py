"""Used goods and travels: only the margin is declared, the paper shows no tax, and corrections give back the same."""

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


def amounts(made):
    return [made[name] for name in ("subtotal", "taxAmount", "total")]


def rows(made):
    return [(row["base"], row["amount"], row["untaxedAmount"]) for row in made["taxBreakdown"]]


@pytest.fixture
def told(office):
    """What an account's latest record says of the amounts."""

    async def read(api):
        found = etree.fromstring((await office.records(api))[-1].content)
        return [next(found.iter(f"{SF}{name}")).text for name in TOLD]

    return read


@pytest.fixture
def credited(ana):
    """A credit note for these lines of an emitted invoice; for all that is left without any."""

    async def made(original, fiscal, **fields):
        day = (await ana.get(f"/api/invoices/{original['id']}"))["issueDate"]
        body = {"invoiceId": original["id"], "originalFiscalId": fiscal["fiscalId"], "originalDate": day, **fields}
        note = await ana.post("/api/einvoice/credit-note", body)
        return await ana.get(f"/api/invoices/{note['invoiceId']}")

    return made


async def page(api, invoice) -> str:
    """The invoice as it is printed for people."""
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
    made = await ana.invoice(items=lines)

    assert (rows(made), amounts(made)) == ([row], sums)


@pytest.mark.parametrize("included", [True, False])
async def test_the_price_contains_its_tax_however_other_prices_are(ana, included):
    made = await ana.invoice(items=[used()], pricesIncludeTax=included)

    assert amounts(made) == [479, 21, 500]


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
async def test_what_does_not_fit_a_margin_is_named(ana, lines, field):
    problem = await ana.refused(400, "POST", "/api/invoices", {"client": CLIENT, "items": lines})

    assert [error["field"] for error in problem["errors"]] == [field]
    assert problem["remedy"]


async def test_a_client_under_the_equivalence_surcharge_bears_none_of_it(ana):
    shop = {"name": "Mercería Sol", "taxId": "87654321X", "country": "ES"}
    await ana.post("/api/clients", {**shop, "equivalenceSurcharge": True})

    made = await ana.invoice(client=shop, items=[used()])

    assert (amounts(made), made["surchargeAmount"]) == ([479, 21, 500], 0)


# ---------------------------------------------------------------- record and paper


@pytest.mark.parametrize(
    ("regime", "details", "legend"),
    [
        ("03", None, "Régimen especial de los bienes usados"),
        ("03", {"marginGoods": "art"}, "Régimen especial de los objetos de arte"),
        ("05", None, "Régimen especial de las agencias de viajes"),
    ],
)
async def test_the_record_declares_the_margin_and_the_paper_states_no_tax(ana, told, regime, details, legend):
    made = await ana.invoice(client={**CLIENT, "language": "es"}, items=[used(regimeKey=regime)], fiscalDetails=details)

    result = await emit(ana, made)

    assert (result["status"], result.get("message")) == ("accepted", None)
    assert await told(ana) == [regime, "100.00", "21.00", "21.00", "500.00"]
    shown = await page(ana, made)
    assert legend in shown
    assert "500,00" in shown
    assert not [hidden for hidden in ("21,00", "479,00", "379,00", "100,00", "21 %", "IVA") if hidden in shown]


async def test_goods_that_nobody_knows_are_refused_before_numbering(ana):
    made = await ana.invoice(items=[used()], fiscalDetails={"marginGoods": "books"})

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": made["id"]})

    assert [error["field"] for error in problem["errors"]] == ["fiscalDetails.marginGoods"]


async def test_a_draft_of_before_that_tells_no_cost_is_refused_before_numbering(ana, office):
    made = await ana.invoice(items=[item(regimeKey="01", unitPrice=500)])
    await of_before(office, ana, made)

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": made["id"]})

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert [error["code"] for error in problem["errors"]] == ["MARGIN_MISSING"]
    assert "purchaseCost" in problem["remedy"]
    assert (await ana.get(f"/api/invoices/{made['id']}"))["number"] is None


# ---------------------------------------------------------------- corrections


async def test_a_credit_note_gives_the_same_margin_back(ana, told, credited):
    made = await ana.invoice(items=[used(), used(price=200, cost=300)])

    note = await credited(made, await emit(ana, made))

    assert (rows(note), amounts(note)) == ([(-100, -21, -579)], [-679, -21, -700])
    assert note["einvoice"]["status"] == "accepted"
    assert await told(ana) == ["03", "-100.00", "-21.00", "-21.00", "-700.00"]


async def test_parts_of_it_add_up_to_the_whole(ana, credited):
    made = await ana.invoice(items=[used(price=50, cost=379, quantity=10)])
    fiscal = await emit(ana, made)

    part = await credited(made, fiscal, items=[{"description": "Tres", "unitPrice": 150, "purchaseCost": 113.7}])
    rest = await credited(made, fiscal)

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
async def test_another_margin_than_was_charged_does_not_come_back(ana, back):
    made = await ana.invoice(items=[used()])
    fiscal = await emit(ana, made)
    body = {"invoiceId": made["id"], "originalFiscalId": fiscal["fiscalId"], "originalDate": made["issueDate"]}

    problem = await ana.refused(
        400, "POST", "/api/einvoice/credit-note", {**body, "items": [{"description": "x", **back}]}
    )

    assert [error["field"] for error in problem["errors"]] in (["items"], ["items[0].purchaseCost"])


async def test_a_substitution_says_the_right_margin_and_what_it_replaces(ana, office, told, credited):
    made = await ana.invoice(items=[used()])

    note = await credited(made, await emit(ana, made), method="substitution", items=[used(cost=258)])

    assert await told(ana) == ["03", "200.00", "42.00", "42.00", "500.00"]
    found = etree.fromstring((await office.records(ana))[-1].content)
    assert [next(found.iter(f"{SF}{name}")).text for name in ("BaseRectificada", "CuotaRectificada")] == [
        "100.00",
        "21.00",
    ]
    assert note["replaced"]["taxBreakdown"][0]["untaxedAmount"] == 379


async def test_an_invoice_of_before_is_given_back_as_it_was_charged(ana, office, told, credited):
    made = await ana.invoice(items=[item(regimeKey="01", unitPrice=100)])
    fiscal = await emit(ana, made)
    await of_before(office, ana, made)

    note = await credited(made, fiscal)

    assert rows(note) == [(-100, -21, None)]
    assert await told(ana) == ["03", "-100.00", "-21.00", "-21.00", "-121.00"]


BEFORE = text(
    'update invoice set items = (select json_agg(one::jsonb || \'{"regimeKey"\\: "03"}\') from'
    ' json_array_elements(items) as one), tax_breakdown = (select json_agg(one::jsonb || \'{"regimeKey"\\: "03"}\')'
    " from json_array_elements(tax_breakdown) as one) where id = :id"
)


async def of_before(office, api, made):
    """The invoice as one that was made while the regime 03 asked for no cost."""
    async with office.kernel.database.transaction(UUID(api.team["id"])) as connection:
        await connection.execute(BEFORE, {"id": made["id"]})


# ---------------------------------------------------------------- the till


async def test_a_sale_at_a_till_and_its_refund_do_the_same(ana, told):
    till = await Till.of(ana)
    one = line(500, regimeKey="03", purchaseCost=379, taxRate=21)

    sold = await till.sells(500, one)
    first = await told(ana)
    await till.refunds(sold, 500, one)

    assert first == ["03", "100.00", "21.00", "21.00", "500.00"]
    assert await told(ana) == ["03", "-100.00", "-21.00", "-21.00", "-500.00"]


async def test_a_part_of_a_sale_comes_back_by_its_lines_only(ana):
    till = await Till.of(ana)
    sold = await till.sells(500, line(500, regimeKey="03", purchaseCost=379, taxRate=21))

    problem = await till.refuses(movement("refund", 100, invoiceId=sold["invoiceId"]))

    assert [error["field"] for error in problem["errors"]] == ["lineItems"]


async def test_a_simplified_invoice_of_a_margin_is_exchanged_for_a_full_one(ana, told):
    till = await Till.of(ana)
    sold = await till.sells(500, line(500, regimeKey="03", purchaseCost=379, taxRate=21))

    full = await ana.post("/api/invoices", {"client": CLIENT, "substitutes": [sold["invoiceId"]]})

    assert (await emit(ana, full))["status"] == "accepted"
    assert await told(ana) == ["03", "100.00", "21.00", "21.00", "500.00"]

"""Second supplies of triangular operations: record and print say that the buyer owes the tax where the goods arrive."""

from uuid import UUID

import pytest
from lxml import etree
from sqlalchemy import text

from support.api import item
from support.database import as_owner
from support.office import emit

SF = (
    "{https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
    "SuministroInformacion.xsd}"
)
GERMAN = {"name": "Werkstatt Nord GmbH", "taxId": "DE811907980", "country": "DE", "language": "es"}
GOODS = item(unitPrice=1000, taxCategory="intra_eu_goods", taxRate=0)
REVERSED = "Inversión del sujeto pasivo: operación triangular no sujeta al IVA español"
EXEMPT = "Operación exenta de IVA (art. 25 "


@pytest.fixture
def declared(office):
    """Qualification and exemption of an account's latest record."""

    async def read(api) -> tuple[str | None, str | None]:
        entry = etree.fromstring((await office.records(api))[-1].content).find(f".//{SF}DetalleDesglose")
        return entry.findtext(f"{SF}CalificacionOperacion"), entry.findtext(f"{SF}OperacionExenta")

    return read


@pytest.fixture
def as_before(office):
    """Mark an invoice as one that an earlier version has issued."""

    async def mark(invoice) -> None:
        async with as_owner(office.kernel) as connection:
            statement = text("update invoice set triangular_exempt = true where id = :id")
            await connection.execute(statement, {"id": UUID(invoice["id"])})

    return mark


async def page(api, invoice) -> str:
    """The HTML of the invoice's public page."""
    link = await api.post(f"/api/invoices/{invoice['id']}/share")
    return (await api.client.get(f"/s/{link['shareToken']}")).text


async def credited(api, invoice, result, **fields):
    original = {"invoiceId": invoice["id"], "originalFiscalId": result["fiscalId"]}
    return await api.post("/api/einvoice/credit-note", {**original, "originalDate": invoice["issueDate"], **fields})


async def test_record_and_print_say_that_the_buyer_owes_the_tax(ana, declared):
    invoice = await ana.invoice(client=GERMAN, items=[GOODS], triangular=True)

    result = await emit(ana, invoice)

    printed = await page(ana, invoice)
    assert result["status"] == "accepted"
    assert await declared(ana) == ("N2", None)
    assert REVERSED in printed
    assert EXEMPT not in printed
    assert (await ana.get("/api/einvoice/chain?verify=true"))["verification"]["ok"]


async def test_what_is_supplied_from_here_stays_exempt(ana, declared):
    invoice = await ana.invoice(client=GERMAN, items=[GOODS])

    await emit(ana, invoice)

    printed = await page(ana, invoice)
    assert await declared(ana) == (None, "E5")
    assert EXEMPT in printed
    assert REVERSED not in printed


@pytest.mark.parametrize("fields", [{}, {"items": [{**GOODS, "unitPrice": 40}]}], ids=["whole", "part"])
async def test_its_credit_note_says_the_same(ana, declared, fields):
    invoice = await ana.invoice(client=GERMAN, items=[GOODS], triangular=True)
    result = await emit(ana, invoice)

    note = await credited(ana, invoice, result, **fields)

    assert note["status"] == "accepted"
    assert await declared(ana) == ("N2", None)
    assert REVERSED in await page(ana, {"id": note["invoiceId"]})


async def test_a_buyer_without_a_vat_number_cannot_owe_the_tax(ana):
    american = {"name": "Acme Inc", "taxId": "12-3456789", "country": "US"}
    invoice = await ana.invoice(client=american, items=[GOODS], triangular=True)

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})

    assert [error["code"] for error in problem["errors"]] == ["VAT_NUMBER_MISSING"]


async def test_what_was_issued_as_exempt_stays_so_in_record_and_print(office, ana, declared, as_before):
    invoice = await ana.invoice(client=GERMAN, items=[GOODS], triangular=True)
    await as_before(invoice)
    first = await emit(ana, invoice)

    again = await emit(ana, invoice)

    assert await declared(ana) == (None, "E5")
    assert EXEMPT in await page(ana, invoice)
    assert again["hash"] == first["hash"]
    assert len(await office.records(ana)) == 1


async def test_what_corrects_or_repeats_it_says_it_as_it_is_today(ana, declared, as_before):
    invoice = await ana.invoice(client=GERMAN, items=[GOODS], triangular=True)
    await as_before(invoice)
    result = await emit(ana, invoice)

    await credited(ana, invoice, result, items=[{**GOODS, "unitPrice": 40}])
    of_note = await declared(ana)
    copy = await ana.post(f"/api/invoices/{invoice['id']}/duplicate")
    await emit(ana, copy)

    assert of_note == ("N2", None)
    assert copy["triangular"]
    assert await declared(ana) == ("N2", None)

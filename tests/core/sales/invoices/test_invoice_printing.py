"""Printed document of a stored invoice: its content, its language, and what is left out."""

from decimal import Decimal
from uuid import UUID

import pytest

from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.pdf import PrintedDocument, printed_invoice
from ledgerkit.providers.api import TaxCategory
from support.api import CLIENT, item
from support.printed import texts


@pytest.fixture
def printed_document_of(ana, kernel):
    """Return the printed document of one of Ana's invoices, before its layout."""

    async def read(invoice: dict, language: str | None = None) -> PrintedDocument:
        ctx = await accounts.system_context(kernel, UUID(ana.team["id"]))
        async with ctx.transaction() as inner:
            return await printed_invoice.printed_document(inner, await lifecycle.fetch(inner, invoice["id"]), language)

    return read


async def test_a_german_client_sees_vat_numbers_and_countries(ana):
    german = {"name": "Donau GmbH", "taxId": "136695976", "country": "DE", "city": "Berlin", "language": "en"}
    invoice = await ana.invoice(client=german, items=[item(taxCategory="intra_eu_services")])

    pdf = await ana.request("GET", f"/api/invoices/{invoice['id']}/pdf")

    (page,) = texts(pdf.content)
    assert "Ana Ruiz\nVAT number: ES12345678Z\nCalle Mayor 1\n28013 Madrid\nSpain" in page
    assert "Donau GmbH\nVAT number: DE136695976\nBerlin\nGermany" in page
    assert "Identidad visual 1 €1,200.00 Reverse charge €1,200.00" in page


async def test_a_client_at_home_sees_neither(ana):
    invoice = await ana.invoice()

    pdf = await ana.request("GET", f"/api/invoices/{invoice['id']}/pdf")

    (page,) = texts(pdf.content)
    assert "Ana Ruiz\nNIF: 12345678Z\nCalle Mayor 1\n28013 Madrid\n" in page
    assert "Talleres Norte, S.L.\nNIF: B12345674\nPolígono Norte 2\n48001 Bilbao\npagos@norte.example" in page
    assert "España" not in page


@pytest.mark.parametrize("category", [one for one in TaxCategory if one is not TaxCategory.STANDARD])
async def test_a_line_without_tax_says_why(ana, printed_document_of, category):
    invoice = await ana.invoice(items=[item(), item(taxCategory=category.value, taxRate=0)])

    taxed, untaxed = (await printed_document_of(invoice)).lines

    assert (taxed.category, taxed.tax_rate) == (TaxCategory.STANDARD, Decimal(21))
    assert (untaxed.category, untaxed.tax_rate) == (category, None)


async def test_a_credit_note_asks_for_no_payment(ana, issue, printed_document_of):
    original = await issue(await ana.invoice(iban="ES9121000418450200051332"))
    note = await ana.invoice(
        docType="credit_note",
        rectifies=original["id"],
        client=None,
        items=[item(unitPrice=-1200)],
        iban="ES9121000418450200051332",
    )

    printed, before = await printed_document_of(note), await printed_document_of(original)

    assert (printed.due_date, printed.iban) == (None, None)
    assert before.due_date is not None
    assert before.iban == "ES9121000418450200051332"


async def test_a_correction_that_raises_the_price_asks_for_the_difference(ana, issue, printed_document_of):
    original = await issue(await ana.invoice())
    note = await ana.invoice(
        docType="credit_note",
        rectifies=original["id"],
        client=None,
        items=[item(unitPrice=100)],
        iban="ES9121000418450200051332",
    )

    printed = await printed_document_of(note)

    assert printed.due_date is not None
    assert printed.iban == "ES9121000418450200051332"


async def test_another_tax_is_called_by_its_name(ana, printed_document_of):
    island = await printed_document_of(await ana.invoice(items=[item(tax="IGIC", taxRate=7)]))
    other = await printed_document_of(await ana.invoice(items=[item(tax="OTHER", taxRate=3)]))

    assert (island.tax_name, island.lines[0].tax_name, island.taxes[0].tax_name) == ("IGIC", None, None)
    assert other.tax_name == "Otro impuesto"


async def test_several_taxes_are_told_apart_in_every_line(ana, printed_document_of):
    mixed = await printed_document_of(await ana.invoice(items=[item(), item(tax="IGIC", taxRate=7)]))

    assert mixed.tax_name == "Impuestos"
    assert [line.tax_name for line in mixed.lines] == ["IVA", "IGIC"]
    assert sorted(row.tax_name for row in mixed.taxes) == ["IGIC", "IVA"]


async def test_the_language_asked_for_wins_over_the_clients(ana, printed_document_of):
    invoice = await ana.invoice(client=CLIENT | {"language": "es"})

    assert (await printed_document_of(invoice)).language == "es"
    assert (await printed_document_of(invoice, "en")).language == "en"


async def test_a_language_without_words_is_refused_and_those_there_are_are_named(ana):
    invoice = await ana.invoice()

    asked = await ana.refused(400, "GET", f"/api/invoices/{invoice['id']}/pdf?lang=fr")
    drafted = await ana.refused(
        400, "POST", "/api/invoices", {"client": CLIENT | {"language": "fr"}, "items": [item()]}
    )
    stored = await ana.refused(400, "POST", "/api/clients", CLIENT | {"language": "fr"}, **{"accept-language": "es"})

    fields = [one["errors"][0]["field"] for one in (asked, drafted, stored)]
    assert fields == ["lang", "client.language", "language"]
    assert asked["remedy"] == "Choose one of: ca, en, es."
    assert stored["remedy"] == "Elige uno de estos: ca, en, es."

"""The web app in another country than Spain: its rates of the document's day, its words, and nothing of Spain's."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from support.api import ADDRESS, Api
from support.processes import begun_anew
from web.conftest import Site, opened_site

UNTAXED = [
    "Exenta",
    "No sujeta",
    "Inversión del sujeto pasivo",
    "Exportación",
    "Bienes a la UE",
    "Servicios a la UE",
]


@pytest.fixture(scope="module")
def vetania(tmp_path_factory) -> Path:
    """The folder in which Vetania is installed, as a package of its own; its code stands in `support`."""
    folder = tmp_path_factory.mktemp("vetania")
    package = folder / "vetania-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: vetania\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[ledgerkit.countries]\nVT = support.tiny_country:country\n")
    return folder


@pytest.fixture(scope="module")
async def site(postgres, vetania, tmp_path_factory) -> AsyncIterator[Site]:
    """A server with Vetania beside Spain."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(vetania), str(Path(__file__).parents[1])]))
        async with opened_site(postgres, tmp_path_factory.mktemp("web") / "data", begun_anew) as site:
            yield site


@pytest.fixture
async def vera(site) -> Api:
    """An owner with a company in Vetania."""
    api = await site.newcomer()
    api.team = await api.post("/api/teams", {"name": "Vera", "country": "VT", "taxId": "VT7", **ADDRESS})
    return api


def line(page: Page) -> Locator:
    return page.get_by_role("list", name="Conceptos").get_by_role("listitem").first


async def expect_offered(page: Page, tax: str, *options: str) -> None:
    """Wait until the first line offers these rates of the tax, and what is not taxed."""
    await expect(line(page).get_by_label(tax, exact=True).locator("option")).to_have_text([*options, *UNTAXED])


async def test_the_editor_offers_the_rates_of_the_day_and_no_other_countrys(vera, visit):
    page = await visit(vera, "/invoices/new")

    await expect_offered(page, "Levy", "10 % tax")
    await expect(page.get_by_label("Recargo de equivalencia")).to_have_count(0)

    await page.get_by_label("Fecha", exact=True).fill("2090-01-05")
    await expect_offered(page, "Levy", "12 % tax", "10 %")

    await line(page).get_by_label("Levy", exact=True).select_option("exempt")
    await expect(page.get_by_label("Motivo de la exención")).to_have_count(0)
    await expect_offered(page, "Levy", "12 % tax")


async def test_the_editor_says_the_countrys_words(vera, visit):
    page = await visit(vera, "/invoices/new")

    await expect(page.get_by_label("Los precios llevan el levy incluido")).to_be_visible()
    await expect(page.get_by_label("Withheld levy")).to_be_visible()
    await expect(page.get_by_text("3 % if a bank pays")).to_be_visible()
    main = page.get_by_role("main")
    for word in ("IVA", "IRPF", "15 %"):
        await expect(main).not_to_contain_text(word)


async def test_the_examples_of_the_first_run_are_the_countrys(vera, visit):
    page = await visit(vera, "/welcome")
    await page.get_by_role("button", name="Ahora no").click()
    await page.get_by_role("button", name="Ahora no").click()
    await page.get_by_role("button", name="Poner datos de ejemplo").click()
    await expect(page.get_by_text("Listo: mira Facturas, Gastos y Tareas.")).to_be_visible()

    [client] = await vera.get("/api/clients")
    assert (client["name"], client["city"]) == ("Mill of Veta (ejemplo)", "Veta")
    rates = {item["taxRate"] for invoice in await vera.get("/api/invoices") for item in invoice["items"]}
    assert rates | {item["taxRate"] for item in await vera.get("/api/catalog")} == {10}


async def test_what_the_editor_sends_is_taken(vera, visit):
    page = await visit(vera, "/invoices/new")
    await page.get_by_label("Nombre o razón social").fill("Molinos de Vetania")
    await page.keyboard.press("Tab")
    await line(page).get_by_label("Concepto").fill("Harina")
    await line(page).get_by_label("Precio").fill("200")
    await page.get_by_label("Pedido").fill("PO-77")
    await page.get_by_label("Referencia del cliente").fill("Almacén 3")
    await page.get_by_label("Lugar de la operación").fill("FR")
    await expect(page.get_by_role("status", name="Totales")).to_contain_text("220,00")
    await page.get_by_role("button", name="Guardar borrador").click()
    await page.wait_for_url("**/edit")

    [draft] = await vera.get("/api/invoices")
    [item] = draft["items"]
    assert (item["taxRate"], draft["total"]) == (10, 220)
    assert [draft[name] for name in ("purchaseOrder", "buyerReference", "placeOfSupply")] == [
        "PO-77",
        "Almacén 3",
        "FR",
    ]

    await page.get_by_label("Pedido").fill("PO-78")
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    await page.goto(f"/invoices/{draft['id']}")
    await expect(page.get_by_text("PO-78")).to_be_visible()
    assert (await vera.get(f"/api/invoices/{draft['id']}"))["purchaseOrder"] == "PO-78"


async def test_a_new_purchase_begins_with_the_countrys_rate(vera, visit):
    page = await visit(vera, "/expenses/new")
    await expect(page.get_by_role("textbox", name="Levy", exact=True)).to_have_value("10")

    await page.goto("/payables/new")
    await expect(page.get_by_role("textbox", name="Levy", exact=True)).to_have_value("10")


async def test_a_country_that_is_not_installed_takes_any_rate(site, visit):
    person = await site.newcomer()
    await person.post("/api/teams", {"name": "Claire", "country": "FR", **ADDRESS})
    page = await visit(person, "/invoices/new")

    await expect_offered(page, "Impuesto", "Tipo")
    await page.get_by_label("Nombre o razón social").fill("Moulins du Nord")
    await page.keyboard.press("Tab")
    await line(page).get_by_label("Concepto").fill("Farine")
    await line(page).get_by_label("Precio").fill("100")
    await line(page).get_by_label("Tipo").fill("5,5")
    await expect(page.get_by_role("status", name="Totales")).to_contain_text("105,50")
    await page.get_by_role("button", name="Guardar borrador").click()
    await page.wait_for_url("**/edit")

    [draft] = await person.get("/api/invoices")
    assert [item["taxRate"] for item in draft["items"]] == [5.5]

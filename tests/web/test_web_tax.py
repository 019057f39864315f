"""Taxes: a quarter becomes a 303, box by box with its documents, is overridden, undone, filed and saved."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from support.api import CLIENT, item
from support.windows import overflow, tab_to


def box(page: Page, number: str) -> Locator:
    """The button of a box, which opens what is behind it."""
    return page.get_by_role("button", name=re.compile(f"^Casilla {number}"))


@pytest.fixture
async def quarter(ana):
    """A first quarter of 2026 with one sale and one purchase, and what was filed before."""
    sale = await ana.invoice(client=CLIENT, items=[item(unitPrice=1000)], issueDate="2026-02-10")
    await ana.patch(f"/api/invoices/{sale['id']}/pay", {"paidAt": "2026-02-20"})
    vendor = await ana.post("/api/vendors", {"name": "Papelera, S.A.", "taxId": "A28015865", "country": "ES"})
    purchase = {"description": "Papel", "amount": 121, "taxRate": 21, "date": "2026-02-11"}
    await ana.post("/api/expenses", purchase | {"vendorId": vendor["id"], "invoiceNumber": "P-1"})
    return sale


@pytest.fixture
async def declaration(ana, quarter):
    asked = {"country": "ES", "year": 2026, "period": "Q1"}
    return (await ana.post("/api/tax-declarations/generate", asked))["declaration"]


@pytest.mark.journey
async def test_a_quarter_becomes_a_303_with_its_documents(visit, ana, quarter):
    page = await visit(ana, "/tax?year=2026")

    await page.get_by_role("button", name="Preparar 303, 1.er trimestre de 2026").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("303 Autoliquidación del IVA")
    await expect(page.get_by_role("heading", name="IVA devengado")).to_be_visible()
    await box(page, "07").click()

    dialog = page.get_by_role("dialog", name="Casilla 07")
    sold = await ana.get(f"/api/invoices/{quarter['id']}")
    document = dialog.get_by_role("link", name=sold["number"])
    await expect(document).to_have_attribute("href", f"/invoices/{quarter['id']}")
    await expect(dialog).to_contain_text("1.000,00 €")


async def test_an_override_shows_the_original_and_is_undone_by_one_click(visit, ana, declaration):
    page = await visit(ana, f"/tax/{declaration['id']}")

    await box(page, "28").click()
    dialog = page.get_by_role("dialog", name="Casilla 28")
    await dialog.get_by_label("Cambiar el valor a mano").fill("150,25")
    await dialog.get_by_role("button", name="Guardar el valor").click()

    await expect(page.get_by_text("cambiada a mano; calculada: 100,00 €")).to_be_visible()
    await expect(box(page, "28")).to_contain_text("150,25")
    await page.get_by_role("button", name="Volver al valor calculado de la casilla 28").click()
    await expect(page.get_by_text("cambiada a mano")).to_have_count(0)
    await expect(box(page, "28")).to_contain_text("100,00")


async def test_a_box_is_overridden_by_keyboard(visit, ana, declaration):
    page = await visit(ana, f"/tax/{declaration['id']}")

    await tab_to(page, box(page, "28"), most=120)
    await page.keyboard.press("Enter")
    field = page.get_by_role("dialog").get_by_label("Cambiar el valor a mano")
    await tab_to(page, field)
    await page.keyboard.press("Control+a")
    await page.keyboard.type("90,5")
    await page.keyboard.press("Enter")

    await expect(box(page, "28")).to_contain_text("90,50")
    assert (await ana.get(f"/api/tax-declarations/{declaration['id']}"))["declaration"]["manualOverrides"] == {
        "28": 90.5
    }


async def test_the_file_is_refused_plainly_until_it_is_whole(visit, ana, declaration, tmp_path):
    page = await visit(ana, f"/tax/{declaration['id']}")

    await page.get_by_role("button", name="Descargar el fichero").click()
    refusal = await ana.request("GET", f"/api/tax-declarations/{declaration['id']}/file")
    if refusal.status_code != 200:
        await expect(page.get_by_role("alert")).to_contain_text(refusal.json()["errors"][0]["field"])
        await ana.patch(f"/api/tax-declarations/{declaration['id']}", {"declarationType": "I"})
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Descargar el fichero").click()
    await (await waiting.value).save_as(tmp_path / "303.txt")

    assert (tmp_path / "303.txt").read_bytes().startswith(b"<T3030")


async def test_it_is_recorded_as_filed_with_its_receipt(visit, ana, declaration):
    page = await visit(ana, f"/tax/{declaration['id']}")

    await page.get_by_role("button", name="Ya la he presentado").click()
    dialog = page.get_by_role("dialog", name="Registrar como presentada")
    await dialog.get_by_label("Número de justificante").fill("3031234567890")
    await dialog.get_by_role("button", name="Ya la he presentado").click()

    await expect(page.get_by_text("Presentada", exact=True).first).to_be_visible()
    await expect(page.get_by_text("Justificante: 3031234567890")).to_be_visible()
    await expect(page.get_by_role("button", name="Volver a calcular")).to_have_count(0)
    await expect(page.get_by_role("button", name="Descargar el fichero")).to_be_visible()


async def test_what_the_file_lacks_is_said_before_it_is_recorded_without_one(visit, ana, declaration):
    path = f"/api/tax-declarations/{declaration['id']}"
    await ana.patch(path, {"declarationType": "U"})
    page = await visit(ana, f"/tax/{declaration['id']}")

    await page.get_by_role("button", name="Ya la he presentado").click()
    dialog = page.get_by_role("dialog", name="Registrar como presentada")
    await expect(dialog).to_contain_text("No hay fichero que importar: falta esto")
    await expect(dialog.get_by_role("listitem")).to_contain_text("iban")
    await dialog.get_by_role("button", name="Ya la he presentado").click()

    await expect(page.get_by_text("Presentada", exact=True).first).to_be_visible()
    await expect(page.get_by_role("button", name="Descargar el fichero")).to_have_count(0)
    await expect(page.get_by_text("Anotada como presentada sin fichero")).to_be_visible()
    assert (await ana.get(path))["declaration"]["file"] is None


async def test_moved_books_are_said_and_computed_again(visit, ana, declaration):
    late = {"description": "Tinta", "amount": 242, "taxRate": 21, "date": "2026-03-01"}
    vendor = await ana.post("/api/vendors", {"name": "Tintas, S.A.", "taxId": "B87654323", "country": "ES"})
    await ana.post("/api/expenses", late | {"vendorId": vendor["id"], "invoiceNumber": "T-1"})
    page = await visit(ana, f"/tax/{declaration['id']}")

    notice = page.locator(".notice").filter(has_text="Los libros han cambiado")
    await notice.get_by_role("button", name="Volver a calcular").click()

    await expect(notice).to_have_count(0)
    await expect(box(page, "28")).to_contain_text("300,00")


async def test_an_earlier_declaration_is_recorded(visit, ana):
    page = await visit(ana, "/tax?view=list")

    await page.get_by_role("button", name="Registrar una ya presentada").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Año").fill("2025")
    await dialog.get_by_label("Periodo").select_option("Q4")
    await dialog.get_by_label("Valor").fill("-120,50")
    await dialog.get_by_label("Tipo, como").fill("C")
    await dialog.get_by_role("button", name="Registrar", exact=True).click()

    row = page.get_by_role("row").filter(has_text="303, 4.º trimestre de 2025")
    await expect(row).to_contain_text("Registrada a mano")
    [listed] = (await ana.get("/api/tax-declarations"))["declarations"]
    assert listed["boxes"]["71"] == -120.5


async def test_the_lists_of_the_profile_are_filled_and_found_again(visit, ana, violations):
    await ana.put("/api/tax-declarations/profile", {"activities": [{"kind": "A05", "iae": "844"}, {"iae": "653"}]})
    page = await visit(ana, "/tax?view=profile")
    await page.get_by_label("Rendimiento neto del año pasado").first.fill("12.000,50")
    await page.get_by_role("group", name="Actividad 1").get_by_label("Epígrafe del IAE").fill("841")
    await page.get_by_role("button", name="Quitar Actividad 2").click()
    await page.get_by_role("button", name="Añadir local").click()
    premises = page.get_by_role("group", name="Local 1")
    await premises.get_by_label("Referencia").fill("9872023VH5797S0001WX")
    await premises.get_by_label("Nombre de la vía").fill("MAYOR")
    await premises.get_by_label("Código postal").fill("99001")
    await premises.get_by_label("Municipio (").fill("MADRID")
    await page.get_by_role("button", name="Añadir trabajador").click()
    employee = page.get_by_role("group", name="Trabajador 1")
    await employee.get_by_label("NIF del trabajador").fill("00000001R")
    await employee.get_by_label("Año de nacimiento").fill("1990")
    await page.get_by_role("button", name="Añadir cambio").click()
    change = page.get_by_role("group", name="Cambio 1")
    await change.get_by_label("Desde").fill("2026-07-01")
    await change.get_by_label("Régimen especial del criterio de caja").select_option(label="Sí")
    await change.get_by_label("No se conoce: Rendimiento neto del año pasado").check()
    await page.get_by_role("button", name="Guardar").click()
    await expect(premises.get_by_label("Código postal")).to_have_attribute("aria-invalid", "true")
    assert await violations(page) == []

    await premises.get_by_label("Código postal").fill("28013")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_text("Perfil guardado")).to_be_visible()
    await page.reload()

    await expect(premises.get_by_label("Nombre de la vía")).to_have_value("MAYOR")
    await expect(change.get_by_label("Desde")).to_have_value("2026-07-01")
    profile = await ana.get("/api/tax-declarations/profile")
    assert profile["lastYearNetIncome"] == 12000.5
    assert [one["iae"] for one in profile["activities"]] == ["841"]
    assert profile["leasedProperties"][0]["postalCode"] == "28013"
    known = ("taxId", "birthYear", "familySituation", "contract", "disability")
    assert [profile["employees"][0][name] for name in known] == ["00000001R", 1990, "3", "1", "0"]
    stated = {"since": "2026-07-01", "cashAccounting": True, "lastYearNetIncome": None}
    assert profile["censusChanges"] == [stated]
    await expect(change.get_by_label("No se conoce: Rendimiento neto del año pasado")).to_be_checked()


async def test_the_books_of_a_quarter_are_saved(visit, ana, quarter, tmp_path):
    page = await visit(ana, "/tax?view=books")

    await page.get_by_label("Año").fill("2026")
    await page.get_by_label("Formato").select_option("csv")
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Descargar").click()
    await (await waiting.value).save_as(tmp_path / "issued.csv")

    assert "1000" in (tmp_path / "issued.csv").read_text(encoding="utf-8-sig")


@pytest.mark.parametrize("width", [1280, 360])
async def test_the_checks_of_a_year_say_which_declarations_differ(visit, ana, violations, width):
    for period in ("Q1", "Q2", "Q3", "Q4"):
        filed = {"form": "303", "year": 2026, "period": period, "boxes": {"27": 210, "45": 21}}
        await ana.post("/api/tax-declarations/previous", filed)
    yearly = {"form": "390", "year": 2026, "period": "Y", "boxes": {"47": 945, "64": 84}}
    summary = (await ana.post("/api/tax-declarations/previous", yearly))["declaration"]
    page = await visit(ana, "/tax?view=checks&year=2026")
    await page.set_viewport_size({"width": width, "height": 900})

    different = page.locator(".card").filter(has_text="IVA devengado: 303 y 390")
    await expect(different).to_contain_text("No cuadra")
    await expect(different).to_contain_text("Diferencia: -105,00 €")
    await expect(page.locator(".card").filter(has_text="IVA deducible: 303 y 390")).to_contain_text("Cuadra")
    await different.get_by_text("De dónde sale").click()
    yearly_link = different.get_by_role("link", name="390, Año 2026")
    await expect(yearly_link).to_have_attribute("href", f"/tax/{summary['id']}")
    await expect(different.get_by_role("link", name="303, 3.er trimestre de 2026")).to_be_visible()
    assert await violations(page) == []
    assert await overflow(page) <= 0


async def test_a_year_without_declarations_has_nothing_to_compare(visit, ana):
    await ana.put("/api/tax-declarations/profile", {"person": "company", "activities": [{"since": "2026-01-01"}]})
    page = await visit(ana, "/tax?view=checks&year=2025")

    await expect(page.get_by_text("Aún no hay nada que cuadrar en este año")).to_be_visible()


async def test_a_viewer_reads_the_form_and_changes_nothing(visit, site, ana, declaration):
    viewer = await site.member(ana, "viewer")
    page = await visit(viewer, f"/tax/{declaration['id']}")

    await expect(box(page, "07")).to_be_visible()
    for name in ("Volver a calcular", "Ya la he presentado", "Guardar"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)
    await box(page, "28").click()
    await expect(page.get_by_label("Cambiar el valor a mano")).to_have_count(0)


async def test_screens_are_accessible_and_fit_a_telephone(visit, ana, declaration, violations):
    page = await visit(ana, "about:blank", width=360, height=740, scheme="dark", language="en")
    for view in ("", "?view=list", "?view=books", "?view=profile", f"/{declaration['id']}"):
        await page.goto(f"/tax{view}")
        await expect(page.get_by_role("heading", level=1), view).to_be_visible()
        await page.wait_for_load_state("networkidle")

        assert await violations(page) == [], view
        assert await overflow(page) <= 0, view


ELSEWHERE = {
    "01001": "Diputación Foral de Álava",
    "20001": "Diputación Foral de Gipuzkoa",
    "48001": "Diputación Foral de Bizkaia",
    "31001": "Hacienda Foral de Navarra",
    "35001": "Agencia Tributaria Canaria",
    "38001": "Agencia Tributaria Canaria",
    "51001": "Ciudad Autónoma de Ceuta",
    "52001": "Ciudad Autónoma de Melilla",
}
"""The authority that collects the tax where the agency does not, by postal code."""


async def test_who_is_taxed_elsewhere_is_told_by_whom(visit, ana):
    page = await visit(ana, "about:blank")
    for postal_code, authority in ELSEWHERE.items():
        await ana.put("/api/teams/current", {"postalCode": postal_code, "province": None})
        await page.goto("/tax?year=2026")

        notice = page.locator(".notice").filter(has_text="hay modelos que van a otra Hacienda")
        await expect(notice, postal_code).to_contain_text("El modelo 303")
        await expect(notice, postal_code).to_contain_text(authority)
        await expect(page.get_by_role("button", name=re.compile("Preparar 303")), postal_code).to_have_count(0)
        await page.get_by_role("button", name="Preparar declaración").click()
        dialog = page.get_by_role("dialog")
        await expect(dialog.get_by_label("Modelo"), postal_code).not_to_have_value("303")
        await dialog.get_by_label("Modelo").select_option("303")
        await expect(dialog, postal_code).to_contain_text(authority)


async def test_the_profile_says_where_one_is_taxed(visit, ana):
    await ana.put("/api/teams/current", {"postalCode": "48001", "province": None})
    page = await visit(ana, "/tax?view=profile")

    await page.get_by_label("Dónde tributas").select_option(label="Territorio común")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_text("Perfil guardado")).to_be_visible()
    await page.get_by_role("link", name="Calendario").click()

    await expect(page.get_by_role("button", name=re.compile("Preparar 303")).first).to_be_visible()
    await expect(page.get_by_text("hay modelos que van a otra Hacienda")).to_have_count(0)
    assert (await ana.get("/api/tax-declarations/profile"))["territory"] == "common"

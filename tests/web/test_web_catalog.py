"""The catalog in a browser: stock in place, items with variants, CSV."""

import pytest
from playwright.async_api import expect

from support.office import eventually

LOOKS = [{"width": 360, "scheme": "dark"}, {"width": 1280, "language": "en"}]


@pytest.fixture
async def shop(ana):
    """Ana's catalog with a mug and a service that looks like markup."""
    await ana.post("/api/catalog", {"name": "Taza", "sku": "T-1", "unitPrice": 10, "taxRate": 21, "stock": 5})
    await ana.post("/api/catalog", {"name": "<b>Envío</b>", "type": "service", "unitPrice": 4.5})
    return ana


async def stock_of(api, name: str) -> float:
    return (await api.get(f"/api/catalog?search={name}"))[0]["stock"]


async def test_the_stock_is_changed_in_place_once_for_each_press(shop, visit):
    page = await visit(shop, "/catalog")
    more = page.get_by_role("button", name="Una unidad más: Taza")

    for _ in range(3):
        await more.click()

    await expect(page.get_by_label("Taza: 8 en existencias")).to_have_text("8")

    async def stored() -> bool:
        return await stock_of(shop, "Taza") == 8

    await eventually(stored)
    await page.wait_for_load_state("networkidle")
    assert await stock_of(shop, "Taza") == 8


async def test_a_stock_that_is_refused_is_taken_back_and_said(shop, visit):
    page = await visit(shop, "/catalog")
    await expect(page.get_by_label("Taza: 5 en existencias")).to_be_visible()
    item = (await shop.get("/api/catalog?search=Taza"))[0]
    await shop.patch(f"/api/catalog/{item['id']}/stock", {"stock": 0})

    await page.get_by_role("button", name="Una unidad menos: Taza").click()

    await expect(page.get_by_role("alert")).to_contain_text("Referencia: ")
    await expect(page.get_by_label("Taza: 5 en existencias")).to_be_visible()


async def test_an_item_with_variants_is_made_found_and_taken_out(shop, visit):
    page = await visit(shop, "/catalog/new")
    await page.get_by_label("Nombre").fill("Camiseta")
    await page.get_by_label("Precio sin IVA").fill("1.234,50")
    for place, name in ((1, "S"), (2, "M")):
        await page.get_by_role("button", name="Añadir variante").click()
        row = page.get_by_role("group", name=f"Variante {place}")
        await row.get_by_label("Nombre de la variante").fill(name)
        await row.get_by_label("Atributos de la variante").fill(f"talla={name}")
        await row.get_by_label("Existencias de la variante").fill("4")
    await page.get_by_role("button", name="Crear artículo").click()
    await expect(page.get_by_role("heading", name="Catálogo")).to_be_visible()

    stored = (await shop.get("/api/catalog?search=Camiseta"))[0]
    assert (stored["unitPrice"], stored["stock"]) == (1234.5, 8)
    assert [one["attributes"] for one in stored["variants"]] == [{"talla": "S"}, {"talla": "M"}]
    await page.get_by_role("searchbox").fill("camis")
    await expect(page.get_by_role("link", name="Taza")).to_have_count(0)
    await page.get_by_role("button", name="Más acciones: Camiseta").click()
    await page.get_by_role("menuitem", name="Desactivar").click()
    await expect(page.get_by_text("Ningún artículo coincide")).to_be_visible()
    await page.get_by_role("button", name="Deshacer").click()
    await expect(page.get_by_role("link", name="Camiseta")).to_be_visible()


async def test_what_is_refused_is_said_at_its_field_and_what_was_typed_outlives_a_reload(shop, visit):
    page = await visit(shop, "/catalog/new")
    await page.get_by_label("SKU o referencia").fill("X-1")
    await page.get_by_role("button", name="Crear artículo").click()

    await expect(page.get_by_label("Nombre")).to_have_attribute("aria-invalid", "true")
    await page.reload()
    await expect(page.get_by_label("SKU o referencia")).to_have_value("X-1")


async def test_a_csv_is_tried_out_before_it_is_imported(shop, visit):
    page = await visit(shop, "/catalog")
    await page.get_by_role("button", name="Importar y exportar").click()
    await page.get_by_role("menuitem", name="Importar un CSV").click()
    content = "name;sku;unitPrice;stock\nTaza;T-1;11,50;9\n;SIN-NOMBRE;1;1\nPlato;P-1;8,25;3\n"
    file = {"name": "tarifa.csv", "mimeType": "text/csv", "buffer": content.encode()}
    await page.locator("dialog input[type=file]").set_input_files(file)

    await expect(page.get_by_text("2 filas se pueden importar.")).to_be_visible()
    await expect(page.get_by_text("fila 2:")).to_be_visible()
    assert await stock_of(shop, "Taza") == 5
    await page.get_by_role("button", name="Importar 2 filas").click()

    await expect(page.get_by_text("2 filas importadas.")).to_be_visible()
    assert {one["name"]: one["stock"] for one in await shop.get("/api/catalog?type=product")} == {"Taza": 9, "Plato": 3}


async def test_who_may_only_read_is_offered_no_change(shop, site, visit):
    viewer = await site.member(shop, "viewer")
    page = await visit(viewer, "/catalog")

    await page.get_by_role("link", name="Taza").wait_for()
    for name in ("Una unidad más: Taza", "Más acciones: Taza"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)
    await expect(page.get_by_role("link", name="Nuevo artículo")).to_have_count(0)
    await page.get_by_role("link", name="Taza").click()
    await expect(page.get_by_label("Nombre")).to_be_disabled()


@pytest.mark.parametrize("look", LOOKS)
async def test_the_catalog_fits_and_has_no_barriers(shop, visit, violations, look):
    page = await visit(shop, "/catalog", **look)
    await expect(page.get_by_text("<b>Envío</b>")).to_be_visible()
    mug = (await shop.get("/api/catalog?search=Taza"))[0]

    for path in ("/catalog", f"/catalog/{mug['id']}", "/catalog/import"):
        await page.goto(path)
        await page.wait_for_load_state("networkidle")
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert await violations(page) == []

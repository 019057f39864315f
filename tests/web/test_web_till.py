"""A day at the till in a browser: opened, sold by code, in cash and by card, refunded, emptied, closed by coin."""

import io
import re

import pytest
from playwright.async_api import Page, Route, expect
from pypdf import PdfReader

from support.periods import YEAR
from support.windows import tab_to

REGISTERS = "/api/cash-register"
BARCODE = "8412345678905"
TYPED_AT_ONCE = """keys => keys.forEach(key =>
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })))"""

LOOKS = [{"width": 360, "scheme": "dark"}, {"width": 1280, "language": "en"}]


@pytest.fixture
async def shop(ana):
    """Ana's shop with a mug, a sweatshirt in two sizes, and a name that looks like markup."""
    await ana.post("/api/catalog", {"name": "Taza", "unitPrice": 10, "taxRate": 21, "stock": 5, "barcode": BARCODE})
    sizes = [{"name": "S", "stock": 2}, {"name": "M", "stock": 2, "unitPrice": 32}]
    await ana.post("/api/catalog", {"name": "Sudadera", "unitPrice": 30, "taxRate": 21, "variants": sizes})
    await ana.post("/api/catalog", {"name": "<b>Bolsa</b>", "unitPrice": 1, "taxRate": 21})
    return ana


async def opened_till(page: Page, amount: str = "100") -> None:
    await page.get_by_label("Cambio inicial").fill(amount)
    await page.get_by_role("button", name="Abrir caja").click()
    await expect(page.get_by_role("heading", name="Venta")).to_be_visible()


async def scan(page: Page, code: str) -> None:
    """Type as a scanner does, with the focus in no field: within a moment, which the keyboard of a test may not be."""
    await page.get_by_role("heading", name="Caja", exact=True).focus()
    await page.evaluate(TYPED_AT_ONCE, [*code, "Enter"])


async def pay(page: Page, method: str) -> None:
    await page.get_by_role("button", name=re.compile("^Cobrar")).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label(method).check()
    await dialog.get_by_role("button", name="Cobrar", exact=True).click()


async def new_sale(page: Page) -> None:
    await page.get_by_role("button", name="Nueva venta").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.journey
async def test_a_day_at_the_till(shop, visit):
    page = await visit(shop, "/till")
    await opened_till(page)

    await scan(page, BARCODE)
    await scan(page, BARCODE)
    await expect(page.get_by_label("Cantidad de Taza")).to_have_text("2")
    await page.get_by_role("button", name=re.compile("^Cobrar")).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="20,00 €", exact=True).click()
    await dialog.get_by_role("button", name="5,00 €", exact=True).click()
    await expect(dialog.get_by_text("Cambio: 0,80 €")).to_be_visible()
    await dialog.get_by_role("button", name="Cobrar", exact=True).click()
    receipt = page.get_by_role("article", name="Recibo")
    await expect(receipt).to_contain_text(re.compile(r"Factura simplificada T.*24,20\s€"))
    await expect(receipt.get_by_role("img", name=re.compile("QR"))).to_be_visible()
    await expect(page.get_by_text("Cambio: 0,80 €")).to_be_visible()
    await new_sale(page)

    await page.get_by_role("button", name=re.compile("^Sudadera")).click()
    await page.get_by_role("button", name=re.compile("^M .*38,72")).click()
    await pay(page, "Tarjeta")
    await expect(page.get_by_role("article", name="Recibo")).to_contain_text("Sudadera · M")
    await new_sale(page)

    await page.get_by_role("button", name="Más de la caja").click()
    await page.get_by_role("menuitem", name="Sacar efectivo").click()
    await page.get_by_label("Importe").fill("30")
    await page.get_by_label("Motivo").fill("Pan")
    await page.get_by_role("dialog").get_by_role("button", name="Sacar efectivo").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)

    await page.get_by_role("link", name="Movimientos").click()
    await page.get_by_role("button", name=re.compile("Devolver: Taza")).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Uno menos: Taza").click()
    await dialog.get_by_role("button", name="Devolver 12,10 €").click()
    await expect(page.get_by_role("article", name="Recibo")).to_contain_text("Factura rectificativa R")
    await page.get_by_role("button", name="Volver a la caja").click()

    await page.get_by_role("button", name="Cerrar caja").click()
    dialog = page.get_by_role("dialog")
    for value, number in (("Billete de 50,00 €", 1), ("Billete de 20,00 €", 1), ("Billete de 10,00 €", 1)):
        await dialog.get_by_label(value).fill(str(number))
    for value, number in (("Moneda de 2,00 €", 1), ("Moneda de 0,10 €", 1)):
        await dialog.get_by_label(value).fill(str(number))
    await expect(dialog.get_by_text("Cuadra")).to_be_visible()
    await dialog.get_by_role("button", name="Cerrar con 82,10 €").click()
    await expect(page.get_by_role("heading", name="Cierre Z 1", exact=True)).to_be_visible()

    (register,) = (await shop.get(f"{REGISTERS}/history"))["registers"]
    assert (register["expectedAmount"], register["difference"], register["zNumber"]) == (82.1, 0, 1)
    assert register["totals"]["card"] == 38.72
    (mug,) = await shop.get("/api/catalog?search=Taza")
    assert mug["stock"] == 4


async def test_a_sale_whose_answer_is_lost_is_done_once(shop, visit):
    page = await visit(shop, "/till")
    await opened_till(page)
    await scan(page, BARCODE)
    await expect(page.get_by_label("Cantidad de Taza")).to_have_text("1")

    async def lose_the_answer(route: Route) -> None:
        await route.fetch()
        await route.abort("connectionreset")

    await page.route("**/movement", lose_the_answer, times=1)
    await pay(page, "Efectivo")
    await expect(page.get_by_text("No se sabe si la venta llegó")).to_be_visible()
    await page.reload()
    await expect(page.get_by_label("Cantidad de Taza")).to_have_text("1")
    await page.get_by_role("button", name="Reintentar").click()

    await expect(page.get_by_role("article", name="Recibo")).to_contain_text("12,10 €")
    register = await shop.get(f"{REGISTERS}/current")
    assert [movement["amount"] for movement in register["movements"]] == [12.1]
    await new_sale(page)
    await expect(page.get_by_text("Toca un artículo o escanea su código.")).to_be_visible()


async def test_a_till_that_was_closed_elsewhere_keeps_the_sale_for_the_next(shop, visit):
    page = await visit(shop, "/till")
    await opened_till(page)
    await scan(page, BARCODE)
    await expect(page.get_by_label("Cantidad de Taza")).to_have_text("1")
    register = await shop.get(f"{REGISTERS}/current")
    await shop.post(f"{REGISTERS}/{register['id']}/close", {"closingAmount": 100})

    await pay(page, "Tarjeta")

    await expect(page.get_by_text("Esta caja ya está cerrada")).to_be_visible()
    await expect(page.get_by_text(re.compile("^Referencia: "))).to_be_visible()
    await page.get_by_role("button", name="Abrir otra caja").click()
    await opened_till(page, "50")
    await expect(page.get_by_label("Cantidad de Taza")).to_have_text("1")
    await pay(page, "Tarjeta")
    await expect(page.get_by_role("article", name="Recibo")).to_contain_text("12,10 €")


async def test_a_sale_of_a_day_that_was_closed_is_refunded_out_of_todays_till(shop, visit):
    page = await visit(shop, "/till")
    await opened_till(page)
    await scan(page, BARCODE)
    await pay(page, "Efectivo")
    await new_sale(page)
    first = await shop.get(f"{REGISTERS}/current")
    await shop.post(f"{REGISTERS}/{first['id']}/close", {"closingAmount": 112.1})
    await page.goto(f"/till/{first['id']}")
    await expect(page.get_by_role("heading", name="Cierre Z 1", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name=re.compile("^Devolver"))).to_have_count(0)

    await page.goto("/till")
    await opened_till(page, "50")
    await page.goto(f"/till/{first['id']}")
    await page.get_by_role("button", name=re.compile("Devolver: Taza")).click()
    await page.get_by_role("dialog").get_by_role("button", name="Devolver 12,10 €").click()

    await expect(page.get_by_role("article", name="Recibo")).to_contain_text("Factura rectificativa R")
    today = await shop.get(f"{REGISTERS}/current")
    assert [(one["type"], one["amount"]) for one in today["movements"]] == [("refund", 12.1)]
    assert (await shop.get(f"{REGISTERS}/{first['id']}"))["totals"]["refunds"] == 0


async def test_a_refund_of_a_sale_without_an_invoice_lets_the_seller_choose_which_one_it_is_of(shop, visit):
    await shop.put("/api/teams/current", {"einvoicing": "off"})
    till = await shop.post(REGISTERS, {"openingAmount": 50})
    sale = {"type": "sale", "amount": 12.1, "description": "Menú"}
    await shop.post(f"{REGISTERS}/{till['id']}/movement", sale | {"description": "Sin factura"})
    await shop.put("/api/teams/current", {"einvoicing": "on"})
    for _ in range(2):
        register = await shop.post(f"{REGISTERS}/{till['id']}/movement", sale | {"description": "Sin factura"})
    earlier = register["movements"][1]
    page = await visit(shop, f"/till/{till['id']}")

    await page.get_by_role("button", name=re.compile("Devolver: Sin factura")).last.click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Devolver 12,10 €").click()
    await dialog.get_by_role("radio", name=re.compile(f"T{YEAR}-0001 .* quedan 12,10")).check()
    await dialog.get_by_role("button", name="Devolver 12,10 €").click()

    await expect(page.get_by_role("article", name="Recibo")).to_contain_text("Factura rectificativa R")
    refund = (await shop.get(f"{REGISTERS}/current"))["movements"][-1]
    assert (refund["type"], refund["invoiceId"]) == ("refund", earlier["invoiceId"])


async def test_a_receipt_is_printed_alone_on_a_roll_of_80_millimetres(shop, visit):
    page = await visit(shop, "/till")
    await opened_till(page)
    await scan(page, BARCODE)
    await pay(page, "Efectivo")
    receipt = page.get_by_role("article", name="Recibo")
    await expect(receipt.get_by_role("img", name=re.compile("QR"))).to_be_visible()

    await page.emulate_media(media="print")

    assert "Factura simplificada" in await page.locator("body").inner_text()
    assert await page.locator("body").inner_text() == await receipt.inner_text()
    [paper] = PdfReader(io.BytesIO(await page.pdf(prefer_css_page_size=True))).pages
    assert round(float(paper.mediabox.width) / 72 * 25.4) == 80
    assert "12,10" in paper.extract_text()


async def test_a_till_is_closed_by_keyboard_alone(shop, visit):
    page = await visit(shop, "/till")
    await opened_till(page, "20")

    more = page.get_by_role("button", name="Más de la caja")
    await tab_to(page, more)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("menuitem", name="Meter efectivo")).to_be_focused()
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Cerrar la caja")).to_be_visible()
    await tab_to(page, page.get_by_label("Billete de 20,00 €"))
    await page.keyboard.type("1")
    await page.keyboard.press("Enter")

    await expect(page.get_by_role("heading", name="Cierre Z 1", exact=True)).to_be_visible()


async def test_who_may_only_read_is_offered_no_till(shop, site, visit):
    viewer = await site.member(shop, "viewer")
    page = await visit(viewer, "/till")

    await expect(page.get_by_text("Tu rol no usa la caja.")).to_be_visible()
    await page.get_by_role("main").get_by_role("link", name="Cajas cerradas").click()
    await expect(page.get_by_text("Aún no se ha cerrado ninguna caja")).to_be_visible()
    await expect(page.get_by_role("button", name="Abrir caja")).to_have_count(0)


@pytest.mark.parametrize("look", LOOKS)
async def test_the_till_fits_is_large_enough_to_touch_and_has_no_barriers(shop, visit, violations, look):
    await shop.post(REGISTERS, {"openingAmount": 10})
    page = await visit(shop, "/till", **look)
    tile = page.get_by_role("button", name="<b>Bolsa</b>")
    await tile.click()
    await expect(page.get_by_role("listitem").filter(has_text="<b>Bolsa</b>").last).to_be_visible()

    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert await violations(page) == []
    small = await page.evaluate(
        """[...document.querySelectorAll('main button, main input:not([type=checkbox])')]
           .filter((one) => one.getBoundingClientRect().height < 44 && one.offsetParent)
           .map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert small == []

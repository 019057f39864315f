"""Undo in the activity: what would go back is shown and asked first, then done; what stays is said with its reason."""

import pytest
from playwright.async_api import Locator, Page, Route, expect

from support.api import PASSWORD, Api, item
from support.scopes import with_scoped_key
from support.windows import log_in, tab_to
from web.test_web_every_route import overflowing
from web.test_web_login import expire

PATH = "/settings/activity"
LAST = "Deshacer lo último"
NOW = "Deshacer ahora"


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


async def clients(ana: Api) -> list[str]:
    return [client["name"] for client in await ana.get("/api/clients")]


async def ask(page: Page, name: str = LAST) -> Locator:
    """Press the button, and wait until the dialog says what it would do."""
    await page.get_by_role("button", name=name).first.click()
    await expect(dialog(page).locator(".undo-writes, .notice").first).to_be_visible()
    return dialog(page)


@pytest.mark.journey
async def test_the_last_change_is_shown_asked_and_undone(visit, ana):
    await ana.post("/api/clients", {"name": "Talleres Norte"})
    await ana.post("/api/clients", {"name": "Talleres Sur"})
    page = await visit(ana, PATH)
    asked = await ask(page)

    await expect(asked.get_by_role("heading", name="Se deshará")).to_be_visible()
    await expect(asked.get_by_role("listitem")).to_contain_text(["Talleres Sur Cliente, alta"])
    assert await clients(ana) == ["Talleres Norte", "Talleres Sur"]

    await asked.get_by_role("button", name=NOW).click()
    await expect(asked.get_by_role("heading", name="Deshecho")).to_be_visible()
    await expect(asked.get_by_role("listitem")).to_contain_text(["Talleres Sur"])
    await expect(asked.get_by_role("button", name=NOW)).to_have_count(0)
    assert await clients(ana) == ["Talleres Norte"]

    await asked.get_by_role("button", name="Cerrar").last.click()
    await expect(page.get_by_role("row").filter(has_text="Cliente, deshecho")).to_contain_text("Talleres Sur")
    await expect(page.get_by_role("button", name="Deshacer: Talleres Sur")).to_have_count(0)
    await expect(page.get_by_role("button", name="Deshacer: Talleres Norte")).to_have_count(1)


async def test_the_values_that_come_back_are_shown_beside_those_of_now(visit, ana, violations):
    client = await ana.post("/api/clients", {"name": "Talleres Norte", "city": "Bilbao"})
    expense = {"description": "Papel", "date": "2026-11-02", "amount": 1210, "taxRate": 21}
    bought = await ana.post("/api/expenses", {**expense, "category": "office"})
    change = {"amount": 2420.5, "taxRate": 10, "category": "goods", "date": "2026-11-03"}
    await ana.put(f"/api/expenses/{bought['id']}", change)
    await ana.put(f"/api/clients/{client['id']}", {"city": "Lugo", "phone": "600", "notes": "Pagan tarde"})
    await ana.put(f"/api/clients/{client['id']}", {"city": "Madrid"})

    page = await visit(ana, PATH)
    asked = await ask(page)
    await asked.get_by_label("Cuántos cambios").select_option("3")
    record = asked.get_by_role("listitem")
    await expect(record).to_contain_text(["Población: Madrid → pasa a Bilbao", "Talleres Norte", "Papel"])
    await expect(record.first).to_contain_text("Teléfono: 600 → pasa a vacío")
    await expect(record.nth(1)).not_to_contain_text("Población")
    for line in (
        *("Importe: 2.420,50 → pasa a 1.210,00", "Tipo de IVA: 10 % → pasa a 21 %"),
        *("Fecha: 3 nov 2026 → pasa a 2 nov 2026", "Categoría: Mercancía → pasa a Oficina"),
    ):
        await expect(record.nth(2)).to_contain_text(line)
    assert await violations(page) == []

    await asked.get_by_role("button", name=NOW).click()
    await expect(asked.get_by_role("heading", name="Deshecho")).to_be_visible()
    assert (await ana.get(f"/api/clients/{client['id']}"))["city"] == "Bilbao"


async def test_many_values_that_come_back_are_cut_with_their_number(visit, ana):
    former = {"name": "Norte", "city": "Bilbao", "phone": "600", "address": "Gran Vía 1", "postalCode": "48001"}
    client = await ana.post("/api/clients", {**former, "province": "Bizkaia", "notes": "Nada"})
    await ana.put(f"/api/clients/{client['id']}", dict.fromkeys([*former, "province", "notes"], "01001"))
    page = await visit(ana, PATH, width=360, height=740, language="en")
    asked = await ask(page, "Undo the last change")

    await expect(asked.get_by_role("listitem").locator("bdi")).to_have_count(1 + 2 * 5)
    await expect(asked.get_by_text("and 2 more fields")).to_be_visible()
    assert await overflowing(page) == []


async def test_cancelling_undoes_nothing(visit, ana):
    await ana.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit(ana, PATH)
    asked = await ask(page)
    await asked.get_by_role("button", name="Cancelar").click()

    await expect(dialog(page)).to_have_count(0)
    await expect(page.get_by_role("button", name=LAST)).to_be_focused()
    assert await clients(ana) == ["Talleres Norte"]


async def test_several_changes_are_undone_by_keyboard_on_a_telephone_in_english(visit, ana, violations):
    for name in ("Norte", "Sur", "Este"):
        await ana.post("/api/clients", {"name": name})
    page = await visit(ana, PATH, width=360, height=740, language="en")
    await expect(page.get_by_role("button", name="Undo: Este")).to_be_visible()
    assert (await overflowing(page), await violations(page)) == ([], [])
    await tab_to(page, page.get_by_role("button", name="Undo the last change"))
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("How many changes")).to_be_focused()
    await page.keyboard.type("2")
    await expect(dialog(page).get_by_role("listitem")).to_contain_text(["Este Client, created", "Sur Client, created"])
    assert (await overflowing(page), await violations(page)) == ([], [])
    await tab_to(page, dialog(page).get_by_role("button", name="Undo now"))
    await page.keyboard.press("Enter")

    await expect(dialog(page).get_by_role("heading", name="Undone")).to_be_visible()
    assert await violations(page) == []
    assert await clients(ana) == ["Norte"]
    await page.keyboard.press("Escape")
    await expect(dialog(page)).to_have_count(0)


async def test_the_server_is_asked_once_the_number_is_chosen_and_no_longer_for_another(visit, ana):
    for name in ("Norte", "Sur", "Este"):
        await ana.post("/api/clients", {"name": name})
    page = await visit(ana, PATH)
    asked: list[object] = []
    silent: list[Route] = []

    async def answer_the_first_never(route: Route) -> None:
        asked.append(route.request.post_data_json["count"])
        if len(asked) > 1:
            await route.fallback()
        else:
            silent.append(route)

    await page.route("**/api/activity/undo", answer_the_first_never)
    async with page.expect_event("requestfailed"):
        await page.get_by_role("button", name=LAST).click()
        await expect(page.get_by_label("Cuántos cambios")).to_be_focused()
        for _ in range(2):
            await page.keyboard.press("ArrowDown")

    await expect(dialog(page).get_by_role("listitem")).to_contain_text(["Este", "Sur", "Norte"])
    assert asked == [1, 3]


async def test_the_password_may_take_its_time(visit, ana):
    await ana.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit.window()
    await log_in(page, ana)
    await page.clock.install()
    await page.goto(PATH)
    await expect(page.get_by_role("button", name=LAST)).to_be_visible()
    await expire(ana)
    await page.get_by_role("button", name=LAST).click()
    question = page.get_by_role("dialog", name="Tu sesión ha caducado")
    await question.get_by_label("Contraseña").fill(PASSWORD)
    await page.clock.fast_forward(90_000)
    await question.get_by_role("button", name="Seguir").click()

    await expect(dialog(page).get_by_role("listitem")).to_contain_text(["Talleres Norte"])
    await expect(page.get_by_text("No hay conexión")).to_have_count(0)


async def test_an_earlier_change_is_undone_in_its_row(visit, ana):
    await ana.post("/api/clients", {"name": "Talleres Norte"})
    await ana.post("/api/clients", {"name": "Talleres Sur"})
    page = await visit(ana, PATH)
    asked = await ask(page, "Deshacer: Talleres Norte")
    await expect(asked.get_by_label("Cuántos cambios")).to_have_count(0)
    await asked.get_by_role("button", name=NOW).click()
    await expect(asked.get_by_role("heading", name="Deshecho")).to_be_visible()

    assert await clients(ana) == ["Talleres Sur"]
    await expect(page.get_by_role("button", name="Deshacer: Talleres Norte")).to_have_count(0)
    await page.keyboard.press("Escape")
    await expect(page.locator("main h1")).to_be_focused()


async def test_what_the_law_keeps_is_not_undone_and_the_server_says_what_to_do(visit, ana):
    client = await ana.post("/api/clients", {"name": "Talleres Norte", "taxId": "B12345674"})
    invoice = await ana.post("/api/invoices", {"clientId": client["id"], "items": [item()], "taxRate": 21})
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    page = await visit(ana, PATH)
    asked = await ask(page)

    await expect(asked.get_by_role("heading", name="No se puede deshacer").first).to_be_visible()
    await expect(
        asked.get_by_text("Anúlala en «Anular» si no hubo venta, o rectifícala en «Rectificar».")
    ).to_be_visible()
    await expect(asked.get_by_role("button", name=NOW)).to_have_count(0)
    await expect(asked.get_by_role("button", name="Cerrar")).to_have_count(2)


async def test_what_somebody_changes_meanwhile_stays_and_that_is_said(visit, ana):
    client = await ana.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit(ana, PATH)
    asked = await ask(page)
    robot = await with_scoped_key(ana, "read", "write")
    await robot.put(f"/api/clients/{client['id']}", {"city": "Lugo"})
    await asked.get_by_role("button", name=NOW).click()

    await expect(asked.get_by_text("No se ha deshecho nada")).to_be_visible()
    await expect(asked.get_by_text("ha escrito en ello después")).to_be_visible()
    assert await clients(ana) == ["Talleres Norte"]


async def test_a_change_made_meanwhile_is_not_undone_with_what_was_shown(visit, ana):
    await ana.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit(ana, PATH)
    asked = await ask(page)
    await ana.post("/api/clients", {"name": "Talleres Sur"})
    await asked.get_by_role("button", name=NOW).click()
    await expect(asked.get_by_role("heading", name="Deshecho")).to_be_visible()

    assert await clients(ana) == ["Talleres Sur"]


async def test_only_ones_own_writes_in_the_app_are_offered(visit, ana, site):
    robot = await with_scoped_key(ana, "read", "write")
    await robot.post("/api/clients", {"name": "Del asistente"})
    member = await site.member(ana, "member")
    await member.post("/api/clients", {"name": "De la compañera"})
    page = await visit(member, PATH)

    await expect(page.get_by_role("button", name="Deshacer: De la compañera")).to_be_visible()
    await expect(page.get_by_role("row").filter(has_text="Del asistente")).to_have_count(1)
    await expect(page.get_by_role("button", name="Deshacer: Del asistente")).to_have_count(0)

    owners = await visit(ana, PATH)
    await expect(owners.get_by_role("row").filter(has_text="Del asistente")).to_have_count(1)
    for name in ("De la compañera", "Del asistente"):
        await expect(owners.get_by_role("button", name=f"Deshacer: {name}")).to_have_count(0)


async def test_who_may_only_read_is_not_offered_it(visit, ana, site):
    await ana.post("/api/clients", {"name": "Talleres Norte"})
    viewer = await site.member(ana, "viewer")
    page = await visit(viewer, PATH)

    await expect(page.get_by_role("row").filter(has_text="Talleres Norte")).to_be_visible()
    await expect(page.get_by_role("button", name="Deshacer")).to_have_count(0)


async def test_who_works_on_their_own_undoes_too(visit, site):
    person = await site.newcomer()
    await person.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit(person, PATH)
    asked = await ask(page)
    await asked.get_by_role("button", name=NOW).click()
    await expect(asked.get_by_role("heading", name="Deshecho")).to_be_visible()

    assert await clients(person) == []

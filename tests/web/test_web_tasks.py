"""The board in a browser: cards moved by mouse, menu and keyboard alone, taken back when refused, opened, added."""

import pytest
from playwright.async_api import Locator, Page, Route, expect

from support.office import eventually
from support.windows import tab_to

LOOKS = [{"width": 360, "scheme": "dark"}, {"width": 1280, "language": "en"}]


@pytest.fixture
async def board(ana):
    """Ana's board with two tasks to do."""
    for title in ("Llamar al banco", "<i>Foto</i> del escaparate"):
        await ana.post("/api/tasks", {"title": title, "status": "todo"})
    return ana


def column(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


def handle(page: Page, title: str) -> Locator:
    return page.get_by_role("button", name=f"Mover «{title}» con las flechas o arrastrando")


async def statuses(api) -> dict[str, str]:
    return {task["title"]: task["status"] for task in await api.get("/api/tasks")}


async def stored(api, wanted: dict[str, str]) -> None:
    """Waits until the server has what the board has shown at once. Raises TimeoutError."""

    async def has() -> bool:
        return await statuses(api) == wanted

    await eventually(has)


async def test_a_card_is_moved_by_keyboard_alone(board, visit):
    page = await visit(board, "/tasks")
    card = handle(page, "Llamar al banco")
    await tab_to(page, card)

    await page.keyboard.press("ArrowDown")
    await expect(page.get_by_text("«Llamar al banco» está en Por hacer, posición 2 de 2.")).to_be_attached()
    await expect(column(page, "Por hacer").locator("[data-task]").last).to_contain_text("Llamar al banco")
    await expect(card).to_be_focused()
    await page.keyboard.press("ArrowRight")

    await expect(page.get_by_text("«Llamar al banco» está en En curso, posición 1 de 1.")).to_be_attached()
    await expect(column(page, "En curso").get_by_text("Llamar al banco")).to_be_visible()
    await expect(card).to_be_focused()
    await page.keyboard.press("ArrowRight")
    await expect(column(page, "En revisión").get_by_text("Llamar al banco")).to_be_visible()
    await stored(board, {"Llamar al banco": "review", "<i>Foto</i> del escaparate": "todo"})


async def test_a_card_is_dragged_and_moved_by_its_menu(board, visit):
    page = await visit(board, "/tasks")
    await page.wait_for_load_state("networkidle")  # what arrives moves the columns
    start = await handle(page, "Llamar al banco").bounding_box()
    goal = await column(page, "En curso").bounding_box()
    assert start
    assert goal
    await page.mouse.move(start["x"] + 5, start["y"] + 5)
    await page.mouse.down()
    await page.mouse.move(goal["x"] + 60, goal["y"] + 90, steps=8)
    await page.mouse.up()
    await expect(column(page, "En curso").get_by_text("Llamar al banco")).to_be_visible()

    await page.get_by_role("button", name="Mover a… «<i>Foto</i> del escaparate»").click()
    await page.get_by_role("menuitem", name="Hechas").click()

    await expect(column(page, "Hechas").get_by_text("<i>Foto</i> del escaparate")).to_be_visible()
    await stored(board, {"Llamar al banco": "in_progress", "<i>Foto</i> del escaparate": "done"})


async def test_a_move_that_is_not_done_is_taken_back_and_tried_again(board, visit):
    page = await visit(board, "/tasks")

    async def lose(route: Route) -> None:
        await route.abort("connectionreset")

    await page.route("**/status", lose, times=1)
    await handle(page, "Llamar al banco").focus()
    await page.keyboard.press("ArrowRight")

    await expect(page.get_by_role("alert")).to_contain_text("No hay conexión")
    await expect(column(page, "Por hacer").get_by_text("Llamar al banco")).to_be_visible()
    await page.get_by_role("button", name="Reintentar").click()
    await expect(column(page, "En curso").get_by_text("Llamar al banco")).to_be_visible()


async def test_an_earlier_move_that_is_refused_is_told_though_a_later_one_was_made(board, visit):
    page = await visit(board, "/tasks")
    held: list[Route] = []

    async def hold_the_first(route: Route) -> None:
        if held:
            await route.fallback()
        else:
            held.append(route)

    await page.route("**/status", hold_the_first)
    await handle(page, "Llamar al banco").focus()
    await page.keyboard.press("ArrowRight")
    await expect(column(page, "En curso").get_by_text("Llamar al banco")).to_be_visible()
    await page.get_by_role("button", name="Mover a… «<i>Foto</i> del escaparate»").click()
    await page.get_by_role("menuitem", name="Hechas").click()
    await expect(column(page, "Hechas").get_by_text("<i>Foto</i> del escaparate")).to_be_visible()
    await held[0].abort("connectionreset")

    await expect(page.get_by_role("alert")).to_contain_text("No hay conexión")
    await expect(column(page, "Por hacer").get_by_text("Llamar al banco")).to_be_visible()
    await expect(column(page, "Hechas").get_by_text("<i>Foto</i> del escaparate")).to_be_visible()
    await page.get_by_role("button", name="Reintentar").click()
    await expect(column(page, "En curso").get_by_text("Llamar al banco")).to_be_visible()
    await stored(board, {"Llamar al banco": "in_progress", "<i>Foto</i> del escaparate": "done"})


async def test_a_task_is_added_edited_and_deleted(board, visit):
    page = await visit(board, "/tasks")
    await page.get_by_label("Nueva tarea en Ideas").first.fill("Pedir bolsas")
    await page.keyboard.press("Enter")
    await column(page, "Ideas").get_by_role("button", name="Pedir bolsas", exact=True).click()

    drawer = page.get_by_role("dialog")
    await drawer.get_by_label("Prioridad").select_option("urgent")
    await drawer.get_by_label("Columna").select_option("todo")
    await drawer.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(column(page, "Por hacer").get_by_text("Urgente")).to_be_visible()

    await page.get_by_label("Prioridad").select_option("urgent")
    await expect(page.locator("[data-task]")).to_have_count(1)
    assert "priority=urgent" in page.url
    await page.get_by_role("button", name="Pedir bolsas", exact=True).click()
    drawer = page.get_by_role("dialog")
    await expect(drawer.get_by_text("De Ideas a Por hacer")).to_be_visible()
    await drawer.get_by_role("button", name="Eliminar").click()
    await page.get_by_role("dialog").last.get_by_role("button", name="Eliminar").click()
    await expect(page.locator("[data-task]")).to_have_count(0)
    assert "Pedir bolsas" not in await statuses(board)


async def test_who_may_only_read_is_offered_no_move(board, site, visit):
    viewer = await site.member(board, "viewer")
    page = await visit(viewer, "/tasks")

    await expect(page.get_by_text("Llamar al banco")).to_be_visible()
    for name in ("Mover a…", "Mover «", "Nueva tarea"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)


@pytest.mark.parametrize("look", LOOKS)
async def test_the_board_fits_and_has_no_barriers(board, visit, violations, look):
    page = await visit(board, "/tasks", **look)
    await expect(page.get_by_text("Llamar al banco")).to_be_visible()

    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert await violations(page) == []
    await page.get_by_role("button", name="Llamar al banco", exact=True).click()
    await expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_count(1)
    assert await violations(page) == []

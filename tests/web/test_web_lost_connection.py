"""A connection that is lost while something is saved: nothing typed is lost, and nothing is done twice."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest
from playwright.async_api import Locator, Page, Route, expect

Fill = Callable[[Page], Awaitable[Locator]]


async def fill_client(page: Page) -> Locator:
    """Fill the form of a new client; return the field whose text must stay."""
    await page.get_by_role("button", name="Nuevo cliente").first.click()
    field = page.get_by_label("Nombre o razón social")
    await field.fill("Talleres Norte")
    return field


async def fill_expense(page: Page) -> Locator:
    field = page.get_by_label("Concepto")
    await field.fill("Tóner")
    await page.get_by_label("Total").fill("12,10")
    return field


async def fill_invoice(page: Page) -> Locator:
    await page.get_by_label("Nombre o razón social").fill("Talleres Norte")
    await page.keyboard.press("Tab")
    lines = page.get_by_role("list", name="Conceptos")
    field = lines.get_by_label("Concepto").first
    await field.fill("Identidad visual")
    await lines.get_by_label("Precio").first.fill("1.200,50")
    return field


@dataclass
class Form:
    path: str
    endpoint: str
    fill: Fill
    save: str


FORMS = {
    "client": Form("/clients", "/api/clients", fill_client, "Guardar"),
    "expense": Form("/expenses/new", "/api/expenses", fill_expense, "Guardar"),
    "invoice": Form("/invoices/new", "/api/invoices", fill_invoice, "Guardar borrador"),
}


async def save(page: Page, form: Form) -> None:
    """Save with success."""
    async with page.expect_response(lambda one: one.url.endswith(form.endpoint) and one.request.method == "POST"):
        await page.get_by_role("button", name=form.save, exact=True).click()
    await expect(page.get_by_role("alert")).to_have_count(0)


def keys_of(page: Page, endpoint: str) -> list[str]:
    """The idempotency keys that the page sends to create something, one for each attempt."""
    keys: list[str] = []
    page.on(
        "request",
        lambda one: one.method == "POST" and one.url.endswith(endpoint) and keys.append(one.headers["idempotency-key"]),
    )
    return keys


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_a_form_that_is_saved_without_connection_stays_and_is_sent_later(ana, visit, form):
    page = await visit(ana, form.path)
    field = await form.fill(page)
    typed = await field.input_value()
    keys = keys_of(page, form.endpoint)
    await page.context.set_offline(True)
    await expect(page.get_by_text("Sin conexión.")).to_be_visible()
    await page.get_by_role("button", name=form.save, exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("No hay conexión con el servidor")
    await expect(field).to_have_value(typed)

    await page.context.set_offline(False)
    await expect(page.get_by_text("Sin conexión.")).to_have_count(0)
    await save(page, form)

    assert len(await ana.get(form.endpoint)) == 1
    assert len(set(keys)) == 1


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_a_form_whose_answer_is_lost_is_done_once(ana, visit, form):
    page = await visit(ana, form.path)
    field = await form.fill(page)
    typed = await field.input_value()
    keys = keys_of(page, form.endpoint)

    async def lose_the_answer(route: Route) -> None:
        if route.request.method == "POST":
            answer = await route.fetch()
            assert answer.ok
            await route.abort()
        else:
            await route.fallback()

    await page.route(f"**{form.endpoint}", lose_the_answer)
    await page.get_by_role("button", name=form.save, exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("No hay conexión con el servidor")
    await expect(field).to_have_value(typed)
    assert len(await ana.get(form.endpoint)) == 1

    await page.unroute(f"**{form.endpoint}")
    await save(page, form)

    assert len(await ana.get(form.endpoint)) == 1
    assert len(keys) == 2
    assert len(set(keys)) == 1


async def test_a_list_that_could_not_be_read_is_read_by_the_retry(ana, visit):
    await ana.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit(ana, "/settings/account")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.route("**/api/clients?**", lambda route: route.abort())
    await page.get_by_role("link", name="Clientes").click()
    notice = page.get_by_role("alert")
    await expect(notice).to_contain_text("No hay conexión con el servidor")
    await page.unroute("**/api/clients?**")
    await notice.get_by_role("button", name="Reintentar").click()

    await expect(page.get_by_role("link", name="Talleres Norte")).to_be_visible()


async def test_a_screen_whose_code_cannot_be_loaded_says_so_and_loads_again(ana, visit):
    page = await visit(ana, "/settings/account")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.route("**/assets/**", lambda route: route.abort())
    await page.get_by_role("link", name="Informes").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Algo ha fallado en esta pantalla")
    await page.unroute("**/assets/**")
    await page.get_by_role("button", name="Volver a cargar").click()

    await expect(page.get_by_role("heading", level=1)).to_have_text("Informes")

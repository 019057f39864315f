"""Proposals in the browser: a card that a person checks, approves, changes or rejects; the count in the menu."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from support.api import CLIENT, PASSWORD, item
from support.scopes import with_scoped_key
from support.windows import overflow

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")
PHONE = {"width": 360, "height": 740}
WORDS = {
    "es": ("Asunto", "Mensaje", "Cambiar", "Ver cómo queda"),
    "en": ("Subject", "Message", "Change", "See the result"),
}
"""Fields of a mail and buttons of the change."""


@pytest.fixture
async def robot(ana):
    """An assistant with a key of Ana's that reads and proposes."""
    return await with_scoped_key(ana, "read", "propose")


async def proposed(caller, method, path, body=None):
    answer = await caller.request(method, path, body)
    assert answer.status_code == 202, answer.text
    return answer.json()


async def a_draft(robot, **fields):
    body = {"client": CLIENT, "items": [item(description="Diseño", unitPrice=1000)], "taxRate": 21, **fields}
    return await proposed(robot, "POST", "/api/invoices", body)


def name_of(person) -> str:
    """The name of somebody who has registered without any: that of their address."""
    return str(person.email).partition("@")[0]


def card(page: Page, words: str) -> Locator:
    return page.get_by_role("article").filter(has_text=words)


async def shows_no_code(shown: Locator) -> None:
    """Check that no id, JSON or technical name is in the text."""
    text = await shown.inner_text()
    assert not UUID.search(text), text
    assert not re.search(r"[{}\[\]]|\b[a-z_]+\.(create|update|emit)\b|clientId", text), text


@pytest.mark.journey
async def test_a_draft_is_checked_and_approved(visit, ana, robot, violations):
    await a_draft(robot)
    page = await visit(ana, "/approvals")
    shown = card(page, "Preparar un borrador de factura")

    await expect(shown).to_contain_text("Asistente")
    await expect(shown.get_by_text("1.210,00 EUR")).to_be_visible()
    await expect(page.locator(".navigation-count")).to_contain_text("1")
    await shows_no_code(shown)
    assert await violations(page) == []
    await shown.get_by_role("button", name="Aprobar", exact=True).click()

    await expect(shown.get_by_role("status")).to_contain_text("Hecho")
    await expect(page.locator(".navigation-count")).to_have_count(0)
    [invoice] = await ana.get("/api/invoices")
    assert invoice["total"] == 1210
    await shown.get_by_role("link", name="Abrir: Factura").click()
    await expect(page).to_have_url(re.compile(f"/invoices/{invoice['id']}"))
    assert (await ana.get("/api/approvals"))[0]["decidedVia"] == "web"


async def test_a_client_is_proposed_in_words(visit, ana, robot):
    await proposed(robot, "POST", "/api/clients", {"name": "Talleres Norte, S.L.", "country": "PT", "city": "Lugo"})
    page = await visit(ana, "/approvals")
    shown = page.get_by_role("article")

    await expect(shown.get_by_role("heading")).to_have_text("Añadir cliente: Talleres Norte, S.L.")
    await expect(shown.locator("dl")).to_contain_text("Lugo")
    await shows_no_code(shown)


async def test_it_is_rejected_with_a_reason(visit, ana, robot):
    proposal = await a_draft(robot)
    page = await visit(ana, "/approvals")
    await page.get_by_role("button", name="Rechazar").click()
    dialog = page.get_by_role("dialog", name="Rechazar la propuesta")
    await dialog.get_by_label("Motivo").fill("Ya está facturado")
    await dialog.get_by_role("button", name="Rechazar").click()

    await expect(page.get_by_role("article")).to_contain_text(f"La rechazó {name_of(ana)}")
    assert (await robot.get(f"/api/approvals/{proposal['id']}"))["reason"] == "Ya está facturado"
    await page.get_by_role("link", name="Rechazadas").click()
    await expect(page.get_by_role("article")).to_contain_text("Ya está facturado")
    await page.get_by_role("link", name="Sin decidir").click()
    await expect(page.get_by_text("No hay nada por aprobar")).to_be_visible()
    assert await ana.get("/api/invoices") == []


@pytest.mark.journey
async def test_it_is_changed_before_it_is_approved(visit, ana, robot, violations):
    proposal = await ana.post(
        "/api/approvals",
        {
            "operation": "invoices.create",
            "arguments": {"client": CLIENT, "items": [item(description="Diseño", unitPrice=1000)], "taxRate": 21},
            "note": "Lo pidió por teléfono",
        },
    )
    page = await visit(ana, f"/approve/{proposal['id']}")
    await page.get_by_role("button", name="Cambiar").click()
    dialog = page.get_by_role("dialog", name="Cambiar antes de aprobar")
    await expect(dialog.get_by_role("group", name="Línea 1")).to_be_visible()
    await shows_no_code(dialog)
    assert await violations(page) == []
    await dialog.get_by_label("Precio").fill("1.100,50")
    await dialog.get_by_role("button", name="Ver cómo queda").click()

    await expect(page.get_by_text("Así queda con tus cambios.")).to_be_visible()
    total = page.locator(".approval-total")
    await expect(total).to_contain_text("1.331,61 EUR")
    await expect(total).to_contain_text("Antes: 1.210,00 EUR")
    await expect(page.get_by_role("article")).to_contain_text("Lo pidió por teléfono")
    assert await violations(page) == []
    assert await ana.get("/api/invoices") == []
    await page.get_by_role("button", name="Aprobar", exact=True).click()

    await expect(page.get_by_role("status").filter(has_text="Hecho")).to_be_visible()
    assert [invoice["total"] for invoice in await ana.get("/api/invoices")] == [1331.61]
    replaced = await ana.get(f"/api/approvals/{proposal['id']}")
    assert (replaced["status"], replaced["reason"]) == ("rejected", "Se ha sustituido por otra propuesta con cambios.")


async def test_a_wrong_change_stands_at_its_field_and_replaces_nothing(visit, ana, robot):
    proposal = await proposed(robot, "POST", "/api/clients", {"name": "Norte", "email": "norte@example.com"})
    page = await visit(ana, "/approvals")
    await page.get_by_role("button", name="Cambiar").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Correo electrónico").fill("norte")
    await dialog.get_by_role("button", name="Ver cómo queda").click()

    await expect(dialog.get_by_label("Correo electrónico")).to_have_attribute("aria-invalid", "true")
    assert [one["id"] for one in await ana.get("/api/approvals")] == [proposal["id"]]


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("to", [None, "otra@example.com"])
async def test_a_mail_without_words_of_its_own_is_given_some(visit, ana, robot, to, language):
    invoice = await ana.invoice(client={**CLIENT, "email": "pagos@norte.example"})
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    if to is None:
        proposal = await proposed(robot, "PATCH", f"/api/invoices/{invoice['id']}/send")
    else:
        proposal = await proposed(robot, "POST", f"/api/einvoice/send-email/{invoice['id']}", {"email": to})
    subject, message, change, see = WORDS[language]
    page = await visit(ana, f"/approve/{proposal['id']}", language=language)
    await page.get_by_role("button", name=change).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label(subject).fill("Segundo aviso")
    await dialog.get_by_label(message).fill("Hola, Marta:\n\nquedan cinco días.")
    await dialog.get_by_role("button", name=see).click()

    await expect(page.get_by_role("article")).to_contain_text("quedan cinco días.")
    [waiting] = await ana.get("/api/approvals?status=pending")
    written = (await ana.get(f"/api/approvals/{waiting['id']}"))["arguments"]
    assert waiting["operation"] == proposal["operation"]
    assert (written["subject"], written["message"]) == ("Segundo aviso", "Hola, Marta:\n\nquedan cinco días.")


async def test_a_mail_whose_words_are_left_empty_keeps_the_usual_ones(visit, ana, robot):
    invoice = await ana.invoice(client={**CLIENT, "email": "pagos@norte.example"})
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    proposal = await proposed(robot, "PATCH", f"/api/invoices/{invoice['id']}/send")
    page = await visit(ana, f"/approve/{proposal['id']}")
    await page.get_by_role("button", name="Cambiar").click()
    await page.get_by_role("dialog").get_by_role("button", name="Ver cómo queda").click()

    await expect(page.get_by_text("Así queda con tus cambios.")).to_be_visible()
    [waiting] = await ana.get("/api/approvals?status=pending")
    assert waiting["summary"] == proposal["summary"]


async def test_a_record_that_has_changed_is_named_and_it_is_proposed_again(visit, ana, robot):
    client = await ana.post("/api/clients", {"name": "Norte"})
    await proposed(robot, "PUT", f"/api/clients/{client['id']}", {"city": "Bilbao"})
    page = await visit(ana, "/approvals")
    shown = page.get_by_role("article")
    await expect(shown).to_contain_text("Lo que toca: Cliente Norte")
    await ana.put(f"/api/clients/{client['id']}", {"city": "Vitoria"})
    await shown.get_by_role("button", name="Aprobar", exact=True).click()

    await expect(shown.get_by_role("status")).to_contain_text("ha cambiado cliente Norte")
    assert (await ana.get(f"/api/clients/{client['id']}"))["city"] == "Vitoria"
    await shown.get_by_role("button", name="Proponer de nuevo").click()
    await page.get_by_role("article").first.get_by_role("button", name="Aprobar", exact=True).click()

    await expect(page.get_by_role("article").first.get_by_role("status")).to_contain_text("Hecho")
    assert (await ana.get(f"/api/clients/{client['id']}"))["city"] == "Bilbao"


async def test_another_outcome_is_shown_and_approved_again(visit, ana, robot):
    """The team's rate is no record that a draft touches; a draft without a rate of its own has another total."""
    await a_draft(robot, taxRate=None)
    page = await visit(ana, "/approvals")
    await expect(page.locator(".approval-total")).to_contain_text("1.210,00 EUR")
    await ana.put("/api/teams/current", {"defaultTaxRate": 10})
    await page.get_by_role("button", name="Aprobar", exact=True).click()

    await expect(page.get_by_text("Ha cambiado desde que la viste")).to_be_visible()
    await expect(page.locator(".approval-total")).to_contain_text("1.100,00 EUR")
    await expect(page.locator(".approval-total")).to_contain_text("Antes: 1.210,00 EUR")
    assert await ana.get("/api/invoices") == []
    await page.get_by_role("button", name="Aprobar", exact=True).click()

    await expect(page.get_by_role("status").filter(has_text="Hecho")).to_be_visible()
    assert [invoice["total"] for invoice in await ana.get("/api/invoices")] == [1100]


async def test_one_that_was_refreshed_elsewhere_is_shown_before_it_is_done(visit, ana, robot):
    proposal = await a_draft(robot, taxRate=None)
    page = await visit(ana, "/approvals")
    await expect(page.locator(".approval-total")).to_contain_text("1.210,00 EUR")
    await ana.put("/api/teams/current", {"defaultTaxRate": 10})
    await ana.refused(409, "POST", f"/api/approvals/{proposal['id']}/approve")
    await page.get_by_role("button", name="Aprobar", exact=True).click()

    await expect(page.locator(".approval-total")).to_contain_text("Antes: 1.210,00 EUR")
    assert await ana.get("/api/invoices") == []


async def test_one_that_was_decided_elsewhere_says_by_whom(visit, ana, robot, site):
    proposal = await a_draft(robot)
    page = await visit(ana, "/approvals")
    await expect(page.get_by_role("article")).to_be_visible()
    await ana.post(f"/api/approvals/{proposal['id']}/reject", {"reason": "Duplicada"})
    await page.get_by_role("button", name="Aprobar", exact=True).click()

    await expect(page.get_by_role("article")).to_contain_text("Mientras la mirabas se ha decidido.")
    await expect(page.get_by_role("article")).to_contain_text(f"La rechazó {name_of(ana)}")


async def test_what_cannot_be_done_says_why(visit, ana, robot):
    """A second till is refused when it is to be opened, not when it was proposed."""
    for amount in (100, 200):
        body = {"operation": "cash_register.open_register", "arguments": {"openingAmount": amount}}
        await robot.post("/api/approvals", body)
    page = await visit(ana, "/approvals")
    first, second = card(page, "100,00"), card(page, "200,00")
    await first.get_by_role("button", name="Aprobar", exact=True).click()
    await expect(first.get_by_role("status")).to_contain_text("Hecho")
    await second.get_by_role("button", name="Aprobar", exact=True).click()

    await expect(second).to_contain_text("pero no se pudo hacer")
    await expect(second.get_by_role("alert")).to_contain_text("abierta")
    await shows_no_code(second)
    await page.reload()
    await page.get_by_role("link", name="Todas").click()
    await expect(second.get_by_role("alert")).to_contain_text("abierta")


async def test_an_expired_one_says_that_nothing_was_done(visit, ana, robot):
    proposal = await a_draft(robot)
    page = await visit(ana, "/settings/account")

    async def later(route):
        answer = await route.fetch()
        await route.fulfill(response=answer, json={**await answer.json(), "status": "expired"})

    await page.route(f"**/api/approvals/{proposal['id']}", later)
    await page.goto(f"/approve/{proposal['id']}")

    await expect(page.get_by_role("article").get_by_role("status")).to_contain_text("Caducó el")
    await expect(page.get_by_role("button", name="Aprobar", exact=True)).to_have_count(0)
    await page.get_by_role("button", name="Proponer de nuevo").click()
    await expect(page.get_by_role("button", name="Aprobar", exact=True)).to_be_visible()


async def test_the_app_speaks_english_around_a_card_in_the_accounts_language(visit, ana, robot):
    proposal = await a_draft(robot)
    page = await visit(ana, f"/approve/{proposal['id']}", language="en")

    await expect(page.get_by_role("heading", name="To approve")).to_be_visible()
    await expect(page.get_by_role("article")).to_contain_text("with Asistente")
    await page.get_by_role("button", name="Approve", exact=True).click()
    await expect(page.get_by_role("status").filter(has_text="Done")).to_be_visible()


async def test_a_record_that_is_gone_ends_its_proposals(visit, ana, robot):
    proposal = await proposed(robot, "DELETE", f"/api/clients/{(await ana.post('/api/clients', CLIENT))['id']}")
    [client] = await ana.get("/api/clients")
    await ana.delete(f"/api/clients/{client['id']}")
    page = await visit(ana, f"/approve/{proposal['id']}")
    await expect(page.get_by_text("Se puede recuperar")).to_be_visible()
    await page.get_by_role("button", name="Aprobar", exact=True).click()

    await expect(page.get_by_role("article").get_by_role("button", name="Proponer de nuevo")).to_be_visible()
    await expect(page.get_by_role("article").get_by_role("button", name="Aprobar", exact=True)).to_have_count(0)


@pytest.mark.journey
async def test_a_link_on_a_telephone_asks_for_the_login_and_shows_the_card(visit, ana, robot, violations):
    draft = await ana.invoice()
    proposal = await proposed(robot, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    page = await visit.window(**PHONE)
    await page.goto(f"/approve/{proposal['id']}")
    await page.get_by_label("Correo electrónico").fill(ana.email)
    await page.get_by_label("Contraseña").fill(PASSWORD)
    await page.get_by_role("button", name="Entrar").click()

    await expect(page.get_by_role("heading", name="Emitir la factura")).to_be_visible()
    await expect(page.get_by_text("Definitivo")).to_be_visible()
    approve = page.get_by_role("button", name="Aprobar", exact=True)
    await expect(approve).to_be_in_viewport()
    assert await overflow(page) <= 0
    assert await violations(page) == []
    await expect(page.get_by_role("button", name="Abrir el menú, 1 por aprobar")).to_be_visible()
    await approve.click()

    await expect(page.get_by_role("status").filter(has_text="Hecho")).to_be_visible()
    number = (await ana.get(f"/api/invoices/{draft['id']}"))["number"]
    await expect(page.get_by_role("link", name=f"Abrir: Factura {number}")).to_be_visible()
    assert await overflow(page) <= 0
    await page.reload()
    await expect(page.get_by_text(f"La aprobó {name_of(ana)}")).to_be_visible()


async def test_a_link_to_other_books_offers_to_open_them(visit, ana, site):
    proposal = await ana.post("/api/approvals", {"operation": "clients.create", "arguments": {"name": "Norte"}})
    other = await ana.post("/api/teams", {"name": "Otra empresa", "country": "ES"})
    await ana.post(f"/api/teams/switch/{other['id']}")
    page = await visit(ana, f"/approve/{proposal['id']}")
    await page.get_by_role("button", name="Abrir esos libros").click()

    await expect(page.get_by_role("heading", name="Añadir cliente: Norte")).to_be_visible()


async def test_a_link_to_nothing_says_so(visit, ana):
    page = await visit(ana, "/approve/0190a0b0-0000-7000-8000-000000000000")

    await expect(page.get_by_text("No hay tal propuesta")).to_be_visible()


async def test_the_password_is_asked_for_again_where_the_act_needs_it(visit, ana, robot, site):
    """Another IBAN of a vendor decides where money goes: it needs a password of the last minutes."""
    vendor = await ana.post("/api/vendors", {"name": "Papelería Sol", "iban": "ES9121000418450200051332"})
    await proposed(robot, "PUT", f"/api/vendors/{vendor['id']}", {"iban": "ES7921000813610123456789"})
    page = await visit(ana, "/approvals")
    refusals = []

    async def refuse_first(route):
        if refusals:
            await route.fallback()
            return
        refusals.append(route.request.url)
        problem = {"code": "PASSWORD_NEEDED", "detail": "Escribe la contraseña.", "status": 403}
        await route.fulfill(status=403, json=problem, content_type="application/problem+json")

    await page.route("**/api/approvals/*/approve", refuse_first)
    await page.get_by_role("button", name="Aprobar", exact=True).click()
    dialog = page.get_by_role("dialog", name="¿Eres tú?")
    await dialog.get_by_label("Contraseña").fill(PASSWORD)
    await dialog.get_by_role("button", name="Seguir").click()

    await expect(page.get_by_role("status").filter(has_text="Hecho")).to_be_visible()
    assert (await ana.get(f"/api/vendors/{vendor['id']}"))["iban"] == "ES7921000813610123456789"


async def test_a_key_that_proposes_is_offered_first(visit, ana, site):
    page = await visit(ana, "/settings/keys")
    await page.get_by_role("button", name="Nueva clave").click()
    dialog = page.get_by_role("dialog")
    boxes = dialog.get_by_role("checkbox")
    await expect(boxes.first).to_have_accessible_name("Proponer")
    await expect(dialog.get_by_text("lee y propone, pero no hace nada")).to_be_visible()
    await dialog.get_by_label("Leer").uncheck()
    await boxes.first.check()
    await expect(dialog.get_by_label("Leer")).to_be_checked()
    await dialog.get_by_label("Programa").fill("Asistente")
    await dialog.get_by_role("button", name="Crear la clave").click()

    await expect(page.get_by_role("dialog", name="Clave creada")).to_be_visible()
    [key] = await ana.get("/api/keys")
    assert key["scopes"] == ["read", "propose"]

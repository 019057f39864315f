"""A server without mail, as `make run` starts it: no screen says that anything was sent, and each says what to do."""

import re
from uuid import uuid4

import pytest
from playwright.async_api import Locator, Page, Route, expect

from support.api import CLIENT, item
from support.periods import YEAR
from support.windows import lose_one_answer

SENT = re.compile(r"enviad[ao]s? |ha aceptado el mensaje|mira tu (bandeja|correo)", re.IGNORECASE)
"""Words of what has left this server."""


async def claims(page: Page) -> list[str]:
    return [line for line in (await page.locator("body").inner_text()).splitlines() if SENT.search(line + " ")]


async def test_an_invoice_that_stays_in_a_file_is_not_said_to_be_sent(ana, visit):
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": "pagos@norte.example"}, "items": [item()]})
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    page = await visit(ana, f"/invoices/{draft['id']}")
    await page.get_by_role("button", name="Enviar…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("No hay correo configurado")
    async with page.expect_download() as started:
        await dialog.get_by_role("button", name="Descargar PDF").click()
    assert (await started.value).suggested_filename.endswith(".pdf")

    await dialog.get_by_role("button", name="Guardar el mensaje").click()
    await dialog.get_by_role("button", name="Guardar de todas formas").click()

    await expect(page.get_by_text("El mensaje para pagos@norte.example no ha salido")).to_be_visible()
    assert await claims(page) == []
    after = await ana.get(f"/api/invoices/{draft['id']}")
    assert (after["sentAt"], after["status"]) == (None, "sent")


async def test_an_invoice_of_the_list_is_mailed_by_the_same_dialog(ana, visit):
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": "pagos@norte.example"}, "items": [item()]})
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    page = await visit(ana, "/invoices")
    await page.get_by_role("button", name=re.compile("^Más acciones: F")).click()
    await page.get_by_role("menuitem", name="Enviar por correo").click()

    await expect(page.get_by_role("dialog", name="Enviar por correo")).to_contain_text("No hay correo configurado")


async def test_where_e_invoicing_is_off_issuing_promises_no_mail(ana, visit):
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": "pagos@norte.example"}, "items": [item()]})
    page = await visit(ana, f"/invoices/{draft['id']}")
    await page.get_by_role("button", name="Emitir…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("el mensaje al cliente quedará en un archivo del servidor")
    await dialog.get_by_role("button", name="Emitir", exact=True).click()

    await expect(page.get_by_role("heading", level=1)).to_contain_text("F20")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert await claims(page) == []


async def test_an_invitation_that_stays_in_a_file_is_not_said_to_be_sent(ana, visit):
    guest = f"{uuid4().hex}@example.com"
    page = await visit(ana, "/team")
    await page.get_by_role("button", name="Invitar a alguien").click()
    await expect(page.get_by_role("dialog")).to_contain_text("No hay correo configurado")
    await page.get_by_role("dialog").get_by_label("Correo electrónico").fill(guest)
    await page.get_by_role("dialog").get_by_role("button", name="Hacer la invitación").click()

    await expect(page.get_by_text(f"La invitación para {guest} quedó en un archivo del servidor")).to_be_visible()
    assert await claims(page) == []


@pytest.mark.parametrize("path", ["/settings/mail", "/settings/account", "/forgot"])
async def test_no_page_promises_a_mail(ana, visit, path):
    page = await visit(ana, path)
    if path == "/forgot":
        await page.get_by_label("Correo electrónico").fill(ana.email)
    names = re.compile("Hacer un mensaje de prueba|Pedir el enlace")
    await page.get_by_role("button", name=names).click()

    await expect(
        page.get_by_text(re.compile("en un archivo del servidor[.: ]|en un archivo del servidor$")).first
    ).to_be_visible()
    assert await claims(page) == []


# ---------------------------------------------------------------- words of the sender


HIDDEN = "Hola\u202e, Marta:"
"""A text that the server refuses: it turns the direction of writing."""
LETTER = "Hola, Marta:\n\nte recuerdo la factura."
LABELS = {"es": ("Asunto", "Mensaje"), "en": ("Subject", "Message")}


async def write(dialog: Locator, language: str, subject: str, message: str) -> None:
    for label, words in zip(LABELS[language], (subject, message), strict=True):
        await dialog.get_by_role("textbox", name=label, exact=True).fill(words)


async def refused_at_the_message(dialog: Locator, language: str, subject: str) -> None:
    """The message is marked with the reason, and all that was typed is still there."""
    ours, theirs = (dialog.get_by_role("textbox", name=label, exact=True) for label in LABELS[language])
    await expect(theirs).to_have_attribute("aria-invalid", "true")
    await expect(theirs).to_have_accessible_description(re.compile("caracteres de control|control characters"))
    await expect(ours).to_have_value(subject)
    await expect(theirs).to_have_value(HIDDEN)


async def test_subject_and_message_go_along_and_are_kept_when_the_mail_is_refused(ana, visit, site):
    email = f"{uuid4().hex}@norte.example"
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": email}, "items": [item()]})
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    page = await visit(ana, f"/invoices/{draft['id']}")
    await page.get_by_role("button", name="Enviar…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label("Asunto")).to_have_attribute("maxlength", "150")
    await expect(dialog.get_by_label("Mensaje")).to_have_attribute("maxlength", "2000")
    await write(dialog, "es", "Recordatorio", HIDDEN)
    await dialog.get_by_role("button", name="Guardar el mensaje").click()
    await dialog.get_by_role("button", name="Guardar de todas formas").click()
    await refused_at_the_message(dialog, "es", "Recordatorio")
    assert site.mails.to(email) == []

    await write(dialog, "es", "Recordatorio", LETTER)
    await dialog.get_by_role("button", name="Guardar de todas formas").click()

    await expect(page.get_by_role("dialog")).to_have_count(0)
    [mail] = site.mails.to(email)
    assert mail["Subject"] == "SIMULACIÓN: Recordatorio"
    assert mail.get_body(("plain",)).get_content().replace("\r\n", "\n").startswith(f"{LETTER}\n\n")


async def test_subject_and_message_go_to_another_address_too_in_english(ana, visit, site):
    other = f"{uuid4().hex}@example.com"
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": "pagos@norte.example"}, "items": [item()]})
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    page = await visit(ana, f"/invoices/{draft['id']}", language="en")
    await page.get_by_role("button", name="Send…").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Address").fill(other)
    await write(dialog, "en", "Reminder", LETTER)
    await dialog.get_by_role("button", name="Keep the message").click()
    await dialog.get_by_role("button", name="Keep it all the same").click()

    await expect(page.get_by_role("dialog")).to_have_count(0)
    [mail] = site.mails.to(other)
    assert mail["Subject"] == "SIMULACIÓN: Reminder"
    assert LETTER.splitlines()[2] in mail.get_body(("plain",)).get_content()


SCREENS = {"page": "/invoices/{}", "editor": "/invoices/{}/edit", "list": "/invoices?status=draft"}
"""Screens from which a draft is issued."""


async def ask_to_issue(page: Page) -> Locator:
    """Ask for issuing on one of the `SCREENS`; return the dialog."""
    if "status=draft" in page.url:
        await page.get_by_role("button", name=re.compile("^Más acciones")).click()
        await page.get_by_role("menuitem", name="Emitir").click()
    else:
        await page.get_by_role("button", name="Emitir…").click()
    return page.get_by_role("dialog")


@pytest.mark.parametrize("place", SCREENS)
async def test_a_draft_that_is_issued_by_its_mail_takes_them_along(ana, visit, site, place):
    email = f"{uuid4().hex}@norte.example"
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": email}, "items": [item()]})
    page = await visit(ana, SCREENS[place].format(draft["id"]))
    dialog = await ask_to_issue(page)
    await expect(dialog).to_contain_text("el mensaje al cliente quedará en un archivo del servidor")
    await write(dialog, "es", "Noviembre", HIDDEN)
    await dialog.get_by_role("button", name="Emitir", exact=True).click()
    await refused_at_the_message(dialog, "es", "Noviembre")
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"

    await write(dialog, "es", "Noviembre", LETTER)
    await dialog.get_by_role("button", name="Emitir", exact=True).click()

    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}")
    [mail] = site.mails.to(email)
    assert mail["Subject"] == "Noviembre"
    assert LETTER.splitlines()[2] in mail.get_body(("plain",)).get_content()


async def refuse_what_is_issued(page: Page) -> None:
    """Answer as the server does where it is not known whether the mail server took the mail: the number stays."""

    async def refuse(route: Route) -> None:
        assert (await route.fetch()).ok
        problem = {"code": "MAIL_FAILED", "detail": "No se sabe si el correo ha salido.", "status": 502}
        await route.fulfill(status=502, json=problem, content_type="application/problem+json")

    await page.route("**/send", refuse)


@pytest.mark.parametrize("place", ["editor", "list"])
@pytest.mark.parametrize("is_heard", [True, False])
async def test_what_is_issued_with_words_all_the_same_ends_on_the_invoice(ana, visit, place, is_heard):
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": "pagos@norte.example"}, "items": [item()]})
    page = await visit(ana, SCREENS[place].format(draft["id"]))
    dialog = await ask_to_issue(page)
    await expect(dialog).to_contain_text(f"F{YEAR}-0001")
    await write(dialog, "es", "Noviembre", LETTER)
    await (refuse_what_is_issued(page) if is_heard else lose_one_answer(page, "**/send"))
    await dialog.get_by_role("button", name="Emitir", exact=True).click()

    told = "No se sabe si el correo ha salido." if is_heard else f"se perdió, pero F{YEAR}-0001 ya está emitida"
    await expect(page.locator(".toast")).to_contain_text(told)
    await expect(page).to_have_url(re.compile(f"/invoices/{draft['id']}$"))
    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"F{YEAR}-0001")
    await expect(dialog).to_have_count(0)
    await visit.forget_faults()  # the console names the answer 502


async def test_emitting_asks_for_no_words_of_a_mail(ana, visit):
    draft = await ana.post("/api/invoices", {"client": {**CLIENT, "email": "pagos@norte.example"}, "items": [item()]})
    page = await visit(ana, f"/invoices/{draft['id']}")
    await page.get_by_role("button", name="Emitir…").click()
    dialog = page.get_by_role("dialog")

    await expect(dialog).to_contain_text("Recibirá este número")
    await expect(dialog.get_by_role("textbox")).to_have_count(0)

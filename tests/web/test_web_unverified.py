"""An address that is not confirmed: what each screen that mails others says of it, and how it is put right."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Locator, Page, expect

from support.api import CLIENT, PASSWORD, Api, item
from support.mailserver import Inbox
from support.office import eventually
from web.conftest import Site, mailing_site

CAUSE = {
    "es": "Tu dirección de correo aún no está verificada, y así no puedes enviar correos a otras personas.",
    "en": "Your e-mail address is not verified yet, so that you cannot mail others.",
}
REMEDY = {
    "es": "Abre el enlace que te enviamos por correo. Pides otro en «Ajustes: Mi cuenta».",
    "en": "Open the link that was mailed to you. You get another one in «Settings: My account».",
}
LANGUAGES = ["es", "en"]


@pytest.fixture(scope="module")
async def site(postgres, tmp_path_factory, inbox) -> AsyncIterator[Site]:
    """A server with a real mail server, on which addresses have to be confirmed."""
    async with mailing_site(postgres, tmp_path_factory.mktemp("unverified") / "data", inbox) as site:
        yield site


@pytest.fixture(autouse=True)
def nothing_mailed(inbox: Inbox) -> None:
    """Each test sees its own mails."""
    inbox.envelopes.clear()


async def told(place: Locator | Page, language: str) -> None:
    """The place says what is wrong and where it is put right, in words for people."""
    notice = place.get_by_role("alert").filter(has_text=CAUSE[language])
    await expect(notice).to_contain_text(REMEDY[language])
    assert "/auth/" not in await notice.inner_text()


async def mails_an_invoice(page: Page, ana: Api, language: str) -> Locator | Page:
    draft = await ana.post("/api/invoices", {"client": CLIENT, "items": [item()]})
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    await page.goto(f"/invoices/{draft['id']}")
    send = {"es": "Enviar", "en": "Send"}[language]
    await page.get_by_role("button", name=f"{send}…").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name=send, exact=True).click()
    anyway = {"es": "Enviar de todas formas", "en": "Send it all the same"}[language]
    await dialog.get_by_role("button", name=anyway).click()
    return dialog


async def issues_by_mail(page: Page, ana: Api, language: str) -> Locator | Page:
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    draft = await ana.post("/api/invoices", {"client": CLIENT, "items": [item()]})
    await page.goto(f"/invoices/{draft['id']}")
    await page.get_by_role("button", name={"es": "Emitir…", "en": "Issue…"}[language]).click()
    return page.get_by_role("dialog")


async def invites(page: Page, ana: Api, language: str) -> Locator | Page:
    await page.goto("/team")
    await page.get_by_role("button", name={"es": "Invitar a alguien", "en": "Invite somebody"}[language]).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("textbox").first.fill("rosa@example.com")
    await dialog.get_by_role("button", name=re.compile("^(Enviar|Send)")).click()
    return dialog


async def tries_the_mail(page: Page, ana: Api, language: str) -> Locator | Page:
    await page.goto("/settings/mail")
    await page.get_by_role("button", name=re.compile("^(Enviar una prueba|Send a test)")).click()
    return page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("asks", [mails_an_invoice, issues_by_mail, invites, tries_the_mail])
async def test_whose_address_is_not_confirmed_is_told_on_every_screen_that_mails(visit, ana, inbox, asks, language):
    page = await visit(ana, "/", language=language)
    place = await asks(page, ana, language)

    await told(place, language)
    assert {one["To"] for one in inbox.messages()} - {ana.email} == set(), "mailed to others"
    assert [one["number"] for one in await ana.get("/api/invoices") if one["status"] == "draft"] in ([], [None])


async def test_the_way_that_is_named_leads_out(visit, ana, inbox):
    page = await visit(ana)
    dialog = await mails_an_invoice(page, ana, "es")
    await told(dialog, "es")
    address = page.url

    await page.goto("/settings/account")
    await page.get_by_role("main").get_by_text(f"{ana.email} está sin confirmar").wait_for()
    inbox.envelopes.clear()
    await page.get_by_role("button", name="Enviar el enlace otra vez").click()
    await expect(page.get_by_text("Te estamos enviando el enlace")).to_be_visible()

    async def arrived() -> bool:
        return len(inbox.envelopes) > 0

    await eventually(arrived)
    text = inbox.message().get_body(("plain",)).get_content()
    await page.goto(re.search(r"/verify/[A-Za-z0-9_-]{43}", text)[0])
    await page.locator("input[type=password]").fill(PASSWORD)
    await page.get_by_role("button").first.click()
    await expect(page.locator("input[type=password]")).to_have_count(0)

    await page.goto(address)
    await page.get_by_role("button", name="Enviar…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Enviar", exact=True).click()
    await page.get_by_role("dialog").get_by_role("button", name="Enviar de todas formas").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert CLIENT["email"] in {one["To"] for one in inbox.messages()}
    await page.goto("/settings/account")
    await expect(page.get_by_role("button", name="Cambiar la contraseña")).to_be_visible()
    await expect(page.get_by_text("está sin confirmar")).to_have_count(0)

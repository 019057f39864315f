"""Chats in the settings: linked by a code that the page waits for, shown to those who may see them, and unlinked.

The bot is one of the fake Bot API; what the person does in the chat, the test does there.
"""

import io
import re
from collections.abc import AsyncIterator, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
import zxingcpp
from PIL import Image
from playwright.async_api import Locator, Page, expect

from support.api import PASSWORD, Api
from support.botapi import BotApiServer, Chat, FakeBot, bot_api
from support.office import eventually
from web.conftest import COLOURS, Site, opened_site
from web.test_web_every_route import overflowing, usable
from web.test_web_login import grow_old

PATH = "/settings/chats"
LINK = "Vincular un chat"
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def telegram() -> Iterator[BotApiServer]:
    with bot_api() as server:
        yield server


@pytest.fixture(scope="module")
def bot(telegram) -> FakeBot:
    return telegram.bot("norte_bot")


@pytest.fixture(scope="module")
async def site(postgres, tmp_path_factory, telegram, bot) -> AsyncIterator[Site]:
    """The server of these tests has a bot."""
    settings = {"TELEGRAM_TOKEN": bot.token, "TELEGRAM_API_BASE": telegram.base}
    async with opened_site(postgres, tmp_path_factory.mktemp("chats") / "data", **settings) as site:
        await bot.until(lambda: bot.calls_of("getUpdates"))
        yield site


async def linked(person: Api, bot: FakeBot, name: str) -> Chat:
    """Link a chat of somebody with this name in the messenger."""
    made = await person.post("/api/messaging/links", {"messenger": "telegram"})
    chat = bot.chat(name)
    chat.say(f"/start {made['code']}")
    await chat.shows(1)
    return chat


async def preferences(person: Api) -> dict[str, object]:
    return dict(await person.get("/api/messaging/settings"))


async def begin(page: Page) -> Locator:
    """Ask for a code; the dialog that shows it."""
    await page.get_by_role("button", name=LINK).click()
    dialog = page.get_by_role("dialog", name="Vincular Telegram")
    await expect(dialog).to_be_visible()
    return dialog


async def code_in(dialog: Locator) -> str:
    return await dialog.locator("code").inner_text()


async def read_qr(dialog: Locator) -> str:
    picture = Image.open(io.BytesIO(await dialog.get_by_role("img").screenshot(scale="css")))
    (code,) = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
    return code.text


@pytest.mark.journey
async def test_a_chat_is_linked_by_its_code_told_what_to_send_and_unlinked(visit, ana, site, bot):
    page = await visit(ana, PATH)
    await expect(page.get_by_text("Bot: norte_bot")).to_be_visible()
    await expect(page.get_by_text("Ningún chat vinculado")).to_be_visible()
    await grow_old(page, site)
    await page.get_by_role("button", name=LINK).click()
    question = page.get_by_role("dialog", name="¿Eres tú?")
    await question.get_by_label("Contraseña").fill(PASSWORD)
    await question.get_by_role("button", name="Seguir").click()

    dialog = page.get_by_role("dialog", name="Vincular Telegram")
    code = await code_in(dialog)
    url = f"https://t.me/norte_bot?start={code}"
    await expect(dialog.get_by_role("link", name="Abrir Telegram")).to_have_attribute("href", url)
    assert await read_qr(dialog) == url
    await expect(dialog.get_by_role("timer")).to_have_text(re.compile(r"Caduca en (10:00|9:[45]\d)\."))
    chat = bot.chat("Ana García")
    chat.say(f"/start {code}")

    await expect(page.get_by_text("Chat vinculado: Ana García")).to_be_visible()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    row = page.get_by_role("row", name=re.compile("Ana García"))
    await expect(row).to_contain_text("Telegram")
    assert "queda vinculado" in (await chat.shows(1)).text

    await page.get_by_label("Hora del resumen").select_option("21:00")
    await page.get_by_label("Idioma del chat").select_option("Català")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    assert await preferences(ana) == {"digestHour": 21, "digest": True, "quiet": False, "language": "ca"}

    await row.get_by_role("button", name="Desvincular: Ana García").click()
    await page.get_by_role("dialog").get_by_role("button", name="Desvincular").click()
    await expect(page.get_by_text("Ningún chat vinculado")).to_be_visible()
    assert await ana.get("/api/messaging/links") == []
    await page.goto("/settings/activity")
    await expect(page.get_by_role("row", name=re.compile("Chat, vinculado"))).to_contain_text("Chat · Telegram")
    await expect(page.get_by_role("row", name=re.compile("Chat, desvinculado"))).to_contain_text("Navegador")


async def test_a_code_that_is_over_gives_way_to_another(visit, ana):
    page = await visit(ana, PATH)
    await page.clock.install()
    dialog = await begin(page)
    first = await code_in(dialog)
    await page.clock.fast_forward("09:30")
    await expect(dialog.get_by_role("timer")).to_have_text(re.compile(r"Caduca en 0:[0-3]\d\."))

    await page.clock.fast_forward("00:40")
    await expect(dialog.get_by_text("El código ha caducado sin usarse")).to_be_visible()
    await expect(dialog.get_by_role("link")).to_have_count(0)
    await dialog.get_by_role("button", name="Pedir otro código").click()

    await expect(dialog.locator("code")).not_to_have_text(first)


async def test_more_codes_than_are_given_are_refused_where_they_were_asked_for(visit, ana):
    for _ in range(5):
        await ana.post("/api/messaging/links", {"messenger": "telegram"})
    page = await visit(ana, PATH)
    await page.get_by_role("button", name=LINK).click()

    await expect(page.get_by_role("alert")).to_contain_text("códigos sin usar")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await visit.forget_faults()


async def test_who_administers_the_team_sees_everybodys_chats_and_others_only_their_own(visit, ana, site, bot):
    member = await site.member(ana, "member")
    await member.post(f"/api/teams/switch/{ana.team['id']}")
    name = (await member.get("/auth/me"))["user"]["name"]
    await linked(ana, bot, "Ana García")
    await linked(member, bot, "Luis Gil")
    theirs = await visit(member, PATH)
    await expect(theirs.get_by_role("row", name=re.compile("Luis Gil"))).to_be_visible()
    await expect(theirs.get_by_role("row", name=re.compile("Ana García"))).to_have_count(0)
    await expect(theirs.get_by_role("columnheader", name="De quién")).to_have_count(0)

    page = await visit(ana, PATH)
    row = page.get_by_role("row", name=re.compile("Luis Gil"))
    await expect(row).to_contain_text(name)
    await row.get_by_role("button", name="Desvincular: Luis Gil").click()
    await page.get_by_role("dialog").get_by_role("button", name="Desvincular").click()

    await expect(row).to_have_count(0)
    assert await member.get("/api/messaging/links") == []


@pytest.mark.parametrize(("choice", "hour"), [("Guardar lo mío", 7), ("Quedarme con lo suyo", 20)])
async def test_what_was_changed_in_the_chat_meanwhile_is_not_overwritten_in_silence(visit, ana, choice, hour):
    page = await visit(ana, PATH)
    await page.get_by_label("Hora del resumen").select_option("7:00")
    await ana.put("/api/messaging/settings", {"digestHour": 20, "digest": True, "quiet": True, "language": None})
    await page.get_by_role("button", name="Guardar").click()
    await page.get_by_role("button", name=choice).click()

    await expect(page.get_by_role("button", name=choice)).to_have_count(0)
    await expect(page.get_by_label("Hora del resumen")).to_have_value(str(hour))

    async def stored() -> bool:
        found = await preferences(ana)
        return (found["digestHour"], found["quiet"]) == (hour, hour == 20)

    await eventually(stored)
    await visit.forget_faults()


async def test_what_keeps_a_bot_from_working_is_said_in_a_sentence(visit, ana):
    page = await visit(ana, "about:blank")
    sentences = {
        "token": "Telegram no acepta el token del bot",
        "other_poller": "Otro programa usa este mismo bot",
        "unreachable": "El servidor no consigue hablar con Telegram",
        "webhook": "Telegram no puede traer los mensajes",
        "unheard": "Telegram no funciona ahora",
    }
    shown = {"name": "telegram", "title": "Telegram", "botName": "norte_bot"}
    await page.route("**/api/messaging/messengers", lambda route: route.fulfill(json=[shown]))
    for shown["problem"], sentence in sentences.items():
        await page.goto(PATH)
        await expect(page.get_by_text(sentence)).to_be_visible()
        await expect(page.get_by_text("Funciona", exact=True)).to_have_count(0)


async def test_it_works_on_a_telephone_in_english(visit, ana, bot, violations):
    await linked(ana, bot, "Ana García de los Montes y Ríos")
    page = await visit(ana, PATH, language="en", **PHONE)
    await usable(page)
    assert (await overflowing(page), await violations(page)) == ([], [])
    await page.get_by_role("button", name="Link a chat").press("Enter")
    dialog = page.get_by_role("dialog", name="Link Telegram")
    await expect(dialog.get_by_role("link", name="Open Telegram")).to_be_visible()
    query = parse_qs(urlsplit(await dialog.get_by_role("link").get_attribute("href") or "").query)
    assert query == {"start": [await code_in(dialog)]}

    assert (await overflowing(page), await violations(page)) == ([], [])
    await page.emulate_media(color_scheme="dark")
    assert await violations(page, COLOURS) == []
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(page.get_by_role("button", name="Link a chat")).to_be_focused()

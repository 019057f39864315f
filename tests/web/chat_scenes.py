"""Scenes of a chat with the bot, for the guide: a real server, a real conversation, drawn as a page at each moment."""

import io
import tempfile
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import httpx2
from aiosmtpd.smtp import SMTP

from ledgerkit import clock
from support.api import ADDRESS, Api, item
from support.botapi import BotApiServer, Chat, FakeBot, bot_api
from support.chat_pictures import page
from support.mailserver import Inbox, listening
from support.receipts.paper import INTER, Paper
from support.serving import served

NAMES = ("chat-receipt", "chat-draft", "chat-accepted", "chat-owed")
"""Names of the pictures, in the order of the conversation."""

BOT = "estudio_vega_bot"
_CLIENTS = [
    ("Acme Consulting, S.L.", "B12345674", "facturas@acme.example"),
    ("Talleres Norte, S.L.", "B76543214", "norte@talleres.example"),
    ("Librería Machado, S.L.", "B87654323", "pedidos@machado.example"),
]
_WORKS = [("Identidad visual", 480), ("Catálogo", 640), ("Mantenimiento web", 180), ("Carteles", 95)]
_OWED = 13
"""Invoices that are owed: more than stand on one page of an answer."""

_SECONDS = 60.0
"""Time that one answer may take: a receipt is read from its picture."""


async def linked(person: Api, bot: FakeBot, name: str) -> Chat:
    """Link a new chat of a person."""
    code = (await person.post("/api/messaging/links", {"messenger": "telegram"}))["code"]
    chat = bot.chat(name, language="es")
    chat.say(f"/start {code}")
    await chat.shows(1, _SECONDS)
    return chat


async def drawn(names: Sequence[str]) -> dict[str, str]:
    """Hold the conversation, and return the pages of these pictures by name."""
    inbox = Inbox()
    with tempfile.TemporaryDirectory() as folder, bot_api() as telegram:
        bot = telegram.bot(BOT)
        async with (
            listening(lambda: SMTP(inbox, hostname="mail.test")) as port,
            served(Path(folder) / "data", **_settings(telegram, bot, port)) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            lucia = await _with_books(client)
            pages = await _held(await linked(lucia, bot, "Lucía Vega"))
    return {name: pages[name] for name in names}


def _settings(telegram: BotApiServer, bot: FakeBot, mail_port: int) -> dict[str, str]:
    return {
        "TELEGRAM_TOKEN": bot.token,
        "TELEGRAM_API_BASE": telegram.base,
        "SMTP_URL": f"smtp://127.0.0.1:{mail_port}",
        "VERIFY_EMAIL": "off",
    }


async def _with_books(client: httpx2.AsyncClient) -> Api:
    """Lucía, with clients who owe her something."""
    lucia = await Api.register(client, "lucia@estudiovega.example", name="Lucía Vega", locale="es")
    company = {"name": "Estudio Vega", "company": "Lucía Vega Soto", "country": "ES", "taxId": "12345678Z"}
    lucia.team = await lucia.post("/api/teams", {**company, **ADDRESS})
    clients = [
        await lucia.post("/api/clients", {"name": name, "taxId": tax_id, "email": email, "country": "ES", **ADDRESS})
        for name, tax_id, email in _CLIENTS
    ]
    today = clock.today("Europe/Madrid")
    for number in range(_OWED):
        description, price = _WORKS[number % len(_WORKS)]
        issued = today - timedelta(days=3 * (_OWED - number))
        body = {
            "clientId": clients[number % len(clients)]["id"],
            "items": [item(description=description, unitPrice=price)],
            "issueDate": f"{issued}",
            "dueDate": f"{issued + timedelta(days=30)}",
        }
        draft = await lucia.post("/api/invoices", body)
        await lucia.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    return lucia


async def _held(chat: Chat) -> dict[str, str]:
    """Hold the conversation, and draw it at each of its moments."""
    return {**await _receipt(chat), **await _invoice(chat), **await _owed(chat)}


async def _receipt(chat: Chat) -> dict[str, str]:
    before = len(chat.room.messages)
    chat.photo(ticket(clock.today("Europe/Madrid") - timedelta(days=1)))
    card = await chat.shows(3, _SECONDS)
    pages = {"chat-receipt": page(chat, chat.room.messages[before:], pressed="Guardar")}
    chat.tap("Guardar")
    await chat.edited(card, seconds=_SECONDS)
    return pages


async def _invoice(chat: Chat) -> dict[str, str]:
    before, shown = len(chat.room.messages), len(chat.shown)
    chat.say("factura a Acme 3 horas de consultoría a 60 más IVA")
    await chat.shows(shown + 1, _SECONDS)
    pages = {"chat-draft": page(chat, chat.room.messages[before:], pressed="Emitir y enviar")}
    chat.tap("Emitir y enviar")
    question = await chat.shows(shown + 2, _SECONDS)
    chat.tap("Emitir y enviar", question)
    await chat.edited(question, seconds=_SECONDS)
    await chat.shows(shown + 3, _SECONDS)
    pages["chat-accepted"] = page(chat, chat.room.messages[-2:])
    return pages


async def _owed(chat: Chat) -> dict[str, str]:
    before, shown = len(chat.room.messages), len(chat.shown)
    chat.say("¿quién me debe?")
    await chat.shows(shown + 1, _SECONDS)
    return {"chat-owed": page(chat, chat.room.messages[before:])}


def ticket(day: date) -> bytes:
    """The picture of a receipt of a petrol station."""
    paper = Paper()
    paper.centre("Gasóleos El Pinar, S.L.", bold=True, scale=1.2)
    for line in ("Avda. de la Constitución, 12", "50003 Zaragoza", "NIF: B12345674"):
        paper.centre(line)
    paper.gap()
    paper.left("Factura simplificada: T-000118")
    paper.left(f"Fecha: {day:%d/%m/%Y}  Hora: 09:41")
    paper.gap()
    paper.pair("Gasóleo A", "40,00")
    paper.rule()
    paper.pair("Base imponible", "40,00")
    paper.pair("IVA 21 %", "8,40")
    paper.pair("TOTAL EUR", "48,40", bold=True, scale=1.2)
    paper.gap()
    paper.pair("Tarjeta", "48,40")
    stream = io.BytesIO()
    paper.drawn(INTER, 30).save(stream, "JPEG", quality=90)
    return stream.getvalue()

"""Pictures of every screen with a believable company in it: `make screenshots` writes them into docs/screens.

With names as arguments (`ARGS="approve approve-en"`) only those are written. Those of a chat are the scenes of
`chat_scenes`.
"""

import asyncio
import io
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx2
from PIL import Image
from playwright.async_api import Browser, Page, async_playwright, expect

from ledgerkit import clock
from support.api import ADDRESS, PASSWORD, Api, item
from support.botapi import FakeBot, bot_api
from support.chat_pictures import WIDTH
from support.payables import create_vendor, record_invoice
from support.periods import quarter
from support.ports import free_port
from support.scopes import with_scoped_key
from support.screens import screens, settings
from support.serving import served
from support.tills import Till, line
from support.views import Assistant, shown
from web import chat_scenes

FOLDER = Path(__file__).parents[2] / "docs" / "screens"
LARGEST = 150_000
"""Bytes of the largest picture."""
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 360, "height": 760}
ALSO_NARROW = {"approve", "dashboard", "till"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
BEFORE_LOGIN = {"login": "/login", "register": "/register"}
CLIENTS = [
    ("Librería Antonio Machado, S.L.", "B12345674", "Madrid", "28004"),
    ("Panadería La Espiga", "11111111H", "Valencia", "46001"),
    ("Talleres Ruiz Hermanos, S.L.", "B87654323", "Getafe", "28901"),
    ("Clínica Dental Sonrisas", None, "Cádiz", "11001"),
]
WORKS = [("Identidad visual", 1200), ("Mantenimiento web", 180), ("Diseño de catálogo", 640), ("Carteles", 360)]
PURCHASES = [
    ("Material de oficina", "Papelería Sol", 48.4, "office"),
    ("Internet y teléfono", "Fibra Norte", 60.5, "telecom"),
    ("Tren Madrid-Valencia", "Ferrocarriles", 55.0, "travel"),
    ("Licencia de programas", "Tipos y Letras", 72.6, "software"),
]
PRODUCTS = [("Libreta A5", 6.5, 24), ("Póster A2", 18, 3), ("Taza", 9.9, 40), ("Hora de diseño", 45, None)]
TASKS = [
    ("Llamar a Talleres Ruiz", "todo", "high"),
    ("Enviar pruebas del catálogo", "in_progress", "medium"),
    ("Renovar el dominio", "todo", "low"),
    ("Presupuesto de la clínica", "done", "medium"),
]


def days_ago(days: int) -> str:
    today: date = clock.today("Europe/Madrid")
    return f"{today - timedelta(days=days)}"


async def sales(ana: Api) -> tuple[str, str, str]:
    """Clients with invoices: paid, sent, overdue and a draft. The ids of a client, an invoice and the draft."""
    clients = [
        await ana.post(
            "/api/clients",
            {"name": name, "taxId": tax_id, "city": city, "postalCode": code, "address": "Calle Mayor 12"},
        )
        for name, tax_id, city, code in CLIENTS
    ]
    invoices = []
    for number, days in enumerate((75, 62, 48, 33, 20, 12, 5, 1)):
        name, price = WORKS[number % len(WORKS)]
        lines = [item(description=name, unitPrice=price), item(description="Reunión", quantity=2, unitPrice=45)]
        body = {"clientId": clients[number % 3]["id"], "items": lines, "issueDate": days_ago(days), "taxRate": 21}
        invoice = await ana.post("/api/invoices", {**body, "dueDate": days_ago(days - 30)})
        await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
        invoices.append(invoice["id"])
        if number in {0, 1, 3, 4}:
            await ana.patch(f"/api/invoices/{invoice['id']}/pay")
    draft = await ana.post("/api/invoices", {"clientId": clients[3]["id"], "items": [item(description="Logotipo")]})
    return clients[0]["id"], invoices[-2], draft["id"]


async def purchases(ana: Api) -> tuple[str, str, str]:
    """Vendors with expenses and supplier invoices. The ids of a vendor, an expense and a supplier invoice."""
    expenses, payables, vendors = [], [], []
    for number, (description, vendor, amount, category) in enumerate(PURCHASES):
        vendors.append(await create_vendor(ana, vendor))
        body: dict[str, Any] = {"description": description, "amount": amount, "category": category, "taxRate": 21}
        for days in (3 + 4 * number, 33 + 4 * number):
            expense = await ana.post("/api/expenses", {**body, "vendorId": vendors[-1], "date": days_ago(days)})
            expenses.append(expense["id"])
        payables.append((await record_invoice(ana, vendors[-1], 121 + 60 * number, due=12 * number - 10))["id"])
    return vendors[0], expenses[0], payables[-1]


async def shop(ana: Api) -> tuple[str, str]:
    """A catalog and an open till with sales. The ids of a product and of the till."""
    products = [
        await ana.post("/api/catalog", {"name": name, "unitPrice": price, "taxRate": 21, "stock": stock})
        for name, price, stock in PRODUCTS
    ]
    till = await Till.of(ana)
    for name, price, _ in PRODUCTS[:3]:
        await till.sells(price, line(price, description=name))
    return products[0]["id"], till.path.rpartition("/")[2]


async def declared(ana: Api) -> str:
    today = clock.today("Europe/Madrid")
    period = {"country": "ES", "year": today.year, "period": quarter(today), "form": "303"}
    return str((await ana.post("/api/tax-declarations/generate", period))["declaration"]["id"])


async def proposals(ana: Api, client: str) -> str:
    """Let an assistant propose a client, a draft and an emission; return the id of the last proposal."""
    robot = await with_scoped_key(ana, "read", "propose")
    await robot.request("POST", "/api/clients", {"name": "Bodegas del Duero, S.A.", "city": "Aranda de Duero"})
    lines = [item(description="Etiquetas de la cosecha", unitPrice=850)]
    arguments = {"clientId": client, "items": lines, "taxRate": 21}
    note = "Lo pidió Antonio por teléfono esta mañana."
    await robot.post("/api/approvals", {"operation": "invoices.create", "arguments": arguments, "note": note})
    draft = await ana.post("/api/invoices", {"clientId": client, "items": [item(description="Cartel")], "taxRate": 21})
    emission = await robot.request("POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    return str(emission.json()["id"])


async def in_english(client: httpx2.AsyncClient) -> tuple[Api, dict[str, str]]:
    """A person whose account is in English, with a proposal; the screen by the name of its picture."""
    mary = await Api.register(client, "mary@studiobyrne.example", name="Mary Byrne", country="IE")
    company = {"name": "Studio Byrne", "company": "Mary Byrne", "country": "ES", "taxId": "87654321X"}
    mary.team = await mary.post("/api/teams", {**company, **ADDRESS, "iban": "ES9121000418450200051332"})
    name, tax_id, city, code = CLIENTS[0]
    shop = {"name": name, "taxId": tax_id, "city": city, "postalCode": code, "address": "Calle Mayor 12"}
    lines = [item(description="Poster", unitPrice=1200, discount=10), item(description="Workshop", unitPrice=300)]
    lines[1] |= {"taxRate": 0, "taxCategory": "exempt", "exemptionCode": "E1"}
    robot = await with_scoped_key(mary, "read", "propose")
    draft = await mary.post("/api/invoices", {"client": shop, "items": lines})
    emission = await robot.request("POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    return mary, {"approve-en": f"/approve/{emission.json()['id']}"}


async def filled(ana: Api) -> dict[str, str]:
    """Fill the company; the screens by the names of their pictures."""
    client, invoice, draft = await sales(ana)
    vendor, expense, payable = await purchases(ana)
    product, till = await shop(ana)
    for title, status, priority in TASKS:
        await ana.post("/api/tasks", {"title": title, "status": status, "priority": priority})
    declaration = await declared(ana)
    proposal = await proposals(ana, client)
    return {
        "dashboard": "/",
        "approvals": "/approvals",
        "approve": f"/approve/{proposal}",
        "invoices": "/invoices",
        "invoice": f"/invoices/{invoice}",
        "invoice-new": "/invoices/new",
        "invoice-edit": f"/invoices/{draft}/edit",
        "clients": "/clients",
        "client": f"/clients/{client}",
        "expenses": "/expenses",
        "expense": f"/expenses/{expense}",
        "expense-new": "/expenses/new",
        "expense-inbox": "/expenses/inbox",
        "vendors": "/vendors",
        "vendor": f"/vendors/{vendor}",
        "payables": "/payables",
        "payable": f"/payables/{payable}",
        "payable-new": "/payables/new",
        "catalog": "/catalog",
        "item": f"/catalog/{product}",
        "item-new": "/catalog/new",
        "catalog-import": "/catalog/import",
        "stock-taking": "/catalog/stock-taking",
        "tasks": "/tasks",
        "till": "/till",
        "till-history": "/till/history",
        "till-day": f"/till/{till}",
        "tax": "/tax",
        "tax-form": f"/tax/{declaration}",
        "einvoice": "/einvoice",
        "reports": "/reports",
        "team": "/team",
        **{f"settings-{section}": f"/settings/{section}" for section in settings()},
        "welcome": "/welcome",
    }


def unpictured(pictures: Mapping[str, str]) -> list[str]:
    """The screens of the app of which there is no picture."""
    paths = {*pictures.values(), *BEFORE_LOGIN.values()}
    patterns = {screen: re.compile(screen.replace(":id", "[^/]+")) for screen in screens()}
    return [screen for screen, pattern in patterns.items() if not any(map(pattern.fullmatch, paths))]


def compressed(png: bytes) -> bytes:
    """The picture with as many colours as fit into its size. Raises ValueError where even few make it too large."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    for colours in (256, 128, 64, 32):
        stream = io.BytesIO()
        picture.quantize(colours, dither=Image.Dither.NONE).save(stream, "PNG", optimize=True)
        if stream.tell() < LARGEST:
            return stream.getvalue()
    raise ValueError(f"a picture of {stream.tell()} bytes")


async def picture(page: Page, name: str, path: str) -> None:
    await page.goto(path)
    await page.locator("h1").first.wait_for()
    await expect(page.locator(".loading, main[aria-busy=true]")).to_have_count(0)
    await page.wait_for_load_state("networkidle")
    (FOLDER / f"{name}.png").write_bytes(compressed(await page.screenshot(animations="disabled")))


async def picture_of_views(page: Page, ana: Api, invoice: str, proposal: str) -> None:
    """Write pictures of what a host of MCP Apps shows beside the answers of tools: an invoice and a question."""
    assistant = Assistant(ana)
    draft = await ana.get(f"/api/approvals/{proposal}")
    answers = {
        "mcp-invoice": ("get_invoice", {"id": invoice}),
        "mcp-approval": ("emit_einvoice", draft["arguments"]),
    }
    for name, (tool, arguments) in answers.items():
        result = await assistant.called(tool, **arguments)
        view = await shown(page, await assistant.page_for(tool), result, theme="light", locale="es-ES")
        await expect(view.locator.get_by_role("heading", level=1)).to_be_visible()
        await expect(page.locator("iframe")).not_to_have_css("height", "150px")
        (FOLDER / f"{name}.png").write_bytes(compressed(await page.locator("iframe").screenshot()))


@asynccontextmanager
async def opened_browser(locale: str = "es-ES") -> AsyncIterator[Browser]:
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        raise SystemExit("no Chromium here: sudo apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", f"--lang={locale}"])
        yield browser
        await browser.close()


async def photographed_chats(pages: Mapping[str, str]) -> None:
    """Write pictures of the drawn pages of a chat."""
    async with opened_browser() as browser:
        page = await browser.new_page(viewport={"width": WIDTH, "height": 200})
        for name, content in pages.items():
            await page.set_content(content)
            (FOLDER / f"{name}.png").write_bytes(compressed(await page.locator("body").screenshot()))


async def photographed(url: str, person: Api, pictures: Mapping[str, str], locale: str = "es-ES") -> None:
    options: dict[str, Any] = {"base_url": url, "locale": locale, "timezone_id": "Europe/Madrid"}
    async with opened_browser(locale) as browser:
        for viewport, suffix in ((WIDE, ""), (NARROW, "-360")):
            context = await browser.new_context(viewport=viewport, color_scheme="light", **options)
            page = await context.new_page()
            before_login = {name: path for name, path in pictures.items() if name in BEFORE_LOGIN and not suffix}
            for name, path in before_login.items():
                await picture(page, name, path)
            await context.request.post("/auth/session", data={"email": person.email, "password": PASSWORD})
            for name, path in pictures.items():
                if name not in BEFORE_LOGIN and (not suffix or name in ALSO_NARROW):
                    await picture(page, name + suffix, path)
            if suffix and {"invoice", "approve"} <= pictures.keys():
                ids = [pictures[name].rpartition("/")[2] for name in ("invoice", "approve")]
                await picture_of_views(page, person, *ids)
            await context.close()


def chosen(pictures: Mapping[str, str]) -> dict[str, str]:
    """The pictures that were asked for by name; all of them where none was."""
    return {name: path for name, path in pictures.items() if len(sys.argv) < 2 or name in sys.argv[1:]}


async def photographed_screens(bot: FakeBot, api_base: str) -> None:
    """Write pictures of the screens of a server with a bot."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = {"PORT": str(port), "BASE_URL": url, "TELEGRAM_TOKEN": bot.token, "TELEGRAM_API_BASE": api_base}
    with tempfile.TemporaryDirectory() as folder:
        async with (
            served(Path(folder) / "data", **settings) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            ana = await Api.register(client, "ana@estudioruiz.example", name="Ana Ruiz")
            company = {"name": "Estudio Ruiz", "company": "Ana Ruiz Prieto", "country": "ES", "taxId": "12345678Z"}
            ana.team = await ana.post("/api/teams", {**company, **ADDRESS, "iban": "ES9121000418450200051332"})
            pictures = await filled(ana)
            if missing := unpictured(pictures):
                raise SystemExit(f"no picture of {', '.join(missing)}")
            await chat_scenes.linked(ana, bot, "Ana Ruiz")
            mary, hers = await in_english(client)
            await photographed(url, ana, chosen({**BEFORE_LOGIN, **pictures}))
            await photographed(url, mary, chosen(hers), "en-GB")


async def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    asked = set(sys.argv[1:])
    chats = [name for name in chat_scenes.NAMES if not asked or name in asked]
    if not asked or asked - set(chats):
        with bot_api() as telegram:
            await photographed_screens(telegram.bot("estudio_ruiz_bot"), telegram.base)
    if chats:
        await photographed_chats(await chat_scenes.drawn(chats))
    sys.stdout.write(f"{len(list(FOLDER.glob('*.png')))} pictures in {FOLDER.name}\n")


if __name__ == "__main__":
    asyncio.run(main())

"""The web app in Chromium with a processor four times as slow: `make bench-web` prints bytes, counts and waits.

An account with 100,000 invoices on a real server. Bytes are those of the scripts that a route loads first, as gzip
sends them; waits are those from a key or a click to the next picture, as the browser's Event Timing reports them.
Missed targets are printed, and are no failure.
"""

import argparse
import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

import asyncpg  # noqa: E402 - after its path
import httpx2  # noqa: E402 - after its path
from database import registered, settle  # noqa: E402 - after its path
from grown import INVOICES, multiply  # noqa: E402 - after its path
from playwright.async_api import Page, Request, async_playwright, expect  # noqa: E402 - after its path

from ledgerkit.embedded_postgres import running_urls  # noqa: E402 - after its path
from support.api import CLIENT, Api, item  # noqa: E402 - after its path
from support.ports import free_port  # noqa: E402 - after its path
from support.serving import served  # noqa: E402 - after its path
from support.windows import log_in  # noqa: E402 - after its path

DIST = HERE.parent / "src" / "ledgerkit" / "web" / "dist"
THROTTLE = 4
"""Times that the processor is slower than this machine's."""
MOST_BYTES, MOST_WAIT, MOST_SHIFT, MOST_REQUESTS = 150_000, 200, 0.05, 3
FIRST_LOADS = {"login": "/login", "dashboard": "/"}
SCREENS = [
    "/",
    "/invoices",
    "/invoices/new",
    "/clients",
    "/expenses",
    "/payables",
    "/catalog",
    "/tasks",
    "/till",
    "/tax",
]
OBSERVER = """
window.waits = []; window.shift = 0; window.longest = 0;
const watch = (type, note, more) =>
  new PerformanceObserver(list => list.getEntries().forEach(note)).observe({type, buffered: true, ...more});
watch("event", one => { if (one.interactionId) waits.push(one.duration); }, {durationThreshold: 16});
watch("layout-shift", one => { if (!one.hadRecentInput) shift += one.value; });
watch("longtask", one => { longest = Math.max(longest, one.duration); });
"""
CONCEPT = "Rediseño de la identidad visual y de la papelería"


@dataclass
class Window:
    """A window on the app, slowed down, that notes what it asks the server for."""

    page: Page
    scripts: list[str]
    requests: list[str]

    def note(self, request: Request) -> None:
        path = urlsplit(request.url).path
        if request.resource_type == "script":
            self.scripts.append(path)
        elif path.startswith(("/api/", "/auth/")) and path != "/auth/session":
            self.requests.append(path)

    async def open(self, path: str) -> None:
        """Load a screen as one's first, until it is usable."""
        self.scripts.clear()
        self.requests.clear()
        await self.page.goto(path)
        await self.usable()

    async def usable(self) -> None:
        await self.page.locator("h1").first.wait_for()
        await expect(self.page.locator(".loading, [aria-busy=true]")).to_have_count(0)
        await self.page.wait_for_load_state("networkidle")

    async def waits(self) -> list[float]:
        """Milliseconds of each key and click since the last question, to the next 8 ms; under 16 ms they are none."""
        await self.page.wait_for_timeout(300)
        noted: list[float] = await self.page.evaluate("window.waits.splice(0)")
        return noted


def option() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-web", description=__doc__)
    parser.add_argument("--invoices", type=int, default=100_000, help="invoices of the account")
    return parser.parse_args()


async def grown(url: str, data: Path, number: int) -> Api:
    """A company with that many paid invoices."""
    async with httpx2.AsyncClient(base_url=url, timeout=60) as client:
        ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
        invoice = await ana.post("/api/invoices", {"client": CLIENT, "taxRate": 21, "items": [item()]})
        await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
        await ana.request("PATCH", f"/api/invoices/{invoice['id']}/pay", {})
    owner, _ = running_urls(data / "postgres")
    db = await asyncpg.connect(owner.replace("postgresql+asyncpg", "postgresql"))
    await multiply(db, await registered(db, ana.api_key), INVOICES, number, "year")
    await settle(db)
    await db.close()
    return ana


@asynccontextmanager
async def window(url: str, person: Api | None) -> AsyncIterator[Window]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("no Chromium here: sudo apt-get install chromium")
    arguments = ["--lang=es-ES", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=arguments)
        context = await browser.new_context(base_url=url, locale="es-ES", viewport={"width": 1280, "height": 900})
        await context.add_init_script(OBSERVER)
        page = await context.new_page()
        if person:
            await log_in(page, person)
        session = await context.new_cdp_session(page)
        await session.send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
        opened = Window(page, [], [])
        page.on("request", opened.note)
        yield opened
        await browser.close()


async def first_loads(url: str, ana: Api) -> None:
    for name, path in FIRST_LOADS.items():
        async with window(url, None if name == "login" else ana) as fresh:
            await fresh.open(path)
            sizes = [(DIST / f"{script.lstrip('/')}.gz").stat().st_size for script in fresh.scripts]
            line(f"first load of {name}: bytes of {len(sizes)} scripts", sum(sizes), MOST_BYTES)


async def screens(url: str, ana: Api) -> None:
    async with window(url, ana) as opened:
        for path in SCREENS:
            await opened.open(path)
            line(f"{path}: requests", len(opened.requests), MOST_REQUESTS)
            line(f"{path}: layout shift", await opened.page.evaluate("window.shift"), MOST_SHIFT)


async def long_list(url: str, ana: Api) -> None:
    """Pages, a status, a search and a menu in the list of all invoices."""
    async with window(url, ana) as opened:
        await opened.open("/invoices")
        page = opened.page
        for label in ("Cobradas", "Todas"):
            await page.get_by_role("link", name=label).click()
            await opened.usable()
        waits("list: another status", await opened.waits())
        for _ in range(3):
            await page.get_by_role("button", name="Siguiente").click()
            await opened.usable()
        waits("list: the next page", await opened.waits())
        await page.get_by_role("searchbox").press_sequentially("cliente 1007", delay=60)
        await opened.usable()
        waits("list: a key of a search", await opened.waits())
        await page.locator("tbody .cell-actions button").first.click()
        await page.keyboard.press("Escape")
        waits("list: the menu of a row", await opened.waits())


async def editor(url: str, ana: Api) -> None:
    """A concept, a price, and lines by Enter."""
    async with window(url, ana) as opened:
        await opened.open("/invoices/new")
        page = opened.page
        await page.evaluate("window.longest = 0")
        await page.get_by_label("Concepto").first.press_sequentially(CONCEPT, delay=60)
        waits("editor: a key of a concept", await opened.waits())
        price = page.get_by_label("Precio").first
        await price.press_sequentially("1234,56", delay=60)
        waits("editor: a key of a price", await opened.waits())
        for _ in range(20):
            await page.keyboard.press("Enter")
        waits("editor: Enter for 20 further lines", await opened.waits())
        await page.keyboard.type("Otra línea más", delay=60)
        waits("editor: a key in the 21st line", await opened.waits())
        line("editor: the longest task of all, ms", await page.evaluate("window.longest"), MOST_WAIT)


def waits(name: str, milliseconds: Sequence[float]) -> None:
    """The longest wait, beside the usual one."""
    usual = median(milliseconds) if milliseconds else 0
    line(f"{name}: ms, the longest (usual {usual:.0f})", max(milliseconds, default=0), MOST_WAIT)


def line(name: str, value: float, most: float) -> None:
    figure = f"{value:,.0f}" if value > 20 or value == int(value) else f"{value:.3f}"
    print(f"{name:62}{figure:>10}{f'<= {most:,}':>12}  {'' if value <= most else 'MISSED'}".rstrip(), flush=True)


async def main() -> None:
    number = option().invoices
    with TemporaryDirectory(prefix="ledgerkit-bench-") as folder:
        data, port = Path(folder) / "data", free_port()
        url = f"http://127.0.0.1:{port}"
        async with served(data, PORT=str(port), BASE_URL=url):
            ana = await grown(url, data, number)
            print(f"{number:,} invoices; a processor {THROTTLE} times as slow as this machine's:")
            for measure in (first_loads, screens, long_list, editor):
                await measure(url, ana)


if __name__ == "__main__":
    asyncio.run(main())

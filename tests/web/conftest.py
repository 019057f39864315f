"""The web app in a real browser, against a real server: one of each for each worker process, windows as new."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from aiosmtpd.smtp import SMTP
from playwright.async_api import Browser, Page, async_playwright, expect
from playwright.async_api import Error as BrowserError

from ledgerkit.embedded_postgres import EmbeddedPostgres
from support.api import Api
from support.letters import Mailbox
from support.mailserver import Inbox, listening
from support.office import cloned
from support.ports import free_port
from support.processes import Forked, Program
from support.serving import IDLE_SECONDS, served
from support.window_pool import PATIENCE, Window, WindowPool
from support.windows import log_in

ROOT = Path(__file__).parents[2]
DIST = ROOT / "src" / "ledgerkit" / "web" / "dist" / "index.html"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
"""The browser without what only a desktop needs, which takes a third less of the processor; else a whole one."""
ONLY_HERE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
"""The browser finds no other machine. Asking for each request here instead would take its cache away."""

expect.set_options(timeout=PATIENCE)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip visibly where there is no browser or no built app; leave to `make test-all` what is no journey."""
    reasons = [
        (CHROMIUM is None, "no Chromium here: sudo apt-get install chromium-headless-shell"),
        (not DIST.is_file(), "the web app is not built here: make web"),
    ]
    of_the_browser = [item for item in items if item.path.is_relative_to(Path(__file__).parent)]
    for lacking, reason in reasons:
        if lacking:
            for item in of_the_browser:
                item.add_marker(pytest.mark.skip(reason=reason))
    for item in of_the_browser:
        if not item.get_closest_marker("journey"):
            item.add_marker(pytest.mark.whole)


@dataclass
class Site:
    """A running server with the app, and its mails."""

    url: str
    client: httpx2.AsyncClient
    mails: Mailbox
    directory: Path
    _numbers: Any = field(default_factory=lambda: count(10_000_001))

    async def owner(self, name: str = "Ana Ruiz") -> Api:
        """A person with a company of their own."""
        number = next(self._numbers)
        return await Api.with_team(self.client, f"{uuid4().hex}@example.com", name, tax_id(number))

    async def newcomer(self) -> Api:
        """A person who has just registered."""
        return await Api.register(self.client, f"{uuid4().hex}@example.com")

    async def member(self, owner: Api, role: str) -> Api:
        """Another person at work in the owner's team, with a role."""
        person = await self.newcomer()
        await owner.post("/api/teams/current/invite", {"email": person.email, "role": role})
        await person.post(f"/api/teams/switch/{owner.team['id']}")
        return person


def tax_id(number: int) -> str:
    """The NIF of a person with this number. Source: RD 1553/2005 (its letter)."""
    return f"{number:08}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


@asynccontextmanager
async def opened_site(
    postgres: EmbeddedPostgres, directory: Path, program: Program = Forked, **settings: str
) -> AsyncIterator[Site]:
    """A server of its own with the app; `settings` are those that differ from the usual ones."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    usual = {"PORT": str(port), "BASE_URL": url, "EINVOICE_WAIT": "5"}
    async with (
        cloned(postgres) as database,
        served(directory, program, DATABASE_URL=database, **usual, **settings) as server,
        httpx2.AsyncClient(
            base_url=server.url, timeout=60, limits=httpx2.Limits(keepalive_expiry=IDLE_SECONDS)
        ) as client,
    ):
        yield Site(server.url, client, Mailbox(directory / "mail"), directory)


@pytest.fixture(scope="module")
async def inbox() -> Inbox:
    """Mails of a `mailing_site`, as they arrive."""
    return Inbox()


@asynccontextmanager
async def mailing_site(
    postgres: EmbeddedPostgres, directory: Path, inbox: Inbox, **settings: str
) -> AsyncIterator[Site]:
    """`opened_site` that mails by a real mail server into `inbox`."""
    loop = asyncio.get_running_loop()
    async with (
        listening(lambda: SMTP(inbox, loop=loop, hostname="mail.test")) as port,
        opened_site(postgres, directory, SMTP_URL=f"smtp://127.0.0.1:{port}", **settings) as site,
    ):
        yield site


@pytest.fixture(scope="session")
async def site(postgres, tmp_path_factory) -> AsyncIterator[Site]:
    async with opened_site(postgres, tmp_path_factory.mktemp("web") / "data") as site:
        yield site


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        arguments = ["--lang=es-ES", ONLY_HERE, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        launched = await playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield launched
        await launched.close()


@dataclass
class Visits:
    """Windows on the app, and what went wrong in them."""

    site: Site
    pool: WindowPool
    windows: list[Window] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        return [fault for window in self.windows for fault in window.faults]

    async def window(
        self, *, width: int = 1280, height: int = 900, scheme: str = "light", language: str = "es", **options: Any
    ) -> Page:
        """A window of a browser that knows nobody yet; one with `options` serves no other test."""
        key = None if options else (self.site.url, language)
        if (window := self.pool.take(key)) is not None:
            await window.look(scheme, width, height)
        else:
            window = await self.pool.new(
                key,
                base_url=self.site.url,
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                locale={"es": "es-ES", "en": "en-GB"}[language],
                timezone_id="Europe/Madrid",
                **options,
            )
        self.windows.append(window)
        return window.page

    async def forget_faults(self) -> None:
        """Take what the browser has complained of so far as expected."""
        await self._hear()
        for window in self.windows:
            window.faults.clear()

    async def end(self) -> list[str]:
        """Give the windows back; return what the browser has complained of."""
        await self._hear()
        faults = self.faults
        for window in self.windows:
            await self.pool.give_back(window)
        self.windows.clear()
        return faults

    async def _hear(self) -> None:
        """Wait for what the browser has complained of, and has not told yet."""
        for window in self.windows:
            for page in window.context.pages:
                await page.evaluate("document.title")  # what the watch has told arrives before this answer

    async def __call__(self, person: Api, path: str = "/", **options: Any) -> Page:
        """A window in which the person is logged in, at a screen of the app."""
        page = await self.window(**options)
        await log_in(page, person)
        await page.goto(path)
        return page


@pytest.fixture(scope="session")
def pool(browser) -> WindowPool:
    return WindowPool(browser)


@pytest.fixture
async def visit(site, pool, request, tmp_path) -> AsyncIterator[Visits]:
    """Opens windows: `page = await visit(ana, "/invoices")`. Whatever the browser complains of fails the test."""
    visits = Visits(site, pool)
    yield visits
    if request.session.testsfailed:
        for number, window in enumerate(visits.windows):
            with suppress(BrowserError):  # of a page that has crashed
                await window.page.screenshot(path=tmp_path / f"{request.node.name[:60]}-{number}.png")
    assert await visits.end() == []


@pytest.fixture
async def ana(site) -> Api:
    """An owner with a company of her own, on the server that the browser sees."""
    return await site.owner()


@pytest.fixture(scope="session")
def axe_script() -> str:
    script = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        pytest.skip("npm's packages are not here: sh scripts/web packages")
    return script.read_text()


Violations = Callable[..., Awaitable[list[str]]]
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules of axe that another theme can break."""


@pytest.fixture
def violations(axe_script) -> Violations:
    """Says what axe finds on a page, by all rules or by those named: rule and place of each violation."""

    async def run(page: Page, rules: Collection[str] = ()) -> list[str]:
        if not await page.evaluate("'axe' in window"):
            await page.evaluate(axe_script)
        options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
        result = await page.evaluate("options => axe.run(document, options)", options)
        return [f"{one['id']}: {node['html'][:200]}" for one in result["violations"] for node in one["nodes"]]

    return run

"""Windows that serve one test after the other: nothing of a test is there for the next one."""

import pytest
from playwright.async_api import Page, Request, Route, expect

from web.conftest import Visits

LEAVE_TRACES = """async () => {
  localStorage.setItem("trace", "1");
  sessionStorage.setItem("trace", "1");
  window.name = "trace";
  document.cookie = "trace=1";
  await (await caches.open("trace")).put("/trace", new Response("1"));
  await new Promise((done) => { indexedDB.open("trace").onsuccess = (event) => done(event.target.result.close()); });
  addEventListener("pagehide", () => {
    localStorage.setItem("parting", "1");
    sessionStorage.setItem("parting", "1");
    document.cookie = "parting=1";
  });
}"""
TRACES = """async () => ({
  local: localStorage.length,
  session: sessionStorage.length,
  name: window.name,
  cookie: document.cookie,
  caches: await caches.keys(),
  databases: await indexedDB.databases(),
  history: history.length,
  width: innerWidth,
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
  print: matchMedia("print").matches,
  online: navigator.onLine,
})"""
NO_TRACES = {
    "local": 0,
    "session": 0,
    "name": "",
    "cookie": "",
    "caches": [],
    "databases": [],
    "history": 2,
    "width": 1280,
    "dark": False,
    "print": False,
    "online": True,
}
"""Answers of the first page of a new window."""


@pytest.fixture
async def left(site, pool, ana) -> Page:
    """The page of a window that has served another test, and in which that one left what it could."""
    visits = Visits(site, pool)
    page = await visits(ana, "/clients", width=400, scheme="dark")
    await expect(page.get_by_role("button", name="Nuevo cliente").first).to_be_visible()
    await page.evaluate(LEAVE_TRACES)
    await page.context.add_cookies([{"name": "trace", "value": "2", "domain": "127.0.0.1", "path": "/auth"}])

    async def refuse(route: Route) -> None:
        await route.abort()

    await page.route("**/*", refuse)
    await page.context.route("**/*", refuse)
    await page.emulate_media(media="print")
    await page.context.new_page()
    await page.context.set_offline(offline=True)
    assert await visits.end() == []
    return page


async def test_nothing_of_a_test_is_there_for_the_next_one(left, visit):
    page = await visit.window()
    assert page is left
    await page.goto("/login")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()

    assert await page.evaluate(TRACES) == NO_TRACES
    assert await page.context.cookies() == []
    assert page.context.pages == [page]


async def test_a_new_window_tells_the_same(visit):
    page = await visit.window(service_workers="allow")
    await page.goto("/login")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()

    assert await page.evaluate(TRACES) == NO_TRACES


async def test_the_next_person_is_the_one_who_is_logged_in(left, visit, site):
    berta = await site.owner("Berta Gil")
    page = await visit(berta, "/settings/account")
    assert page is left

    await expect(page.get_by_text(berta.email).first).to_be_visible()


async def test_two_windows_of_a_test_know_nothing_of_each_other(visit, ana):
    mine, theirs = await visit(ana), await visit.window()

    assert mine.context is not theirs.context
    assert len(await mine.context.cookies()) == 1
    assert await theirs.context.cookies() == []


def writes_headers(page: Page) -> object:
    return page.set_extra_http_headers({"X-Trace": "1"})


def adds_a_script(page: Page) -> object:
    return page.context.add_init_script("globalThis.trace = 1")


def stops_the_clock(page: Page) -> object:
    return page.clock.install()


def holds_a_key(page: Page) -> object:
    return page.keyboard.down("Shift")


@pytest.mark.parametrize("act", [writes_headers, adds_a_script, stops_the_clock, holds_a_key])
async def test_a_window_serves_no_other_test_after_what_cannot_be_taken_back(site, pool, visit, act):
    visits = Visits(site, pool)
    page = await visits.window()
    await page.goto("/icon.svg")
    if (waiting := act(page)) is not None:
        await waiting
    await visits.end()

    assert page.is_closed()
    assert await visit.window() is not page


async def test_no_listener_of_a_test_hears_the_next_one(site, pool):
    visits = Visits(site, pool)
    page, heard = await visits.window(), []
    page.on("dialog", lambda dialog: heard.append(dialog.message))
    page.context.on("request", lambda request: heard.append(request.url))

    def hear(request: Request) -> None:
        heard.append(request.url)

    page.on("request", hear)
    page.remove_listener("request", hear)
    await visits.end()
    heard.clear()

    assert await visits.window() is page
    await page.goto("/login")
    assert await page.evaluate("confirm('trace')") is False
    await visits.end()
    assert heard == []


async def test_the_faults_of_a_test_are_its_own(site, pool):
    visits = Visits(site, pool)
    first = await visits.window()
    await first.goto("/login")
    await first.evaluate("setTimeout(() => { throw new Error('trace') })")
    await first.evaluate("new Promise(done => setTimeout(done, 50))")
    assert await visits.end() == ["uncaught: trace"]

    assert await visits.window() is first
    await first.goto("/login")
    assert await visits.end() == []

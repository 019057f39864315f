"""Properties of every screen: accessible, no wider than its window, few requests, nothing that jumps."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from _pytest.mark import ParameterSet
from playwright.async_api import Page, Request, expect

from support.api import Api
from support.full_books import filled
from support.screens import screens

REQUESTS = 3
"""Most requests to the interface a screen may send before it is usable; the session's own is none of them."""
SHIFT = 0.05
BEFORE_LOGIN = {"/login", "/register"}
"""Screens of people who are not logged in."""
OWN_MATTERS = {"/settings/account", "/settings/data", "/settings/keys", "/settings/assistants"}
"""Screens on which everybody works, whatever the role: one's own login, keys and data."""
FOR_WRITERS = {
    "/welcome",
    "/invoices/new",
    "/invoices/:id/edit",
    "/expenses/new",
    "/catalog/new",
    "/catalog/stock-taking",
    "/payables/new",
}
"""Forms that only a link leads to which a viewer is not offered."""
ALWAYS = {"/", "/login", "/invoices/new", "/till"}
"""Screens of the quick run; the others have their turn in the whole one."""
SUM_OF_SHIFTS = """() => new Promise(done => {
  let sum = 0;
  const add = list => { for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value; };
  new PerformanceObserver(add).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 100);
})"""


def quick_or_whole(paths: list[str]) -> list[ParameterSet]:
    return [pytest.param(path, marks=[] if path in ALWAYS else [pytest.mark.whole]) for path in paths]


@dataclass
class Books:
    """A company with a record of every kind."""

    owner: Api
    viewer: Api
    ids: dict[str, str]

    def address(self, route: str) -> str:
        """The route with the id of a record; a KeyError names a route for which `filled` makes none."""
        return route.replace(":id", self.ids[route]) if ":" in route else route


@pytest.fixture(scope="module")
async def books(site) -> Books:
    owner = await site.owner()
    viewer = await site.member(owner, "viewer")
    await viewer.post(f"/api/teams/switch/{owner.team['id']}")
    return Books(owner, viewer, await filled(owner))


@dataclass
class Traffic:
    """Requests to the interface that a page has sent."""

    sent: list[str] = field(default_factory=list)

    def note(self, request: Request) -> None:
        path = urlsplit(request.url).path
        if path.startswith(("/api/", "/auth/")) and path != "/auth/session":
            self.sent.append(f"{request.method} {request.url}")


async def usable(page: Page) -> None:
    await expect(page.locator("h1").first).to_be_visible()
    await expect(page.locator(".loading, [aria-busy=true]")).to_have_count(0)
    await page.wait_for_load_state("networkidle")


async def opened(visit, books: Books, route: str, traffic: Traffic | None = None, **options) -> Page:
    """The screen, drawn to its end."""
    if route in BEFORE_LOGIN:
        page = await visit.window(**options)
    else:
        page = await visit(books.owner, "about:blank", **options)
    if traffic:
        page.on("request", traffic.note)
    await page.goto(books.address(route))
    await usable(page)
    return page


async def overflowing(page: Page) -> list[str]:
    """The parts that reach beyond the window's right edge, where the page can be scrolled to them."""
    return await page.evaluate(
        """() => {
          if (document.documentElement.scrollWidth <= innerWidth) return [];
          const clips = one => one && one !== document.body &&
            (getComputedStyle(one).overflowX !== "visible" || clips(one.parentElement));
          return [...document.querySelectorAll("body *")]
            .filter(one => one.getBoundingClientRect().right > innerWidth + 1 && !clips(one.parentElement))
            .map(one => one.outerHTML.slice(0, 160));
        }"""
    )


@pytest.mark.journey
@pytest.mark.parametrize("route", quick_or_whole(screens()))
async def test_a_screen_is_accessible_light_still_and_as_wide_as_its_window(visit, books, violations, route):
    traffic = Traffic()
    page = await opened(visit, books, route, traffic)
    faults = [f"shift of {shift}" for shift in [await page.evaluate(SUM_OF_SHIFTS)] if shift > SHIFT]
    if len(traffic.sent) > REQUESTS:
        faults += traffic.sent
    # A window of 1280 pixels enlarged to 200 % has room for 640.
    for width in (1280, 640, 360):
        await page.set_viewport_size({"width": width, "height": 800})
        faults += [f"beyond {width} pixels: {part}" for part in await overflowing(page)]
    faults += await violations(page)

    assert faults == []


@pytest.mark.whole
@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("route", screens())
async def test_a_screen_is_accessible_in_both_themes_and_languages(visit, books, violations, route, language):
    page = await opened(visit, books, route, language=language)
    assert await page.locator("html").get_attribute("lang") == language
    refused = {}
    for scheme in ("light", "dark"):
        for width in (1280, 360):
            await page.emulate_media(color_scheme=scheme)
            await page.set_viewport_size({"width": width, "height": 800})
            refused[scheme, width] = await violations(page)
    wider = await overflowing(page)

    assert [one for found in refused.values() for one in found] == []
    assert wider == []


@pytest.mark.parametrize(
    "route", quick_or_whole([one for one in screens() if one not in BEFORE_LOGIN | OWN_MATTERS | FOR_WRITERS])
)
async def test_a_viewer_is_offered_nothing_to_create_or_change(visit, books, route):
    page = await visit(books.viewer, books.address(route))
    await usable(page)

    await expect(page.locator("main .button-primary:not(:disabled)")).to_have_count(0)
    await expect(page.locator("main .button-danger:not(:disabled)")).to_have_count(0)

"""Properties of every screen: accessible, no wider than its window, few requests, nothing that jumps.

Where a screen of the simulation names the tax agency, it says that nothing reaches it.
"""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from _pytest.mark import ParameterSet
from playwright.async_api import Page, Request, expect

from support.api import Api
from support.full_books import filled
from support.screens import screens
from support.simulation import unsaid
from web.conftest import COLOURS

REQUESTS = 3
"""Most requests to the interface a screen may send before it is usable, without those of `ONCE`."""
ONCE = ("/auth/session", "/api/countries/", "/api/approvals?status=pending&limit=1")
"""Beginnings of what is asked for once in a visit, whatever screens are opened: the session, the team's country, and
the count of proposals in the menu."""
SHIFT = 0.05
BEFORE_LOGIN = {"/login", "/register"}
"""Screens of people who are not logged in."""
FILED_BY_HAND = {"/tax", "/tax/:id"}
"""Screens of tax forms, which nobody simulates: people file them at the agency themselves."""
OWN_MATTERS = {"/settings/account", "/settings/data", "/settings/keys", "/settings/assistants", "/settings/chats"}
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
QUICK = ["/", "/login", "/invoices/new", "/till"]
"""Screens of the quick run; all have their turn in the whole one."""
PARTS = 4
"""Tests among which the screens are divided."""
LOOKS = {
    "es": [("light", 1280), ("light", 360), ("dark", 1280), ("dark", 360)],
    "en": [("light", 1280), ("dark", 360)],
}
"""Themes and widths in which a screen is looked at, by language; another language changes words only."""
SUM_OF_SHIFTS = """() => new Promise(done => {
  let sum = 0;
  const add = list => { for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value; };
  new PerformanceObserver(add).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 100);
})"""


def parts(paths: list[str]) -> list[ParameterSet]:
    return [pytest.param(paths[part::PARTS], id=f"part{part}") for part in range(PARTS)]


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
        address = urlsplit(request.url)
        path = f"{address.path}?{address.query}"
        if path.startswith(("/api/", "/auth/")) and not path.startswith(ONCE):
            self.sent.append(f"{request.method} {request.url}")


async def usable(page: Page) -> None:
    await expect(page.locator("h1").first).to_be_visible()
    await expect(page.locator(".loading, [aria-busy=true]")).to_have_count(0)
    await page.wait_for_load_state("networkidle")


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


async def seen(page: Page, language: str, violations) -> list[str]:
    """List the faults of the screen that is open."""
    faults = [f"shift of {shift}" for shift in [await page.evaluate(SUM_OF_SHIFTS)] if shift > SHIFT]
    if await page.locator("html").get_attribute("lang") != language:
        faults.append(f"not in {language}")
    # A window of 1280 pixels enlarged to 200 % has room for 640.
    for width in (1280, 640, 360):
        await page.set_viewport_size({"width": width, "height": 800})
        faults += [f"beyond {width} pixels: {part}" for part in await overflowing(page)]
    for scheme, width in LOOKS[language]:
        await page.emulate_media(color_scheme=scheme)
        await page.set_viewport_size({"width": width, "height": 800})
        faults += [
            f"{scheme}, {width} pixels: {fault}"
            for fault in await violations(page, COLOURS if scheme == "dark" else ())
        ]
    return faults


async def faults_of(routes: list[str], visit, books: Books, violations, language: str) -> dict[str, list[str]]:
    """Go through the screens in two windows, of a guest and of the owner; the faults of each that has any."""
    windows = {
        True: await visit.window(language=language),
        False: await visit(books.owner, "about:blank", language=language),
    }
    found = {}
    for route in routes:
        page, traffic = windows[route in BEFORE_LOGIN], Traffic()
        await page.emulate_media(color_scheme="light")
        await page.set_viewport_size({"width": 1280, "height": 900})
        page.on("request", traffic.note)
        await page.goto(books.address(route))
        await usable(page)
        page.remove_listener("request", traffic.note)
        found[route] = await seen(page, language, violations)
        if route not in BEFORE_LOGIN | FILED_BY_HAND:
            found[route] += [f"does not say that it is simulated: {block}" for block in await unsaid(page)]
        if len(traffic.sent) > REQUESTS:
            found[route] += traffic.sent
    return {route: faults for route, faults in found.items() if faults}


@pytest.mark.journey
async def test_screens_of_every_day_are_accessible_light_still_and_as_wide_as_their_window(visit, books, violations):
    assert await faults_of(QUICK, visit, books, violations, "es") == {}


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("routes", parts(screens()))
async def test_screens_are_accessible_light_still_and_as_wide_as_their_window(
    visit, books, violations, routes, language
):
    assert await faults_of(routes, visit, books, violations, language) == {}


@pytest.mark.parametrize(
    "routes", parts([one for one in screens() if one not in BEFORE_LOGIN | OWN_MATTERS | FOR_WRITERS])
)
async def test_a_viewer_is_offered_nothing_to_create_or_change(visit, books, routes):
    page = await visit(books.viewer, "about:blank")
    for route in routes:
        await page.goto(books.address(route))
        await usable(page)

        await expect(page.locator("main .button-primary:not(:disabled)"), route).to_have_count(0)
        await expect(page.locator("main .button-danger:not(:disabled)"), route).to_have_count(0)

"""Windows of the browser that serve one test after the other, each time as if they were new.

A new window starts a process, and compiles the program once more: that took two thirds of a browser test.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, CDPSession, ConsoleMessage, Page, Request
from playwright.async_api import Error as BrowserError

PATIENCE = 180_000
"""Milliseconds for what a busy machine does."""
WATCH = (Path(__file__).parents[1] / "web" / "watch.js").read_text()
"""Tells during the whole visit of elements that HTML forbids where they stand, and of ids that stand twice."""
OF_THE_BROWSER = ("data:", "blob:", "chrome:", "chrome-extension:")
"""Addresses that leave for nowhere; the last two are the browser's own viewer of PDFs."""
EXPECTED = re.compile(
    r"the server responded with a status of (4\d\d|503)|ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION_RESET"
    r"|Unable to preload CSS|Failed to fetch dynamically imported module"
)
"""Lines of the console that tell of answers which the app shows: browsers write one for each refused request."""

UNUSED = 3
"""Windows that wait for their next test, for each worker; others are closed."""
EMPTY = "/icon.svg"
"""An address of the site without any program. The window stays in its process there; on `about:blank` it would not."""
LASTING = (
    *("add_init_script", "expose_binding", "expose_function", "set_extra_http_headers", "add_locator_handler"),
    *("once", "set_default_timeout", "set_default_navigation_timeout", "route_from_har", "route_web_socket"),
    *("grant_permissions", "set_geolocation", "new_cdp_session"),
)
"""Methods of pages and contexts whose effects cannot be taken back, or only by whoever called them."""
LASTING_OF_CLOCKS = ("install", "set_fixed_time", "set_system_time", "pause_at", "fast_forward", "run_for")
PRESSED = ("down",)
"""Methods of keyboard and mouse after which a key may stay pressed."""


class Window:
    """A page in a context of its own; `lasts` when a test has done to it what the next test would notice."""

    def __init__(self, key: object, origin: str, context: BrowserContext, page: Page, session: CDPSession) -> None:
        self.key, self.context, self.page = key, context, page
        self.lasts = False
        self.faults: list[str] = []
        """Complaints of the browser, during the test that has the window."""
        self._origin, self._session = origin, session
        self._watch((page, context), LASTING)
        self._listeners: list[tuple[Page | BrowserContext, str, Any]] = []
        for listened in (page, context):
            self._note_listeners(listened)
        self._watch((context.clock,), LASTING_OF_CLOCKS)
        self._watch((page.keyboard, page.mouse), PRESSED)

    @classmethod
    async def opened(cls, browser: Browser, key: object, base_url: str, **options: Any) -> "Window":
        context = await browser.new_context(base_url=base_url, **options)
        context.set_default_timeout(PATIENCE)
        told: list[Window] = []

        def tell(fault: str) -> None:
            for window in told:
                window.faults.append(fault)

        def of_request(request: Request) -> None:
            if not request.url.startswith((base_url + "/", *OF_THE_BROWSER)):
                tell(f"a request elsewhere: {request.url}")

        def of_console(message: ConsoleMessage) -> None:
            if message.type in {"error", "warning"} and not EXPECTED.search(message.text):
                tell(f"{message.type} on the console: {message.text}")

        context.on("request", of_request)
        await context.expose_binding("tellOfTheWatch", lambda _, found: tell(f"in the page: {found}"))
        await context.add_init_script(WATCH)
        page = await context.new_page()
        page.on("console", of_console)
        page.on("pageerror", lambda error: tell(f"uncaught: {error}"))
        # Playwright takes over the browser's file choosers from the first listener on; a listener that a test adds
        # in the moment of a key press may come too late.
        page.on("filechooser", lambda _: None)
        told.append(cls(key, base_url, context, page, await context.new_cdp_session(page)))
        return told[0]

    def _watch(self, objects: tuple[object, ...], methods: tuple[str, ...]) -> None:
        """Note when one of these methods is called."""
        for watched in objects:
            for method in methods:
                if hasattr(watched, method):
                    setattr(watched, method, self._noting(getattr(watched, method)))

    def _noting(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **options: Any) -> Any:
            self.lasts = True
            return method(*arguments, **options)

        return noted

    def _note_listeners(self, listened: Page | BrowserContext) -> None:
        """Note what a test adds to the listeners of these events."""
        add = listened.on

        def noted(event: Any, listener: Any) -> None:
            self._listeners.append((listened, event, listener))
            add(event, listener)

        setattr(listened, "on", noted)  # noqa: B010 - a method is replaced on purpose

    async def look(self, scheme: str, width: int, height: int) -> None:
        """Take on the theme and the size that a test asks for."""
        await self.page.emulate_media(
            media="null", color_scheme=scheme, reduced_motion="null", forced_colors="null", contrast="null"
        )
        await self.page.set_viewport_size({"width": width, "height": height})

    async def empty(self) -> None:
        """Take back all that a test has done, the program's own parting words included."""
        for page in self.context.pages:
            if page is not self.page:
                await page.close()
        for listened, event, listener in self._listeners:
            with suppress(KeyError):  # the test itself has taken it away
                listened.remove_listener(event, listener)
        self._listeners.clear()
        await self.page.unroute_all(behavior="ignoreErrors")
        await self.context.unroute_all(behavior="ignoreErrors")
        await self.context.set_offline(offline=False)
        await self.page.mouse.move(-1, -1)
        await self.page.goto(EMPTY)
        await self.page.evaluate("sessionStorage.clear(); window.name = ''")
        await self.context.clear_cookies()
        await self.context.clear_permissions()
        await self._session.send("Storage.clearDataForOrigin", {"origin": self._origin, "storageTypes": "all"})
        await self._session.send("Page.resetNavigationHistory")
        self.faults = []


class WindowPool:
    """The windows of a worker, by what cannot be changed in a window: its site and its language."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._unused: list[Window] = []

    def take(self, key: object) -> Window | None:
        """The window of this kind that was given back last; None where no test has left one."""
        for window in reversed(self._unused):
            if window.key == key:
                self._unused.remove(window)
                return window
        return None

    async def new(self, key: object, **options: Any) -> Window:
        """Open a window; with None for a key it serves one test."""
        return await Window.opened(self._browser, key, **options)

    async def give_back(self, window: Window) -> None:
        """Empty the window for the next test, or close it."""
        if window.key is None or window.lasts or window.page.is_closed():
            await window.context.close()
            return
        try:
            await window.empty()
        except BrowserError:  # its server is gone, or its page has crashed
            await window.context.close()
            return
        self._unused.append(window)
        while len(self._unused) > UNUSED:
            await self._unused.pop(0).context.close()

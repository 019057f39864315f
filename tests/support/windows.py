"""A window on the web app: people registered and logged in, ways by keyboard, lost answers, widths."""

from playwright.async_api import Locator, Page, Route

from support.api import PASSWORD, Api


async def log_in(page: Page, person: Api) -> None:
    """Give the browser the person's session, as the login screen would."""
    body = {"email": person.email, "password": PASSWORD}
    # Sent again where the server ended the idle connection in the same moment.
    answer = await page.context.request.post("/auth/session", data=body, timeout=60_000, max_retries=3)
    assert answer.ok, await answer.text()


async def register(page: Page, email: str, name: str = "Marta Gil") -> None:
    """Register a person by the form; the first run opens."""
    await page.goto("/register")
    await page.get_by_label("Tu nombre").fill(name)
    await page.get_by_label("Correo electrónico").fill(email)
    await page.get_by_label("Contraseña").fill(PASSWORD)
    await page.get_by_role("button", name="Crear la cuenta").click()


async def type_company(page: Page) -> None:
    """Fill what the law wants on every invoice, and go on to the next step of the first run."""
    await page.get_by_label("NIF").fill("12345678Z")
    await page.get_by_label("Dirección").fill("Calle Mayor 1")
    await page.get_by_label("Código postal").fill("28013")
    await page.get_by_label("Población").fill("Madrid")
    await page.get_by_role("button", name="Guardar y seguir").click()


async def tab_to(page: Page, target: Locator, *, most: int = 60) -> None:
    """Press Tab until the focus is on the target, as who has no mouse gets there; AssertionError after `most` times."""
    for _ in range(most):
        if await target.evaluate("element => element === document.activeElement"):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"no way by Tab to {target}")


async def overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    return int(await page.evaluate("document.documentElement.scrollWidth - innerWidth"))


async def lose_one_answer(page: Page, path: str) -> None:
    """Let the next answer to a change at `path` (as a glob) arrive nowhere, after the server has done it."""

    losses: list[str] = []

    async def lose(route: Route) -> None:
        if losses or route.request.method == "GET":
            await route.fallback()
            return
        losses.append(route.request.url)
        answer = await route.fetch()
        assert answer.ok, await answer.text()
        await route.abort("connectionreset")

    await page.route(path, lose)

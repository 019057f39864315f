"""A person in two teams: the books of one are open at a time, named, and nothing of the other is within reach."""

from playwright.async_api import Page, Request, expect

OTHERS = "Cambiar de equipo"
FORBIDDEN = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('forbidden'); }})"


async def clients_of(page: Page, team: str) -> None:
    await page.get_by_label(OTHERS).select_option(label=team)
    await expect(page.get_by_role("heading", name="Clientes", level=1)).to_be_visible()


async def test_nothing_of_a_team_is_left_when_another_is_opened(ana, site, visit):
    luis = await site.owner("Luis Gil")
    await luis.post("/api/teams/current/invite", {"email": ana.email, "role": "finance"})
    await luis.post("/api/clients", {"name": "Cliente de Luis"})
    mine = await ana.post("/api/clients", {"name": "Cliente de Ana"})
    own, other = ana.team["name"], luis.team["name"]
    page = await visit(ana, "/invoices/new")
    await page.get_by_label("Nombre o razón social").fill("Solo en los libros de Ana")
    await page.goto(f"/clients/{mine['id']}")
    await expect(page.get_by_role("heading", name="Cliente de Ana")).to_be_visible()
    await page.wait_for_load_state("networkidle")  # what is asked from now on is asked for the other team
    teams: set[str | None] = set()

    async def note(request: Request) -> None:
        if "/api/" in request.url:
            teams.add(await request.header_value("X-Team-Id"))

    page.on("request", note)
    await clients_of(page, other)

    await expect(page).to_have_url(f"{site.url}/clients")
    await expect(page.get_by_role("banner")).to_contain_text(luis.team["taxId"])
    await expect(page.get_by_role("link", name="Cliente de Luis")).to_be_visible()
    await expect(page.get_by_text("Cliente de Ana")).to_have_count(0)
    assert teams == {luis.team["id"]}
    await page.goto("/invoices/new")
    await expect(page.get_by_label("Nombre o razón social")).to_have_value("")
    await page.reload()
    await expect(page.get_by_role("banner")).to_contain_text(luis.team["taxId"])

    await page.goto("/clients")
    await clients_of(page, own)
    await expect(page.get_by_role("link", name="Cliente de Ana")).to_be_visible()
    await page.goto("/invoices/new")
    await expect(page.get_by_label("Nombre o razón social")).to_have_value("Solo en los libros de Ana")


async def test_a_team_is_chosen_where_the_browser_keeps_nothing(ana, site, visit):
    luis = await site.owner("Luis Gil")
    await luis.post("/api/teams/current/invite", {"email": ana.email, "role": "finance"})
    page = await visit(ana, "about:blank")
    await page.add_init_script(FORBIDDEN)
    await page.goto("/clients")

    await clients_of(page, luis.team["name"])

    await expect(page.get_by_role("banner")).to_contain_text(luis.team["taxId"])

"""The first run in a browser: from the form of registration to the dashboard, each step refused, filled or left out."""

from uuid import uuid4

from playwright.async_api import Page, expect

from support.api import PASSWORD, Api
from support.windows import lose_one_answer, register, type_company

IBAN = "ES9121000418450200051332"


async def registered(page: Page, email: str) -> None:
    await register(page, email)
    await expect(page.get_by_role("heading", level=1)).to_have_text("Hola, Marta Gil")


async def caller(site, email: str) -> Api:
    """Return the person as a caller of the REST interface."""
    api = Api(site.client, {}, email)
    await api.log_in()
    return api


async def counts(api: Api) -> dict[str, int]:
    paths = ("invoices", "clients", "catalog", "expenses", "tasks")
    return {path: len(await api.get(f"/api/{path}")) for path in paths}


async def test_a_newcomer_gets_from_the_registration_to_the_dashboard(site, visit):
    page = await visit.window()
    email = f"{uuid4().hex}@example.com"
    await registered(page, email)

    await expect(page.locator("[aria-current=step]")).to_have_text("Tu empresa")
    await expect(page.get_by_label("Correo electrónico")).to_have_value(email)
    await page.get_by_label("Correo electrónico").fill("hola@marta.example")
    await page.get_by_label("Nombre o razón social").fill("Marta Gil Diseño")
    await page.get_by_label("NIF").fill("12345678A")
    await page.get_by_role("button", name="Guardar y seguir").click()
    await expect(page.get_by_label("NIF")).to_have_attribute("aria-invalid", "true")
    await expect(page.locator("[aria-current=step]")).to_have_text("Tu empresa")
    await expect(page.get_by_label("Nombre o razón social")).to_have_value("Marta Gil Diseño")

    await type_company(page)

    await expect(page.locator("[aria-current=step]")).to_have_text("Tus facturas")
    await expect(page.get_by_role("banner")).to_contain_text("12345678Z")
    await page.get_by_label("Serie de facturas").fill("web")
    await page.get_by_label("IBAN").fill("ES00")
    await page.get_by_role("button", name="Guardar y seguir").click()
    await expect(page.get_by_label("IBAN")).to_have_attribute("aria-invalid", "true")
    await page.get_by_label("IBAN").fill(IBAN)
    await page.get_by_role("button", name="Guardar y seguir").click()

    await expect(page.locator("[aria-current=step]")).to_have_text("Empezar")
    await page.get_by_role("link", name="Ir al inicio").click()
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(page).to_have_url(f"{site.url}/")

    team = (await (await caller(site, email)).get("/api/teams/current"))["team"]
    assert (team["company"], team["taxId"], team["iban"]) == ("Marta Gil Diseño", "12345678Z", IBAN)
    assert (team["series"]["invoice"], team["email"]) == ("WEB", "hola@marta.example")


async def test_the_company_can_do_without_an_address_of_mail(site, visit):
    page = await visit.window()
    email = f"{uuid4().hex}@example.com"
    await registered(page, email)
    await page.get_by_label("Correo electrónico").fill("")
    await type_company(page)

    await expect(page.locator("[aria-current=step]")).to_have_text("Tus facturas")
    assert (await (await caller(site, email)).get("/api/teams/current"))["team"]["email"] is None


async def test_the_steps_can_be_left_for_later(site, visit):
    page = await visit.window()
    await registered(page, f"{uuid4().hex}@example.com")
    await page.get_by_role("button", name="Ahora no").click()
    await expect(page.locator("[aria-current=step]")).to_have_text("Tus facturas")
    await page.get_by_role("button", name="Ahora no").click()
    await expect(page.locator("[aria-current=step]")).to_have_text("Empezar")
    await page.goto("/welcome")
    await page.get_by_role("button", name="Seguir más tarde").click()
    await expect(page).to_have_url(f"{site.url}/")


async def test_what_was_typed_of_the_company_outlives_a_reload(visit):
    page = await visit.window()
    await registered(page, f"{uuid4().hex}@example.com")
    await page.get_by_label("Población").fill("Cádiz")
    await page.reload()
    await expect(page.get_by_label("Población")).to_have_value("Cádiz")


async def leave_out_the_steps(page: Page) -> None:
    await page.get_by_role("button", name="Ahora no").click()
    await page.get_by_role("button", name="Ahora no").click()


async def test_the_examples_of_the_simulation_are_issued_and_the_dashboard_lives(ana, visit):
    page = await visit(ana, "/welcome")
    await leave_out_the_steps(page)
    await expect(page.get_by_text("Tres facturas se emiten en la simulación")).to_be_visible()
    await page.get_by_role("button", name="Poner datos de ejemplo").click()
    await expect(page.get_by_text("Listo: mira Facturas, Gastos y Tareas.")).to_be_visible()

    assert await counts(ana) == {"invoices": 4, "clients": 3, "catalog": 4, "expenses": 3, "tasks": 2}
    invoices = {one["client"]["name"]: one for one in reversed(await ana.get("/api/invoices")) if one["number"]}
    assert {name: one["status"] for name, one in invoices.items()} == {
        "Panadería La Espiga (ejemplo)": "overdue",
        "Talleres Ruiz (ejemplo)": "paid",
        "Estudio Mar (ejemplo)": "sent",
    }
    assert {one["einvoice"]["environment"] for one in invoices.values()} == {"sandbox"}
    await page.goto("/")
    main = page.get_by_role("main")
    for figure in ("653,40", "108,90", "435,60"):
        await expect(main).to_contain_text(figure)

    await page.get_by_role("link", name="Ajustes").click()
    await page.get_by_role("button", name="Quitar los datos de ejemplo").click()
    await expect(page.get_by_text("Quitados. Las facturas emitidas han quedado anuladas.")).to_be_visible()
    left = await ana.get("/api/invoices")
    assert sorted(one["einvoice"]["status"] for one in left) == ["annulled"] * 3
    assert await counts(ana) == {"invoices": 3, "clients": 0, "catalog": 0, "expenses": 0, "tasks": 0}
    assert (await ana.get("/api/reports/overview"))["overdueInvoices"]["count"] == 0


async def test_the_list_of_the_examples_is_no_instruction_for_assistants(ana, visit):
    page = await visit(ana, "/welcome")
    await leave_out_the_steps(page)
    await page.get_by_role("button", name="Poner datos de ejemplo").click()
    await expect(page.get_by_text("Listo: mira Facturas, Gastos y Tareas.")).to_be_visible()

    await page.get_by_role("link", name="Ajustes").click()
    await page.get_by_role("link", name="Instrucciones para asistentes").click()
    await expect(page.get_by_text("Nada todavía. Por ejemplo")).to_be_visible()
    assert [one["key"] for one in (await ana.get("/api/context"))["entries"]] == ["demo-data"]


async def test_who_may_not_change_the_company_is_not_offered_to_take_the_examples_out(site, ana, visit):
    await ana.put("/api/context/entry", {"key": "demo-data", "content": "{}", "category": "ledgerkit"})
    theirs = await visit(await site.member(ana, "member"), "/settings/company")
    await expect(theirs.get_by_label("Nombre o razón social")).to_be_visible()
    await expect(theirs.get_by_role("button", name="Quitar los datos de ejemplo")).to_have_count(0)
    owners = await visit(ana, "/settings/company")
    await expect(owners.get_by_role("button", name="Quitar los datos de ejemplo")).to_be_visible()


async def test_examples_stay_drafts_where_no_record_is_made_and_are_taken_out_whole(ana, visit):
    await ana.put("/api/teams/current", {"einvoicing": "off"})
    page = await visit(ana, "/welcome")
    await leave_out_the_steps(page)
    await page.get_by_role("button", name="Poner datos de ejemplo").click()
    await expect(page.get_by_text("Listo: mira Facturas, Gastos y Tareas.")).to_be_visible()
    assert {one["status"] for one in await ana.get("/api/invoices")} == {"draft"}

    await page.reload()
    await leave_out_the_steps(page)
    await page.get_by_role("button", name="Quitar los datos de ejemplo").click()
    await expect(page.get_by_text("Quitados.")).to_be_visible()
    assert await counts(ana) == {"invoices": 0, "clients": 0, "catalog": 0, "expenses": 0, "tasks": 0}


async def test_an_example_whose_day_lies_before_the_last_number_stays_a_draft(ana, visit):
    real = await ana.invoice()
    await ana.post("/api/einvoice/emit", {"invoiceId": real["id"]})
    page = await visit(ana, "/welcome")
    await leave_out_the_steps(page)
    await page.get_by_role("button", name="Poner datos de ejemplo").click()

    await expect(page.get_by_text("Listo: mira Facturas, Gastos y Tareas.")).to_be_visible()
    assert [one["id"] for one in await ana.get("/api/invoices") if one["number"]] == [real["id"]]


async def test_a_registration_whose_answer_is_lost_is_repeated_and_made_once(site, visit):
    page = await visit.window()
    email = f"{uuid4().hex}@example.com"
    await page.goto("/register")
    await page.get_by_label("Tu nombre").fill("Marta Gil")
    await page.get_by_label("Correo electrónico").fill(email)
    await page.get_by_label("Contraseña").fill(PASSWORD)
    await lose_one_answer(page, "**/auth/register")
    await page.get_by_role("button", name="Crear la cuenta").click()
    await expect(page.get_by_role("alert")).to_be_visible()
    await expect(page.get_by_label("Correo electrónico")).to_have_value(email)

    await page.get_by_role("button", name="Crear la cuenta").click()

    await expect(page.get_by_role("heading", level=1)).to_have_text("Hola, Marta Gil")


async def test_a_refused_registration_says_why_and_keeps_what_was_typed(ana, visit):
    page = await visit.window()
    await page.goto("/register")
    await page.get_by_label("Tu nombre").fill("Otra Ana")
    await page.get_by_label("Correo electrónico").fill("sin arroba")
    await page.get_by_label("Contraseña").fill("corta")
    await page.get_by_role("button", name="Crear la cuenta").click()
    await expect(page.get_by_role("alert")).to_contain_text("Referencia:")
    await expect(page.get_by_label("Correo electrónico")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_label("Tu nombre")).to_have_value("Otra Ana")

    await page.get_by_label("Correo electrónico").fill(ana.email)
    await page.get_by_label("Contraseña").fill(PASSWORD)
    await page.get_by_role("button", name="Crear la cuenta").click()
    await expect(page.get_by_role("alert")).to_contain_text("ya hay una cuenta con esta dirección")

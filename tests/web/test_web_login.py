"""The session in a browser: begun, refused, expired in the middle of a form, and ended without a trace."""

from dataclasses import replace
from datetime import timedelta
from urllib.parse import quote

import pytest
from playwright.async_api import Page, expect

from ledgerkit import clock
from ledgerkit.core.platform.identity.logins.tokens import Tokens
from support.api import PASSWORD, Api

ELSEWHERE = ["//evil.example", "https://evil.example/", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)"]


async def log_in_by_form(page: Page, person: Api, password: str = PASSWORD) -> None:
    await page.get_by_label("Correo electrónico").fill(person.email)
    await page.get_by_label("Contraseña").fill(password)
    await page.get_by_role("button", name="Entrar").click()


async def expire(person: Api) -> None:
    """End all logins of the person on the server, and log in anew at the REST interface."""
    await person.post("/auth/logout-everywhere")
    await person.log_in()


async def log_out(page: Page) -> None:
    await page.get_by_role("button", name="Mi cuenta").click()
    await page.get_by_role("button", name="Salir").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Entra en ledgerkit")


async def test_a_wrong_password_is_answered_with_the_reason_and_what_to_do(ana, visit):
    page = await visit.window()
    await page.goto("/login")
    await log_in_by_form(page, ana, "not the password")
    notice = page.get_by_role("alert")
    refusal = await ana.refused(
        401, "POST", "/auth/login", {"email": ana.email, "password": "another one"}, **{"Accept-Language": "es"}
    )
    await expect(notice).to_contain_text(refusal["detail"])
    assert "POST /auth/password/forgot" in refusal["remedy"]
    await expect(notice).to_contain_text("pide un enlace en «He olvidado la contraseña»")
    await expect(notice).to_contain_text("Referencia:")
    await expect(page.get_by_label("Correo electrónico")).to_have_value(ana.email)

    await log_in_by_form(page, ana)
    await expect(page.get_by_role("banner")).to_contain_text(ana.team["taxId"])


async def test_the_login_goes_on_to_the_screen_that_was_asked_for(ana, site, visit):
    page = await visit.window()
    await page.goto("/clients?search=norte")
    await log_in_by_form(page, ana)
    await expect(page).to_have_url(f"{site.url}/clients?search=norte")


async def test_the_login_never_leads_to_another_site(ana, site, visit):
    page = await visit.window()
    for address in ELSEWHERE:
        await page.context.clear_cookies()
        await page.goto(f"/login?next={quote(address, safe='')}")
        await log_in_by_form(page, ana)
        await expect(page.get_by_role("banner"), address).to_contain_text(ana.team["taxId"])
        assert page.url.startswith(f"{site.url}/"), address


@pytest.mark.journey
async def test_an_expired_session_asks_for_the_password_in_place_and_the_form_is_sent_once(ana, visit):
    page = await visit(ana, "/clients")
    await page.get_by_role("button", name="Nuevo cliente").first.click()
    form = page.get_by_role("dialog", name="Nuevo cliente")
    await form.get_by_label("Nombre o razón social").fill("Talleres Norte")
    await form.get_by_label("Notas").fill("a medio escribir")
    await expire(ana)

    await form.get_by_role("button", name="Guardar").click()
    question = page.get_by_role("dialog", name="Tu sesión ha caducado")
    await question.get_by_label("Contraseña").fill("not the password")
    await question.get_by_role("button", name="Seguir").click()
    await expect(question.get_by_role("alert")).to_contain_text("Referencia:")
    await expect(form.get_by_label("Notas")).to_have_value("a medio escribir")

    await question.get_by_label("Contraseña").fill(PASSWORD)
    await question.get_by_role("button", name="Seguir").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Talleres Norte")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert [(one["name"], one["notes"]) for one in await ana.get("/api/clients")] == [
        ("Talleres Norte", "a medio escribir")
    ]


async def grow_old(page: Page, site) -> None:
    """Make the browser's login one of eleven minutes ago, as the server would have issued it then."""
    tokens = Tokens((site.directory / "secret.key").read_bytes().strip())
    [cookie] = await page.context.cookies()
    content = tokens.session(cookie["value"])
    began = replace(content.login, began_at=clock.now() - timedelta(minutes=11))
    token = tokens.refreshed_token(content.user_id, began, timedelta(hours=1)).token
    await page.context.add_cookies([{**cookie, "value": token}])


async def test_a_grave_change_asks_for_the_password_in_place_and_is_made_once(ana, visit, site):
    page = await visit(ana, "/settings/company")
    await page.get_by_label("IBAN").fill("ES9121000418450200051332")
    await grow_old(page, site)

    await page.get_by_role("button", name="Guardar").click()
    question = page.get_by_role("dialog", name="¿Eres tú?")
    await question.get_by_role("button", name="Cancelar").click()
    await expect(page.get_by_label("IBAN")).to_have_value("ES9121000418450200051332")
    assert (await ana.get("/api/teams/current"))["team"]["iban"] is None

    await page.get_by_role("button", name="Guardar").click()
    await question.get_by_label("Contraseña").fill("not the password")
    await question.get_by_role("button", name="Seguir").click()
    await expect(question.get_by_role("alert")).to_be_visible()
    await question.get_by_label("Contraseña").fill(PASSWORD)
    await question.get_by_role("button", name="Seguir").click()

    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert (await ana.get("/api/teams/current"))["team"]["iban"] == "ES9121000418450200051332"


async def test_a_login_that_expires_while_a_proof_is_asked_for_is_renewed_and_the_change_is_made(ana, visit, site):
    page = await visit(ana, "/settings/company")
    await page.get_by_label("IBAN").fill("ES9121000418450200051332")
    await grow_old(page, site)
    await page.get_by_role("button", name="Guardar").click()
    proof = page.get_by_role("dialog", name="¿Eres tú?")
    await proof.get_by_label("Contraseña").fill(PASSWORD)
    await expire(ana)
    await proof.get_by_role("button", name="Seguir").click()

    login = page.get_by_role("dialog", name="Tu sesión ha caducado")
    await login.get_by_label("Contraseña").fill(PASSWORD)
    await login.get_by_role("button", name="Seguir").click()

    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert (await ana.get("/api/teams/current"))["team"]["iban"] == "ES9121000418450200051332"


async def test_several_refused_requests_ask_for_the_password_once(ana, visit):
    page = await visit(ana, "/clients")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Clientes")
    await expire(ana)
    await page.get_by_role("link", name="Inicio").click()
    question = page.get_by_role("dialog", name="Tu sesión ha caducado")
    await question.get_by_label("Contraseña").fill(PASSWORD)
    await question.get_by_role("button", name="Seguir").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.get_by_role("alert")).to_have_count(0)


async def test_whoever_cancels_the_question_for_the_password_is_logged_out(ana, visit):
    page = await visit(ana, "/clients")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Clientes")
    await page.wait_for_load_state("networkidle")
    await expire(ana)
    await page.get_by_role("link", name="Equipo").click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancelar").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Entra en ledgerkit")


async def test_nothing_of_a_user_is_left_after_logging_out(ana, site, visit):
    await ana.post("/api/clients", {"name": "Secretos de Ana, S.L."})
    stranger = await site.owner("Bruno Sanz")
    page = await visit(ana, "/clients")
    await expect(page.get_by_text("Secretos de Ana, S.L.")).to_be_visible()
    await page.goto("/expenses/new")
    await page.get_by_label("Concepto").fill("gasto de Ana")
    await log_out(page)

    await page.go_back()
    await expect(page.get_by_role("button", name="Entrar")).to_be_visible()
    assert ana.team["taxId"] not in await page.content()
    assert await _storage(page) == {"local": [], "session": [], "caches": []}
    assert await page.context.cookies() == []

    await page.goto("/login")
    await log_in_by_form(page, stranger)
    await expect(page.get_by_role("banner")).to_contain_text(stranger.team["taxId"])
    await page.get_by_role("link", name="Clientes").click()
    await expect(page.get_by_text("Todavía no hay clientes")).to_be_visible()
    await page.goto("/expenses/new")
    await expect(page.get_by_label("Concepto")).to_have_value("")
    for _ in range(6):
        await page.go_back()
        content = await page.content()
        assert "Secretos de Ana" not in content
        assert ana.team["taxId"] not in content


async def test_answers_of_the_server_are_kept_in_no_cache(ana, visit):
    await ana.post("/api/clients", {"name": "Secretos de Ana, S.L."})
    page = await visit(ana, "/invoices")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    async with page.expect_response("**/api/clients?**") as answer:
        await page.get_by_role("link", name="Clientes").click()
    assert "no-store" in (await (await answer.value).all_headers()).get("cache-control", "")


async def _storage(page: Page) -> dict[str, list[str]]:
    """Names of what the browser keeps for the app, but for the choices of language and theme."""
    names: dict[str, list[str]] = await page.evaluate(
        "async () => ({local: Object.keys(localStorage), session: Object.keys(sessionStorage),"
        " caches: await caches.keys()})"
    )
    names["local"] = [name for name in names["local"] if name not in {"ledgerkit.language", "ledgerkit.theme"}]
    return names

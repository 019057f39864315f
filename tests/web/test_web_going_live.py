"""Going live in the browser: what is missing, what is set aside, the password, and what is left to do."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, expect

from support.api import PASSWORD, Api
from support.credentials import encoded, person
from support.going_live import PRODUCER
from support.office import emit, settled
from support.periods import YEAR
from support.windows import overflow
from web.conftest import Site, opened_site
from web.test_web_login import grow_old
from web.test_web_simulation import unsaid

PATH = "/einvoice?view=live"
CARD = {"es": "Empezar de verdad", "en": "Go live"}


@pytest.fixture(scope="module")
async def site(postgres, tmp_path_factory) -> AsyncIterator[Site]:
    """A server in the sandbox whose operator has written all that production needs."""
    producer = {f"VERIFACTU_{name.upper()}": str(value) for name, value in PRODUCER.items()}
    async with opened_site(postgres, tmp_path_factory.mktemp("live") / "data", **producer) as site:
        yield site


@pytest.fixture
async def tried(ana: Api) -> Api:
    """Ana after a first look: an issued invoice, a draft, an expense and a client; only her certificate is missing."""
    invoice = await ana.invoice()
    await emit(ana, invoice)
    await settled(ana, invoice)
    await ana.invoice()
    await ana.post(
        "/api/expenses", {"description": "Tóner", "vendor": "Papelería", "amount": 50, "date": invoice["issueDate"]}
    )
    return ana


async def certified(api: Api) -> None:
    await api.put("/api/einvoice/certificate", {"file": encoded(person(api.team["taxId"]).pem())})


def counted(page: Page, title: str):
    """The numbers below a title, dialogs left out."""
    return page.get_by_role("main").locator("section.stack").filter(has=page.get_by_role("heading", name=title))


async def test_from_what_is_missing_to_the_first_real_number(visit, tried, tmp_path):
    file = tmp_path / "certificado.pem"
    file.write_bytes(person(tried.team["taxId"]).pem())
    page = await visit(tried, "/")
    await page.get_by_role("button", name="Simulación").click()
    await page.get_by_role("dialog").get_by_role("link", name="Empezar de verdad").click()
    await expect(page.get_by_text("Falta 1 cosa")).to_be_visible()
    await expect(page.get_by_text("No hay certificado")).to_be_visible()
    await expect(page.get_by_role("button", name="Empezar de verdad…")).to_have_count(0)
    await page.get_by_role("link", name="Ver el certificado").click()
    await page.locator("input[type=file]").set_input_files(file)
    await page.get_by_role("button", name="Subir el certificado").click()
    await expect(page.get_by_text("Certificado guardado")).to_be_visible()

    await page.goto(PATH)
    await expect(page.get_by_text("No falta nada")).to_be_visible()
    await expect(page.get_by_text("No hay servidor de correo")).to_be_visible()
    await expect(counted(page, "Se aparta")).to_contain_text("Gastos1")
    await page.get_by_label("Mis gastos y facturas de proveedor son reales: consérvalos").check()
    await expect(counted(page, "Se aparta")).not_to_contain_text("Gastos")
    await expect(counted(page, "Se aparta")).to_contain_text("Facturas con número1")
    await expect(counted(page, "Se conserva")).to_contain_text("Gastos1")
    await page.get_by_role("button", name="Empezar de verdad…").click()
    dialog = page.get_by_role("dialog", name="Empezar de verdad")
    await expect(dialog).to_contain_text("no se puede deshacer")
    await expect(dialog).to_contain_text("Los gastos y las facturas de proveedor se conservan.")
    await dialog.get_by_role("button", name="Empezar de verdad", exact=True).click()

    await expect(page.get_by_text("De verdad desde el")).to_be_visible()
    await expect(page.get_by_text("LEDGERKIT_EINVOICE_ENV=production")).to_be_visible()
    await expect(counted(page, "Se apartó")).to_contain_text("Facturas con número1")
    after = await tried.get("/api/go-live")
    await expect(page.get_by_role("main")).to_contain_text(after["archiveId"])
    assert (after["state"], after["setAside"]["invoices"], after["kept"]["expenses"]) == ("live", 1, 1)
    assert (await tried.get("/api/invoices"), len(await tried.get("/api/expenses"))) == ([], 1)
    await page.get_by_role("link", name="Ir a Mis datos").click()
    await expect(page.get_by_role("button", name="Llevarme mis datos")).to_be_visible()
    await page.goto("/settings/activity")
    await expect(page.get_by_role("row").filter(has_text="comienzo de verdad")).to_have_count(1)


async def test_what_was_on_the_screen_before_is_not_shown_after(visit, tried):
    await certified(tried)
    page = await visit(tried, "/invoices")
    await expect(page.get_by_role("main")).to_contain_text(f"F{YEAR}-0001")
    await page.get_by_role("link", name="VERI*FACTU").first.click()
    await page.get_by_role("link", name="Empezar de verdad").click()
    await page.get_by_role("button", name="Empezar de verdad…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Empezar de verdad", exact=True).click()
    await expect(page.get_by_text("De verdad desde el")).to_be_visible()

    await page.get_by_role("link", name="Facturas", exact=True).first.click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Facturas")
    await expect(page.get_by_role("main")).not_to_contain_text(f"F{YEAR}-0001")


async def test_the_password_is_asked_for_again_and_nothing_is_done_without_it(visit, tried, site):
    await certified(tried)
    page = await visit(tried, PATH)
    await page.get_by_role("button", name="Empezar de verdad…").click()
    await grow_old(page, site)
    dialog = page.get_by_role("dialog", name="Empezar de verdad")
    await dialog.get_by_role("button", name="Empezar de verdad", exact=True).click()
    question = page.get_by_role("dialog", name="¿Eres tú?")
    await question.get_by_role("button", name="Cancelar").click()
    await expect(dialog.get_by_role("alert")).to_be_visible()
    assert (await tried.get("/api/go-live"))["state"] == "trial"

    await dialog.get_by_role("button", name="Empezar de verdad", exact=True).click()
    await question.get_by_label("Contraseña").fill(PASSWORD)
    await question.get_by_role("button", name="Seguir").click()

    await expect(page.get_by_text("De verdad desde el")).to_be_visible()
    assert (await tried.get("/api/go-live"))["state"] == "live"


async def test_only_the_owner_is_offered_it(visit, site, tried):
    administrator = await site.member(tried, "admin")
    page = await visit(administrator, PATH)

    await expect(page.get_by_role("link", name="Estado y cadena")).to_be_visible()
    await expect(page.get_by_text("Empezar de verdad")).to_have_count(0)
    await page.get_by_role("button", name="Simulación").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("link", name="Ver el certificado")).to_be_visible()
    await expect(dialog.get_by_role("link", name="Empezar de verdad")).to_have_count(0)


@pytest.mark.parametrize("language", ["es", "en"])
async def test_the_card_is_accessible_and_fits_a_telephone_before_and_after(visit, tried, violations, language):
    page = await visit(tried, PATH, width=360, height=740, language=language)
    await expect(page.get_by_role("heading", name=CARD[language])).to_be_visible()
    await page.wait_for_load_state("networkidle")
    assert await violations(page) == []
    assert await overflow(page) <= 0
    assert await unsaid(page) == []
    await certified(tried)
    await page.reload()
    await page.get_by_role("button", name=f"{CARD[language]}…").click()
    assert await violations(page) == []
    await page.get_by_role("dialog").get_by_role("button", name=CARD[language], exact=True).click()
    await expect(page.get_by_text({"es": "De verdad desde el", "en": "Live since"}[language])).to_be_visible()
    await expect(page.get_by_role("dialog")).to_have_count(0)

    assert await violations(page) == []
    assert await overflow(page) <= 0
    assert await unsaid(page) == []

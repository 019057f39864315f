"""Reporting and its place: the company's regime, the end of `off`, documents without a tax id, warnings of form."""

from datetime import timedelta

import pytest
from playwright.async_api import Page, expect

from ledgerkit import clock
from support.api import ADDRESS, CLIENT, Api, item
from support.periods import YEAR

COMPANY, CURRENT = "/settings/company", "/api/teams/current"


async def save(page: Page) -> None:
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()


async def team(api: Api) -> dict:
    return (await api.get(CURRENT))["team"]


@pytest.fixture
async def eva(site) -> Api:
    """An owner whose company has no tax identifier."""
    return await Api.with_team(site.client, f"eva-{clock.now().timestamp()}@example.com", "Eva Sanz", None)


async def test_the_regime_is_chosen_from_a_day_and_its_duty_is_told(visit, ana, violations):
    await ana.put(CURRENT, ADDRESS)
    await ana.post("/api/einvoice/emit", {"invoiceId": (await ana.invoice())["id"]})
    day = clock.today("Europe/Madrid") + timedelta(days=1)
    page = await visit(ana, COMPANY)

    await page.get_by_label("Régimen", exact=True).select_option("sii")
    await expect(page.get_by_text("Tienes que enviar el registro de cada una al SII")).to_be_visible()
    await page.get_by_label("Desde el día").fill(day.isoformat())
    await save(page)

    await expect(page.get_by_role("listitem").filter(has_text="SII")).to_contain_text(str(day.year))
    assert await violations(page) == []
    saved = await team(ana)
    assert (saved["regime"], saved["regimes"][-1]) == ("verifactu", {"regime": "sii", "from": day.isoformat()})


async def test_a_day_that_has_begun_is_refused_at_its_field(visit, ana):
    await ana.post("/api/einvoice/emit", {"invoiceId": (await ana.invoice())["id"]})
    page = await visit(ana, COMPANY)
    await page.get_by_label("Régimen", exact=True).select_option("sii")
    await page.get_by_label("Desde el día").fill(clock.today("Europe/Madrid").isoformat())
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_label("Desde el día")).to_have_attribute("aria-invalid", "true")
    assert (await team(ana))["regimes"] == []


async def test_a_company_under_another_regime_reads_it_on_its_records_and_documents(visit, ana, violations):
    await ana.put(CURRENT, {**ADDRESS, "regime": "sii"})
    paid = await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")

    page = await visit(ana, "/einvoice")
    await expect(page.get_by_text("Tienes que enviar el registro de cada una al SII")).to_be_visible()
    assert await violations(page) == []
    await page.goto(f"/invoices/{paid['id']}")
    await expect(page.get_by_text("Tienes que enviar el registro de cada una al SII")).to_be_visible()
    assert await violations(page) == []


async def test_an_address_in_a_foral_territory_is_told_of_its_authority(visit, ana, violations):
    await ana.put(CURRENT, {"postalCode": "48001", "city": "Bilbao", "province": "Bizkaia"})
    page = await visit(ana, COMPANY)

    await expect(page.get_by_text("Diputación Foral de Bizkaia")).to_be_visible()
    assert await violations(page) == []
    await page.get_by_label("Régimen", exact=True).select_option("foral")
    await save(page)

    await expect(page.get_by_text("Indica tu régimen")).to_have_count(0)
    await expect(page.get_by_text("LROE").first).to_be_visible()
    assert (await team(ana))["regime"] == "foral"


async def test_who_is_off_reads_until_which_day(visit, ana, violations):
    await ana.put(CURRENT, {**ADDRESS, "einvoicing": "off"})
    page = await visit(ana, COMPANY)

    await expect(page.get_by_text("Has desactivado la facturación electrónica, y vale hasta el")).to_be_visible()
    assert await violations(page) == []


async def test_a_document_without_the_issuers_tax_id_is_not_called_an_invoice(visit, eva, violations):
    paid = await eva.patch(f"/api/invoices/{(await eva.invoice())['id']}/pay")
    page = await visit(eva, f"/invoices/{paid['id']}")

    await expect(page.get_by_role("heading", level=1)).to_contain_text(f"Documento sin validez fiscal · F{YEAR}-0001")
    await expect(page.get_by_text("Este documento no es una factura")).to_be_visible()
    assert "Factura ·" not in await page.get_by_role("heading", level=1).inner_text()
    assert await violations(page) == []


async def test_the_editor_warns_of_the_limit_until_the_company_says_that_its_trade_is_one_of_the_cases(
    visit, ana, violations
):
    await ana.put(CURRENT, ADDRESS)
    draft = await ana.invoice(docType="simplified", client=None, items=[item(unitPrice=500)])
    page = await visit(ana, f"/invoices/{draft['id']}/edit")
    await expect(page.get_by_text("Una factura simplificada de más de 400 €")).to_be_visible()
    assert await violations(page) == []

    await page.goto(COMPANY)
    await page.get_by_label("Mis facturas simplificadas pueden pasar del límite general").check()
    await save(page)
    await page.reload()
    await expect(page.get_by_label("Mis facturas simplificadas pueden pasar del límite general")).to_be_checked()
    await page.goto(f"/invoices/{draft['id']}/edit")

    await expect(page.get_by_role("button", name="Emitir…")).to_be_visible()
    await expect(page.get_by_text("605,00").first).to_be_visible()
    await expect(page.get_by_text("Una factura simplificada de más de 400 €")).to_have_count(0)


async def test_the_editor_and_the_dialog_warn_of_missing_addresses(visit, ana, violations):
    await ana.put(CURRENT, {"address": None})
    client = {name: value for name, value in CLIENT.items() if name not in {"address", "postalCode", "city"}}
    draft = await ana.invoice(client=client)
    page = await visit(ana, f"/invoices/{draft['id']}/edit")
    await expect(page.get_by_text("Falta tu dirección")).to_be_visible()
    await expect(page.get_by_text("Falta la dirección del cliente")).to_be_visible()

    await page.get_by_role("button", name="Emitir…").click()

    await expect(page.get_by_role("dialog").get_by_text("Falta tu dirección").first).to_be_visible()
    assert await violations(page) == []

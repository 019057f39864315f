"""Reports: the period stands in the address, figures lead to lists, a CSV holds what is shown."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import expect

from support.api import CLIENT, item
from support.tills import sale
from support.windows import overflow

YEAR = datetime.now(UTC).date().year
FORMULA = '=HYPERLINK("http://x"), S.L.'


@pytest.fixture(scope="module")
async def sold(site):
    """A year with a sale to a client with a formula for a name, and an expense; no test changes it."""
    ana = await site.owner()
    sale = await ana.invoice(client=CLIENT | {"name": FORMULA}, items=[item(unitPrice=1000)], issueDate=f"{YEAR}-01-15")
    await ana.patch(f"/api/invoices/{sale['id']}/pay", {"paidAt": f"{YEAR}-01-20"})
    await ana.post("/api/expenses", {"description": "Papel", "amount": 121, "taxRate": 21, "date": f"{YEAR}-01-16"})
    return ana


async def test_profit_of_a_year_and_of_chosen_days(visit, sold):
    page = await visit(sold, f"/reports?from={YEAR}-01-01&to={YEAR}-12-31")
    months = page.get_by_role("table", name="Por mes")

    await expect(months).to_contain_text("900,00 €")
    await expect(page.get_by_label("Periodo")).to_have_value("thisYear")
    await page.get_by_label("Periodo").select_option(label="Año pasado")

    await expect(months).not_to_contain_text("900,00 €")
    assert f"from={YEAR - 1}-01-01" in page.url
    await page.reload()
    await expect(page.get_by_label("Periodo")).to_have_value("lastYear")


async def test_a_figure_leads_to_its_documents(visit, sold):
    page = await visit(sold, f"/reports?from={YEAR}-01-01&to={YEAR}-12-31")
    january = page.get_by_role("row", name="enero")

    link = january.get_by_role("link").first

    await expect(link).to_have_attribute("href", f"/invoices?from={YEAR}-01-01&to={YEAR}-01-31")


async def test_the_vat_of_a_quarter(visit, sold):
    page = await visit(sold, f"/reports?view=vat&year={YEAR}&quarter=1")

    await expect(page.get_by_role("table", name="Ventas por tipo")).to_contain_text("210,00 €")
    await expect(page.get_by_role("table", name="Compras por tipo")).to_contain_text("21,00 €")
    await page.get_by_label("Trimestre").select_option("2")
    await expect(page.get_by_role("table", name="Ventas por tipo")).not_to_contain_text("210,00 €")
    assert "quarter=2" in page.url


async def test_the_opening_balance_is_added_to_the_cash_flow(visit, sold):
    page = await visit(sold, "/reports?view=cashflow")

    await page.get_by_label("Saldo inicial").fill("1.000,50")
    await page.get_by_role("button", name="Aplicar").click()

    await expect(page.get_by_text("1.000,50 €").first).to_be_visible()
    assert "opening=1000.50" in page.url


async def test_the_csv_has_the_rows_shown_and_no_formulas(visit, sold, tmp_path):
    page = await visit(sold, f"/reports?view=income&from={YEAR}-01-01&to={YEAR}-12-31")
    await expect(page.get_by_role("table", name="Por cliente")).to_contain_text(FORMULA)

    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Descargar CSV").click()
    file = await waiting.value
    await file.save_as(tmp_path / "income.csv")

    text = (tmp_path / "income.csv").read_text(encoding="utf-8-sig")
    rows = list(csv.reader(io.StringIO(text), delimiter=";"))
    assert file.suggested_filename == f"income-{YEAR}-01-01-{YEAR}-12-31.csv"
    assert ["'" + FORMULA, "1000", "1"] in rows
    assert ["Facturado", "1000"] in rows


async def test_what_is_owed_to_each_vendor_leads_to_its_bills(visit, ana):
    today = datetime.now(UTC).date()
    for name, amount, due in (("Gráficas Sur", 200, 3), ("Imprenta Levante", 1000, 60)):
        vendor = await ana.post("/api/vendors", {"name": name, "taxId": None, "country": "ES"})
        bill = {"vendorId": vendor["id"], "invoiceNumber": name, "invoiceDate": str(today), "total": amount}
        owed = await ana.post("/api/supplier-invoices", bill | {"dueDate": str(today + timedelta(days=due))})
    part = {"amount": 400, "paymentMethod": "transfer", "paymentDate": str(today)}
    await ana.post(f"/api/supplier-invoices/{owed['id']}/payments", part)
    page = await visit(ana, "/reports?view=payables")

    vendors = page.get_by_role("table", name="Por proveedor")
    await expect(vendors.get_by_role("row").nth(1)).to_contain_text("Imprenta Levante")
    await expect(vendors.get_by_role("row").nth(1)).to_contain_text(re.compile("1.000,00.€.*400,00.€.*600,00.€"))
    for title, value in (("Sin vencer", "800,00 €"), ("Pagado este mes", "400,00 €"), ("Vencen en 7 días", "1")):
        figure = page.locator("dl.report-facts > div").filter(has=page.get_by_text(title, exact=True))
        await expect(figure.get_by_role("definition")).to_have_text(value)
    await page.get_by_role("link", name="600,00 €").click()

    await expect(page.get_by_role("row", name=re.compile("Imprenta Levante"))).to_be_visible()
    await expect(page.get_by_role("row", name=re.compile("Gráficas Sur"))).to_have_count(0)
    await page.get_by_role("button", name="Quitar filtros").click()
    await expect(page.get_by_role("row", name=re.compile("Gráficas Sur"))).to_be_visible()
    await expect(page.get_by_role("button", name="Quitar filtros")).to_have_count(0)


async def test_the_sales_of_the_tills_of_a_year(visit, ana):
    register = await ana.post("/api/cash-register", {"openingAmount": 50})
    line = {"description": "Taza", "unitPrice": 10, "quantity": 2}
    await ana.post(f"/api/cash-register/{register['id']}/movement", sale(24.2, line, paymentMethod="card"))
    await ana.post(f"/api/cash-register/{register['id']}/close", {"closingAmount": 49})
    page = await visit(ana, f"/reports?view=till&from={YEAR}-01-01&to={YEAR}-12-31")

    methods = page.get_by_role("table", name="Por forma de pago")
    await expect(methods.get_by_role("row", name=re.compile("Tarjeta"))).to_contain_text("24,20 €")
    await expect(methods.get_by_role("row", name=re.compile("Efectivo"))).to_contain_text("0,00 €")
    await expect(page.locator("dl.report-facts")).to_contain_text(re.compile("Descuadre.*1,00"))
    await page.get_by_label("Periodo").select_option(label="Año pasado")

    await expect(methods.get_by_role("row", name=re.compile("Tarjeta"))).to_contain_text("0,00 €")


async def test_a_role_without_figures_is_refused_and_not_offered_them(visit, site, sold):
    member = await site.member(sold, "member")
    page = await visit(member, "/reports")

    await expect(page.get_by_role("alert")).to_be_visible()
    await expect(page.get_by_role("navigation").get_by_role("link", name="Informes")).to_have_count(0)


async def test_reports_are_accessible_and_fit_a_telephone(visit, sold, violations):
    page = await visit(sold, "about:blank", width=360, height=740, scheme="dark")
    for view in ("", "?view=income", "?view=cashflow", "?view=vat", "?view=payables", "?view=till"):
        await page.goto(f"/reports{view}")
        await expect(page.locator("dl.report-facts"), view).to_be_visible()

        assert await violations(page) == [], view
        assert await overflow(page) <= 0, view

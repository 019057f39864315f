"""Debts to vendors: recorded by its lines, paid in parts, listed by age."""

import re

import pytest
from playwright.async_api import expect


async def vendor(ana, name="Imprenta Levante"):
    return await ana.post("/api/vendors", {"name": name, "country": "ES", "paymentTermDays": 30})


async def payable(ana, **fields):
    seller = await vendor(ana)
    items = [{"description": "Carteles", "quantity": 20, "unitPrice": 9.5, "taxRate": 21}]
    body = {"vendorId": seller["id"], "invoiceNumber": "2026/97", "invoiceDate": "2026-11-15", "items": items, **fields}
    return await ana.post("/api/supplier-invoices", body)


async def test_an_invoice_is_typed_in_and_its_total_said_meanwhile(visit, ana):
    await vendor(ana)
    page = await visit(ana, "/payables/new")

    await page.get_by_label("Proveedor").fill("levan")
    await page.get_by_role("option", name="Imprenta Levante").click()
    await page.get_by_label("Número").fill("2026/81")
    await page.get_by_label("Concepto").fill("Folletos")
    await page.get_by_label("Cantidad").fill("500")
    await page.get_by_label("Precio").fill("0,42")
    await expect(page.get_by_text("Total 254,10")).to_be_visible()
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_role("heading", name="Imprenta Levante 2026/81")).to_be_visible()
    (stored,) = await ana.get("/api/supplier-invoices")
    assert (stored["total"], stored["items"][0]["quantity"]) == (254.1, 500)


async def test_a_vendor_is_created_from_inside_his_invoice(visit, ana):
    page = await visit(ana, "/payables/new")

    await page.get_by_label("Número").fill("2026/82")
    await page.get_by_label("Proveedor").fill("Rótulos Ebro")
    await page.keyboard.press("Tab")
    await page.get_by_role("button", name="Nuevo proveedor").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label("Nombre")).to_have_value("Rótulos Ebro")
    await dialog.get_by_label("NIF").fill("12345678Z")
    await dialog.get_by_role("button", name="Guardar").click()
    await expect(dialog).to_have_count(0)
    await expect(page.get_by_label("Proveedor")).to_have_value("Rótulos Ebro")
    await expect(page.get_by_label("Número")).to_have_value("2026/82")
    await page.get_by_label("Concepto").fill("Rótulo")
    await page.get_by_label("Precio").fill("100")
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_role("heading", name="Rótulos Ebro 2026/82")).to_be_visible()
    [made] = await ana.get("/api/vendors")
    [stored] = await ana.get("/api/supplier-invoices")
    assert (made["name"], made["taxId"], stored["vendorId"]) == ("Rótulos Ebro", "12345678Z", made["id"])


@pytest.mark.journey
async def test_a_part_is_paid_and_the_rest_stays_due(visit, ana):
    owed = await payable(ana)
    page = await visit(ana, f"/payables/{owed['id']}")

    await page.get_by_role("button", name="Registrar un pago").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Importe").fill("100")
    await expect(dialog.get_by_text("Quedará pendiente: 129,90")).to_be_visible()
    await dialog.get_by_role("button", name="Registrar el pago").click()

    await expect(page.get_by_text("Pagada en parte")).to_be_visible()
    await expect(page.get_by_role("row", name=re.compile("100,00"))).to_be_visible()
    assert (await ana.get(f"/api/supplier-invoices/{owed['id']}"))["balance"] == 129.9


async def test_the_bar_of_an_age_leads_to_its_invoices(visit, ana):
    await payable(ana, invoiceDate="2026-01-10", dueDate="2026-02-10")
    page = await visit(ana, "/payables")

    await page.get_by_role("link", name=re.compile("Más de 120 días")).click()

    await expect(page).to_have_url(re.compile("bucket=over120"))
    await expect(page.get_by_role("link", name="2026/97")).to_be_visible()


async def test_all_payments_lead_to_their_invoice_and_vendor(visit, ana):
    owed = await payable(ana)
    paid = {"amount": 100, "paymentMethod": "transfer", "paymentDate": "2026-11-20"}
    await ana.post(f"/api/supplier-invoices/{owed['id']}/payments", paid)
    page = await visit(ana, "/payables")

    await page.get_by_role("link", name="Pagos", exact=True).click()
    await expect(page.get_by_role("row", name=re.compile("Transferencia"))).to_contain_text("100,00")
    await page.get_by_label("Forma de pago").select_option("cash")
    await expect(page.get_by_text("Ningún pago coincide con los filtros.")).to_be_visible()
    await page.get_by_label("Forma de pago").select_option("transfer")
    await expect(page.get_by_role("link", name="Imprenta Levante")).to_be_visible()
    await page.get_by_role("link", name=re.compile("ver la factura")).click()

    await expect(page.get_by_role("heading", name="Imprenta Levante 2026/97")).to_be_visible()


async def test_a_way_of_paying_of_ones_own_is_written_and_found(visit, ana):
    owed = await payable(ana)
    page = await visit(ana, f"/payables/{owed['id']}")

    await page.get_by_role("button", name="Registrar un pago").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Forma de pago").select_option("Otra")
    await dialog.get_by_label("Cuál").fill("Bizum")
    await dialog.get_by_role("button", name="Registrar el pago").click()
    await expect(page.get_by_role("row", name=re.compile("Bizum"))).to_contain_text("229,90")
    await page.goto("/payables?status=payments")
    await page.get_by_label("Forma de pago").select_option("cash")
    await expect(page.get_by_text("Ningún pago coincide con los filtros.")).to_be_visible()
    await page.get_by_role("link", name="Ver todas").click()
    await page.get_by_label("Forma de pago").select_option("Bizum")

    await expect(page).to_have_url(re.compile("method=Bizum"))
    await expect(page.get_by_role("row", name=re.compile("Bizum"))).to_contain_text("229,90")


async def test_bills_of_another_program_are_tried_before_they_are_stored(visit, ana):
    page = await visit(ana, "/payables")
    await page.get_by_role("button", name="Importar").click()
    chooser = page.locator("dialog input[type=file]")
    head = "number;issueDate;vendorName;base;taxRate"
    wrong = f"{head}\nC-7;2026-03-05;Papelería Sol;cien;21\n"
    await chooser.set_input_files({"name": "compras.csv", "mimeType": "text/csv", "buffer": wrong.encode()})
    await expect(page.get_by_role("dialog").get_by_role("table")).to_contain_text("base")
    assert await ana.get("/api/supplier-invoices") == []

    right = f"{head}\nC-7;2026-03-05;Papelería Sol;100,00;21\n"
    await chooser.set_input_files({"name": "compras.csv", "mimeType": "text/csv", "buffer": right.encode("latin-1")})
    await page.get_by_role("button", name="Importar 1 documento").click()

    await expect(page.get_by_role("link", name="Papelería Sol C-7")).to_be_visible()
    [imported] = await ana.get("/api/supplier-invoices")
    assert (imported["vendorName"], imported["total"]) == ("Papelería Sol", 121)


async def test_invoices_are_found_by_the_day_they_are_due(visit, ana):
    await payable(ana, dueDate="2026-12-01")
    page = await visit(ana, "/payables?dueFrom=2026-12-01&dueTo=2026-12-01")

    await expect(page.get_by_role("row", name=re.compile("2026.97"))).to_be_visible()
    await page.get_by_label("Vence desde").fill("2026-12-02")

    await expect(page.get_by_text("Ninguna factura coincide con los filtros.")).to_be_visible()


async def test_what_is_to_be_paid_is_listed_without_what_was_paid(visit, ana):
    paid = await payable(ana, invoiceNumber="PAGADA-1")
    body = {"amount": paid["total"], "paymentMethod": "transfer"}
    await ana.post(f"/api/supplier-invoices/{paid['id']}/payments", body)
    bill = {"vendorId": paid["vendorId"], "invoiceNumber": "DEBIDA-2", "invoiceDate": "2026-11-15", "total": 121}
    await ana.post("/api/supplier-invoices", bill)
    page = await visit(ana, "/payables")
    await expect(page.get_by_role("row", name=re.compile("PAGADA-1"))).to_be_visible()

    await page.get_by_role("link", name="Sin pagar").click()

    await expect(page.get_by_role("row", name=re.compile("PAGADA-1"))).to_have_count(0)
    await expect(page.get_by_role("row", name=re.compile("DEBIDA-2"))).to_be_visible()
    await expect(page).to_have_url(re.compile("status=open"))


async def test_a_refusal_stands_at_its_field(visit, ana):
    page = await visit(ana, "/payables/new")

    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_role("alert")).to_contain_text("Referencia")
    await expect(page.get_by_label("Proveedor")).to_have_attribute("aria-invalid", "true")


async def test_a_viewer_sees_what_is_owed_and_changes_nothing(visit, site, ana):
    owed = await payable(ana)
    viewer = await site.member(ana, "viewer")
    page = await visit(viewer, f"/payables/{owed['id']}")

    await expect(page.get_by_role("heading", name="Imprenta Levante 2026/97")).to_be_visible()
    await expect(page.get_by_role("button", name="Registrar un pago")).to_have_count(0)
    await expect(page.get_by_role("button", name="Anular")).to_have_count(0)

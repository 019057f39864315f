"""The pages of an expense and of a supplier invoice say what is doubtful, in words and without names of fields."""

import re

from playwright.async_api import expect

GERMAN = {"name": "Berlin GmbH", "country": "DE", "taxId": "DE811907980"}
DOUBT = "El proveedor es de DE y se deduce IVA al 19 %"


async def test_foreign_vat_is_said_where_the_expense_is_edited_until_nothing_of_it_is_deducted(ana, visit, violations):
    vendor = await ana.post("/api/vendors", GERMAN)
    body = {"description": "Muebles", "amount": 119, "taxRate": 19, "date": "2026-11-02", "vendorId": vendor["id"]}
    expense = await ana.post("/api/expenses", body)
    page = await visit(ana, f"/expenses/{expense['id']}")
    doubt = page.get_by_text(DOUBT)
    await expect(doubt).to_have_count(1)
    await expect(page.get_by_text(re.compile("FOREIGN_VAT_DEDUCTED|deductiblePercent"))).to_have_count(0)
    assert await violations(page) == []

    await page.get_by_text("Más datos fiscales").click()
    await page.get_by_label("IVA que deduces").fill("0")
    await page.get_by_role("button", name="Guardar").click()

    await expect(doubt).to_have_count(0)
    assert (await ana.get(f"/api/expenses/{expense['id']}"))["taxRate"] == 19


async def test_foreign_vat_is_said_of_a_supplier_invoice(ana, visit):
    vendor = await ana.post("/api/vendors", GERMAN)
    body = {"vendorId": vendor["id"], "invoiceDate": "2026-11-02", "total": 119, "taxRate": 19}
    bill = await ana.post("/api/supplier-invoices", body)

    page = await visit(ana, f"/payables/{bill['id']}")

    await expect(page.get_by_text(DOUBT)).to_have_count(1)

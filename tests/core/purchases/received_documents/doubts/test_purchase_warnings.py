"""Expenses and supplier invoices say what is doubtful in their tax and their period, and store what was sent."""

import pytest

EXPENSE = {"description": "Licencia", "amount": 119, "taxRate": 19, "date": "2026-11-02"}
BILL = {"invoiceDate": "2026-11-02", "taxRate": 19, "total": 119}
GERMAN = {"name": "Berlin GmbH", "country": "DE", "taxId": "DE811907980"}
AMERICAN = {"name": "Acme Inc", "country": "US"}
SOL = {"name": "Papelería Sol, S.L.", "taxId": "B29805314"}


def codes(record):
    return [warning.partition(":")[0] for warning in record["warnings"]]


async def bought(api, vendor, **fields):
    named = {"vendor": vendor["name"], "vendorTaxId": vendor.get("taxId"), "vendorCountry": vendor.get("country")}
    return await api.post("/api/expenses", {**EXPENSE, **named, **fields})


async def billed(api, vendor, **fields):
    stored = await api.post("/api/vendors", vendor)
    return await api.post("/api/supplier-invoices", {**BILL, "vendorId": stored["id"], **fields})


async def file(api, form, period):
    asked = {"country": "ES", "form": form, "year": 2026, "period": period}
    declaration = (await api.post("/api/tax-declarations/generate", asked))["declaration"]
    await api.patch(f"/api/tax-declarations/{declaration['id']}/submit")
    return declaration


CASES = [
    (GERMAN, {}, ["FOREIGN_VAT_DEDUCTED"]),
    (GERMAN, {"taxRate": 21}, ["FOREIGN_VAT_DEDUCTED"]),
    (AMERICAN, {"taxRate": 8}, ["FOREIGN_VAT_DEDUCTED"]),
    (SOL, {}, ["PURCHASE_RATE_UNKNOWN"]),
    (SOL, {"taxRate": 21}, []),
    (GERMAN, {"deductiblePercent": 0}, []),
    (GERMAN, {"intraEu": "services", "taxRate": 21}, []),
    (GERMAN, {"intraEu": "services"}, ["PURCHASE_RATE_UNKNOWN"]),
    (AMERICAN, {"reverseCharge": True, "taxRate": 21}, []),
    (AMERICAN, {"importDua": "26ES00281130123456", "docType": "import", "taxRate": 21}, []),
]


@pytest.mark.parametrize("record", [bought, billed])
@pytest.mark.parametrize(("vendor", "fields", "said"), CASES)
async def test_the_tax_is_doubted_in_every_answer_about_one_document(ana, record, vendor, fields, said):
    if record is billed:
        fields = {name: value for name, value in fields.items() if name != "docType"}
    path = "/api/expenses" if record is bought else "/api/supplier-invoices"

    created = await record(ana, vendor, **fields)

    read = await ana.get(f"{path}/{created['id']}")
    [listed] = await ana.get(path)
    assert (codes(created), codes(read), listed["warnings"]) == (said, said, [])


async def test_what_was_sent_is_stored_all_the_same(ana):
    expense, bill = await bought(ana, GERMAN), await billed(ana, {**GERMAN, "name": "Zweite GmbH", "taxId": None})

    for record in (expense, bill):
        assert (record["taxRate"], record["taxAmount"], record["deductibleTaxAmount"]) == (19, 19, 19)


async def test_a_change_that_puts_it_right_ends_the_doubt(ana):
    expense = await bought(ana, GERMAN)

    noted = await ana.put(f"/api/expenses/{expense['id']}", {"notes": "x"})
    mended = await ana.put(f"/api/expenses/{expense['id']}", {"deductiblePercent": 0})

    assert (codes(noted), codes(mended)) == (["FOREIGN_VAT_DEDUCTED"], [])
    assert mended["incomeTaxPercent"] == 100


async def test_a_spanish_nif_of_a_vendor_abroad_is_no_doubt(ana):
    assert codes(await bought(ana, {**GERMAN, "taxId": "ESN0012345E"}, taxRate=21)) == []


async def test_it_is_said_in_the_language_of_the_request(ana):
    spanish = await ana.request("POST", "/api/expenses", EXPENSE, **{"Accept-Language": "es"})

    assert "el IVA no tenía un tipo del 19 %, sino 21, 10, 4, 0 %" in spanish.json()["warnings"][0]


# ---------------------------------------------------------------- filed periods


async def test_a_document_of_a_filed_period_names_each_declaration_that_lacks_it(ana):
    for form in ("303", "130", "111"):
        await file(ana, form, "Q2")

    expense = await bought(ana, SOL, taxRate=21, date="2026-05-27")
    bill = await billed(ana, {"name": "Otra, S.L."}, taxRate=21, invoiceDate="2026-05-20")

    for record in (expense, bill):
        assert codes(record) == ["PERIOD_FILED"]
        [warning] = record["warnings"]
        assert [form for form in ("303 2026 Q2", "130 2026 Q2") if form not in warning] == []
        assert "111" not in warning


async def test_what_was_there_when_it_was_filed_is_no_doubt_until_it_changes(ana):
    expense = await bought(ana, SOL, taxRate=21, date="2026-05-27")
    bill = await billed(ana, {"name": "Otra, S.L."}, taxRate=21, invoiceDate="2026-05-20")
    await file(ana, "303", "Q2")
    path = f"/api/expenses/{expense['id']}"

    read = await ana.get(path)
    noted = await ana.put(path, {"notes": "x", "description": "Otra cosa"})
    moved = await ana.put(path, {"date": "2026-11-02"})
    cancelled = await ana.put(f"/api/supplier-invoices/{bill['id']}/cancel", {})

    assert (codes(read), codes(noted)) == ([], [])
    assert (codes(moved), codes(cancelled)) == (["PERIOD_FILED"], ["PERIOD_FILED"])


async def test_the_declarations_of_others_are_not_told(ana, berta):
    await file(berta, "303", "Q2")

    assert codes(await bought(ana, SOL, taxRate=21, date="2026-05-27")) == []


async def test_the_return_names_what_it_does_not_deduct(ana):
    foreign, own = await billed(ana, GERMAN), await bought(ana, SOL, amount=121, taxRate=21)
    doubtful = await bought(ana, {**GERMAN, "name": "Zweite GmbH", "taxId": None}, amount=121, taxRate=21)

    asked = {"country": "ES", "form": "303", "year": 2026, "period": "Q4"}
    declaration = (await ana.post("/api/tax-declarations/generate", asked))["declaration"]

    assert (declaration["boxes"]["28"], declaration["boxes"]["29"]) == (200, 42)
    named = {warning["code"]: warning["documentIds"] for warning in declaration["warnings"]}
    assert named["vat_unboxed.foreign_vat"] == [foreign["id"]]
    assert named["vat.warn_foreign_vendor"] == [doubtful["id"]]
    assert own["id"] not in str(named)

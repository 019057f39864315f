"""Vendor and supplier invoice of a confirmed analysis: stored, linked, recorded once (interface decision E12)."""

import pytest

VENDOR = {"name": "Ferretería Sur, S.L.", "taxId": "B12345674", "email": "pedidos@sur.example", "phone": "600 100 200"}
ITEMS = [
    {"name": "Tornillo M4", "sku": "T-4", "quantity": 200, "unitPrice": 0.05, "taxRate": 21},
    {"name": "Martillo", "quantity": 2, "unitPrice": 12.5, "taxRate": 21},
]
AMOUNTS = {"subtotal": 35, "taxAmount": 7.35, "total": 42.35}


def analysis(**fields):
    head = {"vendor": VENDOR, "invoiceNumber": "2026/118", "invoiceDate": "2026-11-02", "items": ITEMS}
    return {**head, **AMOUNTS, **fields}


async def confirmed(api, answers=None, **fields):
    return await api.post("/api/catalog/confirm-import", {"analysis": analysis(**fields), "answers": answers})


async def invoices(api):
    return await api.get("/api/supplier-invoices")


async def test_a_new_vendor_is_stored_and_the_invoice_recorded_with_its_lines(ana):
    result = await confirmed(ana, dueDate="2036-12-02")

    vendor = await ana.get(f"/api/vendors/{result['vendorId']}")
    invoice = await ana.get(f"/api/supplier-invoices/{result['supplierInvoiceId']}")
    assert (result["created"], result["warnings"]) == (2, [])
    assert {name: vendor[name] for name in VENDOR} == VENDOR
    assert (invoice["vendorId"], invoice["invoiceNumber"]) == (vendor["id"], "2026/118")
    assert (invoice["subtotal"], invoice["taxAmount"], invoice["total"]) == (35, 7.35, 42.35)
    assert (invoice["status"], invoice["dueDate"]) == ("pending", "2036-12-02")
    assert [line["description"] for line in invoice["items"]] == ["Tornillo M4", "Martillo"]


async def test_the_same_analysis_again_answers_with_the_first_ones_records(ana):
    first = await confirmed(ana)
    again = await confirmed(ana, ["no"], questions=["¿Seguro?"], confidence=0.5, engine="another")

    assert (again["created"], again["updated"]) == (0, 0)
    assert (again["vendorId"], again["supplierInvoiceId"]) == (first["vendorId"], first["supplierInvoiceId"])
    assert [one["action"] for one in again["itemResults"]] == ["skipped", "skipped"]
    assert len(await invoices(ana)) == len(await ana.get("/api/vendors")) == 1


async def test_equal_numbers_written_otherwise_are_the_same_analysis(ana):
    await confirmed(ana)
    lines = [{**ITEMS[0], "quantity": 200.0, "matchScore": 0.4, "matchedItemId": None}, ITEMS[1]]

    again = await confirmed(ana, items=lines, total=42.350)

    assert again["created"] == 0


@pytest.mark.parametrize(
    ("stored", "analysed"),
    [
        ({"name": "Ferretería del Sur", "taxId": "B12345674"}, {}),
        ({"name": "FERRETERIA SUR, S.L."}, {}),
        ({"name": "Ferretería Sur, S.L.", "taxId": "B12345674"}, {"taxId": None}),
        ({"name": "Otra", "taxId": "B12345674"}, {"taxId": "b-12345674", "name": None}),
    ],
)
async def test_a_stored_vendor_is_linked_by_its_tax_id_and_then_by_its_name(ana, stored, analysed):
    vendor = await ana.post("/api/vendors", stored)

    result = await confirmed(ana, vendor={**VENDOR, **analysed})

    assert result["vendorId"] == vendor["id"]
    assert len(await ana.get("/api/vendors")) == 1


async def test_a_wrong_tax_id_is_left_out_and_named(ana):
    result = await confirmed(ana, vendor={**VENDOR, "taxId": "B12345670", "email": "none"})

    vendor = await ana.get(f"/api/vendors/{result['vendorId']}")
    assert (vendor["taxId"], vendor["email"]) == (None, None)
    assert result["warnings"] == ["The vendor's tax id B12345670 is not valid and was left out."]


async def test_the_tax_id_of_another_country_makes_a_foreign_vendor(ana):
    result = await confirmed(ana, vendor={"name": "Outils SARL", "taxId": "FR 40 303265045"})

    vendor = await ana.get(f"/api/vendors/{result['vendorId']}")
    assert (vendor["country"], vendor["taxId"]) == ("FR", "FR40303265045")
    assert [warning.partition(":")[0] for warning in result["warnings"]] == ["FOREIGN_VAT_DEDUCTED"]


async def test_an_invoice_that_is_recorded_already_is_named_and_nothing_fails(ana):
    first = await confirmed(ana)

    second = await confirmed(ana, items=[{"name": "Clavos", "quantity": 1, "unitPrice": 35, "taxRate": 21}])

    assert (second["created"], second["supplierInvoiceId"]) == (1, first["supplierInvoiceId"])
    assert len(second["warnings"]) == 1
    assert "2026/118" in second["warnings"][0]
    assert len(await invoices(ana)) == 1


async def test_lines_that_do_not_agree_are_left_out_of_the_invoice(ana):
    result = await confirmed(ana, subtotal=40, taxAmount=8.4, total=48.4)

    invoice = await ana.get(f"/api/supplier-invoices/{result['supplierInvoiceId']}")
    assert (invoice["items"], invoice["subtotal"], invoice["taxAmount"]) == ([], 40, 8.4)
    assert result["warnings"] == [
        "The supplier invoice was recorded without its lines, which do not agree with its amounts."
    ]


@pytest.mark.parametrize(
    ("fields", "warning"),
    [
        ({"invoiceDate": None}, "no invoice date"),
        ({"total": None}, "no total"),
        ({"vendor": None}, "no vendor"),
        ({"vendor": {"phone": "600"}}, "no vendor"),
        ({"items": [], "subtotal": 35, "taxAmount": 8, "total": 42.35}, "No supplier invoice was recorded"),
    ],
)
async def test_what_is_missing_for_an_invoice_is_named_and_the_goods_are_imported(ana, fields, warning):
    result = await confirmed(ana, **fields)

    assert result["supplierInvoiceId"] is None
    assert [warning in one for one in result["warnings"]] == [True]
    assert result["created"] == len(fields.get("items", ITEMS))
    assert await invoices(ana) == []


async def test_a_rate_is_proven_by_base_and_tax_and_never_supposed(ana):
    lines = [{"name": "Portes", "suggestedAction": "skip"}]

    proven = await confirmed(ana, items=lines, invoiceNumber="1", subtotal=100, taxAmount=10, total=110)
    unproven = await confirmed(ana, items=lines, invoiceNumber="2", subtotal=100, taxAmount=17, total=117)

    invoice = await ana.get(f"/api/supplier-invoices/{proven['supplierInvoiceId']}")
    assert (invoice["taxRate"], invoice["taxAmount"]) == (10, 10)
    assert unproven["supplierInvoiceId"] is None


async def test_a_retention_is_recorded(ana):
    line = {"name": "Diseño", "quantity": 1, "unitPrice": 100, "taxRate": 21, "suggestedAction": "skip"}

    amounts = {"subtotal": 100, "taxAmount": 21, "retentionAmount": 15, "total": 106}
    result = await confirmed(ana, items=[line], **amounts)

    invoice = await ana.get(f"/api/supplier-invoices/{result['supplierInvoiceId']}")
    assert (invoice["retentionAmount"], invoice["total"], len(invoice["items"])) == (15, 106, 1)


async def test_one_accounts_vendor_and_invoice_are_not_anothers(ana, berta):
    hers = await confirmed(berta)

    result = await confirmed(ana)

    assert result["vendorId"] != hers["vendorId"]
    assert result["supplierInvoiceId"] != hers["supplierInvoiceId"]
    assert result["warnings"] == []

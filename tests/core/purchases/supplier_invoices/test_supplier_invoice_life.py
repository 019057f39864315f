"""A supplier invoice from its recording to its payment or cancellation (interface decisions K)."""

from datetime import timedelta

import pytest

from support.database import row_counts
from support.payables import PATH, create_vendor, day, invoice_input, pay, read_invoice, record_invoice


@pytest.fixture
async def seller(ana) -> str:
    return await create_vendor(ana)


# ---------------------------------------------------------------- recording


async def test_three_fields_are_enough(ana, seller):
    invoice = await ana.post(PATH, {"vendorId": seller, "invoiceDate": "2026-01-31", "total": 121})

    expected = {"total": 121, "balance": 121, "paidAmount": 0, "subtotal": 121, "taxAmount": 0, "taxRate": 0}
    assert {name: invoice[name] for name in expected} == expected
    assert (invoice["dueDate"], invoice["receptionDate"], invoice["deductionDate"]) == (
        "2026-03-02",
        "2026-01-31",
        "2026-01-31",
    )
    assert (invoice["currency"], invoice["deductiblePercent"], invoice["invoiceNumber"]) == ("EUR", 100, None)


async def test_the_vendor_gives_default_name_term_rate_and_category(ana):
    terms = {"paymentTermDays": 15, "defaultTaxRate": 10, "defaultCategory": "office", "country": "ES"}
    seller = await create_vendor(ana, "Gráficas Norte", taxId="B12345674", **terms)

    invoice = await ana.post(PATH, {"vendorId": seller, "invoiceDate": "2026-01-31", "total": 110})

    defaults = (invoice["dueDate"], invoice["taxRate"], invoice["taxAmount"], invoice["category"])
    assert defaults == ("2026-02-15", 10, 10, "office")
    assert (invoice["vendorName"], invoice["vendorTaxId"], invoice["vendorCountry"]) == (
        "Gráficas Norte",
        "B12345674",
        "ES",
    )


async def test_a_vendor_with_a_term_of_no_days_is_due_on_the_invoice_date(ana):
    seller = await create_vendor(ana, paymentTermDays=0)

    invoice = await ana.post(PATH, {"vendorId": seller, "invoiceDate": "2026-01-31", "total": 1})

    assert invoice["dueDate"] == "2026-01-31"


async def test_values_sent_override_the_vendors_defaults(ana):
    seller = await create_vendor(ana, paymentTermDays=15, defaultTaxRate=10, defaultCategory="office")
    sent = {"dueDate": "2026-02-01", "taxRate": 21, "category": "travel", "currency": "USD", "deductiblePercent": 50}

    invoice = await ana.post(PATH, {"vendorId": seller, "invoiceDate": "2026-01-31", "total": 121, **sent})

    assert {name: invoice[name] for name in sent} == sent
    assert (invoice["taxAmount"], invoice["deductibleTaxAmount"]) == (21, 10.5)


async def test_an_invoice_keeps_the_vendor_as_it_was(ana, seller):
    invoice = await record_invoice(ana, seller)

    await ana.put(f"/api/vendors/{seller}", {"name": "Papelera del Norte"})

    assert await read_invoice(ana, invoice) == invoice


async def test_fields_needed_for_tax_declarations_are_stored(ana, seller):
    sent = {
        "vendorId": seller,
        "invoiceDate": "2026-01-10",
        "operationDate": "2026-01-05",
        "receptionDate": "2026-02-01",
        "deductionDate": "2026-04-01",
        "dueDate": "2026-03-01",
        "items": [{"description": "Servidor", "quantity": 2, "unitPrice": 1800}],
        "intraEu": "goods",
        "investmentGood": True,
        "regimeKey": "09",
        "deductiblePercent": 90,
        "incomeTaxPercent": 80,
        "retentionRate": 19,
        "attachmentUrl": "https://docs.example/1.pdf",
        "notes": "Para el taller",
    }

    invoice = await ana.post(PATH, sent)

    assert {name: invoice[name] for name in sent if name != "items"} == {n: v for n, v in sent.items() if n != "items"}
    assert [invoice[name] for name in ("taxRate", "taxAmount", "selfAssessedTax", "deductibleTaxAmount")] == [
        21,
        0,
        756,
        680.4,
    ]
    assert (invoice["subtotal"], invoice["retentionAmount"], invoice["total"]) == (3600, 684, 2916)
    assert invoice["taxBreakdown"] == [
        {"rate": 21, "base": 3600, "amount": 756, "surchargeRate": None, "surchargeAmount": 0}
    ]
    assert await read_invoice(ana, invoice) == invoice


WRONG = [
    ("no vendor", {"vendorId": None}, "vendorId"),
    ("no day", {"invoiceDate": None}, "invoiceDate"),
    ("neither total nor items", {"total": None}, "total"),
    ("a total in words", {"total": "121"}, "total"),
    ("a total of three decimals", {"total": 1.001}, "total"),
    ("a total above the highest", {"total": 10_000_000_000}, "total"),
    ("a negative total", {"total": -0.01}, "total"),
    ("a total that is not that of the items", {"items": [{"description": "x", "unitPrice": 1}]}, "total"),
    ("due before its day", {"dueDate": f"{day(-61)}", "invoiceDate": f"{day(-60)}"}, "dueDate"),
    ("received before its day", {"receptionDate": f"{day(-61)}", "invoiceDate": f"{day(-60)}"}, "receptionDate"),
    ("deducted before it came", {"receptionDate": f"{day()}", "deductionDate": f"{day(-1)}"}, "deductionDate"),
    ("a long number", {"invoiceNumber": "x" * 201}, "invoiceNumber"),
    ("a wrong kind of acquisition", {"intraEu": "things"}, "intraEu"),
    ("a share above all", {"deductiblePercent": 100.001}, "deductiblePercent"),
    ("a rate below nothing", {"taxRate": -1}, "taxRate"),
    ("a long key", {"regimeKey": "00000"}, "regimeKey"),
    ("a script as address", {"attachmentUrl": "javascript:alert(1)"}, "attachmentUrl"),
    ("a currency in words", {"currency": "euro"}, "currency"),
    ("an item without a price", {"total": None, "items": [{"description": "x"}]}, "items[0].unitPrice"),
    ("a thousand and one items", {"items": [{"description": "x", "unitPrice": 0}] * 1001}, "items"),
]


async def test_a_wrong_field_is_named_and_nothing_is_stored(kernel, ana, seller):
    before, named_fields = await row_counts(kernel), {}

    for name, wrong, field in WRONG:
        sent = {key: value for key, value in (invoice_input(seller) | wrong).items() if value is not None}
        problem = await ana.refused(400, "POST", PATH, sent)
        named_fields[name] = field if field in [error["field"] for error in problem["errors"]] else problem

    assert named_fields == {name: field for name, _, field in WRONG}
    assert await row_counts(kernel) == before


async def test_a_vendor_that_is_unknown_or_of_another_account_is_not_found(ana, berta, seller):
    hers = await create_vendor(berta)

    for vendor_id in (hers, "01890000-0000-7000-8000-000000000000", "x", ""):
        problem = await ana.refused(404, "POST", PATH, invoice_input(vendor_id))
        assert problem["code"] == "NOT_FOUND"


# ---------------------------------------------------------------- the same invoice twice


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("F-2026/001", "f 2026 001"),
        ("F2026-001", "F-2026-001"),
        ("A 12", "a12"),
        ("Nº 7", "nº7"),
        ("2026_1", "2026/1"),
        ("---", "---"),
        ("\ufdfa" * 200, "\ufdfa" * 200),
    ],
)
async def test_a_number_of_a_vendor_is_recorded_once(ana, seller, first, second):
    invoice = await record_invoice(ana, seller, invoiceNumber=first)

    problem = await ana.refused(409, "POST", PATH, invoice_input(seller, 5, invoiceNumber=second))

    assert problem["code"] == "DUPLICATE_SUPPLIER_INVOICE"
    assert invoice["id"] in problem["detail"]
    assert [one["id"] for one in await ana.get(PATH)] == [invoice["id"]]


@pytest.mark.parametrize(("first", "second"), [("1/11", "11/1"), ("111", "1-11"), ("F1", "F10"), ("F-1", "G-1")])
async def test_other_numbers_are_other_invoices(ana, seller, first, second):
    await record_invoice(ana, seller, invoiceNumber=first)

    await record_invoice(ana, seller, invoiceNumber=second)

    assert len(await ana.get(PATH)) == 2


async def test_numbers_are_unique_by_vendor_and_account_and_may_be_absent(ana, berta, seller):
    for api, whose in ((ana, seller), (ana, await create_vendor(ana, "Otra")), (berta, await create_vendor(berta))):
        await record_invoice(api, whose, invoiceNumber="F-1")
        await record_invoice(api, whose)
        await record_invoice(api, whose, invoiceNumber=" ")

    assert (len(await ana.get(PATH)), len(await berta.get(PATH))) == (6, 3)


async def test_the_number_of_a_cancelled_invoice_is_free_again(ana, seller):
    invoice = await record_invoice(ana, seller, invoiceNumber="F-1")
    await ana.put(f"{PATH}/{invoice['id']}/cancel", None)

    again = await record_invoice(ana, seller, invoiceNumber="F-1")

    assert again["id"] != invoice["id"]
    await ana.refused(409, "POST", PATH, invoice_input(seller, invoiceNumber="F-1"))


# ---------------------------------------------------------------- status


async def test_the_status_follows_days_and_payments(ana, seller):
    async def status(due: int, paid: float) -> str:
        invoice = await record_invoice(ana, seller, 100, due)
        if paid:
            await pay(ana, invoice, paid)
        return (await read_invoice(ana, invoice))["status"]

    assert [await status(0, 0), await status(0, 40), await status(0, 100)] == ["pending", "partial", "paid"]
    assert [await status(-1, 0), await status(-1, 40), await status(-1, 100)] == ["overdue", "overdue", "paid"]


async def test_an_invoice_of_zero_counts_as_paid(ana, seller):
    invoice = await record_invoice(ana, seller, 0, due=-5)

    assert (invoice["status"], invoice["balance"]) == ("paid", 0)
    await ana.refused(400, "PUT", f"{PATH}/{invoice['id']}/cancel")


async def test_a_cancelled_invoice_is_never_overdue(ana, seller):
    invoice = await record_invoice(ana, seller, due=-5)

    cancelled = await ana.put(f"{PATH}/{invoice['id']}/cancel", {"reason": "Duplicada"})

    assert (cancelled["status"], cancelled["cancelReason"], cancelled["balance"]) == ("cancelled", "Duplicada", 121)
    assert cancelled["cancelledAt"] is not None


async def test_overdue_is_decided_by_the_date_in_the_accounts_time_zone(ana, seller):
    """Kiritimati's day is always after that of Pago Pago."""
    await ana.put("/api/teams/current", {"timezone": "Pacific/Pago_Pago"})
    paid = await pay(ana, await record_invoice(ana, seller), 1)
    invoice = await record_invoice(ana, seller, dueDate=paid["paymentDate"])

    western_status = (await read_invoice(ana, invoice))["status"], (await ana.get(PATH))[0]["status"]
    await ana.put("/api/teams/current", {"timezone": "Pacific/Kiritimati"})
    east = (await read_invoice(ana, invoice))["status"], (await ana.get(PATH))[0]["status"]

    assert (western_status, east) == (("pending",) * 2, ("overdue",) * 2)


# ---------------------------------------------------------------- payments


async def test_payments_lower_the_balance_and_are_stored(ana, seller):
    invoice = await record_invoice(ana, seller, 100, invoiceNumber="F-1")
    sent = {"paymentDate": f"{day(-3)}", "bank": "BBVA", "reference": "T-1", "notes": "a cuenta"}

    first = await pay(ana, invoice, 30.1, attachmentUrl="/recibos/1.pdf", **sent)
    second = await pay(ana, invoice, 69.9)

    assert {name: first[name] for name in sent} == sent
    assert (first["supplierInvoiceId"], first["vendorId"], first["vendorName"]) == (
        invoice["id"],
        seller,
        "Papelera del Sur",
    )
    assert (first["balanceAfter"], second["balanceAfter"], second["paymentDate"]) == (69.9, 0, f"{day()}")
    paid_invoice = await ana.get(f"{PATH}/{invoice['id']}")
    assert (paid_invoice["paidAmount"], paid_invoice["balance"], paid_invoice["status"]) == (100, 0, "paid")
    assert paid_invoice["payments"] == [first, second] == await ana.get(f"{PATH}/{invoice['id']}/payments")


@pytest.mark.parametrize("ahead", [-4000, 0, 1])
async def test_payments_may_lie_a_day_ahead(ana, seller, ahead):
    invoice = await record_invoice(ana, seller)

    assert (await pay(ana, invoice, 1, paymentDate=f"{day(ahead)}"))["paymentDate"] == f"{day(ahead)}"


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"amount": 0}, "amount"),
        ({"amount": -1}, "amount"),
        ({"amount": 0.001}, "amount"),
        ({"amount": "1"}, "amount"),
        ({"amount": None}, "amount"),
        ({"paymentMethod": None}, "paymentMethod"),
        ({"paymentMethod": " "}, "paymentMethod"),
        ({"paymentDate": timedelta(days=2)}, "paymentDate"),
        ({"paymentDate": "2026-02-30"}, "paymentDate"),
    ],
)
async def test_an_invalid_payment_is_refused(ana, seller, sent, field):
    invoice = await record_invoice(ana, seller)
    dated = {name: f"{day(value.days)}" if isinstance(value, timedelta) else value for name, value in sent.items()}

    problem = await ana.refused(
        400, "POST", f"{PATH}/{invoice['id']}/payments", {"amount": 1, "paymentMethod": "cash", **dated}
    )

    assert [error["field"] for error in problem["errors"]] == [field]
    assert await read_invoice(ana, invoice) == invoice


@pytest.mark.parametrize(("paid", "more"), [(0, 121.01), (100, 21.01), (121, 0.01)])
async def test_a_payment_above_the_balance_is_refused(ana, seller, paid, more):
    invoice = await record_invoice(ana, seller)
    if paid:
        await pay(ana, invoice, paid)

    problem = await ana.refused(
        400, "POST", f"{PATH}/{invoice['id']}/payments", {"amount": more, "paymentMethod": "cash"}
    )

    assert problem["code"] == "PAYMENT_EXCEEDS_BALANCE"
    assert (await read_invoice(ana, invoice))["paidAmount"] == paid


@pytest.mark.parametrize(("total", "remedy"), [(121, "positive amount"), (-121, "negative amount")])
async def test_a_payment_of_nothing_is_refused_on_a_paid_invoice_too(ana, seller, total, remedy):
    original = await record_invoice(ana, seller, 200)
    correcting = {"rectifies": original["id"]} if total < 0 else {}
    invoice = await record_invoice(ana, seller, total, **correcting)
    await pay(ana, invoice, total)

    problem = await ana.refused(400, "POST", f"{PATH}/{invoice['id']}/payments", {"amount": 0, "paymentMethod": "cash"})

    assert (problem["code"], [error["field"] for error in problem["errors"]]) == ("VALIDATION_ERROR", ["amount"])
    assert remedy in problem["remedy"]
    assert (await read_invoice(ana, invoice))["paidAmount"] == total


async def test_a_cancelled_invoice_cannot_be_paid(ana, seller):
    invoice = await record_invoice(ana, seller)
    await ana.put(f"{PATH}/{invoice['id']}/cancel", {})

    problem = await ana.refused(400, "POST", f"{PATH}/{invoice['id']}/payments", {"amount": 1, "paymentMethod": "cash"})

    assert problem["code"] == "SUPPLIER_INVOICE_CANCELLED"
    assert await ana.get(f"{PATH}/payments/all") == []


async def test_a_payment_is_in_the_invoices_currency(ana, seller):
    invoice = await record_invoice(ana, seller, currency="USD")

    assert (await pay(ana, invoice, 1))["currency"] == "USD"


async def test_a_payment_repeated_with_its_key_is_recorded_once(ana, seller):
    invoice = await record_invoice(ana, seller)
    sent, key = {"amount": 100, "paymentMethod": "transfer"}, {"Idempotency-Key": "pago-1"}

    answers = [await ana.request("POST", f"{PATH}/{invoice['id']}/payments", sent, **key) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert (await read_invoice(ana, invoice))["paidAmount"] == 100


# ---------------------------------------------------------------- cancelling


async def test_a_body_is_not_needed_to_cancel(ana, seller):
    for body in (None, {}, {"reason": None}):
        invoice = await record_invoice(ana, seller)
        assert (await ana.put(f"{PATH}/{invoice['id']}/cancel", body))["cancelReason"] is None


@pytest.mark.parametrize("paid", [0.01, 121])
async def test_an_invoice_paid_in_part_cannot_be_cancelled(ana, seller, paid):
    invoice = await record_invoice(ana, seller, due=-1)
    await pay(ana, invoice, paid)

    problem = await ana.refused(400, "PUT", f"{PATH}/{invoice['id']}/cancel")

    assert (problem["code"], bool(problem["remedy"])) == ("NOT_CANCELLABLE", True)
    assert (await read_invoice(ana, invoice))["cancelledAt"] is None


async def test_a_cancellation_is_final_and_happens_once(ana, seller):
    invoice = await record_invoice(ana, seller)
    cancelled = await ana.put(f"{PATH}/{invoice['id']}/cancel", {"reason": "x"})

    problem = await ana.refused(400, "PUT", f"{PATH}/{invoice['id']}/cancel", {"reason": "y"})

    assert problem["code"] == "NOT_CANCELLABLE"
    assert await read_invoice(ana, invoice) == cancelled


async def test_an_outdated_version_cannot_be_cancelled(ana, seller):
    invoice = await record_invoice(ana, seller)
    etag = (await ana.request("GET", f"{PATH}/{invoice['id']}")).headers["etag"]
    await pay(ana, invoice, 1)

    problem = await ana.refused(412, "PUT", f"{PATH}/{invoice['id']}/cancel", {}, **{"If-Match": etag})

    assert problem["code"] == "VERSION_MISMATCH"


async def test_each_step_is_logged(ana, seller):
    invoice = await record_invoice(ana, seller, 100, invoiceNumber="F-1")
    await pay(ana, invoice, 40)
    cancelled = await record_invoice(ana, seller)
    await ana.put(f"{PATH}/{cancelled['id']}/cancel", {"reason": "Error"})

    feed = [one for one in await ana.get("/api/invoices/activity/feed") if one["entityType"] == "supplier_invoice"]

    assert [(one["action"], one["entityLabel"], one["changes"]) for one in feed] == [
        ("cancelled", "Papelera del Sur", {"cancelReason": {"from": None, "to": "Error"}}),
        ("created", "Papelera del Sur", {}),
        ("payment_added", "F-1 Papelera del Sur", {"paidAmount": {"from": 0, "to": 40}}),
        ("created", "F-1 Papelera del Sur", {}),
    ]


# ---------------------------------------------------------------- the vendor stays


@pytest.mark.parametrize("cancelled", [False, True])
async def test_a_vendor_with_supplier_invoices_is_not_deleted(ana, seller, cancelled):
    invoice = await record_invoice(ana, seller)
    if cancelled:
        await ana.put(f"{PATH}/{invoice['id']}/cancel", {})

    problem = await ana.refused(400, "DELETE", f"/api/vendors/{seller}")

    assert problem["code"] == "VENDOR_IN_USE"
    assert "supplier invoices" in problem["detail"]
    assert "Delete" not in problem["remedy"], "supplier invoices are neither deleted nor changed"
    assert (await ana.get(f"/api/vendors/{seller}"))["id"] == seller

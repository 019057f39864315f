"""A supplier invoice from its arrival to its payment or end (interface decisions K)."""

from datetime import timedelta

import pytest

from support.database import row_counts
from support.payables import PATH, bill, billed, day, pay, read, vendor


@pytest.fixture
async def seller(ana) -> str:
    return await vendor(ana)


# ---------------------------------------------------------------- recording


async def test_the_least_that_is_needed(ana, seller):
    made = await ana.post(PATH, {"vendorId": seller, "invoiceDate": "2026-01-31", "total": 121})

    known = {"total": 121, "balance": 121, "paidAmount": 0, "subtotal": 121, "taxAmount": 0, "taxRate": 0}
    assert {name: made[name] for name in known} == known
    assert (made["dueDate"], made["receptionDate"], made["deductionDate"]) == ("2026-03-02", "2026-01-31", "2026-01-31")
    assert (made["currency"], made["deductiblePercent"], made["invoiceNumber"]) == ("EUR", 100, None)


async def test_a_vendor_lends_its_name_terms_rate_and_category(ana):
    terms = {"paymentTermDays": 15, "defaultTaxRate": 10, "defaultCategory": "office", "country": "ES"}
    seller = await vendor(ana, "Gráficas Norte", taxId="B12345674", **terms)

    made = await ana.post(PATH, {"vendorId": seller, "invoiceDate": "2026-01-31", "total": 110})

    lent = (made["dueDate"], made["taxRate"], made["taxAmount"], made["category"])
    assert lent == ("2026-02-15", 10, 10, "office")
    assert (made["vendorName"], made["vendorTaxId"], made["vendorCountry"]) == ("Gráficas Norte", "B12345674", "ES")


async def test_a_vendor_that_is_paid_at_once_lends_a_term_of_no_days(ana):
    seller = await vendor(ana, paymentTermDays=0)

    made = await ana.post(PATH, {"vendorId": seller, "invoiceDate": "2026-01-31", "total": 1})

    assert made["dueDate"] == "2026-01-31"


async def test_what_is_said_counts_more_than_what_the_vendor_lends(ana):
    seller = await vendor(ana, paymentTermDays=15, defaultTaxRate=10, defaultCategory="office")
    own = {"dueDate": "2026-02-01", "taxRate": 21, "category": "travel", "currency": "USD", "deductiblePercent": 50}

    made = await ana.post(PATH, {"vendorId": seller, "invoiceDate": "2026-01-31", "total": 121, **own})

    assert {name: made[name] for name in own} == own
    assert (made["taxAmount"], made["deductibleTaxAmount"]) == (21, 10.5)


async def test_an_invoice_keeps_the_vendor_as_it_was(ana, seller):
    made = await billed(ana, seller)

    await ana.put(f"/api/vendors/{seller}", {"name": "Papelera del Norte"})

    assert await read(ana, made) == made


async def test_all_that_declarations_ask_is_kept(ana, seller):
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

    made = await ana.post(PATH, sent)

    assert {name: made[name] for name in sent if name != "items"} == {n: v for n, v in sent.items() if n != "items"}
    assert [made[name] for name in ("taxRate", "taxAmount", "selfAssessedTax", "deductibleTaxAmount")] == [
        21,
        0,
        756,
        680.4,
    ]
    assert (made["subtotal"], made["retentionAmount"], made["total"]) == (3600, 684, 2916)
    assert made["taxBreakdown"] == [
        {"rate": 21, "base": 3600, "amount": 756, "surchargeRate": None, "surchargeAmount": 0}
    ]
    assert await read(ana, made) == made


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


async def test_a_wrong_field_is_named_and_nothing_is_kept(kernel, ana, seller):
    before, seen = await row_counts(kernel), {}

    for name, wrong, field in WRONG:
        sent = {key: value for key, value in (bill(seller) | wrong).items() if value is not None}
        problem = await ana.refused(400, "POST", PATH, sent)
        seen[name] = field if field in [error["field"] for error in problem["errors"]] else problem

    assert seen == {name: field for name, _, field in WRONG}
    assert await row_counts(kernel) == before


async def test_an_unknown_or_foreign_vendor_is_a_missing_one(ana, berta, seller):
    hers = await vendor(berta)

    for known in (hers, "01890000-0000-7000-8000-000000000000", "x", ""):
        problem = await ana.refused(404, "POST", PATH, bill(known))
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
    made = await billed(ana, seller, invoiceNumber=first)

    problem = await ana.refused(409, "POST", PATH, bill(seller, 5, invoiceNumber=second))

    assert problem["code"] == "DUPLICATE_SUPPLIER_INVOICE"
    assert made["id"] in problem["detail"]
    assert [one["id"] for one in await ana.get(PATH)] == [made["id"]]


@pytest.mark.parametrize(("first", "second"), [("1/11", "11/1"), ("111", "1-11"), ("F1", "F10"), ("F-1", "G-1")])
async def test_other_numbers_are_other_invoices(ana, seller, first, second):
    await billed(ana, seller, invoiceNumber=first)

    await billed(ana, seller, invoiceNumber=second)

    assert len(await ana.get(PATH)) == 2


async def test_numbers_are_counted_by_vendor_and_account_and_none_is_no_number(ana, berta, seller):
    for api, whose in ((ana, seller), (ana, await vendor(ana, "Otra")), (berta, await vendor(berta))):
        await billed(api, whose, invoiceNumber="F-1")
        await billed(api, whose)
        await billed(api, whose, invoiceNumber=" ")

    assert (len(await ana.get(PATH)), len(await berta.get(PATH))) == (6, 3)


async def test_the_number_of_a_cancelled_invoice_is_free_again(ana, seller):
    made = await billed(ana, seller, invoiceNumber="F-1")
    await ana.put(f"{PATH}/{made['id']}/cancel", None)

    again = await billed(ana, seller, invoiceNumber="F-1")

    assert again["id"] != made["id"]
    await ana.refused(409, "POST", PATH, bill(seller, invoiceNumber="F-1"))


# ---------------------------------------------------------------- status


async def test_the_status_follows_days_and_payments(ana, seller):
    async def status(due: int, paid: float) -> str:
        made = await billed(ana, seller, 100, due)
        if paid:
            await pay(ana, made, paid)
        return (await read(ana, made))["status"]

    assert [await status(0, 0), await status(0, 40), await status(0, 100)] == ["pending", "partial", "paid"]
    assert [await status(-1, 0), await status(-1, 40), await status(-1, 100)] == ["overdue", "overdue", "paid"]


async def test_nothing_owed_is_paid(ana, seller):
    made = await billed(ana, seller, 0, due=-5)

    assert (made["status"], made["balance"]) == ("paid", 0)
    await ana.refused(400, "PUT", f"{PATH}/{made['id']}/cancel")


async def test_a_cancelled_invoice_is_never_overdue(ana, seller):
    made = await billed(ana, seller, due=-5)

    gone = await ana.put(f"{PATH}/{made['id']}/cancel", {"reason": "Duplicada"})

    assert (gone["status"], gone["cancelReason"], gone["balance"]) == ("cancelled", "Duplicada", 121)
    assert gone["cancelledAt"] is not None


async def test_overdue_is_judged_by_the_day_at_the_accounts_place(ana, seller):
    """Kiritimati's day is always after that of Pago Pago."""
    await ana.put("/api/teams/current", {"timezone": "Pacific/Pago_Pago"})
    paid = await pay(ana, await billed(ana, seller), 1)
    made = await billed(ana, seller, dueDate=paid["paymentDate"])

    west = (await read(ana, made))["status"], (await ana.get(PATH))[0]["status"]
    await ana.put("/api/teams/current", {"timezone": "Pacific/Kiritimati"})
    east = (await read(ana, made))["status"], (await ana.get(PATH))[0]["status"]

    assert (west, east) == (("pending",) * 2, ("overdue",) * 2)


# ---------------------------------------------------------------- payments


async def test_payments_lower_the_balance_and_are_kept(ana, seller):
    made = await billed(ana, seller, 100, invoiceNumber="F-1")
    said = {"paymentDate": f"{day(-3)}", "bank": "BBVA", "reference": "T-1", "notes": "a cuenta"}

    first = await pay(ana, made, 30.1, attachmentUrl="/recibos/1.pdf", **said)
    second = await pay(ana, made, 69.9)

    assert {name: first[name] for name in said} == said
    assert (first["supplierInvoiceId"], first["vendorId"], first["vendorName"]) == (
        made["id"],
        seller,
        "Papelera del Sur",
    )
    assert (first["balanceAfter"], second["balanceAfter"], second["paymentDate"]) == (69.9, 0, f"{day()}")
    whole = await ana.get(f"{PATH}/{made['id']}")
    assert (whole["paidAmount"], whole["balance"], whole["status"]) == (100, 0, "paid")
    assert whole["payments"] == [first, second] == await ana.get(f"{PATH}/{made['id']}/payments")


@pytest.mark.parametrize("ahead", [-4000, 0, 1])
async def test_payments_may_lie_a_day_ahead(ana, seller, ahead):
    made = await billed(ana, seller)

    assert (await pay(ana, made, 1, paymentDate=f"{day(ahead)}"))["paymentDate"] == f"{day(ahead)}"


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
async def test_a_payment_that_is_none_is_refused(ana, seller, sent, field):
    made = await billed(ana, seller)
    dated = {name: f"{day(value.days)}" if isinstance(value, timedelta) else value for name, value in sent.items()}

    problem = await ana.refused(
        400, "POST", f"{PATH}/{made['id']}/payments", {"amount": 1, "paymentMethod": "cash", **dated}
    )

    assert [error["field"] for error in problem["errors"]] == [field]
    assert await read(ana, made) == made


@pytest.mark.parametrize(("paid", "more"), [(0, 121.01), (100, 21.01), (121, 0.01)])
async def test_more_than_is_owed_cannot_be_paid(ana, seller, paid, more):
    made = await billed(ana, seller)
    if paid:
        await pay(ana, made, paid)

    problem = await ana.refused(400, "POST", f"{PATH}/{made['id']}/payments", {"amount": more, "paymentMethod": "cash"})

    assert problem["code"] == "PAYMENT_EXCEEDS_BALANCE"
    assert (await read(ana, made))["paidAmount"] == paid


async def test_nothing_is_paid_of_a_cancelled_invoice(ana, seller):
    made = await billed(ana, seller)
    await ana.put(f"{PATH}/{made['id']}/cancel", {})

    problem = await ana.refused(400, "POST", f"{PATH}/{made['id']}/payments", {"amount": 1, "paymentMethod": "cash"})

    assert problem["code"] == "SUPPLIER_INVOICE_CANCELLED"
    assert await ana.get(f"{PATH}/payments/all") == []


async def test_a_payment_is_in_the_invoices_currency(ana, seller):
    made = await billed(ana, seller, currency="USD")

    assert (await pay(ana, made, 1))["currency"] == "USD"


async def test_a_repeated_payment_with_its_key_is_one(ana, seller):
    made = await billed(ana, seller)
    sent, key = {"amount": 100, "paymentMethod": "transfer"}, {"Idempotency-Key": "pago-1"}

    answers = [await ana.request("POST", f"{PATH}/{made['id']}/payments", sent, **key) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert (await read(ana, made))["paidAmount"] == 100


# ---------------------------------------------------------------- cancelling


async def test_a_body_is_not_needed_to_cancel(ana, seller):
    for body in (None, {}, {"reason": None}):
        made = await billed(ana, seller)
        assert (await ana.put(f"{PATH}/{made['id']}/cancel", body))["cancelReason"] is None


@pytest.mark.parametrize("paid", [0.01, 121])
async def test_what_is_paid_in_part_is_not_cancelled(ana, seller, paid):
    made = await billed(ana, seller, due=-1)
    await pay(ana, made, paid)

    problem = await ana.refused(400, "PUT", f"{PATH}/{made['id']}/cancel")

    assert (problem["code"], bool(problem["remedy"])) == ("NOT_CANCELLABLE", True)
    assert (await read(ana, made))["cancelledAt"] is None


async def test_there_is_no_way_back_and_no_second_way_there(ana, seller):
    made = await billed(ana, seller)
    gone = await ana.put(f"{PATH}/{made['id']}/cancel", {"reason": "x"})

    problem = await ana.refused(400, "PUT", f"{PATH}/{made['id']}/cancel", {"reason": "y"})

    assert problem["code"] == "NOT_CANCELLABLE"
    assert await read(ana, made) == gone


async def test_a_version_that_was_not_seen_is_not_cancelled(ana, seller):
    made = await billed(ana, seller)
    seen = (await ana.request("GET", f"{PATH}/{made['id']}")).headers["etag"]
    await pay(ana, made, 1)

    problem = await ana.refused(412, "PUT", f"{PATH}/{made['id']}/cancel", {}, **{"If-Match": seen})

    assert problem["code"] == "VERSION_MISMATCH"


async def test_the_log_tells_of_each_step(ana, seller):
    made = await billed(ana, seller, 100, invoiceNumber="F-1")
    await pay(ana, made, 40)
    gone = await billed(ana, seller)
    await ana.put(f"{PATH}/{gone['id']}/cancel", {"reason": "Error"})

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
    made = await billed(ana, seller)
    if cancelled:
        await ana.put(f"{PATH}/{made['id']}/cancel", {})

    problem = await ana.refused(400, "DELETE", f"/api/vendors/{seller}")

    assert problem["code"] == "VENDOR_IN_USE"
    assert "supplier invoices" in problem["detail"]
    assert "Delete" not in problem["remedy"], "supplier invoices are neither deleted nor changed"
    assert (await ana.get(f"/api/vendors/{seller}"))["id"] == seller

"""Two records of one vendor become one: expenses, invoices, payments and every sum over them."""

import asyncio

from support.api import Api

PATH = "/api/vendors"
DAY = "2026-03-05"
IBAN = "ES9121000418450200051332"


async def stored(api: Api, name: str = "Papelera", **fields) -> dict:
    return await api.post(PATH, {"name": name, **fields})


async def spent(api: Api, vendor: dict, amount: float) -> dict:
    fields = {"description": "Papel", "taxRate": 21, "date": DAY, "category": "office_supplies"}
    return await api.post("/api/expenses", {**fields, "amount": amount, "vendorId": vendor["id"]})


async def billed(api: Api, vendor: dict, total: float, number: str) -> dict:
    fields = {"vendorId": vendor["id"], "invoiceDate": DAY, "dueDate": "2026-04-05", "taxRate": 21}
    return await api.post("/api/supplier-invoices", {**fields, "total": total, "invoiceNumber": number})


async def paid(api: Api, bill: dict, amount: float) -> None:
    await api.post(f"/api/supplier-invoices/{bill['id']}/payments", {"amount": amount, "paymentMethod": "transfer"})


async def merge(api: Api, kept: dict, duplicate: dict) -> dict:
    return await api.post(f"{PATH}/{kept['id']}/merge", {"duplicateId": duplicate["id"]})


async def overall(api: Api) -> list[object]:
    """Sums over all vendors, which a merging may not change."""
    aging = await api.get("/api/supplier-invoices/aging")
    summary = await api.get("/api/supplier-invoices/summary")
    reports = ("tax-summary?year=2026&quarter=1", "profit-loss?year=2026", "vat-balance?year=2026&quarter=1")
    of_expenses = [await api.get(f"/api/expenses/{report}") for report in reports]
    return [aging["buckets"], {**summary, "activeVendors": None}, *of_expenses]


async def two(ana) -> tuple[dict, dict]:
    """A vendor and its duplicate, each with expenses, invoices and a payment."""
    kept, duplicate = (
        await stored(ana, taxId="B12345674"),
        await stored(ana, "Papelera, S.A.", iban=IBAN),
    )
    await spent(ana, kept, 121)
    await spent(ana, duplicate, 60.5)
    await paid(ana, await billed(ana, kept, 242, "A-1"), 100)
    await paid(ana, await billed(ana, duplicate, 363, "B-1"), 63)
    return kept, duplicate


async def test_the_documents_and_sums_of_both_are_those_of_the_vendor_that_stays(ana):
    kept, duplicate = await two(ana)
    before = await overall(ana)

    merged = await merge(ana, kept, duplicate)

    assert merged["moved"] == {"expenses": 1, "supplierInvoices": 1}
    vendor = merged["vendor"]
    assert (vendor["name"], vendor["taxId"], vendor["iban"]) == ("Papelera", "B12345674", IBAN)
    assert await overall(ana) == before
    page = await ana.get(f"{PATH}/{kept['id']}")
    assert (page["summary"]["expenseCount"], page["summary"]["totalSpent"]) == (2, 181.5)
    bills = await ana.get(f"/api/supplier-invoices?vendorId={kept['id']}")
    assert {(one["invoiceNumber"], one["vendorName"]) for one in bills} == {
        ("A-1", "Papelera"),
        ("B-1", "Papelera, S.A."),
    }
    [payable] = await ana.get("/api/supplier-invoices/accounts-payable")
    assert (payable["vendorId"], payable["totalInvoiced"], payable["totalPaid"]) == (kept["id"], 605, 163)
    await ana.refused(404, "GET", f"{PATH}/{duplicate['id']}")
    assert [one["id"] for one in await ana.get(PATH)] == [kept["id"]]


async def test_payments_count_for_the_vendor_of_their_invoice(ana):
    kept, duplicate = await two(ana)

    await merge(ana, kept, duplicate)

    payments = "/api/supplier-invoices/payments/all"
    assert {one["amount"] for one in await ana.get(f"{payments}?vendorId={kept['id']}")} == {100, 63}
    assert {one["vendorId"] for one in await ana.get(payments)} == {kept["id"]}
    assert await ana.get(f"{payments}?vendorId={duplicate['id']}") == []
    for bill in await ana.get("/api/supplier-invoices"):
        whole = await ana.get(f"/api/supplier-invoices/{bill['id']}")
        assert {one["vendorId"] for one in whole["payments"]} == {kept["id"]}


async def test_a_purchase_never_counts_twice(ana):
    kept, duplicate = await two(ana)
    await billed(ana, duplicate, 242, "a 1")
    before = await overall(ana)

    problem = await ana.refused(409, "POST", f"{PATH}/{kept['id']}/merge", {"duplicateId": duplicate["id"]})

    assert (problem["code"], "a 1" in problem["detail"]) == ("DUPLICATE_SUPPLIER_INVOICE", True)
    assert await overall(ana) == before
    assert len(await ana.get(PATH)) == 2


async def test_two_taxpayers_are_not_merged(ana):
    kept, other = await stored(ana, taxId="B12345674"), await stored(ana, taxId="A58818501")

    problem = await ana.refused(409, "POST", f"{PATH}/{kept['id']}/merge", {"duplicateId": other["id"]})

    assert problem["code"] == "NOT_DUPLICATES"


async def test_a_tax_id_is_taken_from_the_one_that_goes(ana):
    kept, duplicate = await stored(ana), await stored(ana, "Papelera S.A.", taxId="B12345674")

    await merge(ana, kept, duplicate)

    [vendor] = await ana.get(PATH)
    assert (vendor["id"], vendor["taxId"]) == (kept["id"], "B12345674")
    problem = await ana.refused(409, "POST", PATH, {"name": "Otra", "taxId": "B12345674"})
    assert problem["code"] == "VENDOR_EXISTS"


async def test_vendors_of_others_are_not_found(ana, berta):
    kept, foreign = await stored(ana), await stored(berta)

    await ana.refused(404, "POST", f"{PATH}/{kept['id']}/merge", {"duplicateId": foreign["id"]})
    await ana.refused(404, "POST", f"{PATH}/{foreign['id']}/merge", {"duplicateId": kept["id"]})
    same = await ana.refused(400, "POST", f"{PATH}/{kept['id']}/merge", {"duplicateId": kept["id"]})

    assert [one["field"] for one in same["errors"]] == ["duplicateId"]


async def test_what_is_recorded_at_the_same_moment_is_not_lost(ana):
    kept, duplicate = await two(ana)
    [bill] = await ana.get(f"/api/supplier-invoices?vendorId={duplicate['id']}")

    fields = {"vendorId": duplicate["id"], "invoiceDate": DAY, "taxRate": 21, "total": 12.1}
    answers = await asyncio.gather(
        merge(ana, kept, duplicate),
        *(paid(ana, bill, 10) for _ in range(4)),
        *(ana.request("POST", "/api/supplier-invoices", fields | {"invoiceNumber": f"C-{n}"}) for n in range(4)),
    )

    recorded = [answer.status_code for answer in answers[5:]]
    assert set(recorded) <= {201, 404}
    [payable] = await ana.get("/api/supplier-invoices/accounts-payable")
    created = recorded.count(201)
    assert (payable["invoiceCount"], payable["totalPaid"]) == (2 + created, 203)
    assert payable["totalInvoiced"] == round(605 + 12.1 * created, 2)

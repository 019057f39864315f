"""Lists of supplier invoices and of payments: filters, orders, pages (interface decisions K13)."""

import re
from typing import Any

import pytest

from support.payables import PATH, bill, billed, day, pay, read, vendor

UNKNOWN = "01890000-0000-7000-8000-000000000000"


class Shelf:
    """Ana's invoices by a word, one of each kind; beside them one of berta's that no list of hers may show."""

    def __init__(self, ana, seller: str, other: str, made: dict[str, Any]) -> None:
        self.ana, self.seller, self.other = ana, seller, other
        self.ids = {name: one["id"] for name, one in made.items()}

    async def found(self, query: str) -> list[str]:
        names = {known: name for name, known in self.ids.items()}
        answer = await self.ana.request("GET", f"{PATH}?{query}")
        assert answer.status_code == 200, answer.text
        shown = [names[one["id"]] for one in answer.json()]
        assert answer.headers["x-total-count"] == str(len(shown))
        return shown


@pytest.fixture
async def shelf(ana, berta) -> Shelf:
    seller, other = await vendor(ana), await vendor(ana, "Óptica Gómez", taxId="B12345674")
    await billed(berta, await vendor(berta), 121, invoiceNumber="B-1")
    made = {
        "late": await billed(ana, seller, 10, due=-1, invoiceNumber="F-1"),
        "late in part": await billed(ana, seller, 20, due=-31, notes="Tóner"),
        "today": await billed(ana, seller, 30, due=0, category="office"),
        "in part": await billed(ana, other, 40, due=7),
        "later": await billed(ana, other, None, due=60, items=[{"description": "Lámpara", "unitPrice": 50}]),
        "settled": await billed(ana, other, 60, due=-90),
        "gone": await billed(ana, other, 70, due=-120),
    }
    for name, amount in (("late in part", 5), ("in part", 39.5), ("settled", 60)):
        await pay(ana, made[name], amount)
    await ana.put(f"{PATH}/{made['gone']['id']}/cancel", {})
    return Shelf(ana, seller, other, made)


async def test_by_default_what_is_due_first_comes_first(shelf):
    everything = ["gone", "settled", "late in part", "late", "today", "in part", "later"]

    assert await shelf.found("") == everything
    assert await shelf.found("sort=dueDate&order=asc") == everything
    assert await shelf.found("order=desc") == everything[::-1]


STATUSES = {
    "pending": ["today", "later"],
    "partial": ["in part"],
    "paid": ["settled"],
    "overdue": ["late in part", "late"],
    "cancelled": ["gone"],
}


async def test_a_status_is_the_set_of_those_that_show_it(shelf):
    for status, expected in STATUSES.items():
        assert await shelf.found(f"status={status}") == expected
        assert {one["status"] for one in await shelf.ana.get(f"{PATH}?status={status}")} == {status}


async def test_overdue_is_the_status_and_its_contrary_the_rest(shelf):
    rest = ["gone", "settled", "today", "in part", "later"]

    assert await shelf.found("overdue=true") == await shelf.found("status=overdue") == STATUSES["overdue"]
    assert await shelf.found("overdue=false") == rest
    assert await shelf.found("overdue=true&status=overdue") == STATUSES["overdue"]
    assert await shelf.found("overdue=false&status=overdue") == await shelf.found("overdue=true&status=paid") == []
    assert await shelf.found("overdue=false&status=paid") == ["settled"]


FOUND = {
    "amountMin=40": ["gone", "settled", "in part", "later"],
    "amountMin=40.01": ["gone", "settled", "later"],
    "amountMax=20": ["late in part", "late"],
    "amountMax=19.99": ["late"],
    "amountMin=20&amountMax=30&sort=total": ["late in part", "today"],
    "amountMin=-5&amountMax=10": ["late"],
    "amountMin=50&amountMax=40": [],
    "dateFrom=<-60>": ["today", "in part", "later"],
    "dateFrom=<-59>": ["in part", "later"],
    "dateTo=<-150>": ["gone", "settled"],
    "dateTo=<-151>": ["gone"],
    "dateFrom=<-91>&dateTo=<-61>": ["late in part", "late"],
    "search=f-1": ["late"],
    "search=TONER": ["late in part"],
    "search=lampara": ["later"],
    "search=optica": ["gone", "settled", "in part", "later"],
    "search=B12345674&status=paid": ["settled"],
    "search=OFFICE": ["today"],
    "search=%25": [],
    "search=_": [],
    "search=%20%20&status=paid": ["settled"],
}


async def test_filters_narrow_the_list(shelf):
    assert {query: await shelf.found(dated(query)) for query in FOUND} == FOUND


def dated(query: str) -> str:
    """With the day so many days from now in the place of `<days>`."""
    return re.sub(r"<(-?\d+)>", lambda days: f"{day(int(days[1]))}", query)


async def test_a_vendors_invoices_are_those_of_that_vendor(shelf, berta):
    hers = (await berta.get(PATH))[0]["vendorId"]

    assert await shelf.found(f"vendorId={shelf.seller}") == ["late in part", "late", "today"]
    assert await shelf.found(f"vendorId={shelf.other}&status=cancelled") == ["gone"]
    for known in (hers, UNKNOWN, "x", ""):
        assert await shelf.found(f"vendorId={known}") == []


ORDERS = {
    "invoiceDate": ["gone", "settled", "late in part", "late", "today", "in part", "later"],
    "total": ["late", "late in part", "today", "in part", "later", "settled", "gone"],
    "balance": ["settled", "in part", "late", "late in part", "today", "later", "gone"],
    "createdAt": ["late", "late in part", "today", "in part", "later", "settled", "gone"],
    "status": ["gone", "late in part", "late", "settled", "in part", "today", "later"],
}


async def test_orders(shelf):
    seen = {sort: await shelf.found(f"sort={sort}") for sort in ORDERS}
    assert seen == ORDERS
    assert seen == {sort: await shelf.found(f"sort={sort}&order=asc") for sort in ORDERS}
    back = {sort: await shelf.found(f"sort={sort}&order=desc") for sort in ORDERS}
    assert {sort: found[::-1] for sort, found in back.items()} == ORDERS


async def test_pages_of_equals_show_each_once(ana):
    seller = await vendor(ana)
    made = {(await billed(ana, seller))["id"] for _ in range(5)}

    for query in (f"sort={sort}&order={order}" for sort in (*ORDERS, "dueDate") for order in ("asc", "desc")):
        pages = [await ana.get(f"{PATH}?{query}&limit=2&page={page}") for page in (1, 2, 3, 4)]

        assert [len(page) for page in pages] == [2, 2, 1, 0], query
        assert {one["id"] for page in pages for one in page} == made, query


async def test_a_page_holds_fifty(ana):
    seller = await vendor(ana)
    for _ in range(51):
        await billed(ana, seller)

    answer = await ana.request("GET", PATH)

    assert (len(answer.json()), answer.headers["x-total-count"], answer.headers["x-page-size"]) == (50, "51", "50")


WRONG = {
    "status=open": "status",
    "status=": "status",
    "overdue=maybe": "overdue",
    "sort=vendor": "sort",
    "order=up": "order",
    "amountMin=ten": "amountMin",
    "amountMin=": "amountMin",
    "amountMin=1e3": "amountMin",
    "amountMin=NaN": "amountMin",
    "amountMax=1.001": "amountMax",
    "amountMax=10000000000": "amountMax",
    "amountMax=" + "9" * 500: "amountMax",
    "dateFrom=2026-02-30": "dateFrom",
    "dateTo=yesterday": "dateTo",
    "page=0": "page",
    "limit=101": "limit",
}


async def test_a_filter_that_is_none_is_named(ana):
    problems = {query: await ana.refused(400, "GET", f"{PATH}?{query}") for query in WRONG}

    assert {query: problem["errors"][0]["field"] for query, problem in problems.items()} == WRONG


async def test_a_list_shows_what_each_invoice_shows(shelf):
    listed = await shelf.ana.get(PATH)

    assert listed == [await read(shelf.ana, one) for one in listed]
    assert {one["status"] for one in listed} == STATUSES.keys()


async def test_an_invoice_of_every_field_is_listed_as_it_is(ana):
    seller = await vendor(ana, taxId="B12345674")
    line = {"description": 'Papel «A4» \\ "x"', "quantity": 0.3333, "unitPrice": 12.3456, "discount": 5, "taxRate": 4}
    full = {
        "items": [line, {"description": "Tóner", "unitPrice": 1, "surchargeRate": 5.2, "taxRate": 21}],
        "operationDate": "2026-01-01",
        "retentionRate": 1.5,
        "regimeKey": "07",
        "attachmentUrl": "/a.pdf",
        "invoiceNumber": "Ñ-1",
        "notes": "línea\nlínea",
        "deductiblePercent": 33.333,
    }
    made = await ana.post(PATH, bill(seller, None, **full))
    gone = await ana.put(f"{PATH}/{made['id']}/cancel", {"reason": "«Error»"})

    assert await ana.get(PATH) == [gone] == [await read(ana, made)]


# ---------------------------------------------------------------- payments


@pytest.fixture
async def paid(ana, berta) -> dict[str, Any]:
    """Payments by a word, in the order in which they were recorded."""
    first, second = await vendor(ana), await vendor(ana, "Óptica Gómez")
    hers = await billed(berta, await vendor(berta))
    await pay(berta, hers, 1)
    one, two = await billed(ana, first, 100), await billed(ana, second, 100)
    return {
        "old": await pay(ana, one, 10, paymentDate=f"{day(-40)}", paymentMethod="cash"),
        "new": await pay(ana, one, 20),
        "other": await pay(ana, two, 30, paymentDate=f"{day(-5)}", paymentMethod="cash"),
        "again": await pay(ana, two, 40),
    }


async def payments(ana, paid, query: str = "") -> list[str]:
    names = {one["id"]: name for name, one in paid.items()}
    answer = await ana.request("GET", f"{PATH}/payments/all?{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-total-count"] == str(len(answer.json()))
    return [names[one["id"]] for one in answer.json()]


async def test_all_payments_are_shown_the_latest_first(ana, paid):
    assert await payments(ana, paid) == ["again", "new", "other", "old"]
    assert await ana.get(f"{PATH}/payments/all") == [paid[name] for name in ("again", "new", "other", "old")]


async def test_payments_are_found_by_vendor_method_and_day(ana, paid):
    first = paid["old"]["vendorId"]

    assert await payments(ana, paid, f"vendorId={first}") == ["new", "old"]
    assert await payments(ana, paid, f"vendorId={first}&paymentMethod=cash") == ["old"]
    assert await payments(ana, paid, "paymentMethod=cash") == ["other", "old"]
    assert await payments(ana, paid, "paymentMethod=Cash") == []
    assert await payments(ana, paid, f"dateFrom={day(-5)}&dateTo={day(-1)}") == ["other"]
    assert await payments(ana, paid, f"dateTo={day(-6)}") == ["old"]
    for unknown in (UNKNOWN, "x"):
        assert await payments(ana, paid, f"vendorId={unknown}") == []


async def test_payments_come_in_pages(ana, paid):
    answer = await ana.request("GET", f"{PATH}/payments/all?limit=3&page=2")

    assert ([one["id"] for one in answer.json()], answer.headers["x-total-count"]) == ([paid["old"]["id"]], "4")


async def test_payments_of_one_invoice_are_shown_in_their_order(ana, paid):
    path = f"{PATH}/{paid['old']['supplierInvoiceId']}/payments"

    assert await ana.get(path) == [paid["old"], paid["new"]]
    page = await ana.request("GET", f"{path}?limit=1&page=2")
    assert (page.json(), page.headers["x-total-count"]) == ([paid["new"]], "2")


async def test_payments_of_an_unknown_invoice_are_not_found(ana, berta, paid):
    for known in (UNKNOWN, "x"):
        await ana.refused(404, "GET", f"{PATH}/{known}/payments")
    await berta.refused(404, "GET", f"{PATH}/{paid['old']['supplierInvoiceId']}/payments")

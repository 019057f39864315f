"""Lists of supplier invoices and of payments: filters, orders, pages (interface decisions K13)."""

import re
from typing import Any

import pytest

from support.payables import PATH, create_vendor, day, invoice_input, pay, read_invoice, record_invoice

UNKNOWN = "01890000-0000-7000-8000-000000000000"


class Recorded:
    """Ana's invoices by name, one of each kind. Berta has one too, which no list of Ana's may show."""

    def __init__(self, ana, seller: str, other: str, invoices: dict[str, Any]) -> None:
        self.ana, self.seller, self.other = ana, seller, other
        self.ids = {name: one["id"] for name, one in invoices.items()}

    async def names_of(self, query: str) -> list[str]:
        names = {invoice_id: name for name, invoice_id in self.ids.items()}
        answer = await self.ana.request("GET", f"{PATH}?{query}")
        assert answer.status_code == 200, answer.text
        shown = [names[one["id"]] for one in answer.json()]
        assert answer.headers["x-total-count"] == str(len(shown))
        return shown


@pytest.fixture
async def recorded(ana, berta) -> Recorded:
    seller, other = await create_vendor(ana), await create_vendor(ana, "Óptica Gómez", taxId="B12345674")
    await record_invoice(berta, await create_vendor(berta), 121, invoiceNumber="B-1")
    invoices = {
        "late": await record_invoice(ana, seller, 10, due=-1, invoiceNumber="F-1"),
        "late in part": await record_invoice(ana, seller, 20, due=-31, notes="Tóner"),
        "today": await record_invoice(ana, seller, 30, due=0, category="office"),
        "in part": await record_invoice(ana, other, 40, due=7),
        "later": await record_invoice(ana, other, None, due=60, items=[{"description": "Lámpara", "unitPrice": 50}]),
        "settled": await record_invoice(ana, other, 60, due=-90),
        "cancelled": await record_invoice(ana, other, 70, due=-120),
    }
    for name, amount in (("late in part", 5), ("in part", 39.5), ("settled", 60)):
        await pay(ana, invoices[name], amount)
    await ana.put(f"{PATH}/{invoices['cancelled']['id']}/cancel", {})
    return Recorded(ana, seller, other, invoices)


async def test_the_default_order_is_by_due_date(recorded):
    by_due_date = ["cancelled", "settled", "late in part", "late", "today", "in part", "later"]

    assert await recorded.names_of("") == by_due_date
    assert await recorded.names_of("sort=dueDate&order=asc") == by_due_date
    assert await recorded.names_of("order=desc") == by_due_date[::-1]


STATUSES = {
    "pending": ["today", "later"],
    "partial": ["in part"],
    "paid": ["settled"],
    "overdue": ["late in part", "late"],
    "cancelled": ["cancelled"],
}


async def test_a_status_filter_lists_the_invoices_that_show_it(recorded):
    for status, expected in STATUSES.items():
        assert await recorded.names_of(f"status={status}") == expected
        assert {one["status"] for one in await recorded.ana.get(f"{PATH}?status={status}")} == {status}


async def test_open_lists_what_something_is_owed_of(recorded):
    assert await recorded.names_of("open=true") == ["late in part", "late", "today", "in part", "later"]
    assert await recorded.names_of("open=false") == ["cancelled", "settled"]
    assert await recorded.names_of(with_dates("open=true&dueTo=<7>&dueFrom=<0>")) == ["today", "in part"]
    assert await recorded.names_of("open=true&sort=status") == ["late in part", "late", "in part", "today", "later"]
    assert await recorded.names_of("open=true&status=paid") == []


async def test_overdue_false_lists_all_that_overdue_true_does_not(recorded):
    rest = ["cancelled", "settled", "today", "in part", "later"]

    assert await recorded.names_of("overdue=true") == await recorded.names_of("status=overdue") == STATUSES["overdue"]
    assert await recorded.names_of("overdue=false") == rest
    assert await recorded.names_of("overdue=true&status=overdue") == STATUSES["overdue"]
    assert (
        await recorded.names_of("overdue=false&status=overdue")
        == await recorded.names_of("overdue=true&status=paid")
        == []
    )
    assert await recorded.names_of("overdue=false&status=paid") == ["settled"]


FILTERED = {
    "amountMin=40": ["cancelled", "settled", "in part", "later"],
    "amountMin=40.01": ["cancelled", "settled", "later"],
    "amountMax=20": ["late in part", "late"],
    "amountMax=19.99": ["late"],
    "amountMin=20&amountMax=30&sort=total": ["late in part", "today"],
    "amountMin=-5&amountMax=10": ["late"],
    "amountMin=50&amountMax=40": [],
    "dateFrom=<-60>": ["today", "in part", "later"],
    "dateFrom=<-59>": ["in part", "later"],
    "dateTo=<-150>": ["cancelled", "settled"],
    "dateTo=<-151>": ["cancelled"],
    "dateFrom=<-91>&dateTo=<-61>": ["late in part", "late"],
    "dueFrom=<0>&dueTo=<0>": ["today"],
    "dueFrom=<1>": ["in part", "later"],
    "dueFrom=<8>": ["later"],
    "dueTo=<-31>": ["cancelled", "settled", "late in part"],
    "dueTo=<-32>&status=paid": ["settled"],
    "search=f-1": ["late"],
    "search=TONER": ["late in part"],
    "search=lampara": ["later"],
    "search=optica": ["cancelled", "settled", "in part", "later"],
    "search=B12345674&status=paid": ["settled"],
    "search=OFFICE": ["today"],
    "search=%25": [],
    "search=_": [],
    "search=%20%20&status=paid": ["settled"],
}


async def test_filters_narrow_the_list(recorded):
    assert {query: await recorded.names_of(with_dates(query)) for query in FILTERED} == FILTERED


def with_dates(query: str) -> str:
    """With the day so many days from now in the place of `<days>`."""
    return re.sub(r"<(-?\d+)>", lambda days: f"{day(int(days[1]))}", query)


async def test_the_vendor_filter_lists_that_vendors_invoices_only(recorded, berta):
    hers = (await berta.get(PATH))[0]["vendorId"]

    assert await recorded.names_of(f"vendorId={recorded.seller}") == ["late in part", "late", "today"]
    assert await recorded.names_of(f"vendorId={recorded.other}&status=cancelled") == ["cancelled"]
    for unknown_id in (hers, UNKNOWN, "x", ""):
        assert await recorded.names_of(f"vendorId={unknown_id}") == []


ORDERS = {
    "invoiceDate": ["cancelled", "settled", "late in part", "late", "today", "in part", "later"],
    "total": ["late", "late in part", "today", "in part", "later", "settled", "cancelled"],
    "balance": ["settled", "in part", "late", "late in part", "today", "later", "cancelled"],
    "createdAt": ["late", "late in part", "today", "in part", "later", "settled", "cancelled"],
    "status": ["cancelled", "late in part", "late", "settled", "in part", "today", "later"],
}


async def test_each_order_and_its_reverse(recorded):
    lists = {sort: await recorded.names_of(f"sort={sort}") for sort in ORDERS}
    assert lists == ORDERS
    assert lists == {sort: await recorded.names_of(f"sort={sort}&order=asc") for sort in ORDERS}
    reversed_lists = {sort: await recorded.names_of(f"sort={sort}&order=desc") for sort in ORDERS}
    assert {sort: listed[::-1] for sort, listed in reversed_lists.items()} == ORDERS


async def test_pages_of_equal_sort_keys_show_each_invoice_once(ana):
    seller = await create_vendor(ana)
    invoices = {(await record_invoice(ana, seller))["id"] for _ in range(5)}

    for query in (f"sort={sort}&order={order}" for sort in (*ORDERS, "dueDate") for order in ("asc", "desc")):
        pages = [await ana.get(f"{PATH}?{query}&limit=2&page={page}") for page in (1, 2, 3, 4)]

        assert [len(page) for page in pages] == [2, 2, 1, 0], query
        assert {one["id"] for page in pages for one in page} == invoices, query


async def test_a_page_holds_fifty(ana):
    seller = await create_vendor(ana)
    for _ in range(51):
        await record_invoice(ana, seller)

    answer = await ana.request("GET", PATH)

    assert (len(answer.json()), answer.headers["x-total-count"], answer.headers["x-page-size"]) == (50, "51", "50")


WRONG = {
    "status=open": "status",
    "open=maybe": "open",
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
    "dueFrom=2026-02-30": "dueFrom",
    "dueTo=tomorrow": "dueTo",
    "page=0": "page",
    "limit=101": "limit",
}


async def test_a_malformed_filter_is_named(ana):
    problems = {query: await ana.refused(400, "GET", f"{PATH}?{query}") for query in WRONG}

    assert {query: problem["errors"][0]["field"] for query, problem in problems.items()} == WRONG


async def test_a_list_shows_the_same_fields_as_a_single_invoice(recorded):
    listed = await recorded.ana.get(PATH)

    assert listed == [await read_invoice(recorded.ana, one) for one in listed]
    assert {one["status"] for one in listed} == STATUSES.keys()


async def test_an_invoice_with_every_field_is_listed_unchanged(ana):
    seller = await create_vendor(ana, taxId="B12345674")
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
    invoices = await ana.post(PATH, invoice_input(seller, None, **full))
    cancelled = await ana.put(f"{PATH}/{invoices['id']}/cancel", {"reason": "«Error»"})

    assert await ana.get(PATH) == [cancelled] == [await read_invoice(ana, invoices)]


# ---------------------------------------------------------------- payments


@pytest.fixture
async def payments_made(ana, berta) -> dict[str, Any]:
    """Payments by name, in the order in which they were recorded."""
    first, second = await create_vendor(ana), await create_vendor(ana, "Óptica Gómez")
    hers = await record_invoice(berta, await create_vendor(berta))
    await pay(berta, hers, 1)
    first_invoice, second_invoice = await record_invoice(ana, first, 100), await record_invoice(ana, second, 100)
    return {
        "earlier": await pay(ana, first_invoice, 10, paymentDate=f"{day(-40)}", paymentMethod="cash"),
        "new": await pay(ana, first_invoice, 20),
        "other": await pay(ana, second_invoice, 30, paymentDate=f"{day(-5)}", paymentMethod="cash"),
        "again": await pay(ana, second_invoice, 40),
    }


async def payments(ana, payments_made, query: str = "") -> list[str]:
    names = {one["id"]: name for name, one in payments_made.items()}
    answer = await ana.request("GET", f"{PATH}/payments/all?{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-total-count"] == str(len(answer.json()))
    return [names[one["id"]] for one in answer.json()]


async def test_all_payments_are_shown_the_latest_first(ana, payments_made):
    assert await payments(ana, payments_made) == ["again", "new", "other", "earlier"]
    assert await ana.get(f"{PATH}/payments/all") == [
        payments_made[name] for name in ("again", "new", "other", "earlier")
    ]


async def test_payments_are_found_by_vendor_method_and_day(ana, payments_made):
    first = payments_made["earlier"]["vendorId"]

    assert await payments(ana, payments_made, f"vendorId={first}") == ["new", "earlier"]
    assert await payments(ana, payments_made, f"vendorId={first}&paymentMethod=cash") == ["earlier"]
    assert await payments(ana, payments_made, "paymentMethod=cash") == ["other", "earlier"]
    assert await payments(ana, payments_made, "paymentMethod=Cash") == []
    assert await payments(ana, payments_made, f"dateFrom={day(-5)}&dateTo={day(-1)}") == ["other"]
    assert await payments(ana, payments_made, f"dateTo={day(-6)}") == ["earlier"]
    for unknown in (UNKNOWN, "x"):
        assert await payments(ana, payments_made, f"vendorId={unknown}") == []


async def test_payments_come_in_pages(ana, payments_made):
    answer = await ana.request("GET", f"{PATH}/payments/all?limit=3&page=2")

    assert ([one["id"] for one in answer.json()], answer.headers["x-total-count"]) == (
        [payments_made["earlier"]["id"]],
        "4",
    )


async def test_payments_of_one_invoice_are_shown_in_their_order(ana, payments_made):
    path = f"{PATH}/{payments_made['earlier']['supplierInvoiceId']}/payments"

    assert await ana.get(path) == [payments_made["earlier"], payments_made["new"]]
    page = await ana.request("GET", f"{path}?limit=1&page=2")
    assert (page.json(), page.headers["x-total-count"]) == ([payments_made["new"]], "2")


async def test_payments_of_an_unknown_invoice_are_not_found(ana, berta, payments_made):
    for unknown_id in (UNKNOWN, "x"):
        await ana.refused(404, "GET", f"{PATH}/{unknown_id}/payments")
    await berta.refused(404, "GET", f"{PATH}/{payments_made['earlier']['supplierInvoiceId']}/payments")

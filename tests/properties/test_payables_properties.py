"""Whatever is recorded, paid and cancelled: every report agrees to the cent with the documents it is made from."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.api import Api
from support.office import cloned, opened
from support.payables import PATH, create_vendor, day, invoice_input
from support.sampling import examples

CENTS = st.integers(1, 500_000).map(lambda cents: cents / 100)
STEPS = st.one_of(
    st.tuples(
        st.just("record"), st.integers(0, 2), CENTS, st.integers(-130, 15), st.sampled_from(["EUR", "EUR", "USD"])
    ),
    st.tuples(st.just("pay"), st.integers(0, 30), st.integers(1, 120), st.integers(-70, 1)),
    st.tuples(st.just("cancel"), st.integers(0, 30)),
)
BUCKETS: dict[str, Callable[[int], bool]] = {
    "current": lambda late: late <= 0,
    "days30": lambda late: 1 <= late <= 30,
    "days60": lambda late: 31 <= late <= 60,
    "days90": lambda late: 61 <= late <= 90,
    "days120": lambda late: 91 <= late <= 120,
    "over120": lambda late: late > 120,
}
ALERTS: dict[str, Callable[[int], bool]] = {
    "dueToday": lambda late: late == 0,
    "dueIn7Days": lambda late: -7 <= late <= -1,
    "overdue": lambda late: 1 <= late <= 30,
    "overdue30Plus": lambda late: late > 30,
}


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords):
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords) as office:
        yield office


class Books:
    """One account's documents as the callers of its operations know them."""

    def __init__(self, api: Api, vendors: list[str]) -> None:
        self.api, self.vendors = api, vendors
        self.invoices: list[Any] = []
        self.payments: list[Any] = []
        self.cancelled: set[str] = set()

    async def take(self, step: Any) -> None:
        name, *values = step
        await getattr(self, name)(*values)

    async def record(self, who: int, total: float, due: int, currency: str) -> None:
        sent = invoice_input(self.vendors[who], total, due, currency=currency, invoiceNumber=uuid4().hex, taxRate=21)
        self.invoices.append(await self.api.post(PATH, sent))

    async def pay(self, which: int, percent: int, days: int) -> None:
        """So much of what is left, as far as that is an amount."""
        if not self.invoices:
            return
        one = self.invoices[which % len(self.invoices)]
        amount = (self.owed(one) * percent / 100).quantize(Decimal("0.01")) or Decimal("0.01")
        sent = {"amount": float(amount), "paymentMethod": "transfer", "paymentDate": f"{day(days)}"}
        answer = await self.api.request("POST", f"{PATH}/{one['id']}/payments", sent)
        allowed = one["id"] not in self.cancelled and amount <= self.owed(one)
        assert answer.status_code == (201 if allowed else 400), answer.text
        if allowed:
            self.payments.append(answer.json())

    async def cancel(self, which: int) -> None:
        if not self.invoices:
            return
        one = self.invoices[which % len(self.invoices)]
        answer = await self.api.request("PUT", f"{PATH}/{one['id']}/cancel", {})
        allowed = one["id"] not in self.cancelled and self.paid(one) == 0
        assert answer.status_code == (200 if allowed else 400), answer.text
        if allowed:
            self.cancelled.add(one["id"])

    # -------------------------------------------------------- what follows from the documents

    def paid(self, one: Any) -> Decimal:
        return exact(sum(exact(each["amount"]) for each in self.payments if each["supplierInvoiceId"] == one["id"]))

    def owed(self, one: Any) -> Decimal:
        return exact(one["total"]) - self.paid(one)

    def standing(self, one: Any) -> str:
        if one["id"] in self.cancelled:
            return "cancelled"
        if self.owed(one) <= 0:
            return "paid"
        if late(one) > 0:
            return "overdue"
        return "partial" if self.paid(one) else "pending"

    def valid(self, currency: str | None = "EUR") -> list[Any]:
        known = [one for one in self.invoices if one["id"] not in self.cancelled]
        return [one for one in known if currency in (None, one["currency"])]

    def open(self, currency: str | None = "EUR") -> list[Any]:
        return [one for one in self.valid(currency) if self.owed(one) > 0]


def exact(value: Any) -> Decimal:
    return Decimal(str(value)).quantize(Decimal("0.01"))


def late(one: Any) -> int:
    return (day() - date.fromisoformat(one["dueDate"])).days


def ids(found: list[Any]) -> set[str]:
    return {one["id"] for one in found}


async def check_lists(books: Books) -> None:
    listed = {one["id"]: one for one in await books.api.get(f"{PATH}?limit=100")}
    assert listed.keys() == ids(books.invoices)
    for one in books.invoices:
        shown = listed[one["id"]]
        assert (shown["status"], exact(shown["balance"])) == (books.standing(one), books.owed(one))
    for status in ("pending", "partial", "paid", "overdue", "cancelled"):
        answer = await books.api.request("GET", f"{PATH}?status={status}&limit=100")
        expected = ids([one for one in books.invoices if books.standing(one) == status])
        assert (ids(answer.json()), answer.headers["x-total-count"]) == (expected, str(len(expected)))
    answer = await books.api.request("GET", f"{PATH}/payments/all?limit=100")
    assert ids(answer.json()) == ids(books.payments)
    assert answer.headers["x-total-count"] == str(len(books.payments))


async def check_summary(books: Books) -> None:
    found = await books.api.get(f"{PATH}/summary")
    first = day().replace(day=1)
    beyond = (first + timedelta(days=32)).replace(day=1)
    month = [
        one
        for one in books.payments
        if one["currency"] == "EUR" and first <= date.fromisoformat(one["paymentDate"]) < beyond
    ]
    still_open = books.open()
    assert {name: exact(value) for name, value in found.items()} == {
        "totalPending": exact(sum(books.owed(one) for one in still_open if late(one) <= 0)),
        "totalOverdue": exact(sum(books.owed(one) for one in still_open if late(one) > 0)),
        "upcomingDueCount": sum(-7 <= late(one) <= 0 for one in still_open),
        "monthPayments": exact(sum(exact(one["amount"]) for one in month)),
        "monthPaymentCount": len(month),
        "activeVendors": len({one["vendorId"] for one in still_open}),
        "partialCount": sum(books.paid(one) > 0 for one in still_open),
    }


async def check_aging_and_alerts(books: Books) -> None:
    aging, alerts = await books.api.get(f"{PATH}/aging"), await books.api.get(f"{PATH}/alerts")
    for name, belongs in BUCKETS.items():
        inside = [one for one in books.open() if belongs(late(one))]
        assert ids(aging["details"][name]) == ids(inside), name
        assert exact(aging["buckets"][name]) == exact(sum(books.owed(one) for one in inside)), name
        assert exact(aging["buckets"][name]) == exact(sum(exact(one["balance"]) for one in aging["details"][name]))
    for name, belongs in ALERTS.items():
        assert ids(alerts[name]) == ids([one for one in books.open(None) if belongs(late(one))]), name
    shown = [one["id"] for found in alerts.values() for one in found]
    assert len(shown) == len(set(shown))


async def check_vendors(books: Books) -> None:
    rows = await books.api.get(f"{PATH}/accounts-payable")
    assert [row["balance"] for row in rows] == sorted((row["balance"] for row in rows), reverse=True)
    expected = {}
    for vendor_id in {one["vendorId"] for one in books.valid()}:
        theirs = [one for one in books.valid() if one["vendorId"] == vendor_id]
        due = [one["dueDate"] for one in theirs if books.owed(one) > 0]
        expected[vendor_id] = (
            exact(sum(exact(one["total"]) for one in theirs)),
            exact(sum(books.paid(one) for one in theirs)),
            exact(sum(books.owed(one) for one in theirs)),
            len(theirs),
            sum(books.standing(one) == "overdue" for one in theirs),
            min(due, default=None),
        )
    sums = ("totalInvoiced", "totalPaid", "balance")
    others = ("invoiceCount", "overdueCount", "nextDue")
    seen = {row["vendorId"]: (*(exact(row[name]) for name in sums), *(row[name] for name in others)) for row in rows}
    assert seen == expected


async def follow(office, steps) -> None:
    api = await office.account()
    books = Books(api, [await create_vendor(api, name) for name in ("Uno", "Dos", "Tres")])
    for step in steps:
        await books.take(step)
    for check in (check_lists, check_summary, check_aging_and_alerts, check_vendors):
        await check(books)


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=1, max_size=25))
def test_reports_agree_with_the_documents(office, run, steps):
    run(follow(office, steps))

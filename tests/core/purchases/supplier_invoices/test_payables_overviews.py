"""Overviews of accounts payable: summary, aging, by vendor, alerts (interface decisions K9 to K12)."""

from typing import Any

import pytest

from support.payables import PATH, create_vendor, day, pay, record_invoice

DUE = (-121, -120, -91, -90, -61, -60, -31, -30, -1, 0, 1, 7, 8)
"""Days from today on both sides of each limit."""


async def record_cancelled(api, vendor_id: str, **fields: Any) -> None:
    invoice = await record_invoice(api, vendor_id, **fields)
    await api.put(f"{PATH}/{invoice['id']}/cancel", {})


@pytest.fixture
async def seller_with_due_dates(ana, berta) -> str:
    """A vendor with an invoice of 1 euro and some cents due on each day of `DUE`, and invoices that must not count."""
    seller = await create_vendor(ana)
    for number, due in enumerate(DUE):
        await record_invoice(ana, seller, 1 + number / 100, due)
    await pay(ana, await record_invoice(ana, seller, 50, -1), 50)
    await record_cancelled(ana, seller, total=70, due=-1)
    await record_invoice(ana, seller, 80, -1, currency="USD")
    await record_invoice(berta, await create_vendor(berta), 90, -1)
    return seller


def due_in_days(invoices: list[Any]) -> list[int]:
    """Return the days from today to each due date."""
    return [(day().fromisoformat(one["dueDate"]) - day()).days for one in invoices]


async def test_an_empty_account_owes_nothing(ana):
    assert await ana.get(f"{PATH}/summary") == {
        "totalPending": 0,
        "totalOverdue": 0,
        "upcomingDueCount": 0,
        "monthPayments": 0,
        "monthPaymentCount": 0,
        "activeVendors": 0,
        "partialCount": 0,
    }
    aging = await ana.get(f"{PATH}/aging")
    buckets = ["current", "days30", "days60", "days90", "days120", "over120"]
    assert aging == {"buckets": dict.fromkeys(buckets, 0), "details": {name: [] for name in buckets}}
    assert await ana.get(f"{PATH}/accounts-payable") == []
    assert await ana.get(f"{PATH}/alerts") == {"dueToday": [], "dueIn7Days": [], "overdue": [], "overdue30Plus": []}


async def test_aging_goes_by_days_past_due(ana, seller_with_due_dates):
    aging = await ana.get(f"{PATH}/aging")

    assert {name: due_in_days(invoices_listed) for name, invoices_listed in aging["details"].items()} == {
        "current": [0, 1, 7, 8],
        "days30": [-30, -1],
        "days60": [-60, -31],
        "days90": [-90, -61],
        "days120": [-120, -91],
        "over120": [-121],
    }
    assert aging["buckets"] == {
        "current": 4.42,
        "days30": 2.15,
        "days60": 2.11,
        "days90": 2.07,
        "days120": 2.03,
        "over120": 1,
    }


async def test_aging_shows_invoices_as_lists_do(ana, seller_with_due_dates):
    listed = {one["id"]: one for one in await ana.get(PATH)}

    details = (await ana.get(f"{PATH}/aging"))["details"].values()

    assert all(one == listed[one["id"]] for invoices_listed in details for one in invoices_listed)


async def test_alerts_are_disjoint_and_of_any_currency(ana, seller_with_due_dates):
    alerts = await ana.get(f"{PATH}/alerts")

    assert {name: due_in_days(invoices_listed) for name, invoices_listed in alerts.items()} == {
        "dueToday": [0],
        "dueIn7Days": [1, 7],
        "overdue": [-30, -1, -1],
        "overdue30Plus": [-121, -120, -91, -90, -61, -60, -31],
    }
    assert {one["currency"] for one in alerts["overdue"]} == {"EUR", "USD"}


async def test_the_summary_separates_overdue_from_pending(ana, seller_with_due_dates):
    other = await create_vendor(ana, "Otra")
    await pay(ana, await record_invoice(ana, other, 100, -5), 40)
    await pay(ana, await record_invoice(ana, other, 10, 5), 4)

    summary = await ana.get(f"{PATH}/summary")

    assert (summary["totalPending"], summary["totalOverdue"]) == (4.42 + 6, 9.36 + 60)
    assert (summary["upcomingDueCount"], summary["activeVendors"], summary["partialCount"]) == (4, 2, 2)


async def test_a_vendor_who_is_owed_nothing_is_not_active(ana):
    seller = await create_vendor(ana)
    await pay(ana, await record_invoice(ana, seller, 10), 10)

    assert (await ana.get(f"{PATH}/summary"))["activeVendors"] == 0


async def test_the_payments_of_a_month_are_those_dated_in_it(ana):
    invoice = await record_invoice(ana, await create_vendor(ana), 100)
    first = day().replace(day=1)
    before = first.fromordinal(first.toordinal() - 1)
    await pay(ana, invoice, 1, paymentDate=f"{before}")
    await pay(ana, invoice, 2, paymentDate=f"{first}")
    await pay(ana, invoice, 4)
    await pay(ana, await record_invoice(ana, invoice["vendorId"], 100, currency="USD"), 8)

    summary = await ana.get(f"{PATH}/summary")

    assert (summary["monthPayments"], summary["monthPaymentCount"]) == (6, 2)


async def test_accounts_payable_are_by_vendor_the_largest_first(ana, seller_with_due_dates):
    settled, small = await create_vendor(ana, "Saldada"), await create_vendor(ana, "Pequeña", taxId="B12345674")
    await pay(ana, await record_invoice(ana, settled, 30, -1), 30)
    await pay(ana, await record_invoice(ana, small, 10, 20), 2.5)
    await record_cancelled(ana, await create_vendor(ana, "Anulada"))
    await record_invoice(ana, await create_vendor(ana, "De fuera"), currency="USD")

    rows = await ana.get(f"{PATH}/accounts-payable")

    assert rows == [
        {
            "vendorId": seller_with_due_dates,
            "vendorName": "Papelera del Sur",
            "vendorTaxId": None,
            "totalInvoiced": 63.78,
            "totalPaid": 50,
            "balance": 13.78,
            "invoiceCount": 14,
            "overdueCount": 9,
            "nextDue": f"{day(-121)}",
        },
        {
            "vendorId": small,
            "vendorName": "Pequeña",
            "vendorTaxId": "B12345674",
            "totalInvoiced": 10,
            "totalPaid": 2.5,
            "balance": 7.5,
            "invoiceCount": 1,
            "overdueCount": 0,
            "nextDue": f"{day(20)}",
        },
        {
            "vendorId": settled,
            "vendorName": "Saldada",
            "vendorTaxId": None,
            "totalInvoiced": 30,
            "totalPaid": 30,
            "balance": 0,
            "invoiceCount": 1,
            "overdueCount": 0,
            "nextDue": None,
        },
    ]


async def test_accounts_payable_name_the_vendor_as_its_latest_invoice_does(ana):
    seller = await create_vendor(ana)
    await record_invoice(ana, seller)
    await ana.put(f"/api/vendors/{seller}", {"name": "Papelera del Norte", "taxId": "B12345674"})
    before = await ana.get(f"{PATH}/accounts-payable")
    await record_invoice(ana, seller)

    [after] = await ana.get(f"{PATH}/accounts-payable")

    assert [(one["vendorName"], one["vendorTaxId"]) for one in before] == [("Papelera del Sur", None)]
    assert (after["vendorName"], after["vendorTaxId"]) == ("Papelera del Norte", "B12345674")


async def test_accounts_payable_come_in_pages_when_asked(ana):
    for number in range(3):
        await record_invoice(ana, await create_vendor(ana, f"Casa {number}"), 10 * (number + 1))

    page = await ana.request("GET", f"{PATH}/accounts-payable?limit=2&page=2")

    assert ([one["balance"] for one in page.json()], page.headers["x-total-count"]) == ([10], "3")

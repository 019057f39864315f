"""Many at once: payments add up to the cent, and one invoice is recorded once."""

import asyncio
from collections import Counter

import pytest

from support.office import cloned, opened
from support.payables import PATH, bill, billed, read, vendor

CROWD = 32


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords):
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords) as office:
        yield office


@pytest.fixture
async def ana(office):
    return await office.account()


def paying(api, invoice, amount: float):
    return api.request("POST", f"{PATH}/{invoice['id']}/payments", {"amount": amount, "paymentMethod": "transfer"})


async def test_payments_that_fit_are_all_taken(ana):
    made = await billed(ana, await vendor(ana), 32.32, due=-1)

    answers = await asyncio.gather(*(paying(ana, made, 1.01) for _ in range(CROWD)))

    assert Counter(answer.status_code for answer in answers) == {201: CROWD}
    whole = await ana.get(f"{PATH}/{made['id']}")
    assert (whole["paidAmount"], whole["balance"], whole["status"]) == (32.32, 0, "paid")
    left = [round(32.32 - 1.01 * number, 2) for number in range(1, CROWD + 1)]
    assert [one["balanceAfter"] for one in whole["payments"]] == left
    assert (await ana.get(f"{PATH}/summary"))["monthPayments"] == 32.32
    [row] = await ana.get(f"{PATH}/accounts-payable")
    assert (row["totalPaid"], row["balance"], row["overdueCount"]) == (32.32, 0, 0)


async def test_of_payments_that_do_not_all_fit_as_many_are_taken_as_do(ana):
    made = await billed(ana, await vendor(ana), 100)

    answers = await asyncio.gather(*(paying(ana, made, 9.5) for _ in range(CROWD)))

    assert Counter(answer.status_code for answer in answers) == {201: 10, 400: CROWD - 10}
    assert {a.json()["code"] for a in answers if a.status_code == 400} == {"PAYMENT_EXCEEDS_BALANCE"}
    assert ((await read(ana, made))["paidAmount"], len(await ana.get(f"{PATH}/{made['id']}/payments"))) == (95, 10)


async def test_payments_of_a_vendors_many_invoices_add_up(ana):
    seller = await vendor(ana)
    made = [await billed(ana, seller, 10) for _ in range(4)]

    recording = (ana.request("POST", PATH, bill(seller, 7)) for _ in range(8))
    answers = await asyncio.gather(*(paying(ana, made[n % 4], 1.25) for n in range(CROWD)), *recording)

    assert {answer.status_code for answer in answers} == {201}
    [row] = await ana.get(f"{PATH}/accounts-payable")
    assert (row["totalInvoiced"], row["totalPaid"], row["balance"], row["invoiceCount"]) == (96, 40, 56, 12)
    paid = await ana.request("GET", f"{PATH}?status=paid")
    assert ([one["balance"] for one in paid.json()], paid.headers["x-total-count"]) == ([0] * 4, "4")
    everything = await ana.request("GET", f"{PATH}/payments/all?limit=1")
    assert everything.headers["x-total-count"] == str(CROWD)


async def test_one_invoice_recorded_by_many_is_recorded_once(ana):
    seller = await vendor(ana)

    answers = await asyncio.gather(
        *(ana.request("POST", PATH, bill(seller, invoiceNumber=f"F{'-' * (n % 3)}7")) for n in range(CROWD))
    )

    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: CROWD - 1}
    assert {a.json()["code"] for a in answers if a.status_code == 409} == {"DUPLICATE_SUPPLIER_INVOICE"}
    listed = await ana.request("GET", PATH)
    assert (len(listed.json()), listed.headers["x-total-count"]) == (1, "1")
    [row] = await ana.get(f"{PATH}/accounts-payable")
    assert (row["totalInvoiced"], row["invoiceCount"]) == (121, 1)


async def test_an_invoice_is_cancelled_or_paid_but_never_both(ana):
    seller = await vendor(ana)

    for _ in range(8):
        made = await billed(ana, seller, 1)
        paid, gone = await asyncio.gather(
            paying(ana, made, 1), ana.request("PUT", f"{PATH}/{made['id']}/cancel", {"reason": "x"})
        )
        assert sorted((paid.status_code, gone.status_code)) in ([200, 400], [201, 400])
        assert (await read(ana, made))["status"] == ("paid" if paid.is_success else "cancelled")


async def test_a_number_is_never_held_twice_while_it_is_freed(ana):
    """Cancelling frees a number at the moment at which others try to take it."""
    seller = await vendor(ana)
    for number in range(4):
        made = await billed(ana, seller, 1, invoiceNumber=f"N-{number}")
        again = [ana.request("POST", PATH, bill(seller, invoiceNumber=f"N-{number}")) for _ in range(8)]
        gone, *others = await asyncio.gather(ana.request("PUT", f"{PATH}/{made['id']}/cancel", {}), *again)

        assert gone.status_code == 200
        assert Counter(one.status_code for one in others) in ({409: 8}, {201: 1, 409: 7})


async def test_a_vendor_is_deleted_or_invoices_but_never_both(ana):
    for number in range(8):
        seller = await vendor(ana, f"Casa {number}")
        made, gone = await asyncio.gather(
            ana.request("POST", PATH, bill(seller)), ana.request("DELETE", f"/api/vendors/{seller}")
        )
        assert (made.status_code, gone.status_code) in {(201, 400), (404, 200)}

"""Simultaneous requests: payments add up to the cent, and one invoice is recorded once."""

import asyncio
from collections import Counter

import pytest

from support.office import cloned, opened
from support.payables import PATH, create_vendor, invoice_input, read_invoice, record_invoice

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


async def test_payments_within_the_balance_are_all_accepted(ana):
    invoice = await record_invoice(ana, await create_vendor(ana), 32.32, due=-1)

    answers = await asyncio.gather(*(paying(ana, invoice, 1.01) for _ in range(CROWD)))

    assert Counter(answer.status_code for answer in answers) == {201: CROWD}
    paid_invoice = await ana.get(f"{PATH}/{invoice['id']}")
    assert (paid_invoice["paidAmount"], paid_invoice["balance"], paid_invoice["status"]) == (32.32, 0, "paid")
    balances = [round(32.32 - 1.01 * number, 2) for number in range(1, CROWD + 1)]
    assert [one["balanceAfter"] for one in paid_invoice["payments"]] == balances
    assert (await ana.get(f"{PATH}/summary"))["monthPayments"] == 32.32
    [row] = await ana.get(f"{PATH}/accounts-payable")
    assert (row["totalPaid"], row["balance"], row["overdueCount"]) == (32.32, 0, 0)


@pytest.mark.whole
async def test_payments_are_accepted_until_the_balance_is_used_up(ana):
    invoice = await record_invoice(ana, await create_vendor(ana), 100)

    answers = await asyncio.gather(*(paying(ana, invoice, 9.5) for _ in range(CROWD)))

    assert Counter(answer.status_code for answer in answers) == {201: 10, 400: CROWD - 10}
    assert {a.json()["code"] for a in answers if a.status_code == 400} == {"PAYMENT_EXCEEDS_BALANCE"}
    assert (
        (await read_invoice(ana, invoice))["paidAmount"],
        len(await ana.get(f"{PATH}/{invoice['id']}/payments")),
    ) == (95, 10)


@pytest.mark.whole
async def test_payments_of_a_vendors_many_invoices_add_up(ana):
    seller = await create_vendor(ana)
    invoices = [await record_invoice(ana, seller, 10) for _ in range(4)]

    recording = (ana.request("POST", PATH, invoice_input(seller, 7)) for _ in range(8))
    answers = await asyncio.gather(*(paying(ana, invoices[n % 4], 1.25) for n in range(CROWD)), *recording)

    assert {answer.status_code for answer in answers} == {201}
    [row] = await ana.get(f"{PATH}/accounts-payable")
    assert (row["totalInvoiced"], row["totalPaid"], row["balance"], row["invoiceCount"]) == (96, 40, 56, 12)
    paid = await ana.request("GET", f"{PATH}?status=paid")
    assert ([one["balance"] for one in paid.json()], paid.headers["x-total-count"]) == ([0] * 4, "4")
    everything = await ana.request("GET", f"{PATH}/payments/all?limit=1")
    assert everything.headers["x-total-count"] == str(CROWD)


@pytest.mark.whole
async def test_one_invoice_recorded_by_many_is_recorded_once(ana):
    seller = await create_vendor(ana)

    answers = await asyncio.gather(
        *(ana.request("POST", PATH, invoice_input(seller, invoiceNumber=f"F{'-' * (n % 3)}7")) for n in range(CROWD))
    )

    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: CROWD - 1}
    assert {a.json()["code"] for a in answers if a.status_code == 409} == {"DUPLICATE_SUPPLIER_INVOICE"}
    listed = await ana.request("GET", PATH)
    assert (len(listed.json()), listed.headers["x-total-count"]) == (1, "1")
    [row] = await ana.get(f"{PATH}/accounts-payable")
    assert (row["totalInvoiced"], row["invoiceCount"]) == (121, 1)


@pytest.mark.whole
async def test_an_invoice_is_cancelled_or_paid_but_never_both(ana):
    seller = await create_vendor(ana)

    for _ in range(8):
        invoice = await record_invoice(ana, seller, 1)
        payment, cancellation = await asyncio.gather(
            paying(ana, invoice, 1), ana.request("PUT", f"{PATH}/{invoice['id']}/cancel", {"reason": "x"})
        )
        assert sorted((payment.status_code, cancellation.status_code)) in ([200, 400], [201, 400])
        assert (await read_invoice(ana, invoice))["status"] == ("paid" if payment.is_success else "cancelled")


@pytest.mark.whole
async def test_a_number_freed_by_a_cancellation_is_taken_once(ana):
    """Cancelling frees a number at the moment at which others try to take it."""
    seller = await create_vendor(ana)
    for number in range(4):
        invoice = await record_invoice(ana, seller, 1, invoiceNumber=f"N-{number}")
        again = [ana.request("POST", PATH, invoice_input(seller, invoiceNumber=f"N-{number}")) for _ in range(8)]
        cancellation, *recordings = await asyncio.gather(
            ana.request("PUT", f"{PATH}/{invoice['id']}/cancel", {}), *again
        )

        assert cancellation.status_code == 200
        assert Counter(one.status_code for one in recordings) in ({409: 8}, {201: 1, 409: 7})


@pytest.mark.whole
async def test_a_vendor_is_deleted_or_invoiced_by_but_never_both(ana):
    for number in range(8):
        seller = await create_vendor(ana, f"Casa {number}")
        invoice, deletion = await asyncio.gather(
            ana.request("POST", PATH, invoice_input(seller)), ana.request("DELETE", f"/api/vendors/{seller}")
        )
        assert (invoice.status_code, deletion.status_code) in {(201, 400), (404, 200)}

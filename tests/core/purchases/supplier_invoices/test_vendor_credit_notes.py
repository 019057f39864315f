"""Credit notes of vendors: what they correct, their amounts below zero, and the money given back."""

import pytest

from support.payables import PATH, create_vendor, invoice_input, pay, read_invoice, record_invoice


@pytest.fixture
async def seller(ana) -> str:
    return await create_vendor(ana)


@pytest.fixture
async def corrected(ana, seller):
    return await record_invoice(ana, seller, 121, taxRate=21, invoiceNumber="F-1")


async def credit(ana, corrected, total: float | None = -60.5, due: int = 30, **fields):
    return await record_invoice(
        ana, corrected["vendorId"], total, due, **{"taxRate": 21, "rectifies": corrected["id"], **fields}
    )


async def test_a_credit_note_keeps_what_it_corrects_and_its_amounts(ana, corrected):
    note = await credit(ana, corrected, -51, retentionRate=19)

    names = ("rectifies", "subtotal", "taxAmount", "retentionAmount", "total", "balance", "status")
    assert [note[name] for name in names] == [corrected["id"], -50, -10.5, -9.5, -51, -51, "pending"]
    assert (corrected["rectifies"], await read_invoice(ana, note)) == (None, note)


async def test_lines_of_a_credit_note_divide_the_deduction(ana, corrected):
    items = [
        {"description": "Furgoneta", "quantity": -1, "unitPrice": 100, "deductiblePercent": 50, "investmentGood": True},
        {"description": "Papel", "unitPrice": -10.05},
    ]

    note = await credit(ana, corrected, None, items=items)

    assert (note["subtotal"], note["taxAmount"], note["total"]) == (-110.05, -23.11, -133.16)
    shares = [(row["base"], row["tax"], row["deductibleBase"], row["deductibleTax"]) for row in note["deductions"]]
    assert shares == [(-100, -21, -50, -10.5), (-10.05, -2.11, -10.05, -2.11)]
    assert note["deductibleTaxAmount"] == -12.61


async def test_a_total_below_zero_of_self_assessed_tax(ana, corrected):
    note = await credit(ana, corrected, -100, intraEu="goods")

    assert (note["taxAmount"], note["selfAssessedTax"], note["deductibleTaxAmount"]) == (0, -21, -21)


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"total": 60.5}, "total"),
        ({"total": 0}, "total"),
        ({"total": -1, "retentionAmount": 5}, "total"),
        ({"total": None, "items": [{"description": "x", "unitPrice": 5}]}, "items"),
        ({"total": -5, "rectifies": None}, "total"),
        ({"currency": "USD"}, "rectifies"),
    ],
)
async def test_amounts_of_another_sign_are_refused(ana, corrected, sent, field):
    body = invoice_input(corrected["vendorId"], -60.5, taxRate=21, rectifies=corrected["id"]) | sent

    refusal = await ana.refused(400, "POST", PATH, {name: value for name, value in body.items() if value is not None})

    assert [error["field"] for error in refusal["errors"]] == [field]


async def test_open_lists_credit_notes_that_are_not_settled_too(ana, corrected):
    notes = [await credit(ana, corrected, total) for total in (-50, -10)]
    await pay(ana, notes[1], -10)

    listed = [one["id"] for one in await ana.get(f"{PATH}?open=true")]

    assert sorted(listed) == sorted([corrected["id"], notes[0]["id"]])
    assert [one["id"] for one in await ana.get(f"{PATH}?open=false")] == [notes[1]["id"]]


async def test_only_a_counting_invoice_of_the_vendor_can_be_corrected(ana, berta, corrected):
    note = await credit(ana, corrected)
    cancelled = await record_invoice(ana, corrected["vendorId"])
    await ana.put(f"{PATH}/{cancelled['id']}/cancel", {})
    of_another_vendor = await record_invoice(ana, await create_vendor(ana, "Gráficas Norte"))
    of_berta = await record_invoice(berta, await create_vendor(berta))

    for document in (note, cancelled, of_another_vendor):
        body = invoice_input(corrected["vendorId"], -1, rectifies=document["id"])
        refusal = await ana.refused(400, "POST", PATH, body)
        assert [error["field"] for error in refusal["errors"]] == ["rectifies"]
    for unknown in (of_berta["id"], "nothing"):
        await ana.refused(404, "POST", PATH, invoice_input(corrected["vendorId"], -1, rectifies=unknown))


async def test_a_refund_below_zero_closes_a_credit_note(ana, corrected):
    note = await credit(ana, corrected)

    first = await pay(ana, note, -20.5)
    partial = await read_invoice(ana, note)
    await pay(ana, note, -40)

    assert (first["balanceAfter"], partial["balance"], partial["paidAmount"], partial["status"]) == (
        -40,
        -40,
        -20.5,
        "partial",
    )
    closed = await read_invoice(ana, note)
    assert (closed["balance"], closed["status"]) == (0, "paid")
    assert (await ana.get(f"{PATH}/summary"))["monthPayments"] == -60.5
    await ana.refused(400, "PUT", f"{PATH}/{note['id']}/cancel", {})


@pytest.mark.parametrize(
    ("amount", "code"), [(1, "PAYMENT"), (0, "PAYMENT"), (-60.51, "PAYMENT_EXCEEDS_BALANCE"), (60.5, "PAYMENT")]
)
async def test_a_refund_is_below_zero_and_at_most_the_balance(ana, corrected, amount, code):
    note = await credit(ana, corrected)

    refusal = await ana.refused(
        400, "POST", f"{PATH}/{note['id']}/payments", {"amount": amount, "paymentMethod": "transfer"}
    )

    assert [error["field"] for error in refusal["errors"]] == ["amount"]
    assert (refusal["code"] == "PAYMENT_EXCEEDS_BALANCE") == (code == "PAYMENT_EXCEEDS_BALANCE")
    assert await read_invoice(ana, note) == note


async def test_a_credit_note_lowers_what_is_owed(ana, corrected):
    await credit(ana, corrected, -60.5, due=-10)

    summary, aging = await ana.get(f"{PATH}/summary"), await ana.get(f"{PATH}/aging")
    vendor = (await ana.get(f"{PATH}/accounts-payable"))[0]
    assert (summary["totalPending"], summary["totalOverdue"], summary["activeVendors"]) == (121, -60.5, 1)
    assert (aging["buckets"]["current"], aging["buckets"]["days30"]) == (121, -60.5)
    assert (vendor["totalInvoiced"], vendor["balance"], vendor["invoiceCount"]) == (60.5, 60.5, 2)


async def test_a_credit_note_is_listed_by_its_status_and_can_be_cancelled(ana, corrected):
    note = await credit(ana, corrected, -60.5, due=-10)
    overdue = await ana.get(f"{PATH}?status=overdue")

    await ana.put(f"{PATH}/{note['id']}/cancel", {})

    assert [one["id"] for one in overdue] == [note["id"]]
    assert (await ana.get(f"{PATH}/summary"))["totalOverdue"] == 0
    assert (await ana.get(f"{PATH}/accounts-payable"))[0]["balance"] == 121
    assert [one["id"] for one in await ana.get(f"{PATH}?status=cancelled")] == [note["id"]]

"""A refund without invoiceId takes the one sale of its register that it fits, or lists those that it may be of (P8)."""

import pytest

from support.api import Api, item
from support.database import row_counts
from support.periods import YEAR
from support.tills import Till, line, movement


@pytest.fixture
async def cup(ana):
    return await ana.post(
        "/api/catalog", {"type": "product", "name": "Taza", "unitPrice": 10, "taxRate": 21, "stock": 10}
    )


async def answered(till: Till, amount: float, *lines, **fields):
    return await till.api.post(f"{till.path}/movement", movement("refund", amount, *lines, **fields))


async def listed(till: Till, amount: float, *lines) -> list[tuple[str, float]]:
    """Numbers and remaining amounts of the candidates of a refund that is refused."""
    problem = await till.refuses(movement("refund", amount, *lines))
    assert problem["code"] == "REFUND_NEEDS_INVOICE"
    assert [error["field"] for error in problem["errors"]] == ["invoiceId"]
    return [(one["number"], one["remaining"]) for one in problem["candidates"]]


# ---------------------------------------------------------------- the one that it fits


async def test_the_only_sale_is_taken_back_and_named(ana, till):
    sold = await till.sells(12.1)

    answer = await answered(till, 12.1)

    back = answer["movements"][-1]
    note = await ana.get(f"/api/invoices/{back['creditNoteId']}")
    assert (back["invoiceId"], note["rectifies"]) == (sold["invoiceId"], sold["invoiceId"])
    assert (note["total"], note["correctionReason"], note["einvoice"]["status"]) == (-12.1, "R5", "pending")
    assert answer["warnings"] == [f"This refund takes back T{YEAR}-0001, the only sale of this register that it fits."]


async def test_the_sale_is_named_in_spanish_too(till):
    await till.sells(12.1)

    answer = await till.api.request(
        "POST", f"{till.path}/movement", movement("refund", 12.1), **{"Accept-Language": "es"}
    )

    assert answer.json()["warnings"] == [
        f"Esta devolución es de T{YEAR}-0001, la única venta de esta caja con la que encaja."
    ]


async def test_a_sale_of_less_does_not_fit(till):
    await till.sells(5)
    sold = await till.sells(12.1)

    back = (await answered(till, 10))["movements"][-1]

    assert back["invoiceId"] == sold["invoiceId"]


async def test_lines_of_an_item_find_the_sale_that_still_has_as_many_out(ana, till, cup):
    two, one = {"catalogItemId": cup["id"], "quantity": 2}, {"catalogItemId": cup["id"]}
    await till.sells(50)
    await till.sells(12.1, one)
    sold = await till.sells(24.2, two)

    back = (await answered(till, 24.2, two))["movements"][-1]

    assert back["invoiceId"] == sold["invoiceId"]
    [stored] = [known for known in await ana.get("/api/catalog") if known["id"] == cup["id"]]
    assert stored["stock"] == 9


async def test_lines_without_an_item_find_the_sale_of_that_name(till):
    await till.sells(12.1, line(10, description="Gorra"))
    sold = await till.sells(12.1, line(10, description="Camiseta"))

    back = (await answered(till, 12.1, line(10, description="camiseta")))["movements"][-1]

    assert back["invoiceId"] == sold["invoiceId"]


async def test_several_refunds_of_one_sale_take_all_of_it_and_no_more(ana, till):
    await till.sells(30)

    for amount in (10, 15, 5):
        await answered(till, amount)

    assert await listed(till, 0.03) == []
    notes = [one for one in await ana.get("/api/invoices") if one["docType"] == "credit_note"]
    assert sorted(one["total"] for one in notes) == [-15, -10, -5]


# ---------------------------------------------------------------- none, or several


async def test_of_several_sales_a_person_chooses(kernel, till):
    for amount in (12.1, 12.1, 5):
        await till.sells(amount)
    before = await row_counts(kernel)

    problem = await till.refuses(movement("refund", 12.1))

    assert problem["code"] == "REFUND_NEEDS_INVOICE"
    assert [sorted(one) for one in problem["candidates"]] == [["date", "invoiceId", "number", "remaining", "total"]] * 2
    assert [one["number"] for one in problem["candidates"]] == [f"T{YEAR}-0002", f"T{YEAR}-0001"]
    assert f"T{YEAR}-0002" in problem["detail"]
    assert await row_counts(kernel) == before
    chosen = problem["candidates"][1]
    back = await till.refunds(chosen, chosen["remaining"])
    assert back["invoiceId"] == chosen["invoiceId"]


async def test_what_is_over_the_remaining_amount_lists_what_is_left(till):
    sold = await till.sells(30)
    await till.refunds(sold, 20)

    assert await listed(till, 10.03) == [(f"T{YEAR}-0001", 10)]
    assert (await answered(till, 10))["totals"]["refunds"] == 30


async def test_lines_that_no_sale_had_list_what_is_left(till, cup):
    await till.sells(30)

    assert await listed(till, 12.1, {"catalogItemId": cup["id"]}) == [(f"T{YEAR}-0001", 30)]
    assert await listed(till, 12.1, line(10, description="Gorra")) == [(f"T{YEAR}-0001", 30)]


async def test_no_more_than_ten_sales_are_listed(till):
    for _ in range(12):
        await till.sells(5)

    assert [number for number, _ in await listed(till, 5)] == [f"T{YEAR}-{ordinal:04d}" for ordinal in range(12, 2, -1)]


async def test_sales_of_another_register_are_not_guessed(ana, till):
    sold = await till.sells(12.1)
    await ana.post(f"{till.path}/close", {"closingAmount": 112.1})
    today = await Till.of(ana)

    assert await listed(today, 12.1) == []
    assert (await today.refunds(sold, 12.1))["creditNoteId"] is not None


async def test_another_accounts_sales_are_not_seen(till, berta):
    await till.sells(12.1)

    assert await listed(await Till.of(berta), 12.1) == []


async def test_an_ordinary_invoice_paid_at_the_till_is_given_back_as_far_as_it_was_paid(ana, till):
    invoice = await ana.invoice(items=[item(unitPrice=100)])
    await ana.patch(f"/api/invoices/{invoice['id']}/pay", {"amount": 1})
    await till.sells(50, invoiceId=invoice["id"])

    number = (await ana.get(f"/api/invoices/{invoice['id']}"))["number"]
    assert await listed(till, 60) == [(number, 51)]
    assert (await answered(till, 51))["movements"][-1]["invoiceId"] == invoice["id"]


async def test_with_electronic_invoicing_off_a_refund_is_money_only(client):
    eva = await Api.with_team(client, "eva@example.com", "Eva", None)
    till = await Till.of(eva)
    await till.sells(12.1)
    await till.sells(12.1)

    answer = await answered(till, 12.1)

    assert (answer["movements"][-1]["invoiceId"], answer["warnings"]) == (None, [])

"""Payments of an invoice: in full, in parts, back to the client, and what they leave in lists and figures."""

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from support.api import Api, item


@pytest.fixture
async def open_one(ana, issue):
    """An issued invoice of 1,452, of which nothing has been paid."""
    return await issue(await ana.invoice(issueDate="2026-11-01", dueDate="2036-11-01"))


async def pay(api: Api, invoice: dict[str, Any], **body: object) -> dict[str, Any]:
    return await api.patch(f"/api/invoices/{invoice['id']}/pay", body or None)


async def noted(api: Api, invoice: dict[str, Any]) -> list[tuple[Any, ...]]:
    listed = await api.get(f"/api/invoices/{invoice['id']}/payments")
    return [(one["amount"], one["method"], one["paidAt"]) for one in listed]


async def figures(api: Api) -> tuple[int, float, float]:
    [client] = await api.get("/api/clients")
    return client["invoiceCount"], client["totalInvoiced"], client["balance"]


async def totals(api: Api) -> list[str]:
    answers = [
        await api.request("GET", f"/api/invoices?status={status}&limit=1") for status in ("draft", "sent", "paid")
    ]
    return [answer.headers["x-total-count"] for answer in answers]


async def test_a_part_lowers_the_balance_and_leaves_the_invoice_open(ana, open_one):
    part = await pay(ana, open_one, amount=452, method="cash", paidAt="2026-11-20")

    assert (part["status"], part["amountPaid"], part["balance"], part["paidAt"]) == ("sent", 452, 1000, None)
    assert await noted(ana, open_one) == [(452, "cash", "2026-11-20")]
    assert await figures(ana) == (1, 1452, 1000)
    assert await totals(ana) == ["0", "1", "0"]


async def test_the_last_part_pays_the_invoice(ana, open_one):
    await pay(ana, open_one, amount=452, paidAt="2026-11-10")

    paid = await pay(ana, open_one, amount=1000, method="transfer", paidAt="2026-11-20")

    assert (paid["status"], paid["amountPaid"], paid["balance"], paid["paidAt"]) == ("paid", 1452, 0, "2026-11-20")
    assert await noted(ana, open_one) == [(452, None, "2026-11-10"), (1000, "transfer", "2026-11-20")]
    assert await figures(ana) == (1, 1452, 0)
    assert await totals(ana) == ["0", "0", "1"]


async def test_without_an_amount_the_rest_is_paid(ana, open_one):
    await pay(ana, open_one, amount=0.01, paidAt="2026-11-10")

    paid = await pay(ana, open_one, paidAt="2026-11-20")

    assert (paid["status"], paid["balance"]) == ("paid", 0)
    assert await noted(ana, open_one) == [(0.01, None, "2026-11-10"), (1451.99, None, "2026-11-20")]


async def test_a_full_payment_is_one_payment(ana):
    draft = await ana.invoice(issueDate="2026-11-01")

    await pay(ana, draft, paidAt="2026-11-20", method="card")

    assert await noted(ana, draft) == [(1452, "card", "2026-11-20")]


async def test_paying_once_more_moves_the_date_of_the_last_payment_only(ana, open_one):
    await pay(ana, open_one, amount=452, paidAt="2026-11-10", method="cash")
    await pay(ana, open_one, paidAt="2026-11-20", method="card")

    again = await pay(ana, open_one, paidAt="2026-11-18")
    renamed = await pay(ana, open_one, paidAt="2026-11-18", method="transfer")

    assert (again["paidAt"], renamed["amountPaid"]) == ("2026-11-18", 1452)
    assert await noted(ana, open_one) == [(452, "cash", "2026-11-10"), (1000, "transfer", "2026-11-18")]


async def test_a_part_of_a_draft_issues_it(ana):
    draft = await ana.invoice()

    part = await pay(ana, draft, amount=452)
    whole = await pay(ana, await ana.invoice(), amount=1452)

    assert (part["status"], part["number"][-4:], part["balance"]) == ("sent", "0001", 1000)
    assert (whole["status"], whole["number"][-4:], whole["balance"]) == ("paid", "0002", 0)
    assert await figures(ana) == (2, 2904, 1000)
    assert await totals(ana) == ["0", "1", "1"]


@pytest.mark.parametrize(("amount", "status"), [(1452, 200), (1452.01, 400), (9999999999.99, 400)])
async def test_no_more_than_the_balance_is_taken(ana, open_one, amount, status):
    answer = await ana.request("PATCH", f"/api/invoices/{open_one['id']}/pay", {"amount": amount})

    assert answer.status_code == status
    if status == 400:
        assert answer.json()["code"] == "PAYMENT_EXCEEDS_BALANCE"
        assert await ana.get(f"/api/invoices/{open_one['id']}") == open_one
        assert await noted(ana, open_one) == []


async def test_too_much_for_a_draft_leaves_it_a_draft(ana):
    draft = await ana.invoice()

    problem = await ana.refused(400, "PATCH", f"/api/invoices/{draft['id']}/pay", {"amount": 1452.01})

    assert problem["code"] == "PAYMENT_EXCEEDS_BALANCE"
    assert await ana.get(f"/api/invoices/{draft['id']}") == draft
    assert (await pay(ana, await ana.invoice()))["number"][-4:] == "0001"


async def test_a_paid_invoice_takes_no_further_amount(ana):
    paid = await pay(ana, await ana.invoice())

    problem = await ana.refused(400, "PATCH", f"/api/invoices/{paid['id']}/pay", {"amount": 0.01})

    assert problem["code"] == "PAYMENT_EXCEEDS_BALANCE"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"amount": 0}, "amount"),
        ({"amount": -1}, "amount"),
        ({"amount": 0.001}, "amount"),
        ({"amount": "5"}, "amount"),
        ({"amount": True}, "amount"),
        ({"method": "x" * 201}, "method"),
        ({"paidAt": "1999-12-31"}, "paidAt"),
    ],
)
async def test_what_is_no_payment_is_refused(ana, open_one, body, field):
    problem = await ana.refused(400, "PATCH", f"/api/invoices/{open_one['id']}/pay", body)

    assert [error["field"] for error in problem["errors"]] == [field]


DAYS = [("2026-10-31", 400), ("2026-11-01", 200), ("2026-11-22", 200), ("2026-11-23", 400)]


@pytest.mark.parametrize(("day", "status"), DAYS)
@pytest.mark.parametrize("state", ["draft", "issued", "paid"])
async def test_an_invoice_is_paid_between_its_date_and_tomorrow(ana, issue, day, status, state):
    lasting = Api(ana.client, {"x-api-key": ana.api_key}, team=ana.team)
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=True):
        invoice = await lasting.invoice(issueDate="2026-11-01")
        if state == "issued":
            await issue(invoice)
        if state == "paid":
            await pay(lasting, invoice, paidAt="2026-11-02")

        answer = await lasting.request("PATCH", f"/api/invoices/{invoice['id']}/pay", {"paidAt": day})

        assert answer.status_code == status
        if status == 400:
            assert [error["field"] for error in answer.json()["errors"]] == ["paidAt"]
            assert answer.json()["errors"][0]["translations"]["es"]["message"]
            before = {"draft": ("draft", None), "issued": ("sent", None), "paid": ("paid", "2026-11-02")}[state]
            now = await lasting.get(f"/api/invoices/{invoice['id']}")
            assert (now["status"], now["paidAt"]) == before


async def test_a_part_does_not_end_overdue(ana, issue):
    late = await issue(await ana.invoice(issueDate="2026-01-01", dueDate="2026-01-31"))

    part = await pay(ana, late, amount=452)

    assert part["status"] == "overdue"
    assert (await ana.get("/api/invoices/context"))["overdue"]["amount"] == 1000
    assert (await pay(ana, late))["status"] == "paid"


async def test_parts_are_logged_with_what_they_were(ana, open_one):
    await pay(ana, open_one, amount=452, method="cash", paidAt="2026-11-20")
    await pay(ana, open_one, amount=1000, paidAt="2026-11-20")

    feed = await ana.get("/api/invoices/activity/feed?limit=3")

    assert [entry["action"] for entry in feed] == ["paid", "payment_added", "payment_added"]
    assert feed[2]["changes"]["amount"] == {"from": None, "to": 452}
    assert feed[2]["changes"]["method"] == {"from": None, "to": "cash"}


async def test_the_same_key_pays_once(ana, open_one):
    path = f"/api/invoices/{open_one['id']}/pay"

    answers = [await ana.request("PATCH", path, {"amount": 100}, **{"Idempotency-Key": "k1"}) for _ in range(2)]

    assert [answer.json()["balance"] for answer in answers] == [1352, 1352]
    assert answers[1].headers["idempotent-replayed"] == "true"
    assert len(await noted(ana, open_one)) == 1


async def test_a_credit_note_is_paid_back_in_parts(ana):
    paid = await pay(ana, await ana.invoice())
    note = await ana.invoice(docType="credit_note", rectifies=paid["id"], items=[item(unitPrice=-1200)])

    part = await pay(ana, note, amount=452)
    await ana.refused(400, "PATCH", f"/api/invoices/{note['id']}/pay", {"amount": 1000.01})
    whole = await pay(ana, note, amount=1000)

    assert (part["status"], part["amountPaid"], part["balance"]) == ("sent", -452, -1000)
    assert (whole["status"], whole["amountPaid"], whole["balance"]) == ("paid", -1452, 0)
    assert [amount for amount, _, _ in await noted(ana, note)] == [-452, -1000]
    assert await figures(ana) == (2, 0, 0)


async def test_what_a_note_has_settled_is_not_paid_again(ana, open_one, issue):
    note = await ana.invoice(docType="credit_note", rectifies=open_one["id"], items=[item(unitPrice=-200)])
    await issue(note)

    await ana.refused(400, "PATCH", f"/api/invoices/{open_one['id']}/pay", {"amount": 1210.01})
    paid = await pay(ana, open_one)

    assert (paid["amountPaid"], paid["balance"]) == (1210, 0)
    assert [amount for amount, _, _ in await noted(ana, open_one)] == [1210]


@pytest.mark.usefixtures("unreported")
async def test_an_invoice_that_a_note_had_settled_in_part_is_open_again_without_it(ana, open_one, issue):
    note = await ana.invoice(docType="credit_note", rectifies=open_one["id"], items=[item(unitPrice=-200)])
    await issue(note)
    await pay(ana, open_one)

    await ana.delete(f"/api/invoices/{note['id']}")

    again = await ana.get(f"/api/invoices/{open_one['id']}")
    assert (again["status"], again["balance"], again["paidAt"]) == ("sent", 242, None)
    assert await totals(ana) == ["0", "1", "0"]
    assert await figures(ana) == (1, 1452, 242)
    assert (await pay(ana, open_one))["status"] == "paid"


async def test_nothing_is_noted_of_an_invoice_of_nothing(ana):
    free = await ana.invoice(items=[item(unitPrice=0)])

    paid = await pay(ana, free)

    assert (paid["status"], paid["balance"]) == ("paid", 0)
    assert await noted(ana, free) == []


@pytest.mark.usefixtures("unreported")
async def test_what_has_been_paid_in_one_currency_stays_in_it(ana, open_one):
    await pay(ana, open_one, amount=1)

    problem = await ana.refused(400, "PUT", f"/api/invoices/{open_one['id']}", {"currency": "USD"})

    assert [error["field"] for error in problem["errors"]] == ["currency"]


async def test_payments_are_paged(ana, open_one):
    for _ in range(3):
        await pay(ana, open_one, amount=1)

    answer = await ana.request("GET", f"/api/invoices/{open_one['id']}/payments?limit=2&page=2")

    assert (len(answer.json()), answer.headers["x-total-count"]) == (1, "3")

"""Profit and loss: net of VAT, by category and month, of the days on which documents count."""

import pytest

from support.api import item

EMPTY = {"income": 0, "expenses": 0, "profit": 0, "margin": None, "byCategory": []}


async def test_there_is_no_profit_without_documents(studio):
    report = await studio.report("profit-loss")

    assert {name: report[name] for name in EMPTY} == EMPTY
    assert (report["from"], report["to"], report["currency"]) == ("2026-01-01", "2026-12-31", "EUR")
    assert [one["month"] for one in report["byMonth"]] == [f"2026-{month:02d}" for month in range(1, 13)]


async def test_profit_is_income_less_expenses(studio, other):
    await studio.sold(1000, "2026-02-10")
    await studio.sold(500, "2026-11-10", retentionRate=15)
    await studio.spend(121, "2026-02-20", category="software")
    await studio.spend(242, "2026-11-01", category="rent", retentionRate=19)
    await studio.spend(60.5, "2026-11-02", category="software")
    await other.sold(7777, "2026-02-10")
    await other.spend(777, "2026-02-10")

    report = await studio.report("profit-loss")

    assert (report["income"], report["expenses"], report["profit"], report["margin"]) == (1500, 350, 1150, 76.67)
    assert report["byCategory"] == [{"category": "rent", "amount": 200}, {"category": "software", "amount": 150}]
    months = {one["month"]: (one["income"], one["expenses"], one["profit"]) for one in report["byMonth"]}
    assert (months["2026-02"], months["2026-11"], months["2026-03"]) == ((1000, 100, 900), (500, 250, 250), (0, 0, 0))


async def test_vat_that_may_not_be_deducted_is_a_cost(studio):
    await studio.spend(121, "2026-11-01", deductiblePercent=50)
    await studio.spend(121, "2026-11-01", deductible=False)
    await studio.spend(100, "2026-11-01", reverseCharge=True, deductiblePercent=0)
    await studio.spend(100, "2026-11-01", intraEu="services")

    report = await studio.report("profit-loss")

    assert report["expenses"] == 110.5 + 121 + 121 + 100


async def test_documents_count_on_their_own_days(studio):
    await studio.sold(100, "2026-03-31", operationDate="2026-02-28")
    await studio.spend(121, "2026-02-28", receptionDate="2026-03-01")

    months = {one["month"]: (one["income"], one["expenses"]) for one in (await studio.report("profit-loss"))["byMonth"]}

    assert (months["2026-02"], months["2026-03"]) == ((100, 0), (0, 100))


async def test_a_credit_note_counts_on_the_day_of_its_issue(studio):
    sold = await studio.sold(1000, "2026-02-10", paid_at="2026-02-10")
    note = {"docType": "credit_note", "rectifies": sold["id"], "operationDate": "2026-02-10"}
    await studio.sold(0, "2026-05-10", paid_at="2026-05-10", items=[item(unitPrice=-300)], **note)

    report = await studio.report("profit-loss")

    months = {one["month"]: one["income"] for one in report["byMonth"]}
    assert (report["income"], months["2026-02"], months["2026-05"]) == (700, 1000, -300)


@pytest.mark.parametrize(
    ("query", "span"),
    [
        ({}, ("2026-01-01", "2026-12-31")),
        ({"from": "2026-11-01"}, ("2026-11-01", "2026-12-31")),
        ({"from": "2024-06-01"}, ("2024-06-01", "2026-12-31")),
        ({"from": "2027-06-01"}, ("2027-06-01", "2027-12-31")),
        ({"to": "2024-03-31"}, ("2024-01-01", "2024-03-31")),
        ({"from": "2026-11-21", "to": "2026-11-21"}, ("2026-11-21", "2026-11-21")),
    ],
)
async def test_what_is_not_said_of_the_days_is_the_year(studio, query, span):
    report = await studio.report("profit-loss", **query)

    assert (report["from"], report["to"]) == span


@pytest.mark.parametrize("name", ["profit-loss", "income-summary"])
async def test_the_end_may_not_lie_before_the_beginning(studio, name):
    problem = await studio.refused(400, "GET", f"/api/expenses/{name}?from=2026-02-01&to=2026-01-31")

    assert [error["field"] for error in problem["errors"]] == ["to"]


async def test_both_edges_are_within(studio):
    for day in ("2026-10-31", "2026-11-01", "2026-11-15", "2026-11-16"):
        await studio.sold(100, day)
        await studio.spend(12.1, day)

    report = await studio.report("profit-loss", **{"from": "2026-11-01", "to": "2026-11-15"})

    assert (report["income"], report["expenses"]) == (200, 20)


@pytest.mark.usefixtures("unreported")
async def test_drafts_voided_and_foreign_invoices_and_hidden_expenses_are_out(studio):
    await studio.sell(1, "2026-11-01")
    await studio.sold(10, "2026-11-01", currency="USD")
    voided = await studio.sold(100, "2026-11-01")
    await studio.sold(1000, "2026-11-01")
    hidden = await studio.spend(121, "2026-11-01")
    await studio.delete(f"/api/invoices/{voided['id']}")
    await studio.delete(f"/api/expenses/{hidden['id']}")

    before = await studio.report("profit-loss")
    await studio.post(f"/api/invoices/{voided['id']}/restore")
    after = await studio.report("profit-loss")

    assert (before["income"], after["income"], after["expenses"]) == (1000, 1100, 0)


async def test_expenses_in_other_currencies_count_in_ones_own(studio):
    await studio.spend(121, "2026-11-01", currency="USD", exchangeRate=0.9)

    report = await studio.report("profit-loss")

    assert report["expenses"] == 90

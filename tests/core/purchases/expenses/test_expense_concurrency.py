"""Simultaneous purchases: nothing is lost, nothing is refused by accident, and what is shown was committed."""

import asyncio
from collections import Counter

import pytest

from support.api import Api

pytestmark = pytest.mark.whole

WRITERS = 32
EXPENSE = {"description": "Tóner", "amount": 12.1, "taxRate": 21, "date": "2026-11-02"}
SOL = {"name": "Papelería Sol", "taxId": "B29805314"}


@pytest.fixture
async def ana(live) -> Api:
    return await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")


async def answers_to_all(requests) -> list[tuple[int, dict]]:
    return [(answer.status_code, answer.json()) for answer in await asyncio.gather(*requests)]


@pytest.mark.parametrize("sent", [SOL, {"name": "Papelería Sol"}])
async def test_of_many_who_store_one_vendor_one_does(ana, sent):
    answers = await answers_to_all(ana.request("POST", "/api/vendors", sent) for _ in range(WRITERS))

    assert Counter(status for status, _ in answers) == {201: 1, 409: WRITERS - 1}
    listed = await ana.request("GET", "/api/vendors")
    assert (len(listed.json()), listed.headers["x-total-count"]) == (1, "1")


async def test_of_many_who_become_one_vendor_one_does(ana):
    vendors = [await ana.post("/api/vendors", {"name": f"Sol {number}"}) for number in range(8)]

    answers = await answers_to_all(
        ana.request("PUT", f"/api/vendors/{one['id']}", {"taxId": "B29805314"}) for one in vendors
    )

    assert Counter(status for status, _ in answers) == {200: 1, 400: 7}


async def test_many_expenses_of_one_unknown_vendor_store_it_once(ana):
    sent = {**EXPENSE, "vendor": SOL["name"], "vendorTaxId": SOL["taxId"]}

    answers = await answers_to_all(ana.request("POST", "/api/expenses", sent) for _ in range(WRITERS))

    assert Counter(status for status, _ in answers) == {201: WRITERS}
    [vendor] = await ana.get("/api/vendors")
    assert {expense["vendorId"] for _, expense in answers} == {vendor["id"]}
    summary = (await ana.get(f"/api/vendors/{vendor['id']}"))["summary"]
    assert (summary["expenseCount"], summary["totalSpent"]) == (WRITERS, 387.2)
    assert await ana.get("/api/expenses/vendors") == [{"name": SOL["name"], "count": WRITERS, "lastCategory": "other"}]
    listed = await ana.request("GET", f"/api/vendors/{vendor['id']}/expenses?limit=100")
    assert (len(listed.json()), listed.headers["x-total-count"]) == (WRITERS, str(WRITERS))


async def test_expenses_that_change_vendor_crosswise_lose_no_count(ana):
    names = ("Luna", "Sol")
    expenses = [await ana.post("/api/expenses", {**EXPENSE, "vendor": names[n % 2]}) for n in range(WRITERS)]

    changes = [
        ana.request("PUT", f"/api/expenses/{one['id']}", {"vendor": names[(n + 1) % 2]})
        for n, one in enumerate(expenses)
    ]
    deletions = [ana.request("DELETE", f"/api/expenses/{one['id']}") for one in expenses[:4]]
    answers = await answers_to_all([*changes, *deletions])

    assert {status for status, _ in answers} <= {200, 404}
    counted = {one["name"]: one["count"] for one in await ana.get("/api/expenses/vendors")}
    listed = Counter(one["vendor"] for one in await ana.get("/api/expenses?limit=100"))
    assert counted == listed
    assert sum(counted.values()) == WRITERS - 4


async def test_a_vendor_is_deleted_or_bought_from_but_never_both(ana):
    outcomes = set()
    for number in range(6):
        vendor = await ana.post("/api/vendors", {"name": f"Sol {number}"})
        buying = [ana.request("POST", "/api/expenses", {**EXPENSE, "vendorId": vendor["id"]}) for _ in range(3)]
        deletion, *purchases = await answers_to_all([ana.request("DELETE", f"/api/vendors/{vendor['id']}"), *buying])

        listed = await ana.request("GET", f"/api/vendors/{vendor['id']}/expenses")
        recorded = [status for status, _ in purchases].count(201)
        outcomes.add((deletion[0], recorded > 0))
        assert {status for status, _ in purchases} <= {201, 404}
        assert (listed.status_code, len(listed.json()) if listed.is_success else 0) == (
            (404, 0) if deletion[0] == 200 else (200, recorded)
        )

    assert outcomes <= {(200, False), (400, True)}

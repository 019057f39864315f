"""Amounts of an expense: net, VAT, retention, and each in the account's currency."""

import pytest

WHOLE = {"description": "Licencia", "date": "2026-11-02"}

CASES = [
    ("no rate", {"amount": 100}, (100, 0, 0, 100, 0, 0)),
    ("general rate", {"amount": 121, "taxRate": 21}, (100, 21, 0, 100, 21, 21)),
    ("half a cent", {"amount": 0.11, "taxRate": 10}, (0.1, 0.01, 0, 0.1, 0.01, 0.01)),
    ("a third", {"amount": 10, "taxRate": 21}, (8.26, 1.74, 0, 8.26, 1.74, 1.74)),
    ("nothing", {"amount": 0, "taxRate": 21}, (0, 0, 0, 0, 0, 0)),
    ("retention of the net", {"amount": 121, "taxRate": 21, "retentionRate": 15}, (100, 21, 15, 100, 21, 21)),
    ("half deductible", {"amount": 121, "taxRate": 21, "deductiblePercent": 50}, (100, 21, 0, 100, 21, 10.5)),
    ("not deductible", {"amount": 121, "taxRate": 21, "deductible": False}, (100, 21, 0, 100, 21, 0)),
    ("reverse charge", {"amount": 100, "taxRate": 21, "reverseCharge": True}, (100, 21, 0, 100, 21, 21)),
    ("from the EU", {"amount": 100, "taxRate": 21, "intraEu": "services"}, (100, 21, 0, 100, 21, 21)),
    ("a cent as printed", {"amount": 10, "taxRate": 21, "taxAmount": 1.73}, (8.27, 1.73, 0, 8.27, 1.73, 1.73)),
    (
        "another currency",
        {"amount": 10, "taxRate": 21, "currency": "USD", "exchangeRate": 0.9},
        (8.26, 1.74, 0, 7.43, 1.57, 1.57),
    ),
    (
        "money back",
        {"amount": -121, "taxRate": 21, "retentionRate": 15, "docType": "credit_note"},
        (-100, -21, -15, -100, -21, -21),
    ),
]
SHOWN = ("netAmount", "taxAmount", "retentionAmount", "baseAmount", "baseTaxAmount", "deductibleTaxAmount")


@pytest.mark.parametrize(("case", "sent", "expected"), CASES, ids=lambda value: value if type(value) is str else "")
async def test_amounts_follow_from_the_gross_and_the_rates(ana, case, sent, expected):
    expense = await ana.post("/api/expenses", {**WHOLE, **sent})

    assert tuple(expense[name] for name in SHOWN) == expected, case
    assert expense["amount"] == sent["amount"]
    assert await ana.get(f"/api/expenses/{expense['id']}") == expense


@pytest.mark.parametrize(("printed", "status"), [(1.71, 400), (1.72, 201), (1.76, 201), (1.77, 400)])
async def test_vat_as_printed_may_differ_by_two_cents(ana, printed, status):
    answer = await ana.request("POST", "/api/expenses", {**WHOLE, "amount": 10, "taxRate": 21, "taxAmount": printed})

    assert answer.status_code == status, answer.text


async def test_without_a_rate_there_is_no_vat(ana):
    problem = await ana.refused(400, "POST", "/api/expenses", {**WHOLE, "amount": 10, "taxAmount": 0.01})

    assert problem["errors"][0]["field"] == "taxAmount"


RETENTIONS = [
    ({"retentionAmount": 15}, (15, 15)),
    ({"retentionAmount": 14.99}, (14.99, 14.99)),
    ({"retentionAmount": 7.01}, (7.01, 7.01)),
    ({"retentionAmount": 33.33, "amount": 120.99}, (33.333, 33.33)),
    ({"retentionAmount": 0}, (0, 0)),
    ({"retentionAmount": 100}, (100, 100)),
    ({"retentionAmount": None}, (0, 0)),
    ({"retentionAmount": 15, "retentionRate": None}, (15, 15)),
    ({"retentionRate": 15, "retentionAmount": 15}, (15, 15)),
    ({"retentionRate": 33.333, "retentionAmount": 33.33, "amount": 120.99}, (33.333, 33.33)),
    ({"retentionAmount": -15, "amount": -121, "docType": "credit_note"}, (15, -15)),
    ({"retentionAmount": 20, "amount": 100, "reverseCharge": True}, (20, 20)),
]


@pytest.mark.parametrize(("retention", "expected"), RETENTIONS)
async def test_a_retention_is_given_by_its_rate_or_by_its_amount(ana, retention, expected):
    expense = await ana.post("/api/expenses", {**WHOLE, "amount": 121, "taxRate": 21, **retention})

    assert (expense["retentionRate"], expense["retentionAmount"]) == expected
    assert expense["baseRetentionAmount"] == expected[1]


@pytest.mark.parametrize(
    "retention",
    [
        {"retentionRate": 15, "retentionAmount": 15.01},
        {"retentionRate": 0, "retentionAmount": 15},
        {"retentionRate": 15, "retentionAmount": 0},
        {"retentionAmount": 100.01},
        {"retentionAmount": -0.01},
        {"retentionAmount": 0.01, "amount": 0},
        {"retentionAmount": 15, "amount": -121, "docType": "credit_note"},
    ],
)
async def test_a_retention_that_cannot_be_is_refused(ana, retention):
    problem = await ana.refused(400, "POST", "/api/expenses", {**WHOLE, "amount": 121, "taxRate": 21, **retention})

    assert [error["field"] for error in problem["errors"]] == ["retentionAmount"]
    assert problem["remedy"]


async def test_a_retention_sent_back_as_it_was_read_follows_the_change(ana):
    expense = await ana.post("/api/expenses", {**WHOLE, "amount": 121, "taxRate": 21, "retentionRate": 15})

    more = await ana.put(f"/api/expenses/{expense['id']}", {**expense, "amount": 242})

    assert (more["netAmount"], more["retentionAmount"]) == (200, 30)


CHANGED = [
    ({"notes": "x"}, (14.99, 14.99)),
    ({"retentionAmount": 20}, (20, 20)),
    ({"retentionAmount": 0}, (0, 0)),
    ({"retentionRate": 19}, (19, 19)),
    ({"amount": 242}, (14.99, 29.98)),
    ({"taxAmount": 20.99}, (14.99, 14.99)),
]


@pytest.mark.parametrize(("change", "expected"), CHANGED)
@pytest.mark.parametrize("sent_back_whole", [False, True])
async def test_a_retention_amount_given_alone_holds_until_the_net_changes(ana, sent_back_whole, change, expected):
    expense = await ana.post("/api/expenses", {**WHOLE, "amount": 121, "taxRate": 21, "retentionAmount": 14.99})

    changed = await ana.put(f"/api/expenses/{expense['id']}", {**(expense if sent_back_whole else {}), **change})

    assert (changed["retentionRate"], changed["retentionAmount"]) == expected


async def test_a_retention_whose_rate_would_be_rounded_away_is_kept_to_the_cent(ana):
    sent = {**WHOLE, "amount": 9999999999, "retentionAmount": 0.07}
    expense = await ana.post("/api/expenses", sent)

    same = await ana.put(f"/api/expenses/{expense['id']}", {**expense, "notes": "x"})
    copied = await ana.post("/api/expenses", {**sent, "retentionRate": expense["retentionRate"]})

    assert [(one["retentionRate"], one["retentionAmount"]) for one in (expense, same, copied)] == [(0, 0.07)] * 3


async def test_a_changed_retention_must_agree_too(ana):
    expense = await ana.post("/api/expenses", {**WHOLE, "amount": 121, "taxRate": 21})
    retention = {"retentionRate": 15, "retentionAmount": 20}

    problem = await ana.refused(400, "PUT", f"/api/expenses/{expense['id']}", retention)

    assert problem["errors"][0]["field"] == "retentionAmount"


CURRENCIES = [
    ({"currency": "USD"}, "exchangeRate"),
    ({"currency": "EUR", "exchangeRate": 1.1}, "exchangeRate"),
    ({"currency": "USD", "exchangeRate": 0}, "exchangeRate"),
    ({"currency": "USD", "exchangeRate": 1000000}, "exchangeRate"),
    ({"currency": "USD", "exchangeRate": 999999, "amount": 9999999999.99}, "amount"),
    ({"exchangeRate": 1}, None),
    ({"currency": "usd", "exchangeRate": 0.00000001}, None),
    ({"currency": "USD", "exchangeRate": 999999.99999999}, None),
]


@pytest.mark.parametrize(("sent", "field"), CURRENCIES)
async def test_another_currency_needs_its_rate(ana, sent, field):
    answer = await ana.request("POST", "/api/expenses", {**WHOLE, "amount": 10, **sent})

    assert (answer.status_code, field) in {(201, None), (400, field)}, answer.text
    assert field is None or answer.json()["errors"][0]["field"] == field


async def test_an_expense_in_another_currency_needs_a_rate_of_its_own(ana):
    made = await ana.post(
        "/api/expenses", {**WHOLE, "amount": 10, "taxRate": 21, "currency": "USD", "exchangeRate": 0.9}
    )

    kept = await ana.put(f"/api/expenses/{made['id']}", {"currency": "USD", "amount": 20})
    problem = await ana.refused(400, "PUT", f"/api/expenses/{made['id']}", {"currency": "GBP"})

    assert kept["exchangeRate"] == 0.9
    assert [error["field"] for error in problem["errors"]] == ["exchangeRate"]


SIGNS = [("invoice", -0.01, 400), ("invoice", 0, 201), ("credit_note", 0, 201), ("credit_note", 0.01, 400)]


@pytest.mark.parametrize(("kind", "amount", "status"), SIGNS)
async def test_only_a_credit_note_gives_money_back(ana, kind, amount, status):
    answer = await ana.request("POST", "/api/expenses", {**WHOLE, "amount": amount, "docType": kind})

    assert answer.status_code == status, answer.text

"""Expenses: their defaults, their vendor, their days, and who may change them (interface decisions D)."""

import pytest

from support.api import Api
from support.database import set_role

EXPENSE = {"description": "Licencia", "amount": 121, "taxRate": 21, "date": "2026-11-02"}
SOL = {"name": "Papelería Sol, S.L.", "taxId": "B29805314"}


async def test_three_fields_are_enough(ana):
    expense = await ana.post("/api/expenses", {"description": "Café", "amount": 2.5, "date": "2026-11-02"})

    expected = {
        "description": "Café",
        "docType": "invoice",
        "category": "other",
        "vendor": None,
        "vendorId": None,
        "amount": 2.5,
        "netAmount": 2.5,
        "taxRate": 0,
        "taxAmount": 0,
        "currency": "EUR",
        "exchangeRate": 1,
        "deductible": True,
        "deductiblePercent": 100,
        "incomeTaxPercent": 100,
        "date": "2026-11-02",
        "operationDate": None,
        "receptionDate": "2026-11-02",
        "deductionDate": "2026-11-02",
        "reverseCharge": False,
        "intraEu": "none",
        "investmentGood": False,
        "paidAt": "2026-11-02",
        "status": "paid",
        "source": "manual",
        "channel": "api",
    }
    assert {name: expense[name] for name in expected} == expected
    assert expense["createdBy"] == (await ana.get("/auth/me"))["user"]["id"]


async def test_a_deleted_expense_is_hidden(ana):
    expense = await ana.post("/api/expenses", EXPENSE)

    answer = await ana.delete(f"/api/expenses/{expense['id']}")

    assert answer == {"ok": True}
    assert await ana.get("/api/expenses") == []
    for method in ("GET", "PUT", "DELETE"):
        await ana.refused(404, method, f"/api/expenses/{expense['id']}", {} if method == "PUT" else None)


async def test_absent_fields_keep_their_value_and_null_clears_optional_ones(ana):
    full = {"notes": "x", "invoiceNumber": "7", "category": "office", "paymentMethod": "card", "retentionRate": 15}
    expense = await ana.post("/api/expenses", {**EXPENSE, **full})

    changed = await ana.put(f"/api/expenses/{expense['id']}", {"notes": None, "category": None, "taxRate": None})

    assert changed | {"notes": "x", "updatedAt": expense["updatedAt"]} == expense
    assert changed["notes"] is None


async def test_amounts_are_computed_again(ana):
    expense = await ana.post("/api/expenses", {**EXPENSE, "taxAmount": 20.99, "retentionRate": 15})
    path = f"/api/expenses/{expense['id']}"

    same = await ana.put(path, {"notes": "x"})
    more = await ana.put(path, {"amount": 242})
    less = await ana.put(path, {"taxRate": 10})

    assert [(one["netAmount"], one["taxAmount"], one["retentionAmount"]) for one in (expense, same, more, less)] == [
        (100.01, 20.99, 15),
        (100.01, 20.99, 15),
        (200, 42, 30),
        (220, 22, 33),
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"amount": 242}, {"netAmount": 200, "taxAmount": 42}),
        (
            {"date": "2026-11-10"},
            {"receptionDate": "2026-11-10", "deductionDate": "2026-11-10", "paidAt": "2026-11-10"},
        ),
        ({"vendor": "Otra"}, {"vendorId": None, "vendorTaxId": None}),
        ({"status": "pending"}, {"paidAt": None}),
        ({"paidAt": None}, {"status": "pending"}),
        ({"paidAt": "2026-12-01"}, {"status": "paid", "paidAt": "2026-12-01"}),
    ],
)
async def test_an_expense_may_be_sent_back_whole_with_one_field_changed(ana, change, expected):
    expense = await ana.post("/api/expenses", {**EXPENSE, "vendor": SOL["name"], "vendorTaxId": SOL["taxId"]})

    changed = await ana.put(f"/api/expenses/{expense['id']}", {**expense, **change})

    assert {name: changed[name] for name in expected} == expected


async def test_an_expense_sent_back_as_it_was_stays_as_it_was(ana):
    expense = await ana.post("/api/expenses", {**EXPENSE, "vendor": SOL["name"], "vendorTaxId": SOL["taxId"]})

    same = await ana.put(f"/api/expenses/{expense['id']}", expense)

    assert same | {"updatedAt": expense["updatedAt"]} == expense


async def test_changes_of_expenses_are_logged(ana):
    expense = await ana.post("/api/expenses", EXPENSE)
    await ana.put(f"/api/expenses/{expense['id']}", {"category": "office"})
    await ana.delete(f"/api/expenses/{expense['id']}")

    entries = [one for one in await ana.get("/api/invoices/activity/feed") if one["entityType"] == "expense"]

    assert [one["action"] for one in entries] == ["deleted", "updated", "created"]
    assert entries[1]["changes"] == {"category": {"from": "other", "to": "office"}}


# ---------------------------------------------------------------- days


DAYS = [
    ({"receptionDate": "2026-11-01"}, "receptionDate"),
    ({"receptionDate": "2026-11-02"}, None),
    ({"receptionDate": "2026-11-05", "deductionDate": "2026-11-04"}, "deductionDate"),
    ({"receptionDate": "2026-11-05", "deductionDate": "2027-01-01"}, None),
    ({"status": "pending", "paidAt": "2026-11-02"}, "paidAt"),
    ({"operationDate": "2026-10-31"}, None),
]


@pytest.mark.parametrize(("sent", "field"), DAYS)
async def test_days_follow_one_another(ana, sent, field):
    answer = await ana.request("POST", "/api/expenses", {**EXPENSE, **sent})

    assert answer.status_code == (400 if field else 201), answer.text
    assert field is None or answer.json()["errors"][0]["field"] == field


async def test_days_of_their_own_stay_when_the_date_moves(ana):
    expense = await ana.post("/api/expenses", {**EXPENSE, "receptionDate": "2026-11-05", "paidAt": "2026-11-06"})
    path = f"/api/expenses/{expense['id']}"

    moved = await ana.put(path, {"date": "2026-11-04"})
    problem = await ana.refused(400, "PUT", path, {"date": "2026-11-06"})

    assert (moved["receptionDate"], moved["deductionDate"], moved["paidAt"]) == (
        "2026-11-05",
        "2026-11-05",
        "2026-11-06",
    )
    assert problem["errors"][0]["field"] == "receptionDate"


async def test_marking_as_paid_sets_today_as_the_day_of_payment(ana):
    expense = await ana.post("/api/expenses", {**EXPENSE, "date": "2020-01-01", "status": "pending"})

    paid = await ana.put(f"/api/expenses/{expense['id']}", {"status": "paid"})

    assert (expense["paidAt"], expense["status"], paid["status"]) == (None, "pending", "paid")
    assert paid["paidAt"] > "2026-01-01"


# ---------------------------------------------------------------- vendor


async def vendor_names(api) -> list[str]:
    return [one["name"] for one in await api.get("/api/vendors")]


@pytest.mark.parametrize("sent", [{"vendor": "PAPELERIA SOL, S.L."}, {"vendorTaxId": "es-b29805314"}])
async def test_a_known_vendor_is_linked_by_name_or_tax_id(ana, sent):
    sol = await ana.post("/api/vendors", {**SOL, "defaultCategory": "office", "defaultTaxRate": 10})

    expense = await ana.post("/api/expenses", {"description": "x", "amount": 110, "date": "2026-11-02", **sent})

    assert (expense["vendorId"], expense["vendorTaxId"], expense["vendorCountry"]) == (sol["id"], SOL["taxId"], "ES")
    assert (expense["category"], expense["taxRate"], expense["netAmount"]) == ("office", 10, 100)
    assert expense["vendor"] == sent.get("vendor", SOL["name"])


async def test_an_unknown_vendor_is_stored_only_with_a_tax_id(ana):
    with_id = await ana.post("/api/expenses", {**EXPENSE, "vendor": SOL["name"], "vendorTaxId": SOL["taxId"]})
    without = await ana.post("/api/expenses", {**EXPENSE, "vendor": "Bar Luna"})

    [stored] = await ana.get("/api/vendors")

    assert (stored["id"], stored["taxId"], stored["country"]) == (with_id["vendorId"], SOL["taxId"], "ES")
    assert (without["vendor"], without["vendorId"]) == ("Bar Luna", None)


async def test_another_tax_id_is_another_vendor_of_that_name(ana):
    await ana.post("/api/vendors", SOL)

    expense = await ana.post("/api/expenses", {**EXPENSE, "vendor": SOL["name"], "vendorTaxId": "B12345674"})

    assert expense["vendorTaxId"] == "B12345674"
    assert await vendor_names(ana) == [SOL["name"], SOL["name"]]


async def test_a_vendor_known_without_a_tax_id_is_linked_by_its_name(ana):
    vendor = await ana.post("/api/vendors", {"name": SOL["name"]})

    expense = await ana.post("/api/expenses", {**EXPENSE, "vendor": SOL["name"], "vendorTaxId": SOL["taxId"]})

    assert (expense["vendorId"], expense["vendorTaxId"]) == (vendor["id"], SOL["taxId"])


async def test_a_wrong_tax_id_of_ones_own_country_is_refused_and_a_foreign_one_kept(ana):
    problem = await ana.refused(400, "POST", "/api/expenses", {**EXPENSE, "vendor": "x", "vendorTaxId": "DE811569869"})
    foreign = {"vendor": "Hetzner", "vendorTaxId": "de 811569869", "vendorCountry": "DE", "intraEu": "services"}

    expense = await ana.post("/api/expenses", {**EXPENSE, **foreign})
    again = await ana.post("/api/expenses", {**EXPENSE, "vendorTaxId": "DE811569869", "vendorCountry": "DE"})

    assert (problem["code"], problem["errors"][0]["field"]) == ("TAX_ID_INVALID", "vendorTaxId")
    assert (expense["vendorTaxId"], expense["vendorCountry"]) == ("DE811569869", "DE")
    assert again["vendorId"] == expense["vendorId"]


async def test_another_name_is_another_vendor_and_null_is_none(ana):
    expense = await ana.post("/api/expenses", {**EXPENSE, "vendor": SOL["name"], "vendorTaxId": SOL["taxId"]})
    path = f"/api/expenses/{expense['id']}"

    unlinked = await ana.put(path, {"vendorId": None})
    renamed = await ana.put(path, {"vendor": "Luna"})
    linked = await ana.put(path, {"vendorTaxId": SOL["taxId"]})
    nobody = await ana.put(path, {"vendor": None})

    vendors_named = [
        (one["vendor"], one["vendorId"], one["vendorTaxId"]) for one in (unlinked, renamed, linked, nobody)
    ]
    assert vendors_named == [
        (SOL["name"], None, SOL["taxId"]),
        ("Luna", None, None),
        ("Luna", expense["vendorId"], SOL["taxId"]),
        (None, None, None),
    ]


async def test_expenses_keep_the_vendor_as_it_was(ana):
    expense = await ana.post("/api/expenses", {**EXPENSE, "vendor": SOL["name"], "vendorTaxId": SOL["taxId"]})

    await ana.put(f"/api/vendors/{expense['vendorId']}", {"name": "Nombre Nuevo"})

    assert await ana.get(f"/api/expenses/{expense['id']}") == expense


# ---------------------------------------------------------------- roles


@pytest.fixture
async def rosa(kernel, ana, client) -> Api:
    """A member of ana's team."""
    api = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    return api


async def test_a_member_changes_expenses_of_their_own_only(ana, rosa):
    her_expense, owner_expense = await rosa.post("/api/expenses", EXPENSE), await ana.post("/api/expenses", EXPENSE)

    changed = await rosa.put(f"/api/expenses/{her_expense['id']}", {"notes": "mía"})
    problem = await rosa.refused(403, "PUT", f"/api/expenses/{owner_expense['id']}", {"notes": "mía"})

    assert changed["notes"] == "mía"
    assert problem["requiredRoles"] == ["owner", "admin", "finance", "operations"]
    assert await ana.get(f"/api/expenses/{owner_expense['id']}") == owner_expense


async def test_a_members_expense_links_known_vendors_and_stores_none(ana, rosa):
    vendor = await ana.post("/api/vendors", SOL)
    named = {**EXPENSE, "vendor": "Imprenta", "vendorTaxId": "B12345674"}

    linked = await rosa.post("/api/expenses", {**EXPENSE, "vendor": SOL["name"]})
    free = await rosa.post("/api/expenses", named)

    assert linked["vendorId"] == vendor["id"]
    assert (free["vendor"], free["vendorId"], free["vendorTaxId"]) == ("Imprenta", None, "B12345674")
    assert await vendor_names(ana) == [SOL["name"]]

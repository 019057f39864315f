"""Vendors: search, duplicates, deletion, and the summary of their expenses (interface decisions J)."""

import pytest

VENDOR = {"name": "Papelería Sol, S.L.", "taxId": "B29805314", "email": "pedidos@sol.example"}


def bought(**fields):
    return {"description": "Tóner", "amount": 121, "taxRate": 21, "date": "2026-11-02", **fields}


async def names(api, query: str = "") -> list[str]:
    return [one["name"] for one in await api.get(f"/api/vendors{query}")]


async def test_vendors_are_listed_by_name_and_found_by_name_tax_id_and_email(ana):
    await ana.post("/api/vendors", VENDOR)
    await ana.post("/api/vendors", {"name": "árbol"})
    await ana.post("/api/vendors", {"name": "Zumos"})

    assert await names(ana) == ["árbol", "Papelería Sol, S.L.", "Zumos"]
    assert await names(ana, "?search=ARBOL") == ["árbol"]
    assert await names(ana, "?search=b298") == ["Papelería Sol, S.L."]
    assert await names(ana, "?search=%25") == []


async def test_a_page_holds_fifty(ana):
    for number in range(51):
        await ana.post("/api/vendors", {"name": f"Proveedor {number:02d}"})

    first = await ana.request("GET", "/api/vendors")
    second = await ana.request("GET", "/api/vendors?page=2")
    matching = await ana.request("GET", "/api/vendors?search=proveedor&limit=2")

    assert [len(first.json()), len(second.json()), len(matching.json())] == [50, 1, 2]
    assert [one.headers["x-total-count"] for one in (first, second, matching)] == ["51", "51", "51"]


async def test_a_list_shows_the_same_fields_as_a_single_vendor(ana):
    vendor = await ana.post("/api/vendors", {**VENDOR, "defaultTaxRate": 21, "paymentTermDays": 30})

    shown = await ana.get(f"/api/vendors/{vendor['id']}")

    assert await ana.get("/api/vendors") == [vendor]
    assert {**vendor, "summary": shown["summary"]} == shown


SAME = [
    ("the tax id in another spelling", VENDOR, {"name": "Otra", "taxId": "b-29805314"}),
    ("the tax id with its prefix", VENDOR, {"name": "Otra", "taxId": "ES B29805314"}),
    (
        "a foreign tax id",
        {"name": "A", "country": "US", "taxId": "12-3456"},
        {"name": "B", "country": "US", "taxId": "123456"},
    ),
    ("the name", {"name": "Peña y Cía"}, {"name": "  PENA Y CIA "}),
]


@pytest.mark.parametrize(("case", "first", "second"), SAME, ids=lambda value: value if type(value) is str else "")
async def test_the_same_vendor_twice_is_a_conflict(ana, berta, case, first, second):
    await ana.post("/api/vendors", first)

    problem = await ana.refused(409, "POST", "/api/vendors", second)

    assert problem["code"] == "VENDOR_EXISTS", case
    assert len(await names(ana)) == 1
    await berta.post("/api/vendors", second)


DIFFERENT = [
    ("one has a tax id", {"name": "Sol"}, {"name": "Sol", "taxId": "B29805314"}),
    ("two tax ids", {"name": "Sol", "taxId": "B29805314"}, {"name": "Sol", "taxId": "B12345674"}),
]


@pytest.mark.parametrize(("case", "first", "second"), DIFFERENT, ids=lambda value: value if type(value) is str else "")
async def test_vendors_of_one_name_may_coexist_if_one_has_a_tax_id(ana, case, first, second):
    await ana.post("/api/vendors", first)
    await ana.post("/api/vendors", second)

    assert await names(ana) == ["Sol", "Sol"], case


@pytest.mark.parametrize(
    ("change", "field"), [({"taxId": "B29805314"}, "taxId"), ({"name": "peña", "taxId": None}, "name")]
)
async def test_a_change_into_another_vendor_is_refused(ana, change, field):
    await ana.post("/api/vendors", VENDOR)
    await ana.post("/api/vendors", {"name": "Peña"})
    other = await ana.post("/api/vendors", {"name": "Otra", "taxId": "B12345674"})

    problem = await ana.refused(400, "PUT", f"/api/vendors/{other['id']}", change)

    assert (problem["code"], problem["errors"][0]["field"]) == ("VENDOR_EXISTS", field)
    assert (await ana.get(f"/api/vendors/{other['id']}"))["taxId"] == "B12345674"


async def test_a_vendor_may_be_changed_into_itself(ana):
    vendor = await ana.post("/api/vendors", VENDOR)

    changed = await ana.put(f"/api/vendors/{vendor['id']}", {**VENDOR, "taxId": "b-29805314"})

    assert changed | {"updatedAt": vendor["updatedAt"]} == vendor


async def test_absent_fields_keep_their_value_and_null_clears(ana):
    vendor = await ana.post("/api/vendors", {**VENDOR, "phone": "600", "country": "ES"})

    changed = await ana.put(f"/api/vendors/{vendor['id']}", {"phone": None, "country": None, "city": "Bilbao"})

    assert changed | {"phone": "600", "city": None, "updatedAt": vendor["updatedAt"]} == vendor
    assert (changed["phone"], changed["country"], changed["city"]) == (None, "ES", "Bilbao")


async def test_an_iban_is_checked_and_kept_without_spaces(ana):
    vendor = await ana.post("/api/vendors", {"name": "Sol", "iban": "ES91 2100 0418 4502 0005 1332"})

    problem = await ana.refused(400, "POST", "/api/vendors", {"name": "Luna", "iban": "ES9221000418450200051332"})

    assert vendor["iban"] == "ES9121000418450200051332"
    assert problem["errors"][0]["field"] == "iban"


@pytest.mark.parametrize(("days", "status"), [(-1, 400), (0, 201), (365, 201), (366, 400)])
async def test_a_term_lies_between_none_and_a_year(ana, days, status):
    answer = await ana.request("POST", "/api/vendors", {"name": "Sol", "paymentTermDays": days})

    assert answer.status_code == status


# ---------------------------------------------------------------- deletion


async def test_a_vendor_stays_as_long_as_an_expense_refers_to_it(ana):
    vendor = await ana.post("/api/vendors", VENDOR)
    path = f"/api/vendors/{vendor['id']}"
    expense = await ana.post("/api/expenses", bought(vendorId=vendor["id"]))

    problem = await ana.refused(400, "DELETE", path)
    await ana.delete(f"/api/expenses/{expense['id']}")
    answer = await ana.delete(path)

    assert (problem["code"], "expenses" in problem["detail"]) == ("VENDOR_IN_USE", True)
    assert answer == {"ok": True}
    assert await names(ana) == []
    for method in ("GET", "PUT", "DELETE"):
        await ana.refused(404, method, path, {} if method == "PUT" else None)
    await ana.refused(404, "GET", f"{path}/expenses")


async def test_a_vendor_that_expenses_no_longer_name_can_be_deleted(ana):
    first = await ana.post("/api/vendors", VENDOR)
    second = await ana.post("/api/vendors", {"name": "Otra"})
    expense = await ana.post("/api/expenses", bought(vendorId=first["id"]))

    await ana.put(f"/api/expenses/{expense['id']}", {"vendorId": second["id"]})

    await ana.delete(f"/api/vendors/{first['id']}")
    await ana.refused(400, "DELETE", f"/api/vendors/{second['id']}")


async def test_a_deleted_vendor_may_be_created_again(ana):
    first = await ana.post("/api/vendors", VENDOR)
    await ana.delete(f"/api/vendors/{first['id']}")

    again = await ana.post("/api/vendors", VENDOR)

    assert again["id"] != first["id"]
    assert (await ana.request("GET", "/api/vendors")).headers["x-total-count"] == "1"


async def test_changes_of_vendors_are_logged(ana):
    vendor = await ana.post("/api/vendors", VENDOR)
    await ana.put(f"/api/vendors/{vendor['id']}", {"city": "Bilbao"})
    await ana.delete(f"/api/vendors/{vendor['id']}")

    entries = [one for one in await ana.get("/api/invoices/activity/feed") if one["entityType"] == "vendor"]

    assert [(one["action"], one["entityLabel"]) for one in entries] == [
        ("deleted", VENDOR["name"]),
        ("updated", VENDOR["name"]),
        ("created", VENDOR["name"]),
    ]
    assert entries[1]["changes"] == {"city": {"from": None, "to": "Bilbao"}}


# ---------------------------------------------------------------- summary of expenses


async def summary(api, vendor):
    return (await api.get(f"/api/vendors/{vendor['id']}"))["summary"]


async def test_a_vendor_of_whom_nothing_was_bought_has_an_empty_summary(ana):
    vendor = await ana.post("/api/vendors", VENDOR)

    assert await summary(ana, vendor) == {
        "totalSpent": 0,
        "expenseCount": 0,
        "lastExpenseDate": None,
        "categories": [],
    }


async def test_the_summary_follows_the_expenses(ana):
    vendor = await ana.post("/api/vendors", VENDOR)
    first = await ana.post("/api/expenses", bought(vendorId=vendor["id"], category="office"))
    await ana.post("/api/expenses", bought(vendorId=vendor["id"], category="office", date="2026-10-01"))
    back = {"docType": "credit_note", "amount": -21.5, "category": "goods", "date": "2026-11-05"}
    await ana.post("/api/expenses", bought(vendorId=vendor["id"], **back))
    dollars = {"currency": "USD", "exchangeRate": 0.5, "amount": 10}
    await ana.post("/api/expenses", bought(vendorId=vendor["id"], **dollars))
    summaries = [await summary(ana, vendor)]

    await ana.put(f"/api/expenses/{first['id']}", {"amount": 100, "category": "bank"})
    summaries.append(await summary(ana, vendor))
    await ana.put(f"/api/expenses/{first['id']}", {"vendorId": None})
    summaries.append(await summary(ana, vendor))

    assert [(one["totalSpent"], one["expenseCount"]) for one in summaries] == [(225.5, 4), (204.5, 4), (104.5, 3)]
    assert [one["categories"] for one in summaries] == [
        ["goods", "office", "other"],
        ["bank", "goods", "office", "other"],
        ["goods", "office", "other"],
    ]
    assert {one["lastExpenseDate"] for one in summaries} == {"2026-11-05"}


async def test_a_vendors_expenses_are_listed_newest_first_with_their_count(ana):
    vendor = await ana.post("/api/vendors", VENDOR)
    expenses = [
        await ana.post("/api/expenses", bought(vendorId=vendor["id"], date=f"2026-11-{day:02d}")) for day in (3, 1, 2)
    ]
    await ana.post("/api/expenses", bought(vendor="Otra"))

    answer = await ana.request("GET", f"/api/vendors/{vendor['id']}/expenses?limit=2")

    assert answer.json() == [expenses[0], expenses[2]]
    assert answer.headers["x-total-count"] == "3"

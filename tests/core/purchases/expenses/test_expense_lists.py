"""Lists of expenses: filters, order, and totals."""

import pytest

WHOLE = {"description": "Licencia", "amount": 121, "taxRate": 21}


@pytest.fixture
async def five_expenses(ana):
    """By their descriptions: of several days, categories and vendors."""
    sol = await ana.post("/api/vendors", {"name": "Papelería Sol"})
    rows = [
        {"description": "a", "date": "2026-01-31", "category": "office", "vendorId": sol["id"]},
        {"description": "b", "date": "2026-02-01", "category": "office", "vendor": "Luna"},
        {"description": "c", "date": "2026-02-01", "category": "travel", "notes": "Hotel Ávila"},
        {"description": "d", "date": "2026-03-01", "category": "travel", "vendorId": sol["id"]},
        {"description": "e", "date": "2026-02-28", "category": "office", "invoiceNumber": "A-77%"},
    ]
    for row in rows:
        await ana.post("/api/expenses", {**WHOLE, **row})
    return sol["id"]


FILTERS = [
    ("", "decba"),
    ("?category=office", "eba"),
    ("?category=Office", ""),
    ("?category=nothing", ""),
    ("?from=2026-02-01", "decb"),
    ("?to=2026-02-01", "cba"),
    ("?from=2026-02-01&to=2026-02-28", "ecb"),
    ("?from=2026-03-02&to=2026-01-01", ""),
    ("?vendorId={sol}", "da"),
    ("?vendorId={sol}&category=travel", "d"),
    ("?vendorId=nonsense", ""),
    ("?search=LUNA", "b"),
    ("?search=avila", "c"),
    ("?search=77%25", "e"),
    ("?search=%25%25", ""),
    ("?search=papeleria&from=2026-02-01", "d"),
    ("?search=%20", "decba"),
]


@pytest.mark.parametrize(("query", "expected_order"), FILTERS)
async def test_a_filter_returns_and_counts_the_expenses_that_meet_it(ana, five_expenses, query, expected_order):
    answer = await ana.request("GET", f"/api/expenses{query.format(sol=five_expenses)}")

    assert "".join(one["description"] for one in answer.json()) == expected_order
    assert answer.headers["x-total-count"] == str(len(expected_order))


async def test_pages_hold_fifty_and_do_not_overlap(ana):
    for number in range(51):
        await ana.post("/api/expenses", {**WHOLE, "description": str(number), "date": "2026-11-02"})

    pages = [await ana.get(f"/api/expenses?page={number}") for number in (1, 2, 3)]

    assert [len(page) for page in pages] == [50, 1, 0]
    assert [one["description"] for page in pages for one in page] == [str(number) for number in range(50, -1, -1)]


async def test_a_list_shows_expenses_as_they_are_shown_themselves(ana):
    paid = await ana.post("/api/expenses", {**WHOLE, "date": "2026-11-02"})
    open_one = await ana.post("/api/expenses", {**WHOLE, "date": "2026-11-01", "status": "pending"})

    assert await ana.get("/api/expenses") == [paid, open_one]


@pytest.mark.parametrize("query", ["?from=2026-02-30", "?to=yesterday", "?page=0", "?limit=101", "?limit=0"])
async def test_a_wrong_filter_is_refused(ana, query):
    problem = await ana.refused(400, "GET", f"/api/expenses{query}")

    assert problem["errors"][0]["field"] == query[1:].partition("=")[0]


async def test_counts_follow_changes_and_deletions(ana):
    expense = await ana.post("/api/expenses", {**WHOLE, "date": "2026-11-02", "category": "office"})

    async def counted() -> list[str]:
        paths = ("", "?category=office", "?category=travel")
        return [(await ana.request("GET", f"/api/expenses{one}")).headers["x-total-count"] for one in paths]

    counts = [await counted()]
    await ana.put(f"/api/expenses/{expense['id']}", {"category": "travel"})
    counts.append(await counted())
    await ana.delete(f"/api/expenses/{expense['id']}")
    counts.append(await counted())

    assert counts == [["1", "1", "0"], ["1", "0", "1"], ["0", "0", "0"]]


# ---------------------------------------------------------------- vendors for autocompletion


async def vendors(api) -> list[tuple[str, int, str]]:
    return [(one["name"], one["count"], one["lastCategory"]) for one in await api.get("/api/expenses/vendors")]


async def test_vendors_are_those_that_expenses_name_the_most_frequent_first(ana, berta):
    for day, name, category in (
        ("2026-11-01", "LUNA", "office"),
        ("2026-11-03", "Luna", "travel"),
        ("2026-11-02", "luna", "bank"),
        ("2026-11-04", "Sol", "meals"),
        ("2026-11-04", "Bar", "meals"),
        ("2026-11-04", None, "rent"),
    ):
        await ana.post("/api/expenses", {**WHOLE, "date": day, "vendor": name, "category": category})
    await berta.post("/api/expenses", {**WHOLE, "date": "2026-11-02", "vendor": "Luna"})

    answer = await ana.request("GET", "/api/expenses/vendors?limit=1")

    assert await vendors(ana) == [("Luna", 3, "travel"), ("Bar", 1, "meals"), ("Sol", 1, "meals")]
    assert (len(answer.json()), answer.headers["x-total-count"]) == (1, "3")


async def test_vendors_follow_changes_and_deletions(ana):
    first = await ana.post("/api/expenses", {**WHOLE, "date": "2026-11-01", "vendor": "Luna"})
    second = await ana.post("/api/expenses", {**WHOLE, "date": "2026-11-02", "vendor": "Luna"})
    listings = [await vendors(ana)]

    await ana.put(f"/api/expenses/{second['id']}", {"vendor": "Sol", "category": "meals"})
    listings.append(await vendors(ana))
    await ana.delete(f"/api/expenses/{first['id']}")
    listings.append(await vendors(ana))
    await ana.put(f"/api/expenses/{second['id']}", {"vendor": None})
    listings.append(await vendors(ana))

    assert listings == [
        [("Luna", 2, "other")],
        [("Luna", 1, "other"), ("Sol", 1, "meals")],
        [("Sol", 1, "meals")],
        [],
    ]
    assert (await ana.request("GET", "/api/expenses/vendors")).headers["x-total-count"] == "0"


async def test_vendors_are_not_paged_unless_asked(ana):
    for number in range(51):
        await ana.post("/api/expenses", {**WHOLE, "date": "2026-11-01", "vendor": f"Bar {number:02d}"})

    assert len(await vendors(ana)) == 51
    assert len(await ana.get("/api/expenses/vendors?page=2")) == 1

"""Filters of the list of invoices: by client, day of issue, kind and series, with the headers of every list."""

import pytest

from support.api import CLIENT, Api, item

OTHER = {"name": "Sur, S.L.", "taxId": "B87654323", "country": "ES"}


@pytest.fixture
async def made(ana, berta) -> dict[str, str]:
    """Ids of ana's invoices by a name each, the oldest first; berta has the same."""
    await _make(berta)
    return await _make(ana)


async def _make(api: Api) -> dict[str, str]:
    await api.put("/api/teams/current", {"series": {"simplified": "TPV"}})
    bodies = {
        "january": {"issueDate": "2026-01-15", "notes": "primera"},
        "february": {"issueDate": "2026-02-15", "client": OTHER},
        "ticket": {"issueDate": "2026-03-15", "docType": "simplified", "client": None},
        "march": {"issueDate": "2026-03-16"},
    }
    invoice = {name: (await api.invoice(**{"client": CLIENT, **body}))["id"] for name, body in bodies.items()}
    await api.patch(f"/api/invoices/{invoice['january']}/pay")
    note = {"docType": "credit_note", "rectifies": invoice["january"], "items": [item(quantity=-1)]}
    invoice["note"] = (await api.invoice(**note, issueDate="2026-04-15"))["id"]
    return invoice


async def found(api: Api, made: dict[str, str], query: str) -> list[str]:
    """Names of what a query finds, the newest first, its total being how many there are."""
    answer = await api.request("GET", f"/api/invoices?{query}")
    names = {one: name for name, one in made.items()}
    assert answer.headers["x-total-count"] == str(len(answer.json()))
    return [names[one["id"]] for one in answer.json()]


FOUND = [
    ("from=2026-02-15", ["note", "march", "ticket", "february"]),
    ("to=2026-02-15", ["february", "january"]),
    ("from=2026-02-15&to=2026-03-15", ["ticket", "february"]),
    ("from=2026-02-16&to=2026-02-16", []),
    ("docType=simplified", ["ticket"]),
    ("docType=credit_note", ["note"]),
    ("docType=invoice", ["march", "february", "january"]),
    ("series=F", ["march", "february", "january"]),
    ("series=TPV", ["ticket"]),
    ("series=R", ["note"]),
    ("series=f", []),
    ("series=F&from=2026-02-01&status=draft", ["march", "february"]),
    ("docType=invoice&status=paid", ["january"]),
    ("docType=invoice&search=primera", ["january"]),
    ("docType=credit_note&series=F", []),
    ("clientId=x", []),
    ("clientId=", []),
    ("clientId=01890000-0000-7000-8000-000000000000", []),
]


@pytest.mark.parametrize(("query", "names"), FOUND)
async def test_all_that_is_given_holds(ana, made, query, names):
    assert await found(ana, made, query) == names


async def test_invoices_of_a_client(ana, berta, made):
    by_name = {one["name"]: one["id"] for one in await ana.get("/api/clients")}
    foreign = (await berta.get("/api/clients"))[0]["id"]

    assert await found(ana, made, f"clientId={by_name[OTHER['name']]}") == ["february"]
    assert await found(ana, made, f"clientId={by_name[CLIENT['name']]}&from=2026-03-01") == ["note", "march"]
    assert await found(ana, made, f"clientId={foreign}") == []


async def test_deleted_ones_are_found_on_demand_only(ana, made):
    await ana.delete(f"/api/invoices/{made['ticket']}")

    assert await found(ana, made, "docType=simplified") == []
    assert await found(ana, made, "docType=simplified&includeDeleted=true") == ["ticket"]


async def test_pages_keep_the_filters(ana, made):
    answer = await ana.request("GET", "/api/invoices?from=2026-02-01&docType=invoice&limit=1")

    assert [answer.headers[name] for name in ("X-Total-Count", "X-Page", "X-Page-Size")] == ["2", "1", "1"]
    assert "from=2026-02-01&docType=invoice&page=2&limit=1" in answer.headers["link"]


async def test_a_total_follows_every_change(ana, made):
    before = await found(ana, made, "series=F")
    await ana.delete(f"/api/invoices/{made['march']}")
    after = await found(ana, made, "series=F")
    await ana.put(f"/api/invoices/{made['february']}", {"issueDate": "2025-02-15"})

    assert (before, after) == (["march", "february", "january"], ["february", "january"])
    assert await found(ana, made, "series=F&from=2026-01-01") == ["january"]


WRONG = [
    ("from=2026-02-30", "from"),
    ("to=x", "to"),
    ("from=2026-03-01&to=2026-02-28", "to"),
    ("docType=receipt", "docType"),
    ("series=" + "x" * 201, "series"),
    ("clientId=%00", "clientId"),
]


@pytest.mark.parametrize(("query", "field"), WRONG)
async def test_a_wrong_filter_is_named(ana, query, field):
    problem = await ana.refused(400, "GET", f"/api/invoices?{query}")

    assert [error["field"] for error in problem["errors"]] == [field]

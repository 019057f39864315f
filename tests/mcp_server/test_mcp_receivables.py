"""Debts of clients: one answer that fits into 4 kB, however many clients there are."""

import pytest
from pydantic_core import to_json

from support.api import item

CLIENTS = 400
MOST = 4_000


@pytest.fixture
async def creditor(site):
    """A team with 400 clients who owe it something, of different size and age."""
    ana = await site.person()
    rows = [
        {
            "number": f"A-{number}",
            "issueDate": f"2026-{number % 9 + 1:02}-15",
            "clientName": f"Talleres y Suministros {number}, S.L.",
            "base": 1000.25 + number,
            "taxRate": 21,
        }
        for number in range(CLIENTS)
    ]
    answer = await ana.post("/api/invoices/import", {"rows": rows})
    assert answer["errors"] == []
    return ana


async def test_who_owes_me_is_answered_in_four_kilobytes(site, creditor):
    agent = site.agent(creditor)

    answer = await agent.ok("get_receivables")

    assert len(to_json(answer)) <= MOST
    assert (answer["total"], answer["more"]) == (CLIENTS, CLIENTS - len(answer["items"]))
    owed = [row["owed"] for row in answer["items"]]
    assert owed == sorted(owed, reverse=True)
    assert answer["items"][0].keys() == {
        *("clientId", "client", "owed", "overdue", "oldestDue", "daysOverdue", "count", "currency")
    }
    [euros] = answer["currencies"]
    assert euros["invoices"] == CLIENTS


@pytest.mark.parametrize("limit", [7, 100])
async def test_a_naive_reader_reads_every_client(site, creditor, limit):
    agent = site.agent(creditor)
    rows, cursor = [], None

    while len(rows) <= CLIENTS:
        asked = {"cursor": cursor} if cursor else {}
        answer = await agent.ok("get_receivables", limit=limit, **asked)
        rows += answer["items"]
        assert answer["more"] == CLIENTS - len(rows)
        cursor = answer["nextCursor"]
        if cursor is None:
            break

    assert len({row["clientId"] for row in rows}) == len(rows) == CLIENTS
    whole = await creditor.get("/api/reports/receivables")
    assert round(sum(row["owed"] for row in rows), 2) == whole["currencies"][0]["open"]


async def test_the_place_is_kept_when_a_client_pays_meanwhile(site, creditor):
    agent = site.agent(creditor)
    first = await agent.ok("get_receivables", limit=10)
    [invoice] = (await agent.ok("get_receivables", view="invoices", clientId=first["items"][0]["clientId"]))["items"]
    await agent.ok("mark_invoice_paid", id=invoice["id"])

    second = await agent.ok("get_receivables", limit=10, cursor=first["nextCursor"])

    expected = await creditor.get("/api/reports/receivables/clients?limit=19")
    assert [row["clientId"] for row in second["items"]] == [row["clientId"] for row in expected[9:]]
    assert "currencies" not in second


async def test_open_invoices_are_the_oldest_first(site):
    ana = await site.person()
    rows = [
        {"number": f"B-{day}", "issueDate": day, "clientName": "Sur", "base": 10, "taxRate": 21, "dueDate": day}
        for day in ("2026-03-02", "2026-01-02", "2026-02-02")
    ]
    later = {**rows[0], "number": "B-9", "dueDate": "2099-01-01"}
    answer = await ana.post("/api/invoices/import", {"rows": [*rows, later]})
    assert answer["errors"] == []
    agent = site.agent(ana)

    every = await agent.ok("get_receivables", view="invoices")
    late = await agent.ok("get_receivables", view="invoices", overdueDays=1)

    assert [row["number"] for row in every["items"]] == ["B-2026-01-02", "B-2026-02-02", "B-2026-03-02", "B-9"]
    assert [row["number"] for row in late["items"]] == [row["number"] for row in every["items"]][:3]
    assert every["items"][0]["daysOverdue"] > every["items"][1]["daysOverdue"] > every["items"][3]["daysOverdue"] == 0


async def test_a_cursor_of_another_view_is_refused(site, creditor):
    agent = site.agent(creditor)
    first = await agent.ok("get_receivables")

    problem = await agent.refused("get_receivables", view="invoices", cursor=first["nextCursor"])

    assert [error["field"] for error in problem["errors"]] == ["cursor"]


async def test_a_draft_is_not_owed(site):
    ana = await site.person()
    await ana.post("/api/invoices", {"client": {"name": "Norte"}, "items": [item()]})

    answer = await site.agent(ana).ok("get_receivables")

    assert (answer["items"], answer["currencies"][0]["open"]) == ([], 0)


async def test_an_unknown_client_is_not_found_and_a_name_is_accepted(site):
    ana = await site.person()
    row = {"number": "C-1", "issueDate": "2026-01-15", "base": 10, "taxRate": 21}
    await ana.post("/api/invoices/import", {"rows": [{**row, "clientName": "Norte"}]})
    await ana.post("/api/clients", {"name": "Sur"})
    agent = site.agent(ana)

    problem = await agent.refused("get_receivables", clientId="nobody")
    answer = await agent.ok("get_receivables", clientId="Sur")
    debtor = await agent.ok("get_receivables", clientId="norte")

    assert problem["code"] == "NOT_FOUND"
    assert "list_clients" in problem["remedy"]
    assert (answer["items"], [row["client"] for row in debtor["items"]]) == ([], ["Norte"])


@pytest.mark.parametrize("role", ["member", "operations", "finance", "viewer"])
async def test_every_role_is_answered(site, role):
    ana = await site.person()
    agent = site.agent(await site.colleague(ana, role))

    debts = await agent.ok("get_receivables")
    state = await agent.ok("get_einvoice_status")

    is_reader = role in {"finance", "viewer"}
    assert ("currencies" in debts, "fiscalAlerts" in state) == (is_reader, is_reader)

"""Nobody sees, changes or even recognises what belongs to another account."""

from typing import Any
from uuid import uuid4

from support.api import Api, invoice_body, item
from support.cases import try_each
from support.database import row_counts
from support.description import schema_of
from support.interface import OF_LOGINS, built
from support.isolation import everybody, told
from support.scenes import ASKS, address, body, scene
from support.scenes.ask import Ask, named_in

WITH_IDS = [row.name for row in built() if "{id}" in row.path or "{memberId}" in row.path]

NAMED = [(row, name) for row, ask in ASKS.items() for name in named_in([ask.body, ask.query])]
"""Operations whose body or query names a record, each with that record of the scene."""

ON_INVOICES = [
    ("POST /api/invoices", "client", "clientId"),
    ("POST /api/invoices", "issued", "rectifies"),
    ("PUT /api/invoices/{id}", "client", "clientId"),
    ("POST /api/einvoice", "draft", "invoiceId"),
    ("POST /api/invoices", "item", "catalogItemId"),
    ("PUT /api/invoices/{id}", "item", "catalogItemId"),
]
"""Fields that the scene's requests do not use: the operation, whose id of the scene, the field."""


def lists_records(row: str) -> bool:
    """Return True when an operation answers with an array of records."""
    schema = schema_of(row, 200) if row.startswith("GET ") else None
    if schema is None or schema.get("type") != "array":
        return False
    name = schema["items"].get("$ref", "").rpartition("/")[2]
    return "id" in schema["components"]["schemas"].get(name, {}).get("properties", {})


FILLED_HERE = {
    "GET /api/activity/history",
    "GET /api/reports/receivables/invoices",
    "GET /api/teams/current/invitations",
}
"""Lists of which the scenes have no record: an invitation, a debt, and what the caller has done."""

LISTS = [
    row for row in ASKS if lists_records(row) and not row.startswith("GET /api/einvoice/") and row not in FILLED_HERE
]
"""Fiscal records are swept in test_isolation_of_records, where there are some."""


async def test_a_foreign_id_in_the_path_is_a_missing_one(kernel, ana, berta):
    ids, missing = await scene(ana), str(uuid4())
    callers = {False: await everybody(berta), True: [berta]}
    before = await row_counts(kernel)

    async def attempt(row):
        ask = ASKS[row]
        foreign = ids[ask.of or ""]
        for caller in callers[row in OF_LOGINS]:
            method, path = address(row, ids)
            sent = body(ask, ids)
            seen = await caller.request(method, path, sent)
            absent = await caller.request(method, path.replace(foreign, missing), sent)

            assert seen.status_code == 404
            assert told(absent, missing) == told(seen, foreign)

        assert await row_counts(kernel) == before

    await try_each(kernel, WITH_IDS, attempt)


async def test_a_record_named_beside_the_path_may_not_be_foreign(kernel, ana, berta):
    theirs, own, missing = await scene(ana), await scene(berta), str(uuid4())
    callers = await everybody(berta)

    async def attempt(case):
        row, name = case
        ask = ASKS[row]
        for caller in callers:
            answers = []
            for known in (theirs[name], missing):
                ids = {**own, name: known}
                method, path = address(row, ids | ({ask.of: own[ask.of]} if ask.of else {}), ask)
                answers.append((await caller.request(method, path, body(ask, ids)), known))

            assert told(*answers[0]) == told(*answers[1])
            assert answers[0][0].status_code in {200, 400, 404}

    await try_each(kernel, NAMED, attempt)


async def test_a_foreign_id_in_the_body_is_a_missing_one(kernel, ana, berta):
    ids, own, missing = await scene(ana), await scene(berta), str(uuid4())
    callers = await everybody(berta)

    def naming(field: str, known: str) -> Any:
        if field == "catalogItemId":
            return invoice_body(items=[item(catalogItemId=known)])
        if field == "rectifies":
            return {"docType": "credit_note", **invoice_body(), field: known}
        return {"items": [item()], "taxRate": 21, field: known}

    async def attempt(case):
        row, of, field = case
        for caller in callers:
            method, path = address(row, own, ASKS.get(row, Ask()))
            seen = await caller.request(method, path, naming(field, ids[of]))
            absent = await caller.request(method, path, naming(field, missing))

            assert seen.status_code == 404
            assert told(absent, missing) == told(seen, ids[of])

    await try_each(kernel, ON_INVOICES, attempt)


async def test_lists_show_ones_own_records_only(kernel, ana, berta):
    async def attempt(row):
        theirs, own = await scene(ana, row), await scene(berta, row)
        hers = {record["id"] for record in await ana.get(address(row, theirs)[1])}
        for caller in await everybody(berta, row):
            answer = await caller.request("GET", address(row, own)[1])

            seen = {record["id"] for record in answer.json()}
            assert seen
            assert seen & hers == set()
            assert answer.headers.get("x-total-count", str(len(seen))) == str(len(seen))

    await try_each(kernel, LISTS, attempt)


async def test_debts_invitations_and_history_are_ones_own(ana, berta):
    for person in (ana, berta):
        email = f"{uuid4().hex}@example.com"
        await person.refused(404, "POST", "/api/teams/current/invite", {"email": email})
        draft = await person.invoice()
        await person.patch(f"/api/invoices/{draft['id']}/send")

    for row in sorted(FILLED_HERE):
        _, _, path = row.partition(" ")
        hers, own = [{record.get("id") for record in await person.get(path)} for person in (ana, berta)]
        assert own, row
        assert own & hers == set(), row


SEARCHES = [
    "/api/invoices?search=Ruiz",
    "/api/clients?search=Secreto",
    "/api/invoices?search=Secreto&includeDeleted=true",
    "/api/vendors?search=Secreto",
    "/api/expenses?search=Secreto",
    "/api/expenses?category=secreto",
    "/api/expenses/vendors?limit=1",
]


async def test_searches_do_not_reach_over(ana, berta):
    await ana.invoice(client={"name": "Secreto, S.A."}, notes="Ruiz")
    await ana.post("/api/vendors", {"name": "Secreto, S.A."})
    spent = {"description": "Secreto", "amount": 1, "date": "2026-11-02", "vendor": "Secreto, S.A."}
    await ana.post("/api/expenses", {**spent, "category": "secreto"})

    for path in SEARCHES:
        answer = await berta.request("GET", path)

        assert (answer.json(), answer.headers["x-total-count"]) == ([], "0"), path


async def test_feed_and_summary_tell_of_ones_own_business_only(ana, berta):
    await scene(ana)

    feed = await berta.get("/api/invoices/activity/feed")
    summary = await berta.get("/api/invoices/context")

    assert [(entry["action"], entry["entityType"]) for entry in feed] == [("created", "team")]
    assert summary["recentInvoices"] == summary["topClients"] == []
    assert summary["year"] == {"invoiced": 0, "collected": 0, "expenses": 0, "profit": 0}


async def test_pinning_a_foreign_team_is_refused(kernel, ana, berta):
    callers = await everybody(berta)

    async def attempt(row):
        method, path = address(row, {})
        for caller in callers:
            problem = await caller.refused(403, method, path, body(ASKS[row], {}), **{"X-Team-Id": ana.team["id"]})

            assert problem["code"] == "NOT_TEAM_MEMBER"

    await try_each(kernel, [row.name for row in built() if row.auth], attempt)


async def test_pinning_what_is_no_team_is_refused_alike(berta):
    for caller in await everybody(berta):
        for team in ("", "nonsense", "01890000-0000-7000-8000-000000000000", "%00"):
            problem = await caller.refused(403, "GET", "/api/invoices", **{"X-Team-Id": team})

            assert problem["code"] == "NOT_TEAM_MEMBER", team


async def test_a_team_pinned_for_one_request_is_ones_other_team(ana):
    await ana.invoice()
    other = await ana.post("/api/teams", {"name": "Otra", "country": "ES"})

    there = await ana.request("GET", "/api/invoices", **{"X-Team-Id": ana.team["id"]})
    here = await ana.request("GET", "/api/invoices", **{"X-Team-Id": other["id"]})

    assert (len(there.json()), here.json()) == (1, [])


async def test_a_shared_link_opens_one_invoice_and_nothing_else(ana, client):
    ids = await scene(ana)
    link = await ana.post(f"/api/invoices/{ids['issued']}/share")

    page = await client.get(f"/s/{link['shareToken']}")
    with_token = await client.get(f"/api/invoices/{ids['issued']}", headers={"x-api-key": link["shareToken"]})

    assert page.status_code == 200
    assert with_token.status_code == 401


async def test_emitted_records_are_closed_to_others(live):
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    berta = await Api.with_team(live, "berta@example.com", "Berta Gil", "87654321X")
    invoice = await ana.invoice()
    record = await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})

    for known in (invoice["id"], record["id"]):
        for place in ("status", "xml", "download"):
            query = f"?fiscalId={record['fiscalId']}"
            seen = await berta.request("GET", f"/api/einvoice/{place}/{known}{query}")
            missing = str(uuid4())
            absent = await berta.request("GET", f"/api/einvoice/{place}/{missing}{query}")

            assert seen.status_code == 404
            assert told(absent, missing) == told(seen, known)

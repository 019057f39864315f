"""Going live: a trial never counts beside what is real, it goes into an archive, and numbers begin at 1."""

from typing import Any

import pytest
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.operation.going_live.readiness.lacks import refuse_trials
from ledgerkit.core.operation.going_live.trial import archive
from ledgerkit.core.operation.installation.database.all_tables import MODELS
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.settings.start_errors import Misconfigured
from support.api import Api
from support.database import as_owner
from support.files import PDF, of, uploaded
from support.going_live import ready
from support.office import emit, eventually, settled
from support.tills import Till, line, sale

PATH = "/api/go-live"
YEAR_START, YEAR_END = "2026-01-01", "2026-12-31"


def today() -> str:
    return clock.today("Europe/Madrid").isoformat()


async def tried_out(api: Api) -> dict[str, Any]:
    """A first look: a paid invoice, a draft, and an expense."""
    product = await api.post(
        "/api/catalog", {"name": "Camiseta", "type": "product", "unitPrice": 20, "taxRate": 21, "stock": 10}
    )
    item = {"description": "Camiseta", "quantity": 2, "unitPrice": 20, "catalogItemId": product["id"]}
    invoice = await api.invoice(items=[item])
    await emit(api, invoice)
    await settled(api, invoice)
    await api.patch(f"/api/invoices/{invoice['id']}/pay")
    await api.invoice()
    await api.post("/api/expenses", {"description": "Tóner", "vendor": "Papelería", "amount": 50, "date": today()})
    return {"product": product, "invoice": invoice}


async def tried_for_a_week(api: Api) -> dict[str, Any]:
    """Beside that a credit note, a till, a task, and a file."""
    made = await tried_out(api)
    other = await api.invoice()
    status = await emit(api, other)
    emitted = await api.get(f"/api/invoices/{other['id']}")
    credit = {"invoiceId": other["id"], "originalFiscalId": status["fiscalId"], "originalDate": emitted["issueDate"]}
    await api.post("/api/einvoice/credit-note", credit)
    await (await Till.of(api)).takes(sale(12.1, line(12.1)))
    task = await api.post("/api/tasks", {"title": "Llamar", "invoiceId": made["invoice"]["id"]})
    file = await uploaded(api, **of("invoice", made["invoice"]))
    await eventually(lambda: all_are_answered(api))
    return {**made, "task": task, "file": file}


async def all_are_answered(api: Api) -> bool:
    """The authority has answered to every record."""
    return (await api.get("/api/einvoice/records?status=pending")) == []


async def gone_live(api: Api, **data: Any) -> Any:
    return await api.post(PATH, data)


async def first_number(api: Api) -> str:
    invoice = await api.invoice()
    await emit(api, invoice)
    return str((await api.get(f"/api/invoices/{invoice['id']}"))["number"])


async def test_the_first_real_numbers_after_a_trial_are_1_in_every_series(office, ana, in_production):
    await tried_for_a_week(ana)
    await gone_live(ana)
    in_production()

    invoice = await ana.invoice()
    emitted = await emit(ana, invoice)
    credit = {
        "invoiceId": invoice["id"],
        "originalFiscalId": emitted["fiscalId"],
        "originalDate": today(),
    }
    note = await ana.post("/api/einvoice/credit-note", credit)
    sold = await (await Till.of(ana)).takes(sale(12.1, line(12.1)))
    ticket = await ana.get(f"/api/invoices/{sold['invoiceId']}")

    assert (emitted["environment"], emitted["number"][-5:]) == ("production", "-0001")
    assert (note["number"][-5:], ticket["number"][-5:]) == ("-0001", "-0001")
    records = await office.records(ana)
    assert [(record.environment, record.position) for record in records] == [("production", n) for n in (1, 2, 3)]
    assert (await ana.get("/api/einvoice/chain?verify=true"))["unrecorded"]["count"] == 0


async def test_nothing_of_the_trial_is_listed_counted_or_found(office, ana):
    made = await tried_for_a_week(ana)

    done = await gone_live(ana)

    assert (done["state"], done["liveSince"] is None, done["missing"]) == ("live", False, [])
    aside = {"drafts": 1, "invoices": 4, "fiscalRecords": 4, "payments": 2, "cashRegisters": 1, "expenses": 1}
    assert done["setAside"] == {**aside, "supplierInvoices": 0, "taxDeclarations": 0}
    for path in ("/api/invoices", "/api/expenses", "/api/invoices?includeDeleted=true", "/api/einvoice/records"):
        answer = await ana.request("GET", path)
        assert (answer.json(), answer.headers.get("x-total-count", "0")) == ([], "0"), path
    assert await ana.get("/api/invoices?search=Camiseta") == []
    assert (await ana.get("/api/cash-register/history"))["registers"] == []
    await ana.refused(404, "GET", f"/api/invoices/{made['invoice']['id']}")
    await ana.refused(404, "GET", f"/api/attachments/{made['file']['id']}")
    assert amounts(await ana.get(f"/api/expenses/vat-balance?from={YEAR_START}&to={YEAR_END}")) == set()
    assert amounts(await ana.get(f"/api/expenses/profit-loss?from={YEAR_START}&to={YEAR_END}")) == set()
    assert amounts(await ana.get("/api/context")) == set()
    assert [one["action"] for one in await ana.get("/api/invoices/activity/feed")] == ["went_live"]
    chain = await ana.get("/api/einvoice/chain?verify=true")
    assert (chain["chains"], chain["unrecorded"]["count"]) == ([], 0)


def amounts(value: object) -> set[float]:
    """All numbers other than zero in an answer, but for years, rates and counts of days."""
    if isinstance(value, dict):
        return {one for key, part in value.items() if key not in _NO_AMOUNTS for one in amounts(part)}
    if isinstance(value, list):
        return {one for part in value for one in amounts(part)}
    return {value} if isinstance(value, float | int) and not isinstance(value, bool) and value else set()


_NO_AMOUNTS = {"year", "quarter", "month", "rate", "catalog", "clients", "tasks"}


async def test_clients_catalog_stock_tasks_settings_and_keys_stay(office, ana):
    made = await tried_for_a_week(ana)
    key = await ana.post("/api/keys", {"name": "Gestoría", "scopes": ["read"]})
    [client_before] = await ana.get("/api/clients")
    team = await ana.get("/api/teams/current")

    await gone_live(ana)

    [client_after] = await ana.get("/api/clients")
    assert client_after == {**client_before, "invoiceCount": 0, "totalInvoiced": 0}
    product = await ana.get(f"/api/catalog/{made['product']['id']}")
    assert (product["stock"], product["name"]) == (10, "Camiseta")
    task = await ana.get(f"/api/tasks/{made['task']['id']}")
    assert (task["title"], task["invoiceId"]) == ("Llamar", None)
    team_after = await ana.get("/api/teams/current")
    assert {**team_after["team"], "updatedAt": team["team"]["updatedAt"]} == team["team"]
    assert team_after["members"] == team["members"]
    by_key = await office.client.get("/api/clients", headers={"X-API-Key": key["key"]})
    by_team_key = await office.client.get("/api/clients", headers={"X-API-Key": team["team"]["apiKey"]})
    assert by_key.json() == by_team_key.json() == [client_after]


async def test_the_archive_holds_every_record_as_it_was_and_its_owner_may_read_it(office, ana):
    made = await tried_for_a_week(ana)
    before = [record._mapping for record in await office.records(ana)]

    archive = {"x-team-id": (await gone_live(ana))["archiveId"]}

    read = await ana.request("GET", f"/api/invoices/{made['invoice']['id']}", **archive)
    number = (await ana.request("GET", "/api/einvoice/chain", **archive)).json()["chains"][0]["installationNumber"]
    chain = await ana.request("GET", f"/api/einvoice/chain?verify=true&installation={number}", **archive)
    file = await ana.request("GET", f"/api/attachments/{made['file']['id']}/content", **archive)
    listed = await ana.request("GET", "/api/invoices", **archive)
    refused = await ana.request("POST", "/api/invoices", {"client": {"name": "x"}, "items": []}, **archive)
    rows = await office.rows(
        "select r.*, s.state from fiscal_record r join fiscal_status s using (account_id)"
        " where s.record_id = r.id and r.account_id = :account order by r.position, r.created_at",
        account=archive["x-team-id"],
    )
    assert (read.json()["status"], len(listed.json()), listed.headers["x-total-count"]) == ("paid", 5, "5")
    assert file.content == PDF
    assert (chain.json()["verification"]["ok"], chain.json()["chains"][0]["positions"]) == (True, len(before))
    assert refused.status_code == 403
    kept = [name for name in before[0] if name in rows[0]._mapping and name != "account_id"]
    assert [[row._mapping[name] for name in kept] for row in rows] == [[row[name] for name in kept] for row in before]
    assert archive["x-team-id"] not in {one["id"] for one in await ana.get("/api/teams/my-teams")}


async def test_what_was_bought_in_earnest_stays_when_its_owner_says_so(ana):
    await tried_out(ana)

    preview = await ana.get(f"{PATH}?keepPurchases=true")
    done = await gone_live(ana, keepPurchases=True)

    assert (preview["setAside"]["expenses"], preview["kept"]["expenses"]) == (0, 1)
    assert (done["setAside"]["expenses"], done["kept"]["expenses"]) == (0, 1)
    [expense] = await ana.get("/api/expenses")
    assert expense["description"] == "Tóner"
    assert (await ana.get("/api/expenses?search=Tóner")) == [expense]


async def test_everything_that_is_missing_is_listed_and_nothing_changes(office):
    ana = await office.account()
    await ana.put("/api/teams/current", dict.fromkeys(("address", "postalCode", "city")))
    invoice = await ana.invoice()
    await emit(ana, invoice)
    await settled(ana, invoice)
    before = await ana.get("/api/invoices")

    listed = (await ana.get(PATH))["missing"]
    refusal = await ana.refused(400, "POST", PATH, {})

    fields = [one["field"] for one in listed]
    assert fields == ["issuer.address", "issuer.postalCode", "issuer.city", "LEDGERKIT_VERIFACTU_CERT_FILE"]
    assert (refusal["code"], [one["field"] for one in refusal["errors"]]) == ("NOT_READY_FOR_PRODUCTION", fields)
    assert all(one["message"] for one in listed)
    assert (await ana.get(PATH))["state"] == "trial"
    assert await ana.get("/api/invoices") == before
    assert await office.rows("select id from account where archive_of = :id", id=ana.team["id"]) == []


async def test_a_second_time_says_that_it_is_live_and_sets_nothing_aside(ana, in_production):
    await tried_out(ana)
    first = await gone_live(ana)
    in_production()
    number = await first_number(ana)

    second = await gone_live(ana)

    assert (second["state"], second["setAside"], second["archiveId"]) == ("live", first["setAside"], first["archiveId"])
    assert [one["number"] for one in await ana.get("/api/invoices")] == [number]


@pytest.mark.whole
async def test_a_failure_halfway_leaves_everything_as_it_was(office, ana):
    await tried_out(ana)
    before = await ana.get("/api/invoices")
    async with as_owner(office.kernel) as owner:
        await owner.execute(text("alter table account add constraint never_live check (live_since is null) not valid"))
        try:
            answer = await office.client.post(PATH, json={}, headers=ana.headers)
        finally:
            await owner.execute(text("alter table account drop constraint never_live"))

    assert answer.status_code == 500
    assert (await ana.get(PATH))["state"] == "trial"
    assert await ana.get("/api/invoices") == before
    assert (await gone_live(ana))["setAside"]["invoices"] == 1


async def test_other_accounts_keep_what_they_have(office, ana):
    berta = await ready(office)
    await tried_out(ana)
    await tried_out(berta)
    before = [await berta.get(path) for path in ("/api/invoices", "/api/expenses", "/api/catalog", "/api/clients")]

    await gone_live(ana)

    after = [await berta.get(path) for path in ("/api/invoices", "/api/expenses", "/api/catalog", "/api/clients")]
    assert after == before
    assert (await berta.get(PATH))["state"] == "trial"


async def test_production_does_not_start_over_a_trial(office, ana, in_production):
    await tried_out(ana)
    in_production()

    with pytest.raises(Misconfigured) as refused:
        await refuse_trials(office.kernel)

    assert "Ana Ruiz (" in str(refused.value)
    assert "`ledgerkit go-live`" in str(refused.value)


async def test_a_live_account_issues_nothing_in_the_sandbox(ana):
    await tried_out(ana)
    await gone_live(ana)
    draft = await ana.invoice()

    refusal = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    assert (refusal["code"], refusal["errors"][0]["code"]) == ("FISCAL_CHECK_FAILED", "ACCOUNT_IS_LIVE")
    assert "LEDGERKIT_EINVOICE_ENV=production" in refusal["remedy"]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None


async def test_an_account_that_begins_in_production_has_nothing_to_set_aside(ana, in_production):
    in_production()
    draft = await ana.invoice()

    done = await gone_live(ana)

    assert (done["state"], done["archiveId"], done["setAside"]["drafts"]) == ("live", None, 0)
    assert [one["id"] for one in await ana.get("/api/invoices")] == [draft["id"]]


def test_every_table_of_an_account_has_its_part():
    assert MODELS
    assert archive.unsorted() == []
    named = archive.STAYING.keys() | archive.COPIED | archive.PURCHASES | archive.MOVED | archive.SPLIT.keys()
    assert named <= metadata.tables.keys()


async def test_public_links_of_the_trial_end(office, ana):
    made = await tried_out(ana)
    share = await ana.post(f"/api/invoices/{made['invoice']['id']}/share")
    token = share["shareUrl"].rpartition("/")[2]
    assert (await office.client.get(f"/s/{token}")).status_code == 200

    await gone_live(ana)

    assert (await office.client.get(f"/s/{token}")).status_code == 404

"""Dates of drafts: the day of issue unless stated, kept with a warning where stated, never before an original."""

from datetime import UTC, date, datetime

import pytest
import time_machine

from support.api import Api, item

MONDAY, TUESDAY = datetime(2026, 11, 23, 12, tzinfo=UTC), datetime(2026, 11, 24, 12, tzinfo=UTC)


def on(moment: datetime):
    return time_machine.travel(moment, tick=True)


def keyed(ana: Api) -> Api:
    """Return the account with its API key, whose validity no clock ends."""
    return Api(ana.client, {"x-api-key": ana.api_key})


def dates(invoice: dict) -> tuple[object, ...]:
    return tuple(invoice[name] for name in ("issueDate", "issueDateStated", "dueDate", "dueDateStated"))


async def read(api: Api, invoice: dict) -> dict:
    return await api.get(f"/api/invoices/{invoice['id']}")


async def on_two_days(ana: Api, **fields: object) -> tuple[Api, dict]:
    """A draft that was made on Monday."""
    api = keyed(ana)
    with on(MONDAY):
        return api, await api.invoice(**fields)


@pytest.mark.parametrize("channel", ["emit", "pay", "send"])
async def test_a_draft_without_a_date_is_dated_on_the_day_of_its_issue(ana, channel):
    api, draft = await on_two_days(ana)
    assert dates(draft) == ("2026-11-23", False, "2026-12-23", False)

    with on(TUESDAY):
        assert dates(await read(api, draft)) == ("2026-11-24", False, "2026-12-24", False)
        if channel == "emit":
            answer = await api.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
        else:
            answer = await api.patch(f"/api/invoices/{draft['id']}/{channel}")
        issued = await read(api, draft)

    assert dates(issued) == ("2026-11-24", True, "2026-12-24", True)
    assert answer.get("invoice", answer)["warnings"] == []


@pytest.mark.parametrize("channel", ["emit", "pay", "send"])
async def test_a_stated_earlier_date_is_kept_with_a_warning(ana, channel):
    draft = await ana.invoice(issueDate="2026-11-10")
    assert [one.partition(":")[0] for one in (await read(ana, draft))["warnings"]] == ["ISSUE_DATE_KEPT"]

    if channel == "emit":
        answer = await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    else:
        answer = await ana.patch(f"/api/invoices/{draft['id']}/{channel}")

    assert [one.partition(":")[0] for one in answer.get("invoice", answer)["warnings"]] == ["ISSUE_DATE_KEPT"]
    assert (await read(ana, draft))["issueDate"] == "2026-11-10"


async def test_sending_back_what_was_read_states_nothing(ana):
    api, draft = await on_two_days(ana)
    with on(MONDAY):
        whole = await read(api, draft)
        part = {name: whole[name] for name in ("issueDate", "dueDate")}
        for body in (whole, part):
            assert dates(await api.put(f"/api/invoices/{draft['id']}", body))[1::2] == (False, False)
    with on(TUESDAY):
        assert dates(await api.put(f"/api/invoices/{draft['id']}", whole)) == (
            "2026-11-24",
            False,
            "2026-12-24",
            False,
        )


async def test_a_date_is_stated_and_cleared_and_the_due_date_follows_until_it_is_stated(ana):
    draft = await ana.invoice()
    path = f"/api/invoices/{draft['id']}"

    assert dates(await ana.put(path, {"issueDate": "2026-11-10"})) == ("2026-11-10", True, "2026-12-10", False)
    assert dates(await ana.put(path, {"dueDate": "2026-12-24"})) == ("2026-11-10", True, "2026-12-24", True)
    assert dates(await ana.put(path, {"issueDate": "2026-11-01"})) == ("2026-11-01", True, "2026-12-24", True)
    cleared = await ana.put(path, {"issueDate": None, "dueDate": None})
    assert dates(cleared)[1::2] == (False, False)
    fixed = await ana.put(path, {"issueDate": cleared["issueDate"], "issueDateStated": True})
    assert dates(fixed)[:2] == (cleared["issueDate"], True)


async def test_a_copy_has_no_date_and_the_term_of_its_original(ana):
    draft = await ana.invoice(issueDate="2026-11-10", dueDate="2026-11-20")

    copy = await ana.post(f"/api/invoices/{draft['id']}/duplicate")

    assert (copy["issueDateStated"], copy["dueDateStated"]) == (False, False)
    assert (date.fromisoformat(copy["dueDate"]) - date.fromisoformat(copy["issueDate"])).days == 10


async def test_lists_take_an_undated_draft_as_one_of_today(ana):
    api, undated = await on_two_days(ana)
    with on(MONDAY):
        ahead = await api.invoice(issueDate="2026-11-25")
        before = await api.invoice(issueDate="2026-11-23")
    with on(TUESDAY):
        today = await api.invoice(issueDate="2026-11-24")

        async def listed(query: str) -> list[str]:
            answer = await api.request("GET", f"/api/invoices?{query}")
            assert answer.headers["x-total-count"] == str(len(answer.json()))
            return [one["id"] for one in answer.json()]

        order = [one["id"] for one in (ahead, today, undated, before)]
        assert await listed("status=draft") == await listed("") == order
        assert await listed("from=2026-11-24&to=2026-11-24") == order[1:3]
        assert await listed("to=2026-11-23") == order[3:]
        assert (await api.get("/api/invoices?limit=2&page=2"))[0]["issueDate"] == "2026-11-24"
        [found] = await api.get("/api/invoices?from=2026-11-24&to=2026-11-24&limit=1&page=2")
        assert dates(found) == ("2026-11-24", False, "2026-12-24", False)
        recent = (await api.get("/api/invoices/context"))["recentInvoices"]
        assert [one["id"] for one in recent] == order


@pytest.mark.usefixtures("unreported")
async def test_a_credit_note_is_never_dated_before_its_original(ana):
    original = await ana.invoice(issueDate="2026-11-20")
    await ana.patch(f"/api/invoices/{original['id']}/pay")
    body = {"docType": "credit_note", "rectifies": original["id"], "items": [item(unitPrice=-1)]}

    refused = await ana.refused(400, "POST", "/api/invoices", body | {"issueDate": "2026-11-19"})
    note = await ana.post("/api/invoices", body | {"issueDate": "2026-11-20"})
    changed = await ana.refused(400, "PUT", f"/api/invoices/{note['id']}", {"issueDate": "2026-11-19"})
    await ana.patch(f"/api/invoices/{note['id']}/pay")
    issued = await ana.refused(400, "PUT", f"/api/invoices/{note['id']}", {"issueDate": "2026-11-19"})
    later = await ana.refused(400, "PUT", f"/api/invoices/{original['id']}", {"issueDate": "2026-11-21"})

    for problem in (refused, changed, issued, later):
        assert [error["field"] for error in problem["errors"]] == ["issueDate"]
    assert original["issueDate"] in refused["detail"]


async def test_an_imported_credit_note_is_not_dated_before_its_original(ana):
    row = {"clientName": "Ana", "base": 100, "taxRate": 21}
    rows = [
        {"number": "A-1", "issueDate": "2026-03-05", **row},
        {"number": "R-1", "docType": "credit_note", "rectifies": "A-1", "issueDate": "2026-03-04", **row, "base": -100},
    ]

    answer = await ana.post("/api/invoices/import", {"rows": rows})

    assert [(one["number"], one["field"]) for one in answer["errors"]] == [("R-1", "issueDate")]


async def test_an_import_dated_since_the_first_record_is_warned_of_and_listed(ana):
    first = await ana.invoice()
    await ana.post("/api/einvoice/emit", {"invoiceId": first["id"]})
    row = {"clientName": "Ana", "base": 100, "taxRate": 21}
    rows = [
        {"number": "OLD-1", "issueDate": "2026-01-05", **row},
        {"number": "OLD-2", "issueDate": first["issueDate"], **row},
    ]

    answer = await ana.post("/api/invoices/import", {"rows": rows})

    [warning] = answer["warnings"]
    assert "OLD-2" in warning
    assert "OLD-1" not in warning
    listed = (await ana.get("/api/einvoice/chain?verify=true"))["unrecorded"]
    assert (listed["importedCount"], [one["number"] for one in listed["imported"]]) == (1, ["OLD-2"])


async def test_a_rate_that_ended_before_the_issue_is_refused(ana):
    api = keyed(ana)
    with time_machine.travel(datetime(2024, 9, 30, 12, tzinfo=UTC), tick=True):
        draft = await api.invoice(taxRate=5)
    with time_machine.travel(datetime(2024, 10, 1, 12, tzinfo=UTC), tick=True):
        problem = await api.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    assert problem["code"] == "TAX_RATE_UNKNOWN"


NEW_DAY_IN_MADRID = datetime(2026, 11, 24, 3, tzinfo=UTC)
"""Moment at which it is still the day before on Samoa."""


@pytest.mark.parametrize("prepared", [False, True])
async def test_no_credit_note_is_dated_before_its_original_where_the_account_has_moved_west(ana, prepared):
    api = keyed(ana)
    with on(NEW_DAY_IN_MADRID):
        original = await api.invoice()
        fiscal = await api.post("/api/einvoice/emit", {"invoiceId": original["id"]})
        invoice = original
        if prepared:
            invoice = await api.post(
                "/api/invoices",
                {"docType": "credit_note", "rectifies": original["id"], "items": [item(unitPrice=-1)]},
            )
        await api.put("/api/teams/current", {"timezone": "Pacific/Pago_Pago"})
        body = {"invoiceId": invoice["id"], "originalFiscalId": fiscal["fiscalId"], "originalDate": "2026-11-24"}
        problem = await api.refused(400, "POST", "/api/einvoice/credit-note", body)
        notes = await api.get("/api/invoices?docType=credit_note")
    with on(TUESDAY):
        await api.put("/api/teams/current", {"timezone": "Europe/Madrid"})
        await api.post("/api/einvoice/credit-note", body)
        [note] = await api.get("/api/invoices?docType=credit_note")

    assert [error["field"] for error in problem["errors"]] == ["issueDate"]
    assert [one["number"] for one in notes] == [None] * prepared
    assert (note["issueDate"], note["number"]) == ("2026-11-24", "R2026-0001")

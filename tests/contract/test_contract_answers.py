"""Every built row answers as the interface and our own description say: successes, failures, credentials."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from jsonschema import Draft202012Validator

from support.api import PASSWORD, Api, invoice_body, item
from support.cases import try_each
from support.database import set_role
from support.description import differences, operations, schema_of
from support.interface import Row, built
from support.pictures import data_url, png
from support.scenes import (
    ALL,
    EMISSION,
    ENDING,
    FAILURES,
    FAILURES_ELSEWHERE,
    FILES,
    PRINTING,
    READING,
    address,
    body,
    prepared,
    scene,
)
from support.scenes.ask import named_in

ALONE = {"POST /api/go-live"}
"""Operations that set aside what the other rows need: each is tried by itself only."""

SET_UP = "POST /api/teams/current"
"""Asked by somebody who has no team yet."""
QUICK = [row for row in built() if row.name not in {*EMISSION, *PRINTING, *READING, *FILES, SET_UP}]
GUARDED = [row.name for row in built() if row.auth]
ROWS = {row.name: row for row in built()}

WRONG_CREDENTIALS: list[dict[str, str]] = [
    {},
    {"x-api-key": ""},
    {"x-api-key": "garbage"},
    {"x-api-key": f"lk_live_{uuid4().hex}_{'A' * 43}"},
    {"Authorization": "Bearer garbage"},
    {"Authorization": "Bearer a.b.c"},
    {"Authorization": f"Bearer lk_live_{uuid4().hex}_{'A' * 43}"},
    {"Authorization": "Basic YW5hOnNlY3JldA=="},
]


def needs_records(row: Row) -> bool:
    ask = ALL[row.name]
    return "{" in row.path or bool(named_in([ask.body, ask.query]))


def not_as_contracted(answer: Any, row: Row, contract: Mapping[str, Any]) -> list[str]:
    promised = next((one["response"] for one in contract["operations"] if one["id"] == row.name), None)
    if promised is None or "media" in promised:
        return []
    schema = {**promised, "shapes": contract["shapes"]}
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(answer)]


async def test_without_valid_credentials_the_answer_is_401(kernel, client):
    nobody = Api(client, {})

    async def attempt(row):
        method, path = address(row, {})
        for credentials in WRONG_CREDENTIALS:
            problem = await nobody.refused(401, method, path, body(ALL[row], {}), **credentials)

            assert problem["code"] == "UNAUTHENTICATED"
            assert problem["remedy"]
            assert differences(row, 401, problem) == []

    await try_each(kernel, GUARDED, attempt)


@pytest.mark.parametrize("with_records", [True, False])
async def test_a_valid_request_succeeds_in_the_promised_shape(kernel, ana, with_records):
    made = await scene(ana) if with_records else {}

    async def attempt(name):
        row, ask, caller = ROWS[name], ALL[name], replace(ana)
        ids = await prepared(caller, ask, made)
        method, path = address(name, ids, ask)

        answer = await caller.request(method, path, body(ask, ids))

        assert answer.status_code in row.success, answer.text
        assert answer.headers["content-type"] == "application/json"
        assert differences(name, answer.status_code, answer.json()) == []

    await try_each(kernel, [row.name for row in QUICK if needs_records(row) == with_records], attempt)


async def test_a_company_is_set_up_in_the_promised_shape(client):
    newcomer = await Api.register(client, f"{uuid4().hex}@example.com")

    answer = await newcomer.request("POST", "/api/teams/current", body(ALL[SET_UP], {}))

    assert answer.status_code in ROWS[SET_UP].success, answer.text
    assert differences(SET_UP, answer.status_code, answer.json()) == []


@pytest.mark.whole
async def test_answers_have_the_shapes_of_the_contract(ana, contract):
    made = await scene(ana)

    rows = [row for row in QUICK if row.name not in ALONE]
    for row in sorted(rows, key=lambda row: ENDING.get(row.name, 0)):
        ask = ALL[row.name]
        await ana.log_in()  # what was tried before may have ended it
        await ana.post(f"/api/teams/switch/{ana.team['id']}")  # one that is created becomes the active one
        ids = await prepared(ana, ask, made)
        method, path = address(row.name, ids, ask)
        answer = await ana.request(method, path, body(ask, ids))
        assert answer.is_success, (row.name, answer.text)
        assert not_as_contracted(answer.json(), row, contract) == [], row.name


def test_every_failure_of_a_built_row_is_tried():
    named = {(row.name, status) for row in built() for status in row.failures}

    assert named == FAILURES.keys() | FAILURES_ELSEWHERE


async def test_the_failures_that_rows_name_are_reachable(kernel, ana):
    async def attempt(failure):
        wrong = FAILURES[failure]

        problem = await ana.refused(failure[1], wrong.method, wrong.path, wrong.body)

        assert differences(*failure, problem) == []
        assert problem["remedy"]

    await try_each(kernel, FAILURES, attempt)


async def test_an_owner_with_members_does_not_go(ana, client):
    await Api.register(client, "rosa@example.com")
    await ana.post("/api/teams/current/invite", {"email": "rosa@example.com"})

    problem = await ana.refused(409, "DELETE", "/auth/me", {"password": PASSWORD})

    assert (problem["code"], problem["teams"][0]["id"]) == ("TEAM_HAS_MEMBERS", ana.team["id"])
    assert differences("DELETE /auth/me", 409, problem) == []


async def test_without_a_team_there_is_no_feed_and_no_current_team(client):
    alone = await Api.register(client, "sola@example.com")

    feed = await alone.refused(400, "GET", "/api/invoices/activity/feed")
    current = await alone.refused(404, "GET", "/api/teams/current")
    members = await alone.refused(404, "GET", "/api/teams/current/members")

    assert {feed["code"], current["code"], members["code"]} == {"NO_TEAM"}


async def test_a_member_invites_nobody(ana, client):
    rosa = await Api.register(client, "rosa@example.com")
    await ana.post("/api/teams/current/invite", {"email": "rosa@example.com"})
    await rosa.post(f"/api/teams/switch/{ana.team['id']}")

    problem = await rosa.refused(403, "POST", "/api/teams/current/invite", {"email": "nadie@example.com"})

    assert differences("POST /api/teams/current/invite", 403, problem) == []
    assert problem["requiredRoles"] == ["owner", "admin"]


async def test_an_owner_does_not_leave(ana):
    [own] = await ana.get("/api/teams/current/members")

    problem = await ana.refused(400, "DELETE", f"/api/teams/current/members/{own['id']}")

    assert differences("DELETE /api/teams/current/members/{memberId}", 400, problem) == []
    assert problem["code"] == "OWNER_PROTECTED"


async def test_the_standing_of_what_was_not_emitted_is_a_400(ana):
    draft = await ana.invoice()

    problem = await ana.refused(400, "GET", f"/api/einvoice/status/{draft['id']}")

    assert problem["code"] == "NOT_EMITTED"


async def test_a_vendor_twice_is_a_409(ana):
    await ana.post("/api/vendors", {"name": "Papelería Sol"})

    problem = await ana.refused(409, "POST", "/api/vendors", {"name": "PAPELERIA SOL"})

    assert problem["code"] == "VENDOR_EXISTS"
    assert differences("POST /api/vendors", 409, problem) == []


async def test_a_vendor_with_expenses_stays_with_a_400(ana):
    vendor = await ana.post("/api/vendors", {"name": "Papelería Sol"})
    await ana.post("/api/expenses", {"description": "x", "amount": 1, "date": "2026-11-02", "vendorId": vendor["id"]})

    problem = await ana.refused(400, "DELETE", f"/api/vendors/{vendor['id']}")

    assert problem["code"] == "VENDOR_IN_USE"
    assert differences("DELETE /api/vendors/{id}", 400, problem) == []


async def test_completing_what_is_not_in_review_is_a_400(ana):
    task = await ana.post("/api/tasks", {"title": "Llamar"})

    problem = await ana.refused(400, "PATCH", f"/api/tasks/{task['id']}/complete")

    assert problem["code"] == "TASK_NOT_IN_REVIEW"
    assert differences("PATCH /api/tasks/{id}/complete", 400, problem) == []


async def test_a_second_open_register_is_a_409(ana):
    await ana.post("/api/cash-register", {"openingAmount": 0})

    problem = await ana.refused(409, "POST", "/api/cash-register", {"openingAmount": 0})

    assert problem["code"] == "REGISTER_ALREADY_OPEN"
    assert differences("POST /api/cash-register", 409, problem) == []


async def test_what_is_for_owner_and_admin_is_a_403_for_others(kernel, ana, client):
    rosa = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="finance")

    async def attempt(row):
        method, path = address(row, {})
        problem = await rosa.refused(403, method, path, body(ALL[row], {}))

        assert differences(row, 403, problem) == []

    await try_each(kernel, [row.name for row in built() if 403 in row.failures], attempt)


@pytest.mark.parametrize("name", FILES)
async def test_files_come_as_what_they_are(ana, name):
    ids = await scene(ana, name) if ALL[name].of == "attachment" else {}
    method, path = address(name, await prepared(ana, ALL[name], ids))

    answer = await ana.request(method, path)

    assert (answer.status_code, answer.headers["content-type"]) == (200, FILES[name])
    assert FILES[name].partition(";")[0] in operations()[name]["responses"]["200"]["content"]


@pytest.mark.parametrize("name", PRINTING)
async def test_printing_operations_succeed(ana, name):
    ids = await scene(ana, name)
    method, path = address(name, ids)

    answer = await ana.request(method, path)

    assert answer.status_code == 200, answer.text
    if schema_of(name, 200) is None:
        assert answer.content.startswith(b"%PDF-")
        assert answer.headers["content-type"] == "application/pdf"
    else:
        assert differences(name, 200, answer.json()) == []


async def test_emission_operations_succeed(live, contract):
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    invoice = await ana.invoice()

    result = await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})

    assert differences("POST /api/einvoice/emit", 200, result) == []
    assert not_as_contracted(result, ROWS["POST /api/einvoice/emit"], contract) == []
    status = await ana.get(f"/api/einvoice/status/{invoice['id']}")
    assert differences("GET /api/einvoice/status/{id}", 200, status) == []
    query = f"{invoice['id']}?fiscalId={result['fiscalId']}"
    xml = await ana.request("GET", f"/api/einvoice/xml/{query}")
    assert (xml.status_code, xml.headers["content-type"]) == (200, "application/xml")
    pdf = await ana.request("GET", f"/api/einvoice/download/{query}")
    assert (pdf.status_code, pdf.headers["content-type"]) == (200, "application/pdf")
    mailed = await ana.post(f"/api/einvoice/send-email/{invoice['id']}", {"email": "asesoria@example.com"})
    assert differences("POST /api/einvoice/send-email/{id}", 200, mailed) == []
    assert not_as_contracted(mailed, ROWS["POST /api/einvoice/send-email/{id}"], contract) == []
    other = await ana.invoice()
    corrected = await ana.post("/api/einvoice/emit", {"invoiceId": other["id"]})
    named = {"originalFiscalId": corrected["fiscalId"], "originalDate": other["issueDate"]}
    credited = await ana.post("/api/einvoice/credit-note", {"invoiceId": other["id"], **named})
    assert differences("POST /api/einvoice/credit-note", 200, credited) == []
    assert not_as_contracted(credited, ROWS["POST /api/einvoice/credit-note"], contract) == []
    annulled = await ana.post("/api/einvoice/annul", {"fiscalId": result["fiscalId"], "reason": "Duplicada"})
    assert differences("POST /api/einvoice/annul", 200, annulled) == []
    assert not_as_contracted(annulled, ROWS["POST /api/einvoice/annul"], contract) == []


async def test_what_the_authority_refuses_is_the_only_422(live):
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    invoice = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1124]")])

    problem = await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})

    assert problem["code"] == "AUTHORITY_REJECTED"
    assert problem["result"]["status"] == "rejected"
    assert problem["result"]["errors"][0]["code"] == "1124"
    stored = await ana.get(f"/api/invoices/{invoice['id']}")
    assert stored["einvoice"]["status"] == "rejected"
    assert differences("POST /api/einvoice/emit", 422, problem) == []


async def test_an_invoice_of_a_vendor_recorded_twice_is_a_409(ana):
    vendor = await ana.post("/api/vendors", {"name": "Papelera del Sur"})
    sent = {"vendorId": vendor["id"], "invoiceNumber": "F-2026/1", "invoiceDate": "2026-11-02", "total": 121}
    await ana.post("/api/supplier-invoices", sent)

    problem = await ana.refused(409, "POST", "/api/supplier-invoices", sent | {"invoiceNumber": "f 2026 1"})

    assert problem["code"] == "DUPLICATE_SUPPLIER_INVOICE"
    assert differences("POST /api/supplier-invoices", 409, problem) == []


class TestWithALimitOfEmissions:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"einvoice_limit": 0})

    async def test_emitting_beyond_it_is_a_402(self, ana):
        invoice = await ana.invoice()

        problem = await ana.refused(402, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})

        assert problem["code"] == "EINVOICE_LIMIT"
        assert (await ana.get(f"/api/invoices/{invoice['id']}"))["status"] == "draft"


class TestExhaustedActions:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"ai_monthly_actions": 0, "ai_base_url": "http://127.0.0.1:9/v1"})

    @pytest.mark.parametrize("row", [*READING, "POST /api/expenses/categorize"])
    async def test_what_costs_an_action_is_a_402(self, ana, row):
        method, _, path = row.partition(" ")

        problem = await ana.refused(402, method, path, {"image": data_url(png()), "vendor": "Repsol"})

        assert (problem["code"], problem["balance"]["total"]) == ("OUT_OF_TOKENS", 0)
        assert "topUpUrl" in problem


async def test_an_image_above_ten_mebibytes_is_a_413(ana):
    for row in READING:
        method, _, path = row.partition(" ")
        await ana.refused(413, method, path, {"image": data_url(png() + bytes(10 << 20))})


# ---------------------------------------------------------------- limits and enums, both sides of the edge


@pytest.mark.parametrize(("length", "status"), [(7, 400), (8, 200)])
async def test_a_password_has_eight_characters_at_least(client, length, status):
    data = {"email": "nueva@example.com", "password": "tejado y lluvia"[:length]}

    answer = await client.post("/auth/register", json=data)

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 200), ("?limit=1", 200), ("?limit=100", 200), ("?limit=0", 400), ("?limit=101", 400), ("?limit=x", 400)],
)
async def test_the_feed_shows_a_hundred_entries_at_most(ana, query, status):
    answer = await ana.request("GET", f"/api/invoices/activity/feed{query}")

    assert answer.status_code == status


async def test_the_feed_shows_fifty_entries_by_default(ana):
    for _ in range(51):
        await ana.post("/api/clients", {"name": "Cliente"})

    feed = await ana.get("/api/invoices/activity/feed")

    assert len(feed) == 50


@pytest.mark.parametrize(
    ("page", "status"), [("1", 200), ("0", 400), ("-1", 400), ("1.5", 400), ("", 400), ("999999999", 200)]
)
async def test_pages_begin_with_one(ana, page, status):
    answer = await ana.request("GET", f"/api/invoices?page={page}")

    assert answer.status_code == status


@pytest.mark.parametrize("status", ["draft", "sent", "paid", "overdue"])
async def test_each_status_is_a_filter(ana, status):
    assert await ana.get(f"/api/invoices?status={status}") == []


@pytest.mark.parametrize("status", ["Draft", "issued", "", "draft,sent"])
async def test_other_statuses_are_no_filter(ana, status):
    problem = await ana.refused(400, "GET", f"/api/invoices?status={status}")

    assert [error["field"] for error in problem["errors"]] == ["status"]


async def test_the_invoice_of_the_interface_is_accepted_whole(ana):
    sent = {
        "client": {"name": "Acme GmbH", "taxId": "DE136695976", "country": "DE"},
        "items": [{"description": "Consulting", "quantity": 2.5, "unitPrice": 80.25}],
        "taxRate": 21,
        "retentionRate": 15,
        "issueDate": "2026-11-02",
    }

    made = await ana.post("/api/invoices", sent)

    assert {name: made["client"][name] for name in sent["client"]} == sent["client"]
    assert {name: made["items"][0][name] for name in sent["items"][0]} == sent["items"][0]
    assert {name: made[name] for name in ("taxRate", "retentionRate", "issueDate")} == {
        "taxRate": 21,
        "retentionRate": 15,
        "issueDate": "2026-11-02",
    }
    replaced = await ana.put(f"/api/invoices/{made['id']}", invoice_body(retentionRate=0))
    assert replaced["total"] == 1452


async def test_the_team_of_the_interface_is_accepted_whole(client):
    api = await Api.register(client, "eva@example.com", country="ES", currency="EUR")
    sent = {
        "name": "Estudio",
        "company": "Estudio Eva, S.L.",
        "country": "ES",
        "currency": "EUR",
        "taxId": "B12345674",
        "logo": "logo.png",
    }

    made = await api.post("/api/teams", sent)

    assert {name: made[name] for name in sent} == sent

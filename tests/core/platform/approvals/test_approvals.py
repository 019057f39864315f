"""Proposals of clients that may do nothing themselves: done when a person approves, once and as shown."""

import asyncio
from uuid import uuid4

import pytest

from support.api import CLIENT
from support.approvals import proposed


async def test_what_the_scopes_do_not_cover_becomes_a_proposal(ana, robot):
    proposal = await proposed(robot, "POST", "/api/clients", {"name": "Talleres Norte, S.L.", "country": "ES"})

    assert proposal["status"] == "pending"
    assert proposal["operation"] == "clients.create"
    assert proposal["arguments"]["name"] == "Talleres Norte, S.L."
    assert proposal["proposedByClient"] == "Asistente"
    assert await ana.get("/api/clients") == []

    done = await ana.post(f"/api/approvals/{proposal['id']}/approve")

    clients = await ana.get("/api/clients")
    assert [client["name"] for client in clients] == ["Talleres Norte, S.L."]
    assert done["status"] == "done"
    assert done["result"] == {"type": "client", "id": clients[0]["id"]}
    assert done["decidedVia"] == "api"


async def test_an_emission_is_shown_and_then_emitted(ana, robot):
    draft = await ana.invoice()

    proposal = await proposed(robot, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"], "provider": "verifactu"})
    assert "Total: 1.452,00 EUR" in proposal["summary"]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"

    done = await ana.post(f"/api/approvals/{proposal['id']}/approve")

    assert done["status"] == "done"
    assert done["result"] == {"type": "invoice", "id": draft["id"]}
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"]


ACTS = {
    "created": lambda draft: ("POST", "/api/clients", {"name": "Norte"}),
    "emitted": lambda draft: ("POST", "/api/einvoice/emit", {"invoiceId": draft["id"]}),
    "issued": lambda draft: ("PATCH", f"/api/invoices/{draft['id']}/send", {"subject": "Noviembre"}),
}
"""Acts, by the word of the log for what each does."""


@pytest.mark.parametrize("action", ACTS)
async def test_of_many_at_once_one_is_done(ana, robot, action):
    draft = await ana.invoice()
    proposal = await proposed(robot, *ACTS[action](draft))
    before = await _done(ana, action)

    answers = await asyncio.gather(*(ana.request("POST", f"/api/approvals/{proposal['id']}/approve") for _ in range(5)))

    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
    assert await _done(ana, action) == before + 1
    assert await _done(ana, "approved") == 1
    for refused in (answer.json() for answer in answers if answer.status_code == 409):
        assert (refused["code"], refused["state"]) in [("APPROVAL_DECIDED", state) for state in ("approved", "done")]


async def _done(ana, action):
    return sum(entry["action"] == action for entry in await ana.get("/api/invoices/activity/feed?limit=100"))


async def test_who_proposes_never_approves(ana, robot):
    proposal = await proposed(robot, "POST", "/api/clients", {"name": "Norte"})

    problem = await robot.refused(403, "POST", f"/api/approvals/{proposal['id']}/approve")

    assert problem["code"] == "INSUFFICIENT_SCOPE"
    assert await ana.get("/api/clients") == []


async def test_a_record_that_has_changed_supersedes_the_proposal(ana, robot):
    client = await ana.post("/api/clients", {"name": "Norte"})
    proposal = await proposed(robot, "PUT", f"/api/clients/{client['id']}", {"city": "Bilbao"})
    await ana.put(f"/api/clients/{client['id']}", {"city": "Vitoria"})

    problem = await ana.refused(409, "POST", f"/api/approvals/{proposal['id']}/approve")

    assert problem["code"] == "APPROVAL_SUPERSEDED"
    assert problem["changed"] == ["cliente Norte"]
    assert (await ana.get(f"/api/clients/{client['id']}"))["city"] == "Vitoria"
    assert (await ana.get(f"/api/approvals/{proposal['id']}"))["status"] == "superseded"


async def test_a_rejected_proposal_is_not_done(ana, robot):
    proposal = await proposed(robot, "POST", "/api/clients", {"name": "Norte"})

    rejected = await ana.post(f"/api/approvals/{proposal['id']}/reject", {"reason": "Ya lo tenemos"})

    assert (rejected["status"], rejected["reason"]) == ("rejected", "Ya lo tenemos")
    await ana.refused(409, "POST", f"/api/approvals/{proposal['id']}/approve")
    assert await ana.get("/api/clients") == []


async def test_any_operation_is_proposed_by_its_name(ana):
    proposal = await ana.post(
        "/api/approvals", {"operation": "clients.create", "arguments": {"name": "Norte"}, "note": "de la feria"}
    )

    assert (proposal["status"], proposal["note"]) == ("pending", "de la feria")
    assert [entry["id"] for entry in await ana.get("/api/approvals?status=pending")] == [proposal["id"]]
    assert await ana.get("/api/approvals?status=done") == []


@pytest.mark.parametrize(
    ("operation", "arguments", "status", "code"),
    [
        ("clients.vanish", {}, 400, "VALIDATION_ERROR"),
        ("clients.create", {"name": 5}, 400, "VALIDATION_ERROR"),
        ("clients.update", {"name": "X"}, 400, "VALIDATION_ERROR"),
        ("clients.update", {"id": str(uuid4()), "name": "X"}, 404, "NOT_FOUND"),
        ("api_keys.create", {"name": "X", "scopes": ["read"]}, 400, "NOT_PROPOSABLE"),
        ("approvals.approve", {"id": str(uuid4())}, 400, "NOT_PROPOSABLE"),
        ("clients.listing", {}, 400, "NOT_PROPOSABLE"),
    ],
)
async def test_a_bad_proposal_is_the_operations_own_problem(ana, operation, arguments, status, code):
    problem = await ana.refused(status, "POST", "/api/approvals", {"operation": operation, "arguments": arguments})

    assert problem["code"] == code
    assert await ana.get("/api/approvals") == []


@pytest.mark.parametrize("path", ["/api/invoices", "/api/expenses"])
async def test_who_reads_another_language_approves_what_was_shown(ana, robot, path):
    """The warnings in its answer are those that the summary has shown."""
    german = {**CLIENT, "name": "Beispiel GmbH", "taxId": "DE811569869", "country": "DE", "city": "Berlin"}
    line = {"description": "x", "quantity": 1, "unitPrice": 10}
    bodies = {
        "/api/invoices": {"client": german, "items": [line], "taxRate": 21},
        "/api/expenses": {"description": "Mesa", "amount": 121, "date": "2026-11-02", "taxRate": 19},
    }
    proposal = await proposed(robot, "POST", path, bodies[path], **{"Accept-Language": "en"})

    done = await ana.request("POST", f"/api/approvals/{proposal['id']}/approve", **{"Accept-Language": "ca"})

    assert (done.status_code, done.json()["status"]) == (200, "done"), done.text


async def test_one_that_was_shown_anew_is_not_approved_at_its_earlier_version(ana, robot):
    client = await ana.post("/api/clients", {"name": "Norte"})
    proposal = await proposed(robot, "PUT", f"/api/clients/{client['id']}", {"city": "Bilbao"})
    path = f"/api/approvals/{proposal['id']}"
    seen = (await ana.request("GET", path)).headers["etag"]

    await ana.refused(412, "POST", f"{path}/approve", None, **{"if-match": '"7"'})
    approved = await ana.request("POST", f"{path}/approve", None, **{"if-match": seen})

    assert approved.status_code == 200, approved.text
    assert (await ana.get(f"/api/clients/{client['id']}"))["city"] == "Bilbao"

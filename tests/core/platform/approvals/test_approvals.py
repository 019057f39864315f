"""Proposals of clients that may do nothing themselves: done when a person approves, once and as shown."""

import asyncio
from uuid import uuid4

import pytest

from support.api import CLIENT, Api
from support.approvals import proposed
from support.scopes import with_scoped_key

NEW_CLIENT = {"operation": "clients.create", "arguments": {"name": "Norte"}}


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


async def test_no_key_approves_what_it_has_proposed(ana):
    other = await with_scoped_key(ana, "read", "write")
    for name, header in {"own": ana.api_key, "of the team": ana.team["apiKey"]}.items():
        key = Api(ana.client, {"x-api-key": header})
        for approving in (ana, other):
            proposal = await key.post("/api/approvals", NEW_CLIENT)
            path = f"/api/approvals/{proposal['id']}"

            refused = await key.refused(403, "POST", f"{path}/approve")
            rehearsed = await key.refused(403, "POST", f"{path}/approve", None, **{"Dry-Run": "true"})

            assert (refused["code"], rehearsed["code"]) == ("APPROVAL_OWN", "APPROVAL_OWN"), name
            assert "web" in refused["remedy"]
            assert (await ana.get(path))["status"] == "pending"
            assert (await approving.post(f"{path}/approve"))["status"] == "done"
        rejected = await key.post("/api/approvals", NEW_CLIENT)
        assert (await key.post(f"/api/approvals/{rejected['id']}/reject", {}))["status"] == "rejected"


async def test_a_login_approves_what_it_has_proposed(ana):
    proposal = await ana.post("/api/approvals", NEW_CLIENT)

    assert (await ana.post(f"/api/approvals/{proposal['id']}/approve"))["status"] == "done"


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


async def revoke_key(ana: Api) -> None:
    [key] = [key for key in await ana.get("/api/keys") if key["scopes"] == ["read", "propose"]]
    await ana.delete(f"/api/keys/{key['id']}")


async def renew_team_key(ana: Api) -> None:
    await ana.post("/api/teams/current/regenerate-key")


@pytest.mark.parametrize("revoke", [revoke_key, renew_team_key])
async def test_what_a_revoked_key_has_proposed_is_rejected(ana, robot, revoke):
    other = await with_scoped_key(ana, "read", "write", "propose")
    callers = {revoke_key: robot, renew_team_key: Api(ana.client, {"x-api-key": ana.team["apiKey"]})}
    kept = [await caller.post("/api/approvals", NEW_CLIENT) for caller in (ana, other, *callers.values())]
    decided = [await callers[revoke].post("/api/approvals", NEW_CLIENT) for _ in range(2)]
    await ana.post(f"/api/approvals/{decided[0]['id']}/reject", {"reason": "Ya lo tenemos"})
    await ana.post(f"/api/approvals/{decided[1]['id']}/approve")
    gone = kept.pop(2 if revoke is revoke_key else 3)

    await revoke(ana)

    rejected = await ana.get(f"/api/approvals/{gone['id']}")
    assert (rejected["status"], rejected["reason"]) == ("rejected", "La clave que lo propuso ya no vale.")
    assert (await ana.refused(409, "POST", f"/api/approvals/{gone['id']}/approve"))["code"] == "APPROVAL_DECIDED"
    waiting = await ana.get("/api/approvals?status=pending")
    assert {proposal["id"] for proposal in waiting} == {proposal["id"] for proposal in kept}
    assert (await ana.get(f"/api/approvals/{decided[0]['id']}"))["reason"] == "Ya lo tenemos"
    assert (await ana.get(f"/api/approvals/{decided[1]['id']}"))["status"] == "done"
    [entry] = await ana.get(f"/api/activity/history?type=approval&id={gone['id']}&limit=1")
    assert (entry["action"], entry["changes"]["reason"]["to"]) == ("rejected", rejected["reason"])


LINE = {"description": "Diseño", "quantity": 1, "unitPrice": 100}
UNKNOWN = [
    ("clients.create", {"name": "Norte", "nested": {"a": 1}}, "nested"),
    ("clients.create", {"name": "Norte", "id": str(uuid4())}, "id"),
    ("clients.create", {"name": "Norte", "postal_code": "48001"}, "postal_code"),
    ("clients.delete", {"id": str(uuid4()), "foo": 1}, "foo"),
    ("invoices.create", {"client": CLIENT, "items": [LINE, {**LINE, "vat": 21}]}, "items[1].vat"),
    ("invoices.create", {"client": {**CLIENT, "nif": "B1"}, "items": [LINE]}, "client.nif"),
    ("clients.create", {"name": "Norte", "dir3": {"foo": "X"}}, "dir3.foo"),
    ("undoing.undo", {"count": 1, "counts": 1}, "counts"),
]


@pytest.mark.parametrize(("operation", "arguments", "field"), UNKNOWN, ids=[field for *_, field in UNKNOWN])
async def test_an_unknown_argument_is_refused_at_every_depth(ana, operation, arguments, field):
    """What was dropped in silence would be missing in what a person approves."""
    problem = await ana.refused(400, "POST", "/api/approvals", {"operation": operation, "arguments": arguments})

    assert (field, "extra_forbidden") in [(error["field"], error["code"]) for error in problem["errors"]]
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

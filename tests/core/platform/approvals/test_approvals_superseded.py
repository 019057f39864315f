"""Proposals about records that have changed meanwhile end with nothing done; so do those that a rule refuses by now."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from ledgerkit.core.platform.approvals import operations as approvals
from support.api import Api
from support.approvals import APPROVED, proposed
from support.periods import YEAR

FEED = "/api/invoices/activity/feed?limit=100"
Invoice = dict[str, Any]


async def emitted(ana: Api) -> Invoice:
    draft = await ana.invoice()
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    return await ana.get(f"/api/invoices/{draft['id']}")


def emission(invoice: Invoice) -> tuple[str, str, Any]:
    return "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]}


def payment(invoice: Invoice) -> tuple[str, str, Any]:
    return "PATCH", f"/api/invoices/{invoice['id']}/pay", {}


def mail(invoice: Invoice) -> tuple[str, str, Any]:
    return "PATCH", f"/api/invoices/{invoice['id']}/send", {"subject": "Noviembre"}


def credit(invoice: Invoice) -> tuple[str, str, Any]:
    named = {"originalFiscalId": invoice["einvoice"]["fiscalId"], "originalDate": invoice["issueDate"]}
    return "POST", "/api/einvoice/credit-note", {"invoiceId": invoice["id"], **named}


def annulment(invoice: Invoice) -> tuple[str, str, Any]:
    return "POST", "/api/einvoice/annul", {"fiscalId": invoice["einvoice"]["fiscalId"], "reason": "Duplicada"}


async def edited(ana: Api, invoice: Invoice) -> None:
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [{"description": "Diseño", "unitPrice": 9999}]})


async def noted(ana: Api, invoice: Invoice) -> None:
    await ana.put(f"/api/invoices/{invoice['id']}", {"notes": "otra"})


async def deleted(ana: Api, invoice: Invoice) -> None:
    answer = await ana.request("DELETE", f"/api/invoices/{invoice['id']}")
    assert answer.is_success, answer.text


def done(act: Callable[[Invoice], tuple[str, str, Any]]) -> Callable[[Api, Invoice], Awaitable[None]]:
    async def meanwhile(ana: Api, invoice: Invoice) -> None:
        answer = await ana.request(*act(invoice))
        assert answer.is_success, answer.text

    return meanwhile


DRAFT_ACTS = {"emission": emission, "payment": payment, "mail": mail}
DRAFT_EVENTS = {"edited": edited, "noted": noted, "deleted": deleted, "emitted": done(emission)}
ISSUED_ACTS = {"mail": mail, "credit": credit, "annulment": annulment}
ISSUED_EVENTS = {"credited": done(credit), "annulled": done(annulment)}


async def superseded_at_once_and_for_good(ana: Api, proposal: Any) -> None:
    """Neither the first attempt nor a second one does anything, and the proposal waits no longer."""
    path = f"/api/approvals/{proposal['id']}"
    before = await state_of(ana)

    first = await ana.request("POST", f"{path}/approve")
    second = await ana.request("POST", f"{path}/approve")

    for answer in (first, second):
        assert answer.status_code == 409, answer.text[:600]
        assert (answer.json()["code"], answer.json()["state"]) == ("APPROVAL_SUPERSEDED", "superseded")
    ended = await ana.get(path)
    assert ended["status"] == "superseded"
    assert first.json()["changed"] == second.json()["changed"] == ended["problem"]["changed"] != []
    [entry] = [entry for entry in await ana.get(FEED) if entry["action"] == "superseded"]
    assert entry["entityLabel"] == proposal["title"]
    assert entry["changes"]["reason"]["to"] == ended["problem"]["detail"]
    assert await state_of(ana) == before


async def state_of(ana: Api) -> Any:
    return [(row["number"], row["status"], row["total"]) for row in await ana.get("/api/invoices")]


@pytest.mark.parametrize("event", DRAFT_EVENTS)
@pytest.mark.parametrize("act", DRAFT_ACTS)
async def test_a_draft_that_has_changed_supersedes(ana, robot, act, event):
    draft = await ana.invoice()
    proposal = await proposed(robot, *DRAFT_ACTS[act](draft))
    await DRAFT_EVENTS[event](ana, draft)

    await superseded_at_once_and_for_good(ana, proposal)


@pytest.mark.parametrize("event", ISSUED_EVENTS)
@pytest.mark.parametrize("act", ISSUED_ACTS)
async def test_a_document_that_has_changed_supersedes(ana, robot, act, event):
    invoice = await emitted(ana)
    proposal = await proposed(robot, *ISSUED_ACTS[act](invoice))
    await ISSUED_EVENTS[event](ana, invoice)

    await superseded_at_once_and_for_good(ana, proposal)


@pytest.mark.parametrize("event", DRAFT_EVENTS)
async def test_what_has_changed_since_it_was_approved_is_not_taken_up(office, ana, robot, event):
    draft = await ana.invoice()
    proposal = await proposed(robot, *emission(draft))
    await office.rows(APPROVED, id=proposal["id"], age=timedelta())
    await DRAFT_EVENTS[event](ana, draft)
    before = await state_of(ana)

    await approvals.finish(office.kernel, {"accountId": ana.team["id"], "approvalId": proposal["id"]})

    ended = await ana.get(f"/api/approvals/{proposal['id']}")
    assert (ended["status"], ended["problem"]["code"]) == ("failed", "APPROVAL_SUPERSEDED")
    assert ended["problem"]["changed"]
    assert await state_of(ana) == before


async def too_late_for_its_date(ana: Api) -> Invoice:
    """A draft that cannot be emitted any more once `another_is_dated_later`, although nobody has changed it."""
    return await ana.invoice(issueDate=f"{YEAR}-11-02")


async def another_is_dated_later(ana: Api) -> None:
    later = await ana.invoice(issueDate=f"{YEAR}-11-10")
    await ana.post("/api/einvoice/emit", {"invoiceId": later["id"]})


@pytest.mark.parametrize("act", DRAFT_ACTS)
async def test_what_a_rule_refuses_by_now_has_failed(ana, robot, act):
    draft = await too_late_for_its_date(ana)
    proposal = await proposed(robot, *DRAFT_ACTS[act](draft))
    path = f"/api/approvals/{proposal['id']}"
    await another_is_dated_later(ana)

    problem = (await ana.client.post(f"{path}/approve", headers=ana.headers)).json()
    again = await ana.refused(409, "POST", f"{path}/approve")

    ended = await ana.get(path)
    assert problem["code"] == ended["problem"]["code"] == "ISSUE_DATE_BEFORE_LAST"
    assert ended["status"] == "failed"
    assert "es anterior a la última factura" in ended["problem"]["detail"]
    assert (again["code"], again["state"]) == ("APPROVAL_DECIDED", "failed")
    assert "failed" in [entry["action"] for entry in await ana.get(FEED)]


async def test_what_the_approver_may_not_do_stays_open(office, ana, robot):
    """A colleague who may not close the till of another does not find it; the owner approves it afterwards."""
    till = await ana.post("/api/cash-register", {"openingAmount": 0})
    colleague = await office.account("Berta Gil")
    await ana.post("/api/teams/current/invite", {"email": colleague.email, "role": "member"})
    await colleague.post(f"/api/teams/switch/{ana.team['id']}")
    closing = "POST", f"/api/cash-register/{till['id']}/close", {"closingAmount": 0}
    proposal = await proposed(robot, *closing)

    refused = await colleague.request("POST", f"/api/approvals/{proposal['id']}/approve")

    assert refused.status_code in {403, 404}, refused.text
    assert (await ana.get(f"/api/approvals/{proposal['id']}"))["status"] == "pending"
    assert (await ana.post(f"/api/approvals/{proposal['id']}/approve"))["status"] == "done"


async def test_what_has_changed_is_told_by_its_present_name_and_told_again(ana, robot):
    client = await ana.post("/api/clients", {"name": "Norte"})
    proposal = await proposed(robot, "PUT", f"/api/clients/{client['id']}", {"name": "Sur"})
    await ana.put(f"/api/clients/{client['id']}", {"name": "Este"})
    path = f"/api/approvals/{proposal['id']}"

    first = await ana.refused(409, "POST", f"{path}/approve")
    second = await ana.refused(409, "POST", f"{path}/approve")

    stored = (await ana.get(path))["problem"]
    assert first["changed"] == second["changed"] == stored["changed"] == ["cliente Este"]
    assert second["detail"] == stored["detail"]


GONE = {
    "renamed": "update approval set operation = 'clients.gone' where id = :id returning id",
    "only read": "update approval set operation = 'clients.get' where id = :id returning id",
    "another field": "update approval set arguments = '{\"name\": 5}' where id = :id returning id",
}


@pytest.mark.parametrize("upgrade", GONE)
async def test_what_an_upgrade_does_no_more_is_superseded(office, ana, robot, upgrade):
    proposal = await proposed(robot, "POST", "/api/clients", {"name": "Norte"})
    await office.rows(GONE[upgrade], id=proposal["id"])
    path = f"/api/approvals/{proposal['id']}"

    problem = await ana.refused(409, "POST", f"{path}/approve")

    ended = await ana.get(path)
    assert (problem["code"], problem["changed"]) == ("APPROVAL_SUPERSEDED", [])
    assert ended["status"] == "superseded"
    assert ended["problem"]["detail"] == "El servidor ya no hace esto tal como se propuso."
    assert await ana.get("/api/clients") == []


@pytest.mark.parametrize("upgrade", GONE)
async def test_what_an_upgrade_does_no_more_is_not_taken_up(office, ana, robot, upgrade):
    proposal = await proposed(robot, "POST", "/api/clients", {"name": "Norte"})
    await office.rows(APPROVED, id=proposal["id"], age=timedelta())
    await office.rows(GONE[upgrade], id=proposal["id"])

    await approvals.finish(office.kernel, {"accountId": ana.team["id"], "approvalId": proposal["id"]})

    ended = await ana.get(f"/api/approvals/{proposal['id']}")
    assert (ended["status"], ended["problem"]["code"]) == ("failed", "APPROVAL_SUPERSEDED")
    assert "failed" in [entry["action"] for entry in await ana.get(FEED)]


@pytest.fixture
async def colleague(office, ana):
    berta = await office.account("Berta Gil")
    await ana.post("/api/teams/current/invite", {"email": berta.email, "role": "admin"})
    await berta.post(f"/api/teams/switch/{ana.team['id']}")
    [member] = [one for one in await ana.get("/api/teams/current/members") if one["email"] == berta.email]
    return berta, f"/api/teams/current/members/{member['id']}"


async def test_what_a_demoted_proposer_may_not_do_says_so(ana, colleague):
    berta, membership = colleague
    client = {"operation": "clients.create", "arguments": {"name": "Norte"}}
    path = f"/api/approvals/{(await berta.post('/api/approvals', client))['id']}"
    await ana.patch(f"{membership}/role", {"role": "viewer"})

    for _ in range(2):
        problem = await ana.refused(409, "POST", f"{path}/approve")
        assert (problem["code"], problem["changed"]) == ("APPROVAL_SUPERSEDED", [])
    assert (await ana.get(path))["problem"]["detail"] == "Quien lo propuso ya no puede hacerlo."


async def test_proposals_of_who_is_removed_are_rejected_with_the_reason(ana, colleague):
    berta, membership = colleague
    titles = set()
    for name in ("Norte", "Sur"):
        client = {"operation": "clients.create", "arguments": {"name": name}}
        titles.add((await berta.post("/api/approvals", client))["title"])
    await ana.request("DELETE", membership)

    reason = "Quien lo propuso ya no está en la cuenta."
    ended = await ana.get("/api/approvals")
    assert [(row["status"], row["reason"]) for row in ended] == [("rejected", reason)] * 2
    logged = [entry for entry in await ana.get(FEED) if entry["action"] == "rejected"]
    assert {entry["entityLabel"] for entry in logged} == titles
    assert {entry["changes"]["reason"]["to"] for entry in logged} == {reason}

"""Proposals among others: after a crash, on another day, by who has left, and of the web app only."""

from asyncio import gather
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
import time_machine

from ledgerkit import clock
from ledgerkit.core.platform.approvals import operations as approvals
from ledgerkit.core.platform.request.scopes import Scope
from support.approvals import APPROVED, proposed
from support.periods import YEAR
from support.scopes import with_scoped_key


async def test_two_emissions_are_approved_one_after_the_other(ana, robot):
    """The second gets another number than its card has shown: the number does not count."""
    drafts = [await ana.invoice(notes=str(number)) for number in range(2)]
    proposals = [await proposed(robot, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]}) for draft in drafts]

    for proposal in proposals:
        assert (await ana.post(f"/api/approvals/{proposal['id']}/approve"))["status"] == "done"

    numbers = [(await ana.get(f"/api/invoices/{draft['id']}"))["number"] for draft in drafts]
    assert numbers == [f"F{YEAR}-0001", f"F{YEAR}-0002"]


async def test_another_outcome_is_shown_before_it_is_done(ana, robot):
    """The account that the invoice asks to pay into is not the company's any more: the person looks again."""
    await ana.put("/api/teams/current", {"iban": "ES9121000418450200051332"})
    draft = await ana.invoice(iban="ES9121000418450200051332")
    proposal = await proposed(robot, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    await ana.put("/api/teams/current", {"iban": "ES7921000813610123456789"})

    problem = await ana.refused(409, "POST", f"/api/approvals/{proposal['id']}/approve")

    assert (problem["code"], problem["state"]) == ("APPROVAL_CHANGED", "pending")
    assert [line for line in problem["changed"] if "ES9121000418450200051332" in line]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"
    assert (await ana.post(f"/api/approvals/{proposal['id']}/approve"))["status"] == "done"


async def test_what_the_card_tells_of_another_record_is_looked_at_again(ana, robot):
    """A task names its client by an id: neither its answer nor the log has the name, only the card."""
    client = await ana.post("/api/clients", {"name": "Talleres Norte", "country": "ES"})
    proposal = await proposed(robot, "POST", "/api/tasks", {"title": "Llamar", "clientId": client["id"]})
    await ana.put(f"/api/clients/{client['id']}", {"name": "Talleres Sur"})

    problem = await ana.refused(409, "POST", f"/api/approvals/{proposal['id']}/approve")

    assert problem["code"] == "APPROVAL_CHANGED"
    assert [line for line in problem["changed"] if "Talleres Sur" in line]
    assert await ana.get("/api/tasks") == []
    assert (await ana.post(f"/api/approvals/{proposal['id']}/approve"))["status"] == "done"


async def test_an_approved_emission_is_taken_up_after_a_crash(office, ana, robot):
    draft = await ana.invoice()
    proposal = await proposed(robot, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    await office.rows(APPROVED, id=proposal["id"], age=timedelta())

    payload = {"accountId": ana.team["id"], "approvalId": proposal["id"]}
    await approvals.finish(office.kernel, payload)
    await approvals.finish(office.kernel, payload)

    assert (await ana.get(f"/api/approvals/{proposal['id']}"))["status"] == "done"
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] == f"F{YEAR}-0001"


async def test_a_proposal_expires(ana, robot):
    proposal = await proposed(robot, "POST", "/api/clients", {"name": "Norte"})

    with time_machine.travel(clock.now() + timedelta(days=7, seconds=1)):
        await ana.log_in()
        problem = await ana.refused(409, "POST", f"/api/approvals/{proposal['id']}/approve")

    assert (problem["code"], problem["state"]) == ("APPROVAL_EXPIRED", "expired")
    assert await ana.get("/api/clients") == []


async def test_the_same_key_proposes_once(ana, robot):
    key = {"Idempotency-Key": uuid4().hex}

    first = await proposed(robot, "POST", "/api/clients", {"name": "Norte"}, **key)
    again = await proposed(robot, "POST", "/api/clients", {"name": "Norte"}, **key)

    assert again["id"] == first["id"]
    assert len(await ana.get("/api/approvals")) == 1


async def test_what_only_the_operation_finds_out_of_scope_is_proposed_too(ana):
    """A payment of a draft seals it, which the operation itself finds beyond the scope `write`."""
    clerk = await with_scoped_key(ana, "read", "write", "propose")
    draft = await ana.invoice()

    proposal = await proposed(clerk, "PATCH", f"/api/invoices/{draft['id']}/pay", {})

    assert proposal["operation"] == "einvoice.issuance.pay"
    await ana.post(f"/api/approvals/{proposal['id']}/approve")
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "paid"


async def test_a_dry_run_shows_a_proposer_what_it_may_not_do(ana, robot):
    answer = await robot.request("POST", "/api/clients", {"name": "Norte"}, **{"Dry-Run": "true"})

    assert answer.json()["answer"]["name"] == "Norte"
    assert await ana.get("/api/approvals") == []


async def test_another_account_neither_sees_nor_decides(office, ana, robot):
    berta = await office.account("Berta Gil")
    proposal = await proposed(robot, "POST", "/api/clients", {"name": "Norte"})

    assert await berta.get("/api/approvals") == []
    await berta.refused(404, "GET", f"/api/approvals/{proposal['id']}")
    await berta.refused(404, "POST", f"/api/approvals/{proposal['id']}/approve")
    await berta.refused(404, "POST", f"/api/approvals/{proposal['id']}/reject", {})


async def test_only_a_login_changes_the_policy(ana):
    key = await with_scoped_key(ana, *(scope for scope in Scope if scope is not Scope.PROPOSE))

    await key.refused(401, "PUT", "/api/approvals/policy", {"asked": "host"})
    stored = await ana.put("/api/approvals/policy", {"asked": "limits", "upTo": 300, "knownClients": True})

    assert (stored["asked"], stored["upTo"], stored["knownClients"]) == ("limits", 300, True)
    assert await ana.get("/api/approvals/policy") == stored


async def test_of_two_who_change_the_policy_the_second_is_refused(ana):
    none = await ana.request("GET", "/api/approvals/policy")
    rule = {"connection": (await ana.post("/api/keys", {"name": "Gestoría", "scopes": ["read"]}))["id"], "asked": "app"}
    upon = {"If-Match": none.headers["etag"]}

    first = await ana.request("PUT", "/api/approvals/policy", {"asked": "app"}, **upon)
    refused = await ana.request("PUT", "/api/approvals/policy", {"asked": "host", "connections": [rule]}, **upon)
    again = {"If-Match": first.headers["etag"]}
    second = await ana.request("PUT", "/api/approvals/policy", {"asked": "app", "connections": [rule]}, **again)
    of_key = {"asked": "app", "connections": [{**rule, "asked": "host"}]}
    third = await ana.request("PUT", "/api/approvals/policy", of_key, **again)

    assert [answer.status_code for answer in (first, refused, second, third)] == [200, 412, 200, 412]
    assert refused.json()["code"] == "VERSION_MISMATCH"
    assert (await ana.request("GET", "/api/approvals/policy")).headers["etag"] == second.headers["etag"]
    assert (await ana.get("/api/approvals/policy"))["connections"][0]["asked"] == "app"


async def test_of_two_who_change_the_policy_at_the_same_time_one_is_refused(ana):
    for _ in range(2):  # the first time, no rule is stored yet
        upon = {"If-Match": (await ana.request("GET", "/api/approvals/policy")).headers["etag"]}
        bodies = [{"asked": "app"}, {"asked": "limits", "upTo": 5}]
        answers = await gather(*(ana.request("PUT", "/api/approvals/policy", body, **upon) for body in bodies))

        assert sorted(answer.status_code for answer in answers) == [200, 412]
        [kept] = [answer.json() for answer in answers if answer.is_success]
        assert await ana.get("/api/approvals/policy") == kept


@pytest.mark.parametrize("body", [{"asked": "limits"}, {"asked": "app", "upTo": 5}, {"asked": "limits", "upTo": 0}])
async def test_a_policy_of_limits_has_a_total(ana, body):
    rule = {"connection": "01890000-0000-7000-8000-000000000000", **body}
    problem = await ana.refused(400, "PUT", "/api/approvals/policy", body)
    of_connection = await ana.refused(400, "PUT", "/api/approvals/policy", {"asked": "host", "connections": [rule]})

    assert problem["code"] == of_connection["code"] == "VALIDATION_ERROR"
    assert [error["field"] for error in problem["errors"]] == ["upTo"]
    assert [error["field"] for error in of_connection["errors"]] == ["connections[0].upTo"]


async def test_the_ended_are_forgotten_and_the_log_stays(office, ana, robot):
    proposal = await proposed(robot, "POST", "/api/clients", {"name": "Norte"})
    await ana.post(f"/api/approvals/{proposal['id']}/approve")
    account = UUID(ana.team["id"])

    with time_machine.travel(clock.now() + timedelta(days=91)):
        async with office.kernel.database.transaction(account) as db:
            assert await approvals.purge(db) == 1

    entries = await ana.get("/api/invoices/activity/feed")
    assert {"proposed", "approved"} <= {entry["action"] for entry in entries}


async def test_what_hangs_for_a_day_is_left_to_a_person(office, ana, robot):
    draft = await ana.invoice()
    proposal = await proposed(robot, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    await office.rows(APPROVED, id=proposal["id"], age=timedelta(hours=21))

    async with office.kernel.database.transaction(UUID(ana.team["id"])) as db:
        await approvals.purge(db)

    assert (await ana.get(f"/api/approvals/{proposal['id']}"))["status"] == "failed"
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"


async def test_an_invitation_that_was_mailed_is_done(ana, robot):
    """The problem says that the address is not registered, and the mail went out all the same."""
    body = {"email": "nueva@example.com", "role": "viewer"}
    proposal = await proposed(robot, "POST", "/api/teams/current/invite", body)

    done = await ana.post(f"/api/approvals/{proposal['id']}/approve")

    assert (done["status"], done["problem"]["code"]) == ("done", "USER_NOT_REGISTERED")


async def test_a_proposers_version_is_heeded(ana, robot):
    client = await ana.post("/api/clients", {"name": "Norte"})
    await ana.put(f"/api/clients/{client['id']}", {"city": "Bilbao"})

    problem = await robot.refused(412, "PUT", f"/api/clients/{client['id']}", {"city": "Lugo"}, **{"If-Match": '"1"'})

    assert problem["code"] == "VERSION_MISMATCH"
    assert await ana.get("/api/approvals") == []


async def test_whoever_may_not_read_does_not_propose(ana):
    blind = await with_scoped_key(ana, "propose")
    client = await ana.post("/api/clients", {"name": "Norte"})

    await blind.refused(403, "PUT", f"/api/clients/{client['id']}", {"city": "Lugo"})
    await blind.refused(403, "POST", "/api/approvals", {"operation": "clients.create", "arguments": {"name": "X"}})

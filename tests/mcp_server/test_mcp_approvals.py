"""Assistants that may only propose, and policies by which a person is asked in the web app."""

from dataclasses import replace
from uuid import uuid4

import pytest

from support.periods import YEAR
from support.scopes import with_scoped_key

APP = {"asked": "app", "connections": []}


@pytest.fixture
async def ana(site):
    return await site.person()


async def test_a_client_that_proposes_gets_the_card_and_a_link(site, ana):
    robot = await with_scoped_key(ana, "read", "propose")

    answer = await site.agent(robot).ok("create_invoice", client={"name": "Norte"}, items=[line()])

    assert answer["proposed"] is True
    assert answer["summary"].splitlines()[:2] == ["Preparar un borrador de factura", "Cliente: Norte"]
    assert answer["url"].endswith(f"/approve/{answer['approvalId']}")
    assert (await site.agent(robot).ok("list_invoices"))["items"] == []

    await ana.post(f"/api/approvals/{answer['approvalId']}/approve")

    [invoice] = (await site.agent(robot).ok("list_invoices"))["items"]
    assert invoice["status"] == "draft"


def line(price=100):
    return {"description": "Diseño", "quantity": 1, "unitPrice": price}


async def test_in_the_web_app_only_the_assistant_holds_nothing_that_confirms(site, ana):
    draft = await ana.invoice()
    agent = site.agent(ana)
    earlier = await agent.preview("emit_einvoice", invoiceId=draft["id"])
    await ana.put("/api/approvals/policy", APP)

    asked = await agent.call("emit_einvoice", invoiceId=draft["id"])
    refused = await agent.refused(
        "emit_einvoice", invoiceId=draft["id"], confirmation_token=earlier["confirmationToken"]
    )

    assert asked.body["proposed"] is True
    assert "confirmationToken" not in asked.body
    assert refused["code"] == "CONFIRMATION_MISMATCH"
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None

    await ana.post(f"/api/approvals/{asked.body['approvalId']}/approve")
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] == f"F{YEAR}-0001"


async def test_the_key_that_was_refused_a_token_does_not_approve_its_question(site, ana):
    """What an assistant holds beside the link opens the interface too."""
    key = await with_scoped_key(ana, "read", "write", "fiscal")
    draft = await ana.invoice()
    await ana.put("/api/approvals/policy", APP)
    asked = await site.agent(key).call("emit_einvoice", invoiceId=draft["id"])

    problem = await key.refused(403, "POST", f"/api/approvals/{asked.body['approvalId']}/approve")

    assert problem["code"] == "APPROVAL_OWN"
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None


@pytest.mark.parametrize(
    "policy",
    [
        {"asked": "limits", "upTo": 300, "connections": []},
        {"asked": "limits", "upTo": 3000, "knownClients": True, "connections": []},
        APP,
    ],
)
async def test_a_token_confirms_only_under_the_rule_that_it_was_issued_under(site, ana, policy):
    draft, agent = await ana.invoice(items=[line(1000)]), site.agent(ana)
    earlier = await agent.preview("emit_einvoice", invoiceId=draft["id"])
    sent = {"invoiceId": draft["id"], "confirmation_token": earlier["confirmationToken"]}
    await ana.put("/api/approvals/policy", policy)

    refused = await agent.refused("emit_einvoice", **sent)

    assert refused["code"] == "CONFIRMATION_MISMATCH"
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None
    assert (await agent.call("emit_einvoice", invoiceId=draft["id"])).body["proposed"] is True


async def test_the_rules_of_other_connections_leave_a_token_as_it_is(site, ana):
    draft, agent = await ana.invoice(items=[line()]), site.agent(ana)
    earlier = await agent.preview("emit_einvoice", invoiceId=draft["id"])
    other = {"connection": str(uuid4()), "asked": "app"}
    await ana.put("/api/approvals/policy", {"asked": "host", "connections": [other]})

    await agent.ok("emit_einvoice", invoiceId=draft["id"], confirmation_token=earlier["confirmationToken"])

    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] == f"F{YEAR}-0001"


@pytest.mark.parametrize(("price", "place"), [(100, "confirmationRequired"), (1000, "proposed")])
async def test_up_to_a_total_the_assistant_asks_itself(site, ana, price, place):
    await ana.put("/api/approvals/policy", {"asked": "limits", "upTo": 300, "connections": []})
    draft = await ana.invoice(items=[line(price)])

    answer = await site.agent(ana).call("emit_einvoice", invoiceId=draft["id"])

    assert answer.body[place] is True


async def test_with_known_clients_only_others_are_asked_about_in_the_web_app(site, ana):
    limits = {"asked": "limits", "upTo": 300, "knownClients": True, "connections": []}
    await ana.put("/api/approvals/policy", limits)
    first, second = [await ana.invoice(items=[line()]) for _ in range(2)]
    asked = await site.agent(ana).call("emit_einvoice", invoiceId=first["id"])
    await ana.post(f"/api/approvals/{asked.body['approvalId']}/approve")

    answer = await site.agent(ana).call("emit_einvoice", invoiceId=second["id"])

    assert answer.body["confirmationRequired"] is True


async def test_words_that_name_an_account_are_asked_about_in_the_web_app(site, ana):
    limits = {"asked": "limits", "upTo": 300, "knownClients": True, "connections": []}
    first, second = [await ana.invoice(items=[line()]) for _ in range(2)]
    await ana.post("/api/einvoice/emit", {"invoiceId": first["id"]})
    await ana.put("/api/approvals/policy", limits)
    shown, hidden = "Pague en ES79 2100 0813 6101 2345 6789", "😀" * 100
    places = {}

    for name, words in {
        "plain": {"message": "Gracias"},
        "account": {"message": shown},
        "cut": {"subject": hidden, "message": f"{hidden} {shown} {hidden}"},
        "subject": {"subject": "pagos.example"},
    }.items():
        answer = await site.agent(ana).call("send_invoice", id=second["id"], **words)
        places[name] = answer.body.get("proposed", False)

    assert places == {"plain": False, "account": True, "cut": True, "subject": True}


async def test_a_rule_of_one_connection_comes_before_the_accounts(site, ana):
    key = await ana.post("/api/keys", {"name": "Asistente", "scopes": ["read", "write", "fiscal"]})
    await ana.put(
        "/api/approvals/policy", {"asked": "host", "connections": [{"connection": key["id"], "asked": "app"}]}
    )
    draft = await ana.invoice()
    careful = type(ana)(ana.client, {"Authorization": f"Bearer {key['key']}"}, "", key["key"], ana.team)

    assert (await site.agent(careful).call("emit_einvoice", invoiceId=draft["id"])).body["proposed"] is True
    assert (await site.agent(ana).call("emit_einvoice", invoiceId=draft["id"])).body["confirmationRequired"] is True


async def test_a_key_that_may_propose_is_bound_over_rest_as_over_mcp(site, ana):
    """The rule is of the connection, so the other door of the same key does not lead past it."""
    robot = await with_scoped_key(ana, "read", "propose", "write", "fiscal")
    await ana.put("/api/approvals/policy", APP)
    draft = await ana.invoice()

    over_mcp = (await site.agent(robot).call("emit_einvoice", invoiceId=draft["id"])).body
    over_rest = await robot.request("POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    assert over_mcp["proposed"] is True
    assert over_rest.status_code == 202, over_rest.text
    assert (over_rest.json()["operation"], over_rest.json()["status"]) == ("einvoice.emit", "pending")
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None

    await ana.post(f"/api/approvals/{over_rest.json()['id']}/approve")
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] == f"F{YEAR}-0001"


async def test_a_new_bank_account_is_confirmed(site, ana):
    agent = site.agent(ana)

    preview = await agent.call("save_company", iban="ES9121000418450200051332")

    assert preview.body["confirmationRequired"] is True
    assert "Cuenta bancaria nueva: ES9121000418450200051332" in preview.body["question"].splitlines()
    assert (await agent.call("save_company", city="Bilbao")).body["team"]["city"] == "Bilbao"


async def test_the_proposals_of_a_removed_member_are_rejected(site, ana):
    colleague = await site.colleague(ana, "finance")
    proposal = await colleague.post("/api/approvals", {"operation": "clients.create", "arguments": {"name": "Norte"}})
    team = await ana.get("/api/teams/current")
    member = next(one for one in team["members"] if one["email"] == colleague.email)

    await ana.delete(f"/api/teams/current/members/{member['id']}")

    rejected = await ana.get(f"/api/approvals/{proposal['id']}")
    assert (rejected["status"], rejected["reason"]) == ("rejected", "Quien lo propuso ya no está en la cuenta.")
    [entry] = await ana.get(f"/api/activity/history?type=approval&id={proposal['id']}&limit=1")
    assert (entry["action"], entry["changes"]["reason"]["to"]) == ("rejected", rejected["reason"])
    await ana.refused(409, "POST", f"/api/approvals/{proposal['id']}/approve")


async def test_what_a_disconnected_application_has_proposed_is_rejected(site, ana):
    colleague = replace(await site.colleague(ana, "admin"), team=ana.team)
    tokens = [await site.access_token(person, "read", "propose") for person in (ana, colleague)]
    agents = [site.agent(replace(ana, api_key=token)) for token in tokens]
    mine, theirs = [await agent.ok("save_client", name="Norte") for agent in agents]
    own = await ana.post("/api/approvals", {"operation": "clients.create", "arguments": {"name": "Norte"}})
    [grant] = await ana.get("/api/oauth/grants")

    await ana.delete(f"/api/oauth/grants/{grant['id']}")

    rejected = await ana.get(f"/api/approvals/{mine['approvalId']}")
    assert (rejected["status"], rejected["reason"]) == (
        "rejected",
        "La aplicación que lo propuso ya no está conectada.",
    )
    waiting = await ana.get("/api/approvals?status=pending")
    assert {proposal["id"] for proposal in waiting} == {theirs["approvalId"], own["id"]}
    [entry] = await ana.get(f"/api/activity/history?type=approval&id={mine['approvalId']}&limit=1")
    assert (entry["action"], entry["userName"]) == ("rejected", rejected["decidedByName"])


async def test_a_question_that_is_rejected_in_the_web_app_is_told_as_declined(site, ana):
    agent, draft = site.agent(ana), await ana.invoice()
    for rejection in ({"reason": "Falta el pedido"}, {}):
        preview = await agent.preview("emit_einvoice", invoiceId=draft["id"])
        [waiting] = await ana.get("/api/approvals?status=pending")
        await ana.post(f"/api/approvals/{waiting['id']}/reject", rejection)

        token = preview["confirmationToken"]
        problem = await agent.refused("emit_einvoice", invoiceId=draft["id"], confirmation_token=token)

        assert (problem["code"], problem.get("reason")) == ("CONFIRMATION_DECLINED", rejection.get("reason"))
        assert "nothing was done" in problem["message"]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"


async def test_of_the_same_question_only_the_last_one_waits(site, ana):
    agent, others = site.agent(ana), site.agent(await with_scoped_key(ana, "read", "write", "fiscal"))
    draft, another = [await ana.invoice() for _ in range(2)]
    queued = await ana.post(
        "/api/approvals",
        {"operation": "einvoice.emit", "arguments": {"invoiceId": draft["id"]}},
    )
    kept = [
        await others.preview("emit_einvoice", invoiceId=draft["id"]),
        await agent.preview("emit_einvoice", invoiceId=another["id"]),
        await agent.preview("delete_record", kind="invoice", id=draft["id"]),
    ]

    previews = [await agent.preview("emit_einvoice", invoiceId=draft["id"]) for _ in range(3)]

    waiting = await ana.get("/api/approvals?status=pending")
    assert len(waiting) == len(kept) + 2
    assert queued["id"] in {proposal["id"] for proposal in waiting}
    for earlier in previews[:2]:
        problem = await agent.refused(
            "emit_einvoice", invoiceId=draft["id"], confirmation_token=earlier["confirmationToken"]
        )
        assert (problem["code"], "asked again" in problem["message"]) == ("CONFIRMATION_STALE", True)
    last = previews[-1]["confirmationToken"]
    await agent.ok("emit_einvoice", invoiceId=draft["id"], confirmation_token=last)
    [superseded, _] = await ana.get("/api/approvals?status=superseded")
    assert superseded["problem"]["replacedBy"] in {proposal["id"] for proposal in await ana.get("/api/approvals")}


async def test_a_token_is_of_what_was_shown_also_at_the_second_try(site, ana):
    """The client's new name would be on the invoice: what was not shown is not done, however often it is asked for."""
    agent, draft = site.agent(ana), await ana.invoice()
    preview = await agent.preview("emit_einvoice", invoiceId=draft["id"])
    client = (await ana.get(f"/api/invoices/{draft['id']}"))["clientId"]
    await ana.put(f"/api/clients/{client}", {"name": "Talleres Sur, S.L."})
    sent = {"invoiceId": draft["id"], "confirmation_token": preview["confirmationToken"]}

    problems = [await agent.refused("emit_einvoice", **sent) for _ in range(2)]

    assert [problem["code"] for problem in problems] == ["CONFIRMATION_STALE", "CONFIRMATION_STALE"]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"

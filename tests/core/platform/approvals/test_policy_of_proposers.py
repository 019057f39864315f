"""The account's policy for keys that may propose: what it asks about in the web app is proposed over REST too."""

from uuid import uuid4

import pytest

from support.api import item
from support.periods import YEAR
from support.scopes import with_scoped_key

APP = {"asked": "app", "connections": []}
LIMITS = {"asked": "limits", "upTo": 300, "connections": []}
KNOWN = {**LIMITS, "knownClients": True}
EMIT = "/api/einvoice/emit"


@pytest.fixture
async def clerk(ana):
    """A key of Ana's that may do everything, and propose."""
    return await with_scoped_key(ana, "read", "propose", "write", "fiscal", "team")


async def small(api):
    return await api.invoice(items=[item(unitPrice=100)])


async def status_of(ana, invoice):
    return (await ana.get(f"/api/invoices/{invoice['id']}"))["status"]


async def test_what_is_asked_about_in_the_web_app_is_proposed(ana, clerk):
    await ana.put("/api/approvals/policy", APP)
    draft = await small(ana)
    key = {"Idempotency-Key": uuid4().hex}

    answers = [await clerk.request("POST", EMIT, {"invoiceId": draft["id"]}, **key) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [202, 202]
    proposal, again = [answer.json() for answer in answers]
    assert (proposal["operation"], proposal["status"]) == ("einvoice.emit", "pending")
    assert again["id"] == proposal["id"]
    assert await status_of(ana, draft) == "draft"

    await ana.post(f"/api/approvals/{proposal['id']}/approve")
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] == f"F{YEAR}-0001"


ACTS = {
    "mail": ("PATCH", "/api/invoices/{id}/send", {}),
    "payment": ("PATCH", "/api/invoices/{id}/pay", {}),
    "sharing": ("POST", "/api/invoices/{id}/share", None),
    "deletion": ("DELETE", "/api/invoices/{id}", None),
    "bank account": ("PUT", "/api/teams/current", {"iban": "ES9121000418450200051332"}),
}


@pytest.mark.parametrize("act", ACTS)
async def test_every_act_that_asks_is_proposed(ana, clerk, act):
    await ana.put("/api/approvals/policy", APP)
    draft = await small(ana)
    method, path, body = ACTS[act]

    answer = await clerk.request(method, path.format(id=draft["id"]), body)

    assert answer.status_code == 202, answer.text
    assert await status_of(ana, draft) == "draft"


async def test_what_asks_nobody_is_done(ana, clerk):
    await ana.put("/api/approvals/policy", APP)

    client = await clerk.post("/api/clients", {"name": "Norte"})
    await clerk.put("/api/teams/current", {"city": "Bilbao"})

    assert client["name"] == "Norte"
    assert await ana.get("/api/approvals") == []


async def test_by_the_host_s_question_it_is_done_as_ever(ana, clerk):
    draft = await small(ana)

    await clerk.post(EMIT, {"invoiceId": draft["id"]})

    assert await status_of(ana, draft) == "sent"
    assert await ana.get("/api/approvals") == []


async def test_up_to_a_total_it_is_done_and_above_it_is_proposed(ana, clerk):
    await ana.put("/api/approvals/policy", LIMITS)
    below, above = await small(ana), await ana.invoice(items=[item(unitPrice=1000)])
    key = {"Idempotency-Key": uuid4().hex}

    done = [await clerk.request("POST", EMIT, {"invoiceId": below["id"]}, **key) for _ in range(2)]
    asked = await clerk.request("POST", EMIT, {"invoiceId": above["id"]})

    assert [answer.json()["fiscalId"] for answer in done] == [done[0].json()["fiscalId"]] * 2
    assert asked.status_code == 202, asked.text
    assert [await status_of(ana, one) for one in (below, above)] == ["sent", "draft"]


async def test_with_known_clients_others_are_proposed(ana, clerk):
    await ana.put("/api/approvals/policy", KNOWN)
    first, second = await small(ana), await small(ana)
    asked = await clerk.request("POST", EMIT, {"invoiceId": first["id"]})
    await ana.post(f"/api/approvals/{asked.json()['id']}/approve")

    await clerk.post(EMIT, {"invoiceId": second["id"]})

    assert asked.status_code == 202, asked.text
    assert await status_of(ana, second) == "sent"


async def test_the_rule_of_the_connection_comes_before_the_accounts(ana):
    made = await ana.post("/api/keys", {"name": "Uno", "scopes": ["read", "propose", "write", "fiscal"]})
    free = type(ana)(ana.client, {"Authorization": f"Bearer {made['key']}"}, "", made["key"], ana.team)
    bound = await with_scoped_key(ana, "read", "propose", "write", "fiscal", name="Otra")
    await ana.put("/api/approvals/policy", {**APP, "connections": [{"connection": made["id"], "asked": "host"}]})
    one, other = await small(ana), await small(ana)

    await free.post(EMIT, {"invoiceId": one["id"]})
    asked = await bound.request("POST", EMIT, {"invoiceId": other["id"]})

    assert asked.status_code == 202, asked.text
    assert [await status_of(ana, draft) for draft in (one, other)] == ["sent", "draft"]


async def test_logins_and_keys_that_do_not_propose_are_not_bound(ana):
    writer = await with_scoped_key(ana, "read", "write", "fiscal")
    await ana.put("/api/approvals/policy", APP)

    for api in (ana, writer):
        draft = await small(ana)
        await api.post(EMIT, {"invoiceId": draft["id"]})
        assert await status_of(ana, draft) == "sent"

"""Tokens of acts whose records have changed meanwhile: nothing is done, and a new preview is asked for."""

import pytest

from support.periods import YEAR


@pytest.fixture
async def ana(site):
    return await site.person()


async def edited(ana, draft):
    await ana.put(f"/api/invoices/{draft['id']}", {"notes": "otra"})


async def deleted(ana, draft):
    assert (await ana.request("DELETE", f"/api/invoices/{draft['id']}")).is_success


async def emitted(ana, draft):
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})


@pytest.mark.parametrize("event", [edited, deleted, emitted])
async def test_a_token_of_a_draft_that_has_changed_does_nothing(site, ana, event):
    draft, agent = await ana.invoice(), site.agent(ana)
    preview = await agent.preview("emit_einvoice", invoiceId=draft["id"])
    await event(ana, draft)
    before = [row["number"] for row in await ana.get("/api/invoices")]

    for _ in range(2):
        sent = {"invoiceId": draft["id"], "confirmation_token": preview["confirmationToken"]}
        assert (await agent.refused("emit_einvoice", **sent))["code"] == "CONFIRMATION_STALE"

    assert [row["status"] for row in await ana.get("/api/approvals")] == ["superseded"]
    assert [row["number"] for row in await ana.get("/api/invoices")] == before


async def test_a_token_of_what_a_rule_refuses_by_now_has_failed(site, ana):
    draft, agent = await ana.invoice(issueDate=f"{YEAR}-11-02"), site.agent(ana)
    preview = await agent.preview("emit_einvoice", invoiceId=draft["id"])
    await emitted(ana, await ana.invoice(issueDate=f"{YEAR}-11-10"))

    sent = {"invoiceId": draft["id"], "confirmation_token": preview["confirmationToken"]}
    problem = await agent.refused("emit_einvoice", **sent)

    [question] = await ana.get("/api/approvals")
    assert problem["code"] == question["problem"]["code"] == "ISSUE_DATE_BEFORE_LAST"
    assert question["status"] == "failed"

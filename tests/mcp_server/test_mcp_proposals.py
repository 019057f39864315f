"""An assistant reads and accepts what a draft proposes about a period that is filed."""

import pytest

from support.api import invoice_body

LATE = {"description": "Papel", "amount": 121, "taxRate": 21, "date": "2026-02-10"}


@pytest.fixture
async def drafted(site):
    """A draft of the second quarter, after the first was filed without an expense of it."""
    ana = await site.person()
    await ana.put("/api/teams/current", {"taxId": "12345678Z"})
    agent = site.agent(ana)
    period = {"country": "ES", "form": "303", "year": 2026}
    first = await agent.ok("generate_tax_declaration", **period, period="Q1")
    await ana.patch(f"/api/tax-declarations/{first['id']}/submit")
    await ana.post("/api/expenses", LATE)
    return agent, await agent.ok("generate_tax_declaration", **period, period="Q2")


async def test_an_assistant_accepts_a_proposal(drafted):
    agent, draft = drafted
    [proposal] = (await agent.ok("get_tax_declaration", id=draft["id"]))["proposals"]

    after = await agent.ok("update_tax_declaration", id=draft["id"], proposalId=proposal["id"])

    assert (proposal["kind"], after["boxes"]["29"]["value"], after.get("proposals")) == ("deduct_now", 21, None)


async def test_a_proposal_is_accepted_by_itself(drafted):
    agent, draft = drafted

    refused = await agent.refused(
        "update_tax_declaration", id=draft["id"], proposalId=draft["proposals"][0]["id"], notes="x"
    )

    assert refused["errors"][0]["field"] == "proposalId"


async def test_a_task_about_a_draft_is_shown_by_its_client(site):
    ana = await site.person()
    draft = await ana.post("/api/invoices", invoice_body())
    task = await ana.post("/api/tasks", {"title": "Revisar"})
    arguments = {"id": task["id"], "invoiceId": draft["id"]}

    proposal = await ana.post("/api/approvals", {"operation": "tasks.update", "arguments": arguments})

    assert "no cambiaría nada" not in f"{proposal['summary']}"
    assert draft["client"]["name"] in f"{proposal['summary']}"

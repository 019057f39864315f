"""The main job through MCP, in both eras of the protocol."""

from uuid import uuid4

import pytest

from ledgerkit.mcp_server.tools import TOOLS
from support.api import CLIENT, invoice_body, item
from support.eras import MODERN


@pytest.mark.parametrize("era", ["legacy", MODERN])
async def test_an_agent_drafts_an_invoice_and_the_authority_accepts_it(site, era):
    ana = await site.person()

    async with site.agent(ana).connected(era) as client:

        async def call(tool, **arguments):
            done = await client.call_tool(tool, arguments)
            assert not done.is_error, done.structured_content
            return done.structured_content

        me = await call("whoami")
        draft = await call("create_invoice", client=CLIENT, items=[item(quantity=2, unitPrice=150.5)], taxRate=21)
        preview = await call("emit_einvoice", invoiceId=draft["id"])
        token = preview["confirmationToken"]
        record = await call("emit_einvoice", invoiceId=draft["id"], confirmation_token=token)
        invoice = await call("get_invoice", id=draft["id"], detail="full")
        listed = await call("list_invoices", status="sent", detail="full")

    known = {"id": ana.team["id"], "name": "Ana Ruiz", "taxId": ana.team["taxId"], "country": "ES", "einvoicing": "on"}
    assert me["team"] == known
    assert (draft.get("number"), draft["total"]) == (None, 364.21)
    assert (record["status"], record["environment"]) == ("accepted", "sandbox")
    assert invoice["number"] == record["number"]
    assert invoice["einvoice"]["fiscalId"] == record["fiscalId"]
    assert listed["items"] == [invoice]


@pytest.mark.parametrize(("era", "spoken"), [("legacy", "2025-11-25"), ("auto", MODERN)])
async def test_the_server_introduces_itself_in_the_newest_words_of_each_era(site, era, spoken):
    ana = await site.person()

    async with site.agent(ana).connected(era) as client:
        listed = await client.list_tools()
        info, instructions = client.server_info, client.instructions
        version = client.protocol_version

    assert version == spoken
    assert (info.name, info.version) == ("ledgerkit", "0.1.0")
    assert "cannot be undone" in instructions
    assert [tool.name for tool in listed.tools] == list(TOOLS)


async def test_emitting_twice_gives_the_same_record(site):
    agent = site.agent(await site.person())
    draft = await agent.ok("create_invoice", **invoice_body())

    first = await agent.ok("emit_einvoice", invoiceId=draft["id"])
    second = await agent.ok("emit_einvoice", invoiceId=draft["id"])

    assert second == first


async def test_a_key_makes_a_repeated_creation_happen_once(site):
    ana = await site.person()
    agent, key = site.agent(ana), uuid4().hex

    first = await agent.ok("create_invoice", **invoice_body(), idempotency_key=key)
    second = await agent.ok("create_invoice", **invoice_body(), idempotency_key=key)
    listed = await agent.ok("list_invoices")

    assert second == first
    assert listed["total"] == 1


async def test_a_key_used_through_rest_is_known_through_mcp(site):
    ana = await site.person()
    key = uuid4().hex
    rest = await ana.request("POST", "/api/invoices", invoice_body(), **{"Idempotency-Key": key})

    again = await site.agent(ana).in_full.ok("create_invoice", **invoice_body(), idempotency_key=key)

    assert again == rest.json()


async def test_another_invoice_under_a_used_key_is_refused(site):
    agent, key = site.agent(await site.person()), uuid4().hex
    await agent.ok("create_invoice", **invoice_body(), idempotency_key=key)

    problem = await agent.refused("create_invoice", **invoice_body(notes="another"), idempotency_key=key)

    assert problem["code"] == "IDEMPOTENCY_CONFLICT"


async def test_a_key_of_one_call_is_not_used_for_the_next(site):
    ana = await site.person()
    async with site.agent(ana).connected() as client:
        await client.call_tool("create_invoice", {**invoice_body(), "idempotency_key": uuid4().hex})
        await client.call_tool("create_invoice", invoice_body())

    assert len(await ana.get("/api/invoices")) == 2


async def test_the_activity_feed_tells_that_an_agent_did_it(site):
    ana = await site.person()
    await site.agent(ana).ok("create_invoice", **invoice_body())

    latest = (await ana.get("/api/invoices/activity/feed?limit=1"))[0]

    assert (latest["action"], latest["entityType"], latest["channel"]) == ("created", "invoice", "mcp")
    assert ana.api_key.startswith(latest["keyPrefix"])
    assert (latest["client"], latest["tool"]) == (None, "create_invoice")


async def test_pages_of_a_list_cover_everything_once(site):
    ana = await site.person()
    made = [(await ana.invoice())["id"] for _ in range(5)]
    agent = site.agent(ana)

    seen, cursor = [], None
    for shown in (2, 2, 1):
        part = await agent.ok("list_invoices", cursor=cursor, limit=2)
        assert (len(part["items"]), part["total"]) == (shown, 5)
        seen += [one["id"] for one in part["items"]]
        cursor = part["nextCursor"]

    assert cursor is None
    assert sorted(seen) == sorted(made)


async def test_a_list_shows_nothing_of_another_account(site):
    ana, berta = await site.person(), await site.person("Berta Gil", "87654321X")
    invoice = await ana.invoice()

    listed = await site.agent(berta).ok("list_invoices")
    problem = await site.agent(berta).refused("get_invoice", id=invoice["id"])

    assert listed == {"items": [], "total": 0, "nextCursor": None}
    assert problem["code"] == "NOT_FOUND"


async def test_nested_arguments_may_come_as_text(site):
    agent = site.agent(await site.person())

    draft = await agent.ok(
        "create_invoice", client='{"name": "Norte"}', items='[{"description": "Diseño", "unitPrice": 10}]', taxRate=21
    )

    assert (draft["client"]["name"], draft["total"]) == ("Norte", 12.1)

"""An act that cannot be undone is shown first, and done when the user has agreed."""

import asyncio
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
import time_machine
from mcp import Client
from mcp.server import Server
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult, ListToolsResult, Tool

from ledgerkit import clock
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Channel, Context, RequestMetadata
from ledgerkit.mcp_server import calls
from ledgerkit.mcp_server.confirmation import Conversation, conversation
from support.api import Api
from support.periods import YEAR

TOOL = "delete_record"


async def context(kernel, api: Api, tool: str = TOOL, **metadata) -> Context:
    actor = await kernel.service(Authenticator).by_key(api.api_key, pinned=api.team["id"])
    request_metadata = RequestMetadata(tool=tool, **metadata)
    return Context(kernel=kernel, who=replace(actor, channel=Channel.MCP), request_metadata=request_metadata)


async def call(ctx, tool, arguments, token=None):
    """The structured answer of a call, confirmed by a token where one is given."""
    ctx = replace(ctx, request_metadata=replace(ctx.request_metadata, tool=tool))
    sent = arguments if token is None else {**arguments, "confirmation_token": token}
    answer = await calls.call(ctx, tool, sent, Conversation(token=token))
    return answer.structured_content


async def previewed(ctx, tool, arguments):
    """The token of a call that has done nothing yet."""
    return (await call(ctx, tool, arguments))["confirmationToken"]


async def refused(code, awaitable):
    problem = await awaitable
    assert problem.get("code") == code, problem
    return problem


@pytest.fixture
async def draft(ana):
    return await ana.invoice(notes="uno")


@pytest.fixture
def deletion(draft):
    return {"kind": "invoice", "id": draft["id"]}


async def test_the_first_call_shows_what_would_be_done_and_does_nothing(kernel, ana, draft, deletion):
    ctx = await context(kernel, ana, language="es")

    preview = await call(ctx, TOOL, deletion)

    assert await ana.get(f"/api/invoices/{draft['id']}") == draft
    assert preview["message"].startswith("Aún no se ha hecho nada.")
    assert [(entry["action"], entry["record"]) for entry in preview["writes"]] == [("deleted", "invoice")]
    assert preview["answer"]
    life = datetime.fromisoformat(preview["expiresAt"]) - clock.now()
    assert timedelta(minutes=14) < life <= timedelta(minutes=15)


async def test_the_second_call_does_it_once(kernel, ana, draft, deletion):
    ctx = await context(kernel, ana)
    token = await previewed(ctx, TOOL, deletion)

    answer = await call(ctx, TOOL, deletion, token)

    assert "confirmationToken" not in answer
    await ana.refused(404, "GET", f"/api/invoices/{draft['id']}")
    problem = await refused("CONFIRMATION_USED", call(ctx, TOOL, deletion, token))
    assert "new preview" in str(problem["remedy"])


async def test_of_two_at_once_one_is_done(kernel, ana, deletion):
    ctx = await context(kernel, ana)
    token = await previewed(ctx, TOOL, deletion)

    answers = await asyncio.gather(*(call(ctx, TOOL, deletion, token) for _ in range(2)))

    assert len([one for one in answers if "code" not in one]) == 1


async def test_a_token_is_of_its_arguments_tool_user_and_account(kernel, ana, berta, deletion):
    ctx, other = await context(kernel, ana), await ana.invoice()
    token = await previewed(ctx, TOOL, deletion)
    another_user = replace(ctx, who=replace(ctx.actor, user_id=None, key_prefix="lk_live_12345678"))
    another_account = replace(ctx, who=replace(ctx.actor, account=(await context(kernel, berta)).account))
    before = await ana.get("/api/invoices")

    await refused("CONFIRMATION_MISMATCH", call(ctx, TOOL, {**deletion, "id": other["id"]}, token))
    await refused("CONFIRMATION_MISMATCH", call(ctx, "send_invoice", {"id": deletion["id"]}, token))
    await refused("CONFIRMATION_MISMATCH", call(another_user, TOOL, deletion, token))
    await refused("CONFIRMATION_MISMATCH", call(another_account, TOOL, deletion, token))
    await refused("CONFIRMATION_MISMATCH", call(ctx, TOOL, deletion, "A" * 58))

    assert await ana.get("/api/invoices") == before
    await call(ctx, TOOL, deletion, token)


async def test_a_token_expires(kernel, ana, draft, deletion):
    ctx = await context(kernel, ana)
    token = await previewed(ctx, TOOL, deletion)

    with time_machine.travel(clock.now() + timedelta(minutes=15, seconds=1)):
        await refused("CONFIRMATION_EXPIRED", call(ctx, TOOL, deletion, token))

    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"


async def test_a_record_that_has_changed_is_previewed_again(kernel, ana, draft, deletion):
    """Also where neither answer nor entries show the change: the record's version does."""
    ctx = await context(kernel, ana)
    token = await previewed(ctx, TOOL, deletion)
    await ana.put(f"/api/invoices/{draft['id']}", {"notes": "dos"})

    await refused("CONFIRMATION_STALE", call(ctx, TOOL, deletion, token))

    assert "code" not in await call(ctx, TOOL, deletion, await previewed(ctx, TOOL, deletion))


async def test_a_refusal_needs_no_confirmation(kernel, ana):
    ctx = await context(kernel, ana)

    await refused("ALREADY_MEMBER", call(ctx, "invite_member", {"email": ana.email, "role": "viewer"}))


async def test_what_numbers_a_draft_is_confirmed_and_a_payment_of_what_is_issued_is_not(kernel, ana, draft):
    ctx, arguments, tool = await context(kernel, ana), {"id": draft["id"]}, "mark_invoice_paid"

    preview = await call(ctx, tool, arguments)

    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"
    assert preview["answer"]["number"] == f"F{YEAR}-0001"
    paid = await call(ctx, tool, arguments, preview["confirmationToken"])
    assert (paid["number"], paid["status"]) == (f"F{YEAR}-0001", "paid")
    again = await call(ctx, tool, arguments)
    assert again["status"] == "paid"


async def test_a_repetition_under_a_key_needs_no_confirmation(kernel, ana, draft):
    arguments, tool = {"id": draft["id"], "idempotency_key": "k1"}, "mark_invoice_paid"
    ctx = await context(kernel, ana)
    first = await call(ctx, tool, arguments, await previewed(ctx, tool, arguments))

    assert await call(ctx, tool, arguments) == first


# ---------------------------------------------------------------- elicitation


def server(ctx: Context) -> Server:
    async def list_tools(_ctx, _params):
        return ListToolsResult(tools=[Tool(name=TOOL, input_schema={"type": "object"})])

    async def call_tool(server_ctx, params):
        dialogue = conversation(params, server_ctx.session.client_capabilities, server_ctx.protocol_version)
        return await calls.call(ctx, TOOL, params.arguments or {}, dialogue)

    return Server("tests", on_list_tools=list_tools, on_call_tool=call_tool)


@pytest.mark.parametrize(
    ("reply", "is_deleted"),
    [
        (ElicitResult(action="accept", content={"confirmation": True}), True),
        (ElicitResult(action="accept", content={"confirmation": False}), False),
        (ElicitResult(action="decline"), False),
        (ElicitResult(action="cancel"), False),
    ],
    ids=["yes", "no", "declined", "cancelled"],
)
async def test_a_client_that_can_asks_its_user(kernel, ana, deletion, reply, is_deleted):
    questions = []

    async def asked(_ctx, params):
        questions.append(params.message)
        return reply

    async with Client(server(await context(kernel, ana)), mode="2026-07-28", elicitation_callback=asked) as client:
        with nullcontext() if is_deleted else suppress(MCPError):
            await client.call_tool(TOOL, deletion)

    [question] = questions
    assert question.splitlines()[0] == "Eliminar factura: Talleres Norte, S.L."
    answer = await ana.request("GET", f"/api/invoices/{deletion['id']}")
    assert (answer.status_code == 404) is is_deleted


async def test_a_client_that_cannot_ask_gets_a_token(kernel, ana, draft, deletion):
    async with Client(server(await context(kernel, ana)), mode="2026-07-28") as client:
        preview = await client.call_tool(TOOL, deletion)
        token = preview.structured_content["confirmationToken"]
        await client.call_tool(TOOL, {**deletion, "confirmation_token": token})

    await ana.refused(404, "GET", f"/api/invoices/{draft['id']}")

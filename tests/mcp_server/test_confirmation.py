"""An act that cannot be undone is shown first, and done when the user has agreed."""

import asyncio
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from mcp import Client
from mcp.server import Server
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ElicitResult, InputRequiredResult, ListToolsResult, TextContent, Tool

from ledgerkit import clock
from ledgerkit.core.einvoice.issuance import operations as issuance
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Channel, Context, RequestMetadata
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import Payment
from ledgerkit.core.teams.api import InvitationInput
from ledgerkit.core.teams.invitations import operations as invitations
from ledgerkit.mcp_server.confirmation import ConfirmationRequest, Conversation, confirmed, conversation
from ledgerkit.mcp_server.messages import AskMsg
from ledgerkit.mcp_server.questions import Asked, Question
from ledgerkit.problems import Conflict, Invalid
from ledgerkit.texts import text
from support.api import Api
from support.database import everything_stored
from support.periods import YEAR

ASKED = Asked(lambda rehearsed: Question(text(AskMsg.DELETE, kind=AskMsg.KIND_INVOICE, name=rehearsed.number or "-")))
TOOL = ("delete_record", ASKED)


async def context(kernel, api: Api, **metadata) -> Context:
    actor = await kernel.service(Authenticator).by_key(api.api_key, pinned=api.team["id"])
    request_metadata = RequestMetadata(tool=TOOL[0], **metadata)
    return Context(kernel=kernel, who=replace(actor, channel=Channel.MCP), request_metadata=request_metadata)


def deletion(arguments):
    async def run(ctx):
        return (await invoices.delete(ctx, arguments["id"])).model_dump(mode="json", by_alias=True)

    return run


def paying(arguments):
    async def run(ctx):
        paid = await issuance.pay(ctx, arguments["id"], Payment())
        return paid.model_dump(mode="json", by_alias=True)

    return run


async def delete(ctx, arguments, token=None, tool=TOOL):
    sent = arguments if token is None else {**arguments, "confirmation_token": token}
    return await confirmed(ctx, tool, sent, deletion(arguments), Conversation(token=token), always=True)


async def refused(code, awaitable):
    with pytest.raises(Conflict) as caught:
        await awaitable
    assert caught.value.code == code
    return caught.value


@pytest.fixture
async def draft(ana):
    return await ana.invoice(notes="uno")


async def test_the_first_call_shows_what_would_be_done_and_does_nothing(kernel, ana, draft):
    ctx = await context(kernel, ana, language="es")
    before = await everything_stored(kernel)

    preview = await delete(ctx, {"id": draft["id"]})

    assert await everything_stored(kernel) == before
    shown = ConfirmationRequest.model_validate(preview)
    assert shown.message.startswith("Aún no se ha hecho nada.")
    assert [(one.action, one.record) for one in shown.writes] == [("deleted", "invoice")]
    assert shown.answer is not None
    assert timedelta(minutes=4) < shown.expires_at - clock.now() <= timedelta(minutes=5)


async def test_the_second_call_does_it_once(kernel, ana, draft):
    ctx, arguments = await context(kernel, ana), {"id": draft["id"]}
    token = (await delete(ctx, arguments))["confirmationToken"]

    answer = await delete(ctx, arguments, token)

    assert "confirmationToken" not in answer
    await ana.refused(404, "GET", f"/api/invoices/{draft['id']}")
    problem = await refused("CONFIRMATION_USED", delete(ctx, arguments, token))
    assert "new preview" in str(problem.body()["remedy"])


async def test_of_two_at_once_one_is_done(kernel, ana, draft):
    ctx, arguments = await context(kernel, ana), {"id": draft["id"]}
    token = (await delete(ctx, arguments))["confirmationToken"]

    answers = await asyncio.gather(*(delete(ctx, arguments, token) for _ in range(2)), return_exceptions=True)

    assert len([one for one in answers if isinstance(one, dict)]) == 1


async def test_a_token_is_of_its_arguments_tool_user_and_account(kernel, ana, berta, draft):
    ctx, arguments, other = await context(kernel, ana), {"id": draft["id"]}, await ana.invoice()
    token = (await delete(ctx, arguments))["confirmationToken"]
    another_user = replace(ctx, who=replace(ctx.actor, user_id=None, key_prefix="lk_live_12345678"))
    another_account = replace(ctx, who=replace(ctx.actor, account=(await context(kernel, berta)).account))
    before = await everything_stored(kernel)

    await refused("CONFIRMATION_MISMATCH", delete(ctx, {"id": other["id"]}, token))
    await refused("CONFIRMATION_MISMATCH", delete(ctx, arguments, token, ("another_tool", ASKED)))
    await refused("CONFIRMATION_MISMATCH", delete(another_user, arguments, token))
    await refused("CONFIRMATION_MISMATCH", delete(another_account, arguments, token))
    await refused("CONFIRMATION_MISMATCH", delete(ctx, arguments, "A" * 58))

    assert await everything_stored(kernel) == before
    await delete(ctx, arguments, token)


async def test_a_token_expires(kernel, ana, draft):
    ctx, arguments = await context(kernel, ana), {"id": draft["id"]}
    token = (await delete(ctx, arguments))["confirmationToken"]

    with time_machine.travel(clock.now() + timedelta(minutes=5, seconds=1)):
        await refused("CONFIRMATION_EXPIRED", delete(ctx, arguments, token))

    assert (await ana.get(f"/api/invoices/{draft['id']}"))["status"] == "draft"


async def test_a_record_that_has_changed_is_previewed_again(kernel, ana, draft):
    """Also where neither answer nor entries show the change: the record's version does."""
    ctx, arguments = await context(kernel, ana), {"id": draft["id"]}
    token = (await delete(ctx, arguments))["confirmationToken"]
    await ana.put(f"/api/invoices/{draft['id']}", {"notes": "dos"})

    await refused("CONFIRMATION_STALE", delete(ctx, arguments, token))

    await delete(ctx, arguments, (await delete(ctx, arguments))["confirmationToken"])


async def test_a_refusal_needs_no_confirmation(kernel, ana):
    ctx = await context(kernel, ana)

    async def run(inner):
        return await invitations.invite(inner, InvitationInput(email=ana.email)) and {}

    with pytest.raises(Invalid):
        await confirmed(ctx, TOOL, {}, run, Conversation(), always=True)


async def test_what_numbers_a_draft_is_confirmed_and_a_payment_of_what_is_issued_is_not(kernel, ana, draft):
    ctx, arguments = await context(kernel, ana), {"id": draft["id"]}
    tool = ("mark_invoice_paid", ASKED)
    before = await everything_stored(kernel)

    preview = await confirmed(ctx, tool, arguments, paying(arguments), Conversation(), always=False)

    assert await everything_stored(kernel) == before
    assert preview["answer"]["number"] == f"F{YEAR}-0001"
    token = Conversation(token=preview["confirmationToken"])
    paid = await confirmed(ctx, tool, arguments, paying(arguments), token, always=False)
    assert (paid["number"], paid["status"]) == (f"F{YEAR}-0001", "paid")
    again = await confirmed(ctx, tool, arguments, paying(arguments), Conversation(), always=False)
    assert again["status"] == "paid"


async def test_a_repetition_under_a_key_needs_no_confirmation(kernel, ana, draft):
    arguments, tool = {"id": draft["id"]}, ("mark_invoice_paid", ASKED)
    first = await paying(arguments)(await context(kernel, ana, idempotency_key="k1"))

    ctx = await context(kernel, ana, idempotency_key="k1")
    again = await confirmed(ctx, tool, arguments, paying(arguments), Conversation(), always=True)

    assert (again, ctx.request_metadata.replayed) == (first, True)


# ---------------------------------------------------------------- elicitation


def server(ctx: Context, arguments) -> Server:
    async def list_tools(_ctx, _params):
        return ListToolsResult(tools=[Tool(name=TOOL[0], input_schema={"type": "object"})])

    async def call_tool(server_ctx, params):
        dialogue = conversation(params, server_ctx.session.client_capabilities, server_ctx.protocol_version)
        answer = await confirmed(ctx, TOOL, params.arguments or {}, deletion(arguments), dialogue, always=True)
        if isinstance(answer, InputRequiredResult):
            return answer
        return CallToolResult(content=[TextContent(type="text", text="done")], structured_content=answer)

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
async def test_a_client_that_can_asks_its_user(kernel, ana, draft, reply, is_deleted):
    questions, arguments = [], {"id": draft["id"]}

    async def asked(_ctx, params):
        questions.append(params.message)
        return reply

    async with Client(
        server(await context(kernel, ana), arguments), mode="2026-07-28", elicitation_callback=asked
    ) as client:
        with nullcontext() if is_deleted else suppress(MCPError):
            await client.call_tool(TOOL[0], arguments)

    [question] = questions
    assert question.splitlines()[0] == "Eliminar factura: Talleres Norte, S.L."
    answer = await ana.request("GET", f"/api/invoices/{draft['id']}")
    assert (answer.status_code == 404) is is_deleted


async def test_a_client_that_cannot_ask_gets_a_token(kernel, ana, draft):
    arguments = {"id": draft["id"]}

    async with Client(server(await context(kernel, ana), arguments), mode="2026-07-28") as client:
        preview = await client.call_tool(TOOL[0], arguments)
        token = preview.structured_content["confirmationToken"]
        await client.call_tool(TOOL[0], {**arguments, "confirmation_token": token})

    await ana.refused(404, "GET", f"/api/invoices/{draft['id']}")

"""Proposals in a chat: made of what a person writes, and done by their tap where the account's rules let them."""

from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple
from uuid import UUID

from ledgerkit.core.platform.approvals import output
from ledgerkit.core.platform.approvals.api import Approval, ApprovalInput, ApprovalStatus, Asked
from ledgerkit.core.platform.approvals.decisions import execution, visibility
from ledgerkit.core.platform.approvals.decisions.endings import check_open
from ledgerkit.core.platform.approvals.policies import rules
from ledgerkit.core.platform.approvals.proposals import making
from ledgerkit.core.platform.approvals.proposals.rehearsal import Rehearsal, rehearse
from ledgerkit.core.platform.approvals.table import OBJECT, ApprovalRow
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import OPERATIONS, Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.texts import ConfirmationMsg
from ledgerkit.problems import Code, Conflict, NotFound


class ChatQuestion(NamedTuple):
    """A proposal that is shown in a chat; with `in_app_only` it has no button there, by the account's rules."""

    approval: Approval
    in_app_only: bool


@operation(Permission.APPROVALS_PROPOSE, unit=Unit.OWN)
async def ask(ctx: Context, data: ApprovalInput, approval_id: UUID) -> ChatQuestion:
    """Make a proposal of what the caller has written, and say whether it may be answered in the chat.

    The id is that of the message: what a process has made of it that has died since is returned. Raises what
    `approvals.propose` raises.
    """
    with suppress(NotFound):
        row = await ctx.read(lambda inner: visibility.fetch(inner, str(approval_id)))
        return ChatQuestion(output.shape(row), await _asks_in_app(ctx, row))
    row, rehearsal = await making.make(ctx, data, approval_id)
    return ChatQuestion(output.shape(row), await _is_for_app(ctx, rehearsal))


@operation(Permission.APPROVALS_READ, unit=Unit.OWN, effects=Effect.READ_ONLY)
async def show(ctx: Context, approval_id: str) -> ChatQuestion:
    """Return a proposal, of whomever, as it is shown in a chat. Raises NotFound, and what its operation raises."""
    row = await ctx.read(lambda inner: visibility.fetch(inner, approval_id))
    return ChatQuestion(output.shape(row), await _asks_in_app(ctx, row))


@operation(Permission.APPROVALS_DECIDE, unit=Unit.OWN, effects=Effect.DESTRUCTIVE | Effect.OPEN_WORLD)
async def answer(ctx: Context, approval_id: str) -> Approval:
    """Do what was proposed, after a tap: once, as it was shown, with the rights of whoever taps.

    Raises Conflict CONFIRMATION_MISMATCH where the account's rules ask in the web app only, and what
    `approvals.approve` raises.
    """

    def check(row: ApprovalRow) -> None:
        visibility.check(ctx, row)
        check_open(row)

    row = await ctx.read(lambda inner: visibility.fetch(inner, approval_id))
    check(row)
    if await _asks_in_app(ctx, row):
        raise Conflict(ConfirmationMsg.IN_APP_ONLY, code=Code.CONFIRMATION_MISMATCH)
    return output.shape((await execution.decide(ctx, approval_id, check)).row)


@operation(Permission.APPROVALS_DECIDE, unit=Unit.OWN, effects=Effect.DESTRUCTIVE | Effect.OPEN_WORLD)
async def finish(ctx: Context, approval_id: str) -> Approval:
    """Return what the caller has agreed to in a chat before; it is done now if the process has died in its middle.

    Raises NotFound, Conflict APPROVAL_DECIDED for what somebody else has decided, and what the operation raises.
    """
    row = await ctx.read(lambda inner: visibility.fetch(inner, approval_id))
    if (row.decided_by, row.decided_via) != (ctx.actor.user_id, ctx.actor.channel.value):
        check_open(row)
    if row.status == ApprovalStatus.APPROVED.value:
        await execution.take_up(ctx, row.id)
        row = await ctx.read(lambda inner: visibility.fetch(inner, approval_id))
    return output.shape(row)


async def _asks_in_app(ctx: Context, row: ApprovalRow) -> bool:
    """Return True where the rules ask about a stored proposal in the web app only; it is rehearsed if they differ."""
    policy = await ctx.read(rules.of_caller)
    declaration = OPERATIONS.get(row.operation)
    if policy.asked is Asked.HOST or declaration is None or declaration.act is None or declaration.act.asked_if is None:
        return False
    arguments = declaration.arguments.read(OBJECT.decode(row.arguments))
    looking = replace(ctx, request_metadata=replace(ctx.request_metadata, idempotency_key=None))
    return await _is_for_app(ctx, await rehearse(looking, declaration, arguments, row.language))


async def _is_for_app(ctx: Context, rehearsal: Rehearsal) -> bool:
    policy = await ctx.read(rules.of_caller)
    place = rules.place(policy, rehearsal.summary, ctx.account.currency)
    return rehearsal.is_asked and place is Asked.APP

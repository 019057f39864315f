"""The service that the gate asks: it stores proposals, and does what was confirmed over the same channel."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, NoReturn

from ledgerkit.core.platform.api_types.json_answers import Json
from ledgerkit.core.platform.approvals import operations, output
from ledgerkit.core.platform.approvals.api import ApprovalInput, ApprovalStatus, Asked, Policy
from ledgerkit.core.platform.approvals.decisions.execution import decide
from ledgerkit.core.platform.approvals.policies import rules
from ledgerkit.core.platform.approvals.proposals import storage
from ledgerkit.core.platform.approvals.proposals.rehearsal import rehearse
from ledgerkit.core.platform.approvals.table import OBJECT, ApprovalRow
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import OPERATIONS, Operation
from ledgerkit.core.platform.request.proposals import ApprovalDesk, ProposedError
from ledgerkit.core.platform.request.texts import ConfirmationMsg
from ledgerkit.money import dumps_exact
from ledgerkit.problems import Code, Conflict
from ledgerkit.texts import MessageId


class Approvals(ApprovalDesk):
    """The desk of the running server."""

    async def propose(self, ctx: Context, name: str, arguments: dict[str, Any]) -> NoReturn:
        stored = OPERATIONS[name].arguments.stored(arguments)
        metadata = replace(ctx.request_metadata, agreement=None)
        proposing = replace(ctx, request_metadata=metadata)
        raise ProposedError(await operations.propose(proposing, ApprovalInput(operation=name, arguments=stored)))

    async def agree(self, ctx: Context, name: str, arguments: dict[str, Any], run: Callable[[], Awaitable[Any]]) -> Any:
        declaration, agreement = OPERATIONS[name], ctx.request_metadata.agreement
        ctx.require(declaration.permission)
        policy = await ctx.read(rules.of_caller)
        if agreement is None:
            return await self._agree_in_app(ctx, policy, name, arguments, run)
        if agreement.token is not None:
            if policy.asked is Asked.APP:
                raise _mismatch(ConfirmationMsg.IN_APP_ONLY)
            return await _confirm(ctx, declaration, arguments, storage.token_hash(agreement.token, policy))
        rehearsal = await rehearse(ctx, declaration, arguments)
        if rehearsal.is_repetition or not rehearsal.is_asked:
            return await run()
        place = rules.place(policy, rehearsal.summary, ctx.account.currency)
        token = storage.new_token() if place is Asked.HOST else None
        token_hash = None if token is None else storage.token_hash(token, policy)
        row = await storage.add(ctx, declaration, arguments, rehearsal, token_hash=token_hash)
        raise ProposedError(output.shape(row), token)

    async def _agree_in_app(
        self, ctx: Context, policy: Policy, name: str, arguments: dict[str, Any], run: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Do an act on a channel that has no host to ask, or propose it where the rule asks in the web app."""
        if policy.asked is Asked.HOST:
            return await run()
        try:
            rehearsal = await rehearse(ctx, OPERATIONS[name], arguments)
        except Conflict as conflict:
            if conflict.code is not Code.IDEMPOTENCY_CONFLICT:
                raise
            return await self.propose(ctx, name, arguments)  # under this key it was proposed before
        is_asked = rehearsal.is_asked and not rehearsal.is_repetition
        if is_asked and rules.place(policy, rehearsal.summary, ctx.account.currency) is Asked.APP:
            return await self.propose(ctx, name, arguments)
        return await run()


async def _confirm(ctx: Context, declaration: Operation, arguments: dict[str, Any], token_hash: str) -> Any:
    """Do what the token of this hash confirms.

    Raises Conflict CONFIRMATION_MISMATCH, _EXPIRED, _DECLINED, _USED, _STALE, and its problems.
    """

    async def find(inner: Context) -> ApprovalRow | None:
        return await storage.BY_TOKEN.row(inner.db, token_hash=token_hash)

    row = await ctx.read(find)
    if row is None:
        raise _mismatch(ConfirmationMsg.UNKNOWN)
    stored = declaration.arguments.stored(arguments)

    def check(present: ApprovalRow) -> None:
        _check(ctx, present, declaration.name, stored)

    check(row)
    try:
        execution = await decide(ctx, str(row.id), check, by_token=True)
    except Conflict as conflict:
        if conflict.code in {Code.APPROVAL_CHANGED, Code.APPROVAL_SUPERSEDED}:
            raise _stale() from None
        raise
    if execution.problem is not None:
        raise execution.problem
    return execution.result


def _check(ctx: Context, row: ApprovalRow, name: str, stored: Json) -> None:
    """Check that a token is of this act, user and tool, and has not been used."""
    if storage.proposer(row) != ctx.actor.author:
        raise _mismatch(ConfirmationMsg.OF_ANOTHER_USER)
    if (row.operation, row.tool) != (name, ctx.request_metadata.tool):
        raise _mismatch(ConfirmationMsg.OF_ANOTHER_TOOL)
    if dumps_exact(row.arguments) != dumps_exact(stored):
        raise _mismatch(ConfirmationMsg.OF_OTHER_ARGUMENTS)
    status = output.status_of(row)
    if status is ApprovalStatus.EXPIRED:
        raise _expired()
    if status is ApprovalStatus.SUPERSEDED:
        raise _stale(ConfirmationMsg.ASKED_AGAIN if _is_replaced(row) else ConfirmationMsg.STALE)
    if status is ApprovalStatus.REJECTED:
        raise _declined(row.reason)
    if status is not ApprovalStatus.PENDING:
        raise _used()


def _is_replaced(row: ApprovalRow) -> bool:
    return row.problem is not None and storage.REPLACED_BY in OBJECT.decode(row.problem)


def _mismatch(message: MessageId) -> Conflict:
    return Conflict(message, remedy=ConfirmationMsg.ASK_AGAIN, code=Code.CONFIRMATION_MISMATCH)


def _expired() -> Conflict:
    return Conflict(ConfirmationMsg.EXPIRED, remedy=ConfirmationMsg.ASK_AGAIN, code=Code.CONFIRMATION_EXPIRED)


def _declined(reason: str | None) -> Conflict:
    extra = {} if reason is None else {"reason": reason}
    return Conflict(ConfirmationMsg.DECLINED, code=Code.CONFIRMATION_DECLINED, extra=extra)


def _stale(message: MessageId = ConfirmationMsg.STALE) -> Conflict:
    return Conflict(message, remedy=ConfirmationMsg.ASK_AGAIN, code=Code.CONFIRMATION_STALE)


def _used() -> Conflict:
    return Conflict(ConfirmationMsg.USED, remedy=ConfirmationMsg.ASK_AGAIN, code=Code.CONFIRMATION_USED)

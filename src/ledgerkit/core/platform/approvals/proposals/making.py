"""Making of a proposal: its operation is rehearsed, and the proposal is stored; nothing else is changed."""

from dataclasses import replace
from typing import NamedTuple
from uuid import UUID

from ledgerkit.core.platform.approvals.api import ApprovalInput
from ledgerkit.core.platform.approvals.proposals import storage
from ledgerkit.core.platform.approvals.proposals.rehearsal import Rehearsal, rehearse
from ledgerkit.core.platform.approvals.table import ApprovalRow
from ledgerkit.core.platform.approvals.texts import ApprovalsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import OPERATIONS, Operation
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.problems import Code, Invalid


class Made(NamedTuple):
    """A stored proposal, and the rehearsal that it shows."""

    row: ApprovalRow
    rehearsal: Rehearsal


async def make(ctx: Context, data: ApprovalInput, approval_id: UUID | None = None) -> Made:
    """Rehearse an operation and store it as a proposal, under a new id by default.

    The caller's role must hold the operation's permission, the credentials need not. Raises Invalid NOT_PROPOSABLE,
    also where nothing would be done, and what the operation raises.
    """
    declaration = _proposable(data.operation)
    for permission in Scope.READ.permissions:
        ctx.require_scope(permission)
    seeing = replace(ctx, who=ctx.actor.unscoped)
    seeing.require(declaration.permission)
    if ctx.kernel.dry_run is not None:
        ctx.kernel.dry_run.end_at(DryRunMsg.PROPOSAL)
    declaration.arguments.check_known(data.arguments)
    arguments = declaration.arguments.read(data.arguments)
    metadata = replace(ctx.request_metadata, idempotency_key=None)
    rehearsal = await rehearse(replace(seeing, request_metadata=metadata), declaration, arguments)
    if rehearsal.idle is not None:
        extra = {"answer": rehearsal.preview.answer}
        raise Invalid(ApprovalsMsg.IDLE, code=Code.NOT_PROPOSABLE, reason=rehearsal.idle, extra=extra)
    row = await storage.add(ctx, declaration, arguments, rehearsal, note=data.note, approval_id=approval_id)
    return Made(row, rehearsal)


def _proposable(name: str) -> Operation:
    """Return the operation of this name. Raises Invalid, NOT_PROPOSABLE for one that is never proposed."""
    declaration = OPERATIONS.get(name)
    if declaration is None:
        raise Invalid.field("operation", ApprovalsMsg.OPERATION_UNKNOWN)
    if not declaration.is_proposable:
        raise Invalid(ApprovalsMsg.NOT_PROPOSABLE, code=Code.NOT_PROPOSABLE, operation=name)
    return declaration

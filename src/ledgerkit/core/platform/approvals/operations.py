"""Proposals: list, read, make, approve and reject them.

Whoever holds all permissions that the proposed operation and its preview need sees the proposal, and so does the
proposer. Whoever approves does the operation, with their own rights.
"""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, case, delete, func, or_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.approvals import output
from ledgerkit.core.platform.approvals.api import (
    Approval,
    ApprovalInput,
    ApprovalPolicy,
    ApprovalPolicyInput,
    ApprovalStatus,
    Rejection,
)
from ledgerkit.core.platform.approvals.decisions import execution, visibility
from ledgerkit.core.platform.approvals.decisions.endings import check_open, decided
from ledgerkit.core.platform.approvals.policies import rules
from ledgerkit.core.platform.approvals.proposals import making, storage
from ledgerkit.core.platform.approvals.table import ApprovalRow, approval
from ledgerkit.core.platform.approvals.texts import ApprovalsMsg
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.persons import guard
from ledgerkit.core.platform.request.context import Author, Context, Kernel
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.problems import Code, Conflict, Invalid, NotFound, OutOfScope
from ledgerkit.texts import ENGLISH, MessageId, languages, text

_KEPT_FOR = timedelta(days=90)
"""Time for which a proposal stays in lists after it has ended. Its entries in the activity log stay."""

_OVER: list[tuple[type[Conflict], set[Code]]] = [
    (Conflict, {Code.APPROVAL_DECIDED, Code.APPROVAL_EXPIRED, Code.APPROVAL_SUPERSEDED, Code.APPROVAL_CHANGED})
]


@operation(Permission.APPROVALS_READ, unit=Unit.READING)
async def listing(
    ctx: Context, page: PageRequest, status: ApprovalStatus | None = None, operation_name: str | None = None
) -> Page:
    """List the proposals that the caller may see, the newest first."""
    parameters: dict[str, object] = {}
    if not ctx.actor.granted >= ROLE_PERMISSIONS[Role.OWNER]:
        parameters = {"person": ctx.actor.user_id, "permissions": sorted(ctx.actor.granted)}
    filters = set()
    if status is ApprovalStatus.PENDING:
        filters.add("pending")
    elif status is not None:
        parameters["status"] = status.value
    if operation_name is not None:
        parameters["operation"] = operation_name
    return await output.APPROVALS.page(ctx.db, page, filters, **parameters)


@operation(Permission.APPROVALS_READ, unit=Unit.READING)
async def get(ctx: Context, approval_id: str) -> Approval:
    """Return a proposal. Raises NotFound, also for one that the caller may not see."""
    return output.shape(await visibility.fetch(ctx, approval_id))


@operation(Permission.APPROVALS_READ, unit=Unit.READING)
async def policy(ctx: Context) -> ApprovalPolicy:
    """Return where a person is asked about what assistants and clients with the scope `propose` want done."""
    return await rules.all_rules(ctx)


@operation(Permission.LOGIN, errors=guard.PROOF_ERRORS, effects=Effect.IDEMPOTENT)
async def change_policy(ctx: Context, data: ApprovalPolicyInput) -> ApprovalPolicy:
    """Replace the account's rules; an owner or admin does that with their login, never an assistant or a key.

    Raises Forbidden, PasswordNeeded, PreconditionFailed.
    """
    ctx.require(Permission.TEAM_WRITE)
    guard.require_recent_password(ctx)
    await rules.lock(ctx)
    before = await rules.all_rules(ctx)
    await rules.store(ctx, data)
    changes = activity.changed(before.model_dump(mode="json"), data.model_dump(mode="json"))
    await activity.record(ctx, "updated", ("approval_policy", ctx.account.id), None, changes)
    return await rules.all_rules(ctx)


@operation(
    Permission.APPROVALS_PROPOSE,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.NOT_PROPOSABLE}), (NotFound, {Code.NOT_FOUND})],
)
async def propose(ctx: Context, data: ApprovalInput) -> Approval:
    """Rehearse an operation and store it as a proposal; nothing else is changed.

    The caller's role must hold the operation's permission, the credentials need not. Raises Invalid NOT_PROPOSABLE,
    also where nothing would be done, and what the operation raises.
    """
    return output.shape((await making.make(ctx, data)).row)


@operation(
    Permission.APPROVALS_DECIDE,
    unit=Unit.OWN,
    errors=[*_OVER, (NotFound, {Code.NOT_FOUND}), (OutOfScope, {Code.APPROVAL_OWN})],
    effects=Effect.DESTRUCTIVE | Effect.OPEN_WORLD,
)
async def approve(ctx: Context, approval_id: str) -> Approval:
    """Do what was proposed, once, with the rights of whoever approves, and never by credentials that proposed it.

    Raises OutOfScope APPROVAL_OWN; Conflict APPROVAL_DECIDED, APPROVAL_EXPIRED, APPROVAL_SUPERSEDED where a record has
    changed, APPROVAL_CHANGED where the outcome is another one now; and what the operation raises.
    """

    def check(row: ApprovalRow) -> None:
        visibility.check(ctx, row)
        _check_other_credentials(ctx, row)
        check_open(row)

    if ctx.kernel.dry_run is not None:
        check(await ctx.read(lambda inner: visibility.fetch(inner, approval_id)))
        ctx.kernel.dry_run.end_at(DryRunMsg.PROPOSAL)
    return output.shape((await execution.decide(ctx, approval_id, check)).row)


@operation(Permission.APPROVALS_DECIDE, errors=[*_OVER, (NotFound, {Code.NOT_FOUND})], effects=Effect.DESTRUCTIVE)
async def reject(ctx: Context, approval_id: str, data: Rejection) -> Approval:
    """Turn a proposal down: by whoever may see it.

    Raises Conflict APPROVAL_DECIDED, APPROVAL_EXPIRED.
    """
    row = await records.fetch_locked(ctx, approval, approval_id, "approval")
    visibility.check(ctx, row)
    check_open(row)
    rejected = decided(ctx, ApprovalStatus.REJECTED) | Values(ApprovalRow, reason=data.reason)
    row = await records.change(ctx, approval, row.id, rejected)
    await storage.log(ctx, "rejected", row)
    return output.shape(row)


async def reject_those_of(ctx: Context, user_id: UUID) -> None:
    """Reject the open proposals of a user who is removed from the account."""
    await _reject(ctx, ApprovalsMsg.MEMBER_LEFT, approval.c.proposed_by == user_id)


async def reject_those_with(ctx: Context, credentials: Author, reason: MessageId) -> None:
    """Reject the open proposals of a key or an application that is revoked."""
    await _reject(
        ctx,
        reason,
        approval.c.proposed_by.is_not_distinct_from(credentials.user_id),
        approval.c.proposed_with.is_not_distinct_from(credentials.key_prefix),
        approval.c.proposed_by_client.is_not_distinct_from(credentials.client),
    )


async def _reject(ctx: Context, reason: MessageId, *whose: ColumnElement[bool]) -> None:
    """Reject the open proposals of somebody, each with the reason in its language, in the transaction of `ctx`."""
    is_open = approval.c.status == ApprovalStatus.PENDING.value, approval.c.expires_at > func.now()
    words = {language: text(reason).in_language(language) for language in languages()}
    because = {"reason": case(words, value=approval.c.language, else_=words[ENGLISH])}
    stamped = {"version": approval.c.version + 1, "updated_at": func.now()}
    rejected = {**decided(ctx, ApprovalStatus.REJECTED), **stamped, **because}
    statement = update(approval).where(*is_open, *whose).values(rejected).returning(approval)
    await storage.log(ctx, "rejected", *await Prepared(statement, ApprovalRow).rows(ctx.db))


def _check_other_credentials(ctx: Context, row: ApprovalRow) -> None:
    """Refuse a key or application that has proposed it: whoever holds it would agree with itself.

    Raises OutOfScope APPROVAL_OWN.
    """
    if ctx.actor.login is None and storage.proposer(row) == ctx.actor.author:
        raise OutOfScope(ApprovalsMsg.OWN, remedy=ApprovalsMsg.OTHER_CREDENTIALS, code=Code.APPROVAL_OWN)


async def finish(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Take an approved operation up again whose process has died, in the name of whoever approved it."""
    ctx = await accounts.system_context(kernel, UUID(str(payload["accountId"])))
    await execution.take_up(ctx, UUID(str(payload["approvalId"])))


async def purge(db: AsyncConnection) -> int:
    """Forget the proposals of the transaction's account that ended long ago, and questions that nobody answered.

    What was approved and never ended is noted as failed.
    """
    await execution.end_the_hung(db)
    long_ago, yesterday = clock.now() - _KEPT_FOR, clock.now() - timedelta(days=1)
    was_asked = approval.c.token_hash.is_not(None) & approval.c.decided_at.is_(None)
    is_over = or_(
        approval.c.decided_at < long_ago,
        approval.c.expires_at < long_ago,
        and_(was_asked, approval.c.expires_at < yesterday),
    )
    deleted = await db.execute(delete(approval).where(is_over))
    return int(deleted.rowcount)

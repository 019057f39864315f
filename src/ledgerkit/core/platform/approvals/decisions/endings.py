"""Ends of proposals that are not done: the records that have changed meanwhile, and the problems that say so."""

from collections.abc import Sequence
from typing import Any

from ledgerkit import clock
from ledgerkit.core.platform.activity import queries as activity_queries
from ledgerkit.core.platform.approvals import output
from ledgerkit.core.platform.approvals.api import ApprovalStatus
from ledgerkit.core.platform.approvals.proposals import storage
from ledgerkit.core.platform.approvals.table import OBJECT, VERSIONS, ApprovalRow
from ledgerkit.core.platform.approvals.texts import ApprovalsMsg
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.request.acts import short
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.field_facts import KINDS
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Role
from ledgerkit.problems import (
    AddressUnverified,
    BadGateway,
    Code,
    Conflict,
    Forbidden,
    OutOfScope,
    PasswordNeeded,
    PaymentRequired,
    PreconditionFailed,
    Problem,
    RateLimited,
    Unauthenticated,
    Unavailable,
)
from ledgerkit.texts import MessageId, ProblemText, Wording, fixed, text

_OF_THE_APPROVER = (AddressUnverified, Forbidden, OutOfScope, PasswordNeeded, PreconditionFailed, Unauthenticated)
_OF_THE_MOMENT = (BadGateway, PaymentRequired, RateLimited, Unavailable)
_OF_THE_KEY = {Code.IDEMPOTENCY_CONFLICT, Code.REQUEST_IN_FLIGHT}
"""Problems of whoever approves, of the moment (also a limit of the plan), and of the caller's idempotency key."""


def says_nothing(problem: Problem) -> bool:
    """Return True for a problem that says nothing about the proposal: it stays open."""
    return isinstance(problem, _OF_THE_APPROVER + _OF_THE_MOMENT) or problem.code in _OF_THE_KEY


async def sees_as_the_proposer(inner: Context, row: ApprovalRow) -> bool:
    """Return True if the approver may do all that the proposer's role may: what they do not find is not there."""
    role = Role.OWNER if row.proposed_by is None else await members.role_of(inner, row.proposed_by)
    return role is not None and ROLE_PERMISSIONS[role] <= inner.actor.granted


async def refuse_changed(inner: Context, row: ApprovalRow) -> None:
    problem = await changed_since(inner, row)
    if problem is not None:
        raise problem


async def changed_since(inner: Context, row: ApprovalRow) -> Conflict | None:
    """Lock the records of a proposal, and return what has changed since it was shown; None for nothing.

    The proposer must still be a member whose role may do it. Of an approver's own proposal that is known: they may.
    """
    if row.proposed_by is not None and row.proposed_by != inner.actor.user_id:
        role = await members.role_of(inner, row.proposed_by)
        if role is None or not storage.needed_by(row, row.proposed_by) <= ROLE_PERMISSIONS[role]:
            return superseded(ApprovalsMsg.PROPOSER_MAY_NOT)
    previewed = VERSIONS.decode(row.versions)
    ordered = sorted(previewed, key=lambda version: (version.type, version.id))  # all lock in one order
    labels = {(version.type, version.id): version.label for version in ordered}
    stored = await activity_queries.stored_versions(inner, labels, lock=True)
    now = {(version.type, version.id): version.version for version in stored}
    stale = [version for version in previewed if now.get((version.type, version.id)) != version.version]
    if not stale:
        return None
    labels_now = await activity_queries.labels(inner, [(version.type, version.id) for version in stale])
    return superseded(
        ApprovalsMsg.SUPERSEDED,
        [
            _called(version.type, label or version.label, row.language)
            for version, label in zip(stale, labels_now, strict=True)
        ],
    )


def _called(entity_type: str, label: str | None, language: str) -> str:
    """Return what a person calls a record: its kind and its number or name."""
    kind = KINDS.get(entity_type)
    word = entity_type.replace("_", " ") if kind is None else text(kind).in_language(language)
    return f"{word} {short(label)}".strip()


def check_open(row: ApprovalRow) -> None:
    """Check that a proposal is open. Raises Conflict APPROVAL_DECIDED, _EXPIRED or _SUPERSEDED with its state."""
    status = output.status_of(row)
    if status is ApprovalStatus.PENDING:
        return
    if status is ApprovalStatus.SUPERSEDED:
        raise _superseded_before(row)
    state = {"state": status.value}
    if status is ApprovalStatus.EXPIRED:
        raise Conflict(ApprovalsMsg.EXPIRED, remedy=ApprovalsMsg.PROPOSE_AGAIN, code=Code.APPROVAL_EXPIRED, extra=state)
    raise Conflict(ApprovalsMsg.DECIDED, remedy=ApprovalsMsg.PROPOSE_AGAIN, code=Code.APPROVAL_DECIDED, extra=state)


def superseded(message: MessageId | ProblemText, changed: Sequence[str] = ()) -> Conflict:
    return Conflict(
        message,
        remedy=ApprovalsMsg.PROPOSE_AGAIN,
        code=Code.APPROVAL_SUPERSEDED,
        extra={"state": ApprovalStatus.SUPERSEDED.value, "changed": list(changed)},
    )


def _superseded_before(row: ApprovalRow) -> Conflict:
    """Return the problem that has ended a proposal, in the words of then."""
    if row.problem is None:  # earlier versions noted none
        return superseded(ApprovalsMsg.SUPERSEDED)
    problem: dict[str, Any] = OBJECT.decode(row.problem)
    words = {row.language: Wording(message=problem["detail"], remedy=problem["remedy"])}
    return superseded(fixed(problem["detail"], problem["remedy"], words), problem.get("changed", ()))


def decided(ctx: Context, status: ApprovalStatus) -> Values[ApprovalRow]:
    """Return the columns of a decision of the caller, made at this moment."""
    actor = ctx.actor
    return Values(
        ApprovalRow,
        status=status.value,
        decided_by=actor.user_id,
        decided_by_name=actor.user_name,
        decided_with=actor.key_prefix,
        decided_via=actor.channel.value,
        decided_at=clock.now(),
    )


def outcome_unknown() -> Conflict:
    return Conflict(ApprovalsMsg.OUTCOME_UNKNOWN, remedy=ApprovalsMsg.LOOK_AT_RECORD, code=Code.APPROVAL_EXPIRED)

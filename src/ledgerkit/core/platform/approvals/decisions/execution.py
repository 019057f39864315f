"""Do what was agreed to: once, as it was shown, by whoever agrees.

An operation of one transaction is done in the transaction of the decision, which commits only what the preview has
shown. One with transactions of its own is rehearsed again, decided, and then done under an idempotency key; a job takes
it up again if the process dies meanwhile.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import func, update
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform import jobs, records
from ledgerkit.core.platform.activity import queries as activity_queries
from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.api_types.json_answers import Json, as_json, without_secrets
from ledgerkit.core.platform.approvals import output
from ledgerkit.core.platform.approvals.api import ApprovalStatus
from ledgerkit.core.platform.approvals.proposals import rehearsal as rehearsals
from ledgerkit.core.platform.approvals.proposals import storage
from ledgerkit.core.platform.approvals.proposals.rehearsal import PerformedAct, Rehearsal
from ledgerkit.core.platform.approvals.table import OBJECT, VERSIONS, ApprovalRow, approval
from ledgerkit.core.platform.approvals.texts import ApprovalsMsg
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.identity.accounts import members
from ledgerkit.core.platform.request import idempotency
from ledgerkit.core.platform.request.acts import Summary, short
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.field_facts import KINDS
from ledgerkit.core.platform.request.operation import OPERATIONS, Operation, Unit, after_steps
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role
from ledgerkit.problems import (
    AddressUnverified,
    BadGateway,
    Code,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    OutOfScope,
    PasswordNeeded,
    PaymentRequired,
    PreconditionFailed,
    Problem,
    RateLimited,
    Unauthenticated,
    Unavailable,
)
from ledgerkit.texts import MessageId, ProblemText, Wording, fixed, languages, text

FINISH = "finish-approval"
"""Job that takes an approved operation up again."""

_TAKEN_UP_AFTER = timedelta(minutes=2)

LATEST = timedelta(hours=20)
"""Time after a decision in which it is taken up: idempotency keys are remembered for little longer."""

_OF_THE_APPROVER = (AddressUnverified, Forbidden, OutOfScope, PasswordNeeded, PreconditionFailed, Unauthenticated)
_OF_THE_MOMENT = (BadGateway, PaymentRequired, RateLimited, Unavailable)
_OF_THE_KEY = {Code.IDEMPOTENCY_CONFLICT, Code.REQUEST_IN_FLIGHT}
"""Problems of whoever approves, of the moment (also a limit of the plan), and of the caller's idempotency key."""

_ENTRIES = TypeAdapter(list[ActivityLog])

Check = Callable[[ApprovalRow], None]


class _DifferentError(Exception):
    """End of a transaction that has done something else than what was shown."""


class Execution:
    """One agreement about `row`: `ctx` is that of whoever agrees, `check` refuses a proposal that is not open to them.

    `result` is what the operation has returned, `problem` the one that it answers with although it has done something,
    `row` the proposal afterwards. `by_token`: it was confirmed over the channel that was asked, under its caller's key.
    """

    def __init__(self, ctx: Context, row: ApprovalRow, check: Check, *, by_token: bool = False) -> None:
        # What was shown is compared with what is done, so both are said in one language.
        proposer = storage.proposer(row)
        metadata = replace(
            ctx.request_metadata,
            if_match=None,
            agreement=None,
            idempotency_key=None,
            language=row.language,
            proposed_by=proposer,
        )
        self._ctx = replace(ctx, request_metadata=metadata)
        self._key = ctx.request_metadata.idempotency_key if by_token else None
        self._check = check
        self.row = row
        self.result: Any = None
        self.problem: Problem | None = None
        self._by_token = by_token

    @cached_property
    def _declaration(self) -> Operation:
        """The operation. Raises Conflict where the server has none of this name that is proposed any more."""
        declaration = OPERATIONS.get(self.row.operation)
        if declaration is None or not declaration.is_proposable:
            raise _superseded(ApprovalsMsg.OPERATION_CHANGED)
        return declaration

    @cached_property
    def _arguments(self) -> dict[str, Any]:
        """The arguments by name. Raises Conflict where the operation does not take them any more."""
        try:
            return self._declaration.arguments.read(OBJECT.decode(self.row.arguments))
        except Invalid:
            raise _superseded(ApprovalsMsg.OPERATION_CHANGED) from None

    async def start(self, transaction: Context) -> None:
        """Check that all is as it was shown, in a transaction that holds the lock of the open proposal.

        An operation of one transaction is done in it.
        """
        for permission in sorted(storage.needed_by(self.row, self._ctx.actor.user_id) | {self._declaration.permission}):
            self._ctx.require(permission)
        inner = replace(transaction, request_metadata=replace(self._ctx.request_metadata, idempotency_key=self._key))
        await _refuse_changed(inner, self.row)
        if self._declaration.unit is Unit.TRANSACTION and not OBJECT.decode(self.row.preview).get("leftOut"):
            await self._do_at_once(inner)

    async def ended_with(self, error: Problem | _DifferentError) -> Problem:
        """Return what the decision raises after `error` has ended it, and note what became of the proposal.

        Raises what `check` raises where it is not open any more.
        """
        if isinstance(error, Problem) and _says_nothing(error):
            return error
        anew = None
        if isinstance(error, _DifferentError) and self.row.token_hash is None:
            try:
                anew = await self._rehearsal()
                await self._check_rights(anew)
            except Problem as problem:
                return await self.ended_with(problem)

        async def close(inner: Context) -> Problem:
            row = await _locked(inner, str(self.row.id), self._check)
            changed = await _changed(inner, row)
            if changed is None and isinstance(error, NotFound) and not await _sees_as_the_proposer(inner, row):
                return error
            if changed is None and anew is not None:
                return await self._show(inner, anew)
            # A token is of what was shown, and of nothing else.
            ending = changed or (error if isinstance(error, Problem) else _superseded(ApprovalsMsg.CHANGED))
            is_over = ending.code is Code.APPROVAL_SUPERSEDED
            superseded = Values(ApprovalRow, status=ApprovalStatus.SUPERSEDED.value)
            await self._end(inner, superseded if is_over else decided(inner, ApprovalStatus.FAILED), ending)
            return ending

        return await self._ctx.transact(close)

    async def _show(self, inner: Context, anew: Rehearsal) -> Conflict:
        """Show a proposal anew whose records are the same but whose outcome is another one, as on another day."""
        await records.change(inner, approval, self.row.id, storage.shown(anew, self.row.permissions))
        before = list(self.row.summary)
        return Conflict(
            ApprovalsMsg.CHANGED,
            remedy=ApprovalsMsg.LOOK_AGAIN,
            code=Code.APPROVAL_CHANGED,
            extra={"state": self.row.status, "changed": [line for line in anew.lines if line not in before]},
        )

    async def _rehearsal(self) -> Rehearsal:
        return await rehearsals.rehearse(self._ctx, self._declaration, self._arguments, self.row.language)

    # ------------------------------------------------------------ in one transaction

    async def _do_at_once(self, inner: Context) -> None:
        act, row = PerformedAct(self._declaration, self._arguments), self.row
        self.result = await act.perform(inner, lambda: self._declaration.perform(inner, *act.call))
        ending = decided(inner, ApprovalStatus.DONE)
        if not inner.request_metadata.replayed:
            digest = rehearsals.digest(act.answer, act.entries)
            if digest != row.digest or (act.has_read and not _says_the_same(row, act.summary, act.entries)):
                raise _DifferentError
            ending |= _result(act.answer, act.entries, act.entries)
        self.row = await records.change(inner, approval, row.id, ending)
        await self._log(inner, "approved")

    async def _log(self, inner: Context, action: str, reason: str | None = None) -> None:
        """Log what became of it; what was confirmed over the channel that was asked is logged as the act only."""
        if not self._by_token:
            await storage.log(inner, action, self.row, reason=reason)

    # ------------------------------------------------------------ in several transactions

    async def rehearse_and_decide(self, if_match: frozenset[str] | None) -> None:
        """Rehearse it again, and decide that it is done, each in a transaction of its own."""
        rehearsal = await self._rehearsal()
        if not _shows_the_same(self.row, rehearsal):
            raise _DifferentError
        self.row = await self._ctx.transact(lambda inner: self._decide(inner, if_match))

    async def _decide(self, inner: Context, if_match: frozenset[str] | None) -> ApprovalRow:
        row = await _locked(inner, str(self.row.id), self._check, if_match)
        if row.version != self.row.version:  # another attempt has refreshed it meanwhile: nobody has agreed to that
            raise _DifferentError
        await _refuse_changed(inner, row)
        payload = {"accountId": str(inner.account.id), "approvalId": str(row.id)}
        await jobs.enqueue(inner, FINISH, payload, delay=_TAKEN_UP_AFTER, dedupe_key=str(row.id))
        await self._log(inner, "approved")
        # No key of a caller, and none that is made of one, begins with a line break.
        key = Values(ApprovalRow, key=self._key or f"\napproval-{row.id}")
        return await records.change(inner, approval, row.id, decided(inner, ApprovalStatus.APPROVED) | key)

    async def finish(self) -> None:
        """Do what was decided, under its key. Raises what the operation raises, after it was noted."""
        ctx = replace(self._ctx, request_metadata=replace(self._ctx.request_metadata, idempotency_key=self.row.key))
        try:
            call = self._declaration.arguments.of_call(self._arguments)
            self.result = await after_steps(ctx, lambda: self._declaration.run(ctx, *call))
        except Problem as problem:
            if not problem.is_result and problem.code not in self._declaration.final:
                if problem.code is not Code.REQUEST_IN_FLIGHT and not isinstance(problem, Unavailable):
                    await self.end_failed(problem)
                raise
            self.problem = problem  # something is done, and cannot be done again
        result = self.result if self.problem is None else self.problem.extra.get("result")
        answer = without_secrets(as_json(result))
        entries = _ENTRIES.validate_python(OBJECT.decode(self.row.preview)["writes"])
        new = {entry.entity_id for entry in entries if entry.action == "created"}  # the dry run's, which never were
        standing = [entry for entry in entries if self.problem is None and entry.entity_id not in new]
        ending = Values(ApprovalRow, status=ApprovalStatus.DONE.value) | _result(answer, standing, entries)
        outcome = None if self.problem is None else OBJECT.encode(self._body(self.problem))

        async def close(inner: Context) -> ApprovalRow:
            row = await records.fetch_locked(inner, approval, str(self.row.id), "approval")
            is_open = row.status in {ApprovalStatus.APPROVED, ApprovalStatus.FAILED}
            values = ending | Values(ApprovalRow, problem=outcome)
            return await records.change(inner, approval, row.id, values) if is_open else row

        self.row = await self._ctx.transact(close)

    async def end_failed(self, problem: Problem) -> None:
        """Note that what was decided cannot be done."""

        async def close(inner: Context) -> None:
            row = await records.fetch_locked(inner, approval, str(self.row.id), "approval")
            if row.status == ApprovalStatus.APPROVED:
                await self._end(inner, Values(ApprovalRow, status=ApprovalStatus.FAILED.value), problem)

        await self._ctx.transact(close)

    async def refusal(self) -> Problem | None:
        """Return why a decided operation that has not begun cannot be done; None if it is as it was shown.

        One that has begun meanwhile is asked for again later.
        """
        problem: Problem | None
        try:
            problem = await self._ctx.transact(lambda inner: _changed(inner, self.row))
            if problem is None and not _shows_the_same(self.row, await self._rehearsal()):
                problem = _superseded(ApprovalsMsg.CHANGED)
        except Problem as raised:
            problem = raised
        if problem is None:
            return None

        async def has_begun(inner: Context) -> bool:
            row = await records.fetch_locked(inner, approval, str(self.row.id), "approval")
            return row.key is not None and await idempotency.is_known(inner.db, row.key)

        return idempotency.in_flight(0) if await self._ctx.transact(has_begun) else problem

    # ------------------------------------------------------------ the end

    async def _end(self, inner: Context, values: Values[ApprovalRow], problem: Problem) -> None:
        """Write and log the end of a locked proposal that is not done, with the reason."""
        body = self._body(problem)
        self.row = await records.change(
            inner, approval, self.row.id, values | Values(ApprovalRow, problem=OBJECT.encode(body))
        )
        await self._log(inner, self.row.status, str(body["detail"]))

    def _body(self, problem: Problem) -> dict[str, object]:
        return problem.body(language=self.row.language)

    async def _check_rights(self, rehearsal: Rehearsal) -> None:
        """Check that a rehearsal was not made with lower rights than the proposer's: they read what it shows.

        Raises Forbidden, OutOfScope.
        """
        role: Role | None = Role.OWNER
        if self.row.proposed_by is not None:
            proposer = self.row.proposed_by
            role = await self._ctx.read(lambda inner: members.role_of(inner, proposer))
        granted = frozenset() if role is None else ROLE_PERMISSIONS[role]
        for permission in sorted(rehearsal.preview.rights.lacked & granted):
            self._ctx.require(permission)


async def decide(ctx: Context, approval_id: str, check: Check, *, by_token: bool = False) -> Execution:
    """Do what a proposal says. Raises NotFound, what `check` and the operation raise, and Conflict.

    It is APPROVAL_SUPERSEDED where a record has changed, and APPROVAL_CHANGED where the outcome is another one.
    """
    if_match = ctx.request_metadata.if_match
    execution: Execution | None = None

    async def start(inner: Context) -> Execution:
        nonlocal execution
        execution = None  # an attempt before has looked at another version
        row = await _locked(inner, approval_id, check, if_match)
        execution = Execution(ctx, row, check, by_token=by_token)
        await execution.start(inner)
        return execution

    try:
        decision = await after_steps(ctx, lambda: ctx.transact(start))
        if decision.row.status == ApprovalStatus.PENDING:
            await decision.rehearse_and_decide(if_match)
    except (Problem, _DifferentError) as error:
        if execution is None:
            raise
        raise await execution.ended_with(error) from None
    if decision.row.status == ApprovalStatus.APPROVED:
        await decision.finish()
    return decision


async def _locked(
    inner: Context, approval_id: str, check: Check, if_match: frozenset[str] | None = None
) -> ApprovalRow:
    """Lock a proposal, and check its version and that it is open."""
    inner.request_metadata.if_match = if_match
    row = await records.fetch_locked(inner, approval, approval_id, "approval")
    check(row)
    return row


def _says_nothing(problem: Problem) -> bool:
    """Return True for a problem that says nothing about the proposal: it stays open."""
    return isinstance(problem, _OF_THE_APPROVER + _OF_THE_MOMENT) or problem.code in _OF_THE_KEY


async def _sees_as_the_proposer(inner: Context, row: ApprovalRow) -> bool:
    """Return True if the approver may do all that the proposer's role may: what they do not find is not there."""
    role = Role.OWNER if row.proposed_by is None else await members.role_of(inner, row.proposed_by)
    return role is not None and ROLE_PERMISSIONS[role] <= inner.actor.granted


async def _refuse_changed(inner: Context, row: ApprovalRow) -> None:
    problem = await _changed(inner, row)
    if problem is not None:
        raise problem


async def _changed(inner: Context, row: ApprovalRow) -> Conflict | None:
    """Lock the records of a proposal, and return what has changed since it was shown; None for nothing.

    The proposer must still be a member whose role may do it. Of an approver's own proposal that is known: they may.
    """
    if row.proposed_by is not None and row.proposed_by != inner.actor.user_id:
        role = await members.role_of(inner, row.proposed_by)
        if role is None or not storage.needed_by(row, row.proposed_by) <= ROLE_PERMISSIONS[role]:
            return _superseded(ApprovalsMsg.PROPOSER_MAY_NOT)
    previewed = VERSIONS.decode(row.versions)
    ordered = sorted(previewed, key=lambda version: (version.type, version.id))  # all lock in one order
    labels = {(version.type, version.id): version.label for version in ordered}
    stored = await activity_queries.stored_versions(inner, labels, lock=True)
    now = {(version.type, version.id): version.version for version in stored}
    changed = [version for version in previewed if now.get((version.type, version.id)) != version.version]
    if not changed:
        return None
    labels_now = await activity_queries.labels(inner, [(version.type, version.id) for version in changed])
    return _superseded(
        ApprovalsMsg.SUPERSEDED,
        [
            _called(version.type, label or version.label, row.language)
            for version, label in zip(changed, labels_now, strict=True)
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


def _superseded(message: MessageId | ProblemText, changed: Sequence[str] = ()) -> Conflict:
    return Conflict(
        message,
        remedy=ApprovalsMsg.PROPOSE_AGAIN,
        code=Code.APPROVAL_SUPERSEDED,
        extra={"state": ApprovalStatus.SUPERSEDED.value, "changed": list(changed)},
    )


def _superseded_before(row: ApprovalRow) -> Conflict:
    """Return the problem that has ended a proposal, in the words of then."""
    if row.problem is None:  # earlier versions noted none
        return _superseded(ApprovalsMsg.SUPERSEDED)
    problem: dict[str, Any] = OBJECT.decode(row.problem)
    words = {row.language: Wording(message=problem["detail"], remedy=problem["remedy"])}
    return _superseded(fixed(problem["detail"], problem["remedy"], words), problem["changed"])


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


def _result(answer: Json, standing: Sequence[ActivityLog], entries: Sequence[ActivityLog]) -> Values[ApprovalRow]:
    """Return the columns of the record that was made or changed: of the answer, else of the last entry of `standing`.

    `entries` tell its kind.
    """
    kinds = {entry.entity_id: entry.entity_type for entry in entries}
    record_id = answer.get("invoiceId") or answer.get("id") or (standing[-1].entity_id if standing else None)
    kind = kinds.get(str(record_id)) or (entries[-1].entity_type if entries else None)
    if record_id is None or kind is None:
        return Values(ApprovalRow)
    return Values(ApprovalRow, result_type=kind, result_id=str(record_id))


def _shows_the_same(row: ApprovalRow, rehearsal: Rehearsal) -> bool:
    """Return True if a new rehearsal says to the person what the stored one said, and has the same outcome."""
    return rehearsal.digest == row.digest and _says_the_same(row, rehearsal.summary, rehearsal.entries)


def _says_the_same(row: ApprovalRow, summary: Summary, entries: Sequence[ActivityLog]) -> bool:
    lines = summary.lines(row.language)
    if lines == list(row.summary):
        return True
    stored = _ENTRIES.validate_python(OBJECT.decode(row.preview)["writes"])
    return rehearsals.lasting_lines(row.summary, stored) == rehearsals.lasting_lines(lines, entries)


async def take_up(ctx: Context, approval_id: UUID) -> None:
    """Do an approved operation whose process has died; nothing where it is done. Raises what the operation raises.

    It is done with the approver's present rights. What has not begun is done only if it is still what was shown; what
    has begun goes on under its key. After LATEST nobody knows any more, and it is left to a person.
    """

    async def load(inner: Context) -> tuple[ApprovalRow, Role | None, bool]:
        row = await records.fetch(inner, approval, str(approval_id), "approval")
        role = Role.OWNER if row.decided_by is None else await members.role_of(inner, row.decided_by)
        return row, role, row.key is not None and await idempotency.is_known(inner.db, row.key)

    row, role, has_begun = await ctx.transact(load)
    if row.status != ApprovalStatus.APPROVED or row.decided_at is None:
        return
    granted = ROLE_PERMISSIONS[role] if role is not None else frozenset()
    approver = replace(
        ctx.actor,
        user_id=row.decided_by,
        user_name=row.decided_by_name or ctx.actor.user_name,
        key_prefix=row.decided_with,
        role=role or Role.VIEWER,
        permissions=granted,
    )
    execution = Execution(replace(ctx, who=approver), row, check_open)
    refusal: Problem | None = _not_taken_up(row, granted)
    if has_begun:
        refusal = None if refusal is None else _unknown()
    elif refusal is None:
        refusal = await execution.refusal()
    if refusal is None:
        await execution.finish()
    elif _says_nothing(refusal):
        raise refusal
    else:
        await execution.end_failed(refusal)


def _not_taken_up(row: ApprovalRow, granted: frozenset[Permission]) -> Conflict | None:
    """Return why what was approved is not done any more, by its age and by the approver's rights; None where it is."""
    if not storage.needed_by(row, row.decided_by) <= granted:
        return _superseded(ApprovalsMsg.APPROVER_MAY_NOT)
    if row.operation not in OPERATIONS:
        return _superseded(ApprovalsMsg.OPERATION_CHANGED)
    is_late = row.decided_at is not None and clock.now() > row.decided_at + LATEST
    return _superseded(ApprovalsMsg.EXPIRED) if is_late else None


def _unknown() -> Conflict:
    return Conflict(ApprovalsMsg.OUTCOME_UNKNOWN, remedy=ApprovalsMsg.LOOK_AT_RECORD, code=Code.APPROVAL_EXPIRED)


async def end_the_hung(db: AsyncConnection) -> None:
    """Note of operations that were approved long ago and never ended that nobody knows whether they were done."""
    hung = approval.c.status == ApprovalStatus.APPROVED.value, approval.c.decided_at < clock.now() - LATEST
    stamped = {"version": approval.c.version + 1, "updated_at": func.now()}
    for language in languages():
        failed = {"status": ApprovalStatus.FAILED.value, "problem": _unknown().body(language=language), **stamped}
        await db.execute(update(approval).where(*hung, approval.c.language == language).values(failed))

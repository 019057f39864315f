"""Proposals as they are stored: a new one, its token, and the refreshed preview of one that has changed."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from secrets import token_urlsafe
from typing import Any
from uuid import UUID

from sqlalchemy import Text, Uuid, bindparam, cast, func, select, update

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.json_answers import Json
from ledgerkit.core.platform.approvals.api import ApprovalStatus, Policy
from ledgerkit.core.platform.approvals.proposals.rehearsal import Rehearsal
from ledgerkit.core.platform.approvals.table import OBJECT, VERSIONS, ApprovalRow, approval
from ledgerkit.core.platform.approvals.texts import ApprovalsMsg
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.database.tables import JSON, JSONB
from ledgerkit.core.platform.request.acts import Risk
from ledgerkit.core.platform.request.context import Author, Context
from ledgerkit.core.platform.request.operation import Operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.money import dumps_exact
from ledgerkit.problems import Code, Conflict, Invalid, RateLimited
from ledgerkit.texts import text

INTERACTIVE_LIFE = timedelta(minutes=15)
"""Time within which a token confirms what was shown to somebody who is waiting."""

QUEUED_LIFE = timedelta(days=7)
"""Time within which a proposal can be approved in the web app."""

MOST_WAITING = 1_000
"""Proposals of one person, or of one key, that wait for a person at most."""

_MOST_ARGUMENTS = 1 << 20
_MOST_ANSWER = 64 << 10
_MOST_ENTRIES = 50
"""Bytes of the arguments and of the preview's answer, and entries of the log, that are stored at most."""

BY_TOKEN = Prepared(select(approval).where(approval.c.token_hash == bindparam("token_hash", type_=Text)), ApprovalRow)


async def add(
    ctx: Context,
    declaration: Operation,
    arguments: Mapping[str, Any],
    rehearsal: Rehearsal,
    *,
    note: str | None = None,
    token_hash: str | None = None,
    approval_id: UUID | None = None,
) -> ApprovalRow:
    """Store a proposal of the caller, under a new id by default.

    With a `token_hash` it lives for minutes and is confirmed over the same channel.

    Such a question takes the place of the caller's former ones about the same, which confirm nothing any more.
    Raises Invalid for arguments of more than 1 MiB.
    """
    stored = declaration.arguments.stored(arguments)
    if len(dumps_exact(stored)) > _MOST_ARGUMENTS:
        raise Invalid.field("arguments", ApprovalsMsg.TOO_LARGE)
    actor, risk = ctx.actor, _risk(declaration, rehearsal)
    values = shown(rehearsal) | Values(
        ApprovalRow,
        id=approval_id or new_id(),
        operation=declaration.name,
        proposer_permissions=sorted(rehearsal.needed),
        arguments=OBJECT.encode(stored),
        risk=None if risk is None else risk.value,
        note=note,
        status=ApprovalStatus.PENDING.value,
        channel=actor.channel.value,
        tool=ctx.request_metadata.tool,
        proposed_by=actor.user_id,
        proposed_by_name=actor.user_name,
        proposed_by_client=actor.client,
        proposed_with=actor.key_prefix,
        token_hash=token_hash,
        expires_at=clock.now() + (QUEUED_LIFE if token_hash is None else INTERACTIVE_LIFE),
    )

    async def store(inner: Context) -> ApprovalRow:
        if token_hash is None:
            await _refuse_too_many(inner)
        else:
            await _supersede_former(inner, values, rehearsal.language)
        row = await records.add(inner, approval, values)
        if token_hash is None:
            await log(inner, "proposed", row)
        return row

    return await ctx.transact(store)


def _risk(declaration: Operation, rehearsal: Rehearsal) -> Risk | None:
    """Return the risk that is declared, or that of what cannot be undone; None for neither."""
    declared = None if declaration.act is None else declaration.act.risk
    return Risk.IRREVERSIBLE if declared is None and rehearsal.summary.is_final else declared


async def _supersede_former(ctx: Context, values: Values[ApprovalRow], language: str) -> None:
    """End the caller's open questions about the same act with the same arguments, which a new one replaces."""
    replaced_by = {REPLACED_BY: str(values.of(ApprovalRow.id))}
    ending = Conflict(ApprovalsMsg.ASKED_AGAIN, code=Code.APPROVAL_SUPERSEDED, extra=replaced_by)
    about = {"about": values.of(ApprovalRow.operation), "sent": values.of(ApprovalRow.arguments)}
    outcome = OBJECT.encode(ending.body(language=language))
    await _SUPERSEDE.run(ctx.db, outcome=outcome, **about, **ctx.actor.author._asdict())


async def log(ctx: Context, action: str, *rows: ApprovalRow, reason: str | None = None) -> None:
    """Log what became of proposals, with what others need to see that, and why: by default as each row says."""
    lines = [(action, ("approval", row.id), row.title, _logged(row, reason or row.reason)) for row in rows]
    await activity.record_each(ctx, lines)


def _logged(row: ApprovalRow, reason: str | None) -> activity.Changes:
    needed: activity.Changes = {"permissions": (None, list(row.permissions))}
    return needed if reason is None else {**needed, "reason": (None, reason)}


REPLACED_BY = "replacedBy"
"""Field of the problem of a question that was asked again since: the id of the later one."""

_SUPERSEDE = Prepared(
    update(approval)
    .where(
        approval.c.token_hash.is_not(None),
        approval.c.status == constant("pending"),
        approval.c.expires_at > func.now(),
        approval.c.operation == bindparam("about", type_=Text),
        cast(approval.c.arguments, JSONB) == cast(bindparam("sent", type_=JSON), JSONB),
        approval.c.proposed_by.is_not_distinct_from(bindparam("user_id", type_=Uuid)),
        approval.c.proposed_with.is_not_distinct_from(bindparam("key_prefix", type_=Text)),
        approval.c.proposed_by_client.is_not_distinct_from(bindparam("client", type_=Text)),
    )
    .values(
        status=constant("superseded"),
        problem=bindparam("outcome", type_=JSON),
        version=approval.c.version + 1,
        updated_at=func.now(),
    )
)


def proposer(row: ApprovalRow) -> Author:
    """Return who has proposed it, with which credentials."""
    return Author(row.proposed_by, row.proposed_with, row.proposed_by_client)


class _CountRow(Row):
    waiting: int


_WAITING = Prepared(
    select(func.count().label("waiting"))
    .select_from(approval)
    .where(
        approval.c.status == constant("pending"),
        approval.c.proposed_by.is_not_distinct_from(bindparam("person", type_=Uuid)),
        approval.c.proposed_with.is_not_distinct_from(bindparam("key", type_=Text)),
        approval.c.expires_at > func.now(),
    ),
    _CountRow,
)


async def _refuse_too_many(inner: Context) -> None:
    """Raise RateLimited where MOST_WAITING proposals of the caller wait for a person."""
    counted = await _WAITING.one(inner.db, person=inner.actor.user_id, key=inner.actor.key_prefix)
    if counted.waiting >= MOST_WAITING:
        raise RateLimited(ApprovalsMsg.TOO_MANY)


def is_of(row: ApprovalRow, user_id: UUID | None) -> bool:
    """Return True for the person who has proposed it."""
    return row.proposed_by is not None and row.proposed_by == user_id


def needed_by(row: ApprovalRow, user_id: UUID | None) -> frozenset[Permission]:
    """Return the permissions that a user needs for doing what is proposed."""
    names = row.proposer_permissions if is_of(row, user_id) else row.permissions
    return frozenset(permission for permission in Permission if permission in names)


def shown(rehearsal: Rehearsal, before: Collection[str] = ()) -> Values[ApprovalRow]:
    """Return the columns of what a rehearsal has shown, for whoever may see it and what was shown `before`."""
    return Values(
        ApprovalRow,
        permissions=sorted({*before, *rehearsal.permissions}),
        title=rehearsal.lines[0],
        summary=list(rehearsal.lines),
        language=rehearsal.language,
        preview=OBJECT.encode(_preview(rehearsal)),
        versions=VERSIONS.encode(tuple(rehearsal.versions)),
        digest=rehearsal.digest,
    )


def _preview(rehearsal: Rehearsal) -> Json:
    """Return what REST answers to a dry run, without a large answer and further entries."""
    preview = rehearsal.preview
    answer = preview.answer if len(dumps_exact(preview.answer)) <= _MOST_ANSWER else None
    writes: list[Json] = [entry.model_dump(mode="json", by_alias=True) for entry in rehearsal.entries[:_MOST_ENTRIES]]
    if len(dumps_exact(writes)) > _MOST_ANSWER:
        writes = [{**entry, "changes": {}} for entry in writes]
    return {"answer": answer, "writes": writes, "leftOut": _left_out(rehearsal)}


def _left_out(rehearsal: Rehearsal) -> Sequence[str]:
    return [text(step).in_language(rehearsal.language) for step in rehearsal.preview.left_out]


def new_token() -> str:
    """Return a new token: 32 random bytes in base64url, which nobody can guess."""
    return token_urlsafe(32)


def token_hash(token: str, policy: Policy) -> str:
    """Return what is stored of a token: the SHA-256 of it and of the rule that it was issued under.

    So a token confirms nothing once another rule holds for its connection.
    """
    rule = policy.model_dump_json(include=set(Policy.model_fields))
    return hashlib.sha256(f"{token}\n{rule}".encode()).hexdigest()

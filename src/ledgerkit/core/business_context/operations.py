"""Business context: a summary and entries by key, and one markdown document of all of them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Text, bindparam, delete, func, select, text

from ledgerkit import texts
from ledgerkit.core.business_context import acts, output
from ledgerkit.core.business_context.api import (
    MAX_ENTRIES,
    BusinessContext,
    BusinessEntry,
    ContextMarkdown,
    EntryInput,
    Message,
    SavedEntry,
    SavedSummary,
    SummaryInput,
)
from ledgerkit.core.business_context.table import BusinessContextRow, ContextEntryRow, business_context, context_entry
from ledgerkit.core.business_context.texts import BusinessContextMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Invalid, NotFound, PreconditionFailed

_NOT_LOGGED = {"content"}
"""Fields that the activity log leaves out, because it stores no copies of texts."""


class EntryCountRow(Row):
    entries: int


class EntryIdRow(Row):
    id: UUID


class SavedSummaryRow(Row):
    summary: str
    updated_at: datetime
    version: int


_ORDER = (context_entry.c.category.asc().nulls_first(), context_entry.c.order, context_entry.c.key)
_SHOWN = Listing(context_entry, BusinessEntry, order=_ORDER)
_KEY = context_entry.c.key == bindparam("wanted_key", type_=Text)

_HEAD = Prepared(select(business_context), BusinessContextRow)
_ENTRIES = Prepared(select(context_entry).order_by(*_ORDER), ContextEntryRow)
_ENTRY = Prepared(select(context_entry).where(_KEY), ContextEntryRow)
_COUNT = Prepared(select(func.count().label("entries")).select_from(context_entry), EntryCountRow)
_REMOVE = Prepared(delete(context_entry).where(_KEY).returning(context_entry.c.id), EntryIdRow)
_LOCK = Prepared(
    text(
        "insert into business_context (account_id) values (:own_account) on conflict (account_id) do update"
        " set version = business_context.version + 1, updated_at = now() returning *"
    ).columns(*business_context.c),
    BusinessContextRow,
)
_SAVE_SUMMARY = Prepared(
    text(
        "update business_context set summary = cast(:summary as text) where account_id = :own_account"
        " returning summary, updated_at, version"
    ).columns(business_context.c.summary, business_context.c.updated_at, business_context.c.version),
    SavedSummaryRow,
)


@operation(Permission.CONTEXT_READ, unit=Unit.READING)
async def get(ctx: Context) -> BusinessContext:
    """Return summary and entries, by category, order and key; empty ones for an account that has written nothing."""
    head = await _HEAD.row(ctx.db)  # read first: If-Match refuses a version older than the entries, not a newer one
    return BusinessContext(
        id=str(ctx.account.id),
        team_id=str(ctx.account.id) if ctx.account.is_team else None,
        summary=head.summary if head else "",
        entries=[_SHOWN.shape(row) for row in await _ENTRIES.rows(ctx.db)],
        updated_at=head.updated_at if head else None,
        version=head.version if head else 0,
    )


@operation(Permission.CONTEXT_READ, unit=Unit.READING)
async def as_markdown(ctx: Context) -> ContextMarkdown:
    """Return the context as one document, in which entries are quoted and cannot leave their sections."""
    context = await get(ctx)
    document = output.render(ctx.account.issuer_name, context.summary, context.entries)
    return ContextMarkdown(markdown=document, entry_count=len(context.entries))


@operation(Permission.CONTEXT_WRITE, effects=Effect.IDEMPOTENT, act=acts.ENTRY)
async def save_entry(ctx: Context, data: EntryInput) -> SavedEntry:
    """Create the entry of a new key, or change that of an existing one. Raises Invalid beyond 200 entries."""
    version = (await _lock(ctx)).version
    old = await _ENTRY.row(ctx.db, wanted_key=data.key)
    if old is None:
        row = await _create(ctx, data)
    else:
        sent = Values.copied(ContextEntryRow, data, sorted(data.model_fields_set))
        values = sent | Values(ContextEntryRow, updated_by=ctx.actor.user_id)
        row = await records.change(ctx, context_entry, old.id, values)
        changes = activity.changed(_logged(old), _logged(row))
        await activity.record(ctx, "updated", ("context_entry", row.id), row.key, changes)
    outcome = BusinessContextMsg.ENTRY_CREATED if old is None else BusinessContextMsg.ENTRY_UPDATED
    message = texts.text(outcome, key=row.key).in_language(ctx.request_metadata.language)
    return SavedEntry(message=message, entry=_SHOWN.shape(row), created=old is None, version=version)


@operation(Permission.CONTEXT_WRITE, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT, act=acts.DELETION)
async def delete_entry(ctx: Context, key: str) -> Message:
    """Remove an entry. Raises NotFound."""
    await _lock(ctx)
    removed = await _REMOVE.row(ctx.db, wanted_key=key)
    if removed is None:
        raise NotFound(BusinessContextMsg.NO_ENTRY, key=key)
    await activity.record(ctx, "deleted", ("context_entry", removed.id), key)
    deleted = texts.text(BusinessContextMsg.ENTRY_DELETED, key=key)
    return Message(message=deleted.in_language(ctx.request_metadata.language))


@operation(Permission.CONTEXT_WRITE, effects=Effect.IDEMPOTENT, act=acts.SUMMARY)
async def save_summary(ctx: Context, data: SummaryInput) -> SavedSummary:
    """Replace the summary. Raises PreconditionFailed."""
    await _lock(ctx)
    row = await _SAVE_SUMMARY.one(ctx.db, summary=data.summary)
    await activity.record(ctx, "updated", ("context", ctx.account.id), "summary")
    return SavedSummary(summary=row.summary, updated_at=row.updated_at, version=row.version)


async def _lock(ctx: Context) -> BusinessContextRow:
    """Lock the account's context and increment its version. Raises PreconditionFailed for another If-Match."""
    head = await _LOCK.one(ctx.db)
    if not ctx.request_metadata.expects(head.version - 1):
        raise PreconditionFailed(BusinessContextMsg.CHANGED)
    return head


async def _create(ctx: Context, data: EntryInput) -> ContextEntryRow:
    if (await _COUNT.one(ctx.db)).entries >= MAX_ENTRIES:
        raise Invalid.field("key", BusinessContextMsg.FULL, max_entries=MAX_ENTRIES)
    sent = Values.copied(ContextEntryRow, data, EntryInput.model_fields)
    values = sent | Values(ContextEntryRow, id=new_id(), updated_by=ctx.actor.user_id)
    row = await records.add(ctx, context_entry, values)
    await activity.record(ctx, "created", ("context_entry", row.id), row.key)
    return row


def _logged(row: ContextEntryRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in EntryInput.model_fields if name not in _NOT_LOGGED}

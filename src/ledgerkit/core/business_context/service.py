"""Business context: what an assistant should know of the business. Summary, entries by key, one document of all."""

from typing import Any
from uuid import UUID

from sqlalchemy import Text, bindparam, delete, func, select, text

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.business_context import markdown
from ledgerkit.core.business_context.messages import BusinessContextMsg
from ledgerkit.core.business_context.models import business_context, context_entry
from ledgerkit.core.business_context.schemas import (
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
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Invalid, NotFound, PreconditionFailed

_NOT_LOGGED = {"content"}
"""The log names what was done, it keeps no copies of texts."""

_ORDER = (context_entry.c.category.asc().nulls_first(), context_entry.c.order, context_entry.c.key)
_KEY = context_entry.c.key == bindparam("known", type_=Text)

_HEAD = Prepared(select(business_context))
_ENTRIES = Prepared(select(context_entry).order_by(*_ORDER))
_ENTRY = Prepared(select(context_entry).where(_KEY))
_COUNT = Prepared(select(func.count().label("entries")).select_from(context_entry))
_REMOVE = Prepared(delete(context_entry).where(_KEY).returning(context_entry.c.id))
_HOLD = Prepared(
    text(
        "insert into business_context default values on conflict (account_id) do update"
        " set version = business_context.version + 1, updated_at = now() returning *"
    )
)
_SUMMARISE = Prepared(
    text("update business_context set summary = cast(:summary as text) returning summary, updated_at, version")
)


@operation(Permission.CONTEXT_READ, unit=Unit.READING)
async def get(ctx: Context) -> BusinessContext:
    """Summary and entries, by category, order and key. An account that has written nothing has an empty one."""
    head = await _HEAD.row(ctx.db)  # first: a version older than the entries is refused, a newer one would not be
    return BusinessContext(
        id=str(ctx.account.id),
        team_id=str(ctx.account.id) if ctx.account.is_team else None,
        summary=head.summary if head else "",
        entries=[_entry(row) for row in await _ENTRIES.rows(ctx.db)],
        updated_at=head.updated_at if head else None,
        version=head.version if head else 0,
    )


@operation(Permission.CONTEXT_READ, unit=Unit.READING)
async def as_markdown(ctx: Context) -> ContextMarkdown:
    """The context as one document, whose entries are quoted data and cannot leave their sections."""
    known = await get(ctx)
    document = markdown.render(ctx.account.issuer_name, known.summary, known.entries)
    return ContextMarkdown(markdown=document, entry_count=len(known.entries))


@operation(Permission.CONTEXT_WRITE, effects=Effect.IDEMPOTENT)
async def save_entry(ctx: Context, data: EntryInput) -> SavedEntry:
    """Create the entry of a new key, change that of a known one. Raises Invalid beyond 200 entries."""
    version = (await _hold(ctx)).version
    old = await _ENTRY.row(ctx.db, known=data.key)
    values = {name: getattr(data, name) for name in EntryInput.model_fields if name in data.model_fields_set}
    values["updated_by"] = ctx.actor.user_id
    if old is None:
        row = await _created(ctx, data, values)
    else:
        row = await records.change(ctx, context_entry, old.id, values)
        changes = activity.changed(_logged(old), _logged(row))
        await activity.record(ctx, "updated", ("context_entry", row.id), row.key, changes)
    message = f"Entry {row.key} {'created' if old is None else 'updated'}."
    return SavedEntry(message=message, entry=_entry(row), created=old is None, version=version)


@operation(Permission.CONTEXT_WRITE, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def delete_entry(ctx: Context, key: str) -> Message:
    """Remove an entry. Raises NotFound."""
    await _hold(ctx)
    gone = await _REMOVE.row(ctx.db, known=key)
    if gone is None:
        raise NotFound(BusinessContextMsg.NO_ENTRY, key=key)
    await activity.record(ctx, "deleted", ("context_entry", gone.id), key)
    return Message(message=f"Entry {key} deleted.")


@operation(Permission.CONTEXT_WRITE, effects=Effect.IDEMPOTENT)
async def save_summary(ctx: Context, data: SummaryInput) -> SavedSummary:
    await _hold(ctx)
    row = await _SUMMARISE.one(ctx.db, summary=data.summary)
    await activity.record(ctx, "updated", ("context", ctx.account.id), "summary")
    return SavedSummary(summary=row.summary, updated_at=row.updated_at, version=row.version)


async def _hold(ctx: Context) -> Any:
    """Lock the account's context and count its version up. Raises PreconditionFailed for another If-Match."""
    head = await _HOLD.one(ctx.db)
    if not ctx.request_metadata.expects(head.version - 1):
        raise PreconditionFailed(BusinessContextMsg.CHANGED)
    return head


async def _created(ctx: Context, data: EntryInput, values: dict[str, Any]) -> Any:
    if (await _COUNT.one(ctx.db)).entries >= MAX_ENTRIES:
        raise Invalid.field("key", BusinessContextMsg.FULL, max_entries=MAX_ENTRIES)
    row = await records.add(ctx, context_entry, {"id": new_id(), **data.model_dump(), **values})
    await activity.record(ctx, "created", ("context_entry", row.id), row.key)
    return row


def _logged(row: Any) -> dict[str, Any]:
    return {name: row[name] for name in EntryInput.model_fields if name not in _NOT_LOGGED}


def _entry(row: Any) -> BusinessEntry:
    shown = {name: row[name] for name in BusinessEntry.model_fields}
    writer: UUID | None = row.updated_by
    return BusinessEntry.model_validate(shown | {"updated_by": None if writer is None else str(writer)})

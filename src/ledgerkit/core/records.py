"""One record: fetch it under its lock, check the version the caller has seen, change it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Table, func, select, update
from sqlalchemy.engine import Row

from ledgerkit.core.context import Context
from ledgerkit.core.db import as_id, missing
from ledgerkit.problems import PreconditionFailed


async def fetch(ctx: Context, table: Table, record_id: str, what: str) -> Row[Any]:
    """The account's record, read only. Raises NotFound, also for a malformed id."""
    return await _one(ctx, table, record_id, what, lock=False)


async def fetch_locked(ctx: Context, table: Table, record_id: str, what: str) -> Row[Any]:
    """The account's record, locked until the transaction ends, and at the version of `If-Match` if one was sent.

    The first locked fetch of a request answers If-Match, so nested operations do not ask it again.
    Raises NotFound, PreconditionFailed.
    """
    row = await _one(ctx, table, record_id, what, lock=True)
    expected, ctx.exchange.if_match = ctx.exchange.if_match, None
    if expected is not None and expected != row.version:
        raise PreconditionFailed(
            f"The {what} has changed since you read it (version {row.version}, you expected {expected}).",
            remedy="Read it again, apply your change to what it is now, and send the new ETag in If-Match.",
        )
    return row


async def change(ctx: Context, table: Table, record_id: UUID, values: Mapping[str, Any]) -> Row[Any]:
    """Write `values`, count the version up, and give the record as it is now."""
    stamped = {**values, "version": table.c.version + 1, "updated_at": func.now()}
    statement = update(table).where(table.c.id == record_id).values(stamped).returning(*table.c)
    return (await ctx.db.execute(statement)).one()


async def _one(ctx: Context, table: Table, record_id: str, what: str, *, lock: bool) -> Row[Any]:
    query = select(table).where(table.c.id == as_id(record_id, what))
    if "deleted_at" in table.c:
        query = query.where(table.c.deleted_at.is_(None))
    row = (await ctx.db.execute(query.with_for_update() if lock else query)).one_or_none()
    if row is None:
        raise missing(what, record_id)
    return row

"""Notes about removals of contents: by them a removal and an addition of the same content exclude each other.

The store may be a bucket, so no transaction waits for it. Under the account's lock a removal is noted as begun. Then
the content is removed, and the removal is noted as done. An attachment may name a content if no removal of it is open,
and none was done since storing it began.
"""

from datetime import datetime, timedelta

from sqlalchemy import DateTime, Text, bindparam, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.attachments.table import AttachmentRemovalRow, attachment_removal
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared

ABANDONED = timedelta(minutes=10)
"""Time after which a removal counts as abandoned by a process that died: ten times the longest request to a store."""

_KEPT = timedelta(days=1)


class RemovalMomentRow(Row):
    moment: datetime


_now = func.clock_timestamp()
_table = attachment_removal
_NOW = Prepared(select(_now.label("moment")), RemovalMomentRow)
_of_content = _table.c.sha256 == bindparam("sha256", type_=Text)
_OPEN = Prepared(
    insert(_table)
    .values(sha256=bindparam("sha256", type_=Text), begun_at=_now)
    .on_conflict_do_update(
        index_elements=[_table.c.account_id, _table.c.sha256],
        set_={"begun_at": _now, "done_at": None, "version": _table.c.version + 1, "updated_at": _now},
        where=or_(_table.c.done_at.is_not(None), _table.c.begun_at < _now - ABANDONED),
    )
    .returning(_table.c.begun_at.label("moment")),
    RemovalMomentRow,
)
_CLOSE = Prepared(
    update(_table)
    .where(_of_content, _table.c.begun_at == bindparam("begun_at", type_=DateTime(timezone=True)))
    .values(done_at=_now, version=_table.c.version + 1, updated_at=_now)
)
_MAY_BE_GONE = Prepared(
    select(_table).where(
        _of_content,
        or_(_table.c.done_at.is_(None), _table.c.done_at >= bindparam("staged_at", type_=DateTime(timezone=True))),
    ),
    AttachmentRemovalRow,
)
_ABANDONED = Prepared(
    select(_table).where(_table.c.done_at.is_(None), _table.c.begun_at < _now - ABANDONED), AttachmentRemovalRow
)
_FORGET = Prepared(delete(_table).where(_table.c.done_at < _now - _KEPT))


async def now(db: AsyncConnection) -> datetime:
    """Return the moment by the database's clock, which all processes share."""
    return (await _NOW.one(db)).moment


async def open_removal(db: AsyncConnection, sha256: str) -> datetime | None:
    """Note that a removal begins, and return the moment; None while another one is open. Under the account's lock."""
    row = await _OPEN.row(db, sha256=sha256)
    return None if row is None else row.moment


async def close_removal(db: AsyncConnection, sha256: str, begun_at: datetime) -> None:
    """Note that the removal that began at `begun_at` is done. If another one has taken it over, change nothing."""
    await _CLOSE.run(db, sha256=sha256, begun_at=begun_at)


async def may_be_gone(db: AsyncConnection, sha256: str, staged_at: datetime) -> bool:
    """Return True if a removal may have taken a content that is stored since `staged_at`. Under the account's lock."""
    return await _MAY_BE_GONE.row(db, sha256=sha256, staged_at=staged_at) is not None


async def abandoned(db: AsyncConnection) -> list[str]:
    """Return the contents whose removal began and died with its process."""
    return [row.sha256 for row in await _ABANDONED.rows(db)]


async def forget(db: AsyncConnection) -> None:
    """Delete notes of removals that were done a day ago: no content that was stored before still waits for its row."""
    await _FORGET.run(db)

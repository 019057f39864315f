"""Positions of tasks in the board's columns: ascending whole numbers with gaps between them."""

from uuid import UUID

from sqlalchemy import Text, bindparam, func, select, text

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.tasks.table import task

GAP = 1024

_LOCK = Prepared(
    text(
        "insert into task_board (account_id) values (:own_account)"
        " on conflict (account_id) do update set version = task_board.version + 1"
    )
)


class _PositionRow(Row):
    position: int | None


_LAST_POSITION = Prepared(
    select(func.max(task.c.position).label("position")).where(
        task.c.status == bindparam("column", type_=Text), task.c.deleted_at.is_(None)
    ),
    _PositionRow,
)
# From the task at the position to the first one with a gap before it, one step down the index at a time.
_MAKE_ROOM = Prepared(
    text(
        """
        with recursive pushed (id, position, place) as (
            (
                select id, position, 1 from task
                where account_id = :own_account and status = cast(:column as text) and deleted_at is null
                and position = cast(:at as bigint) and id <> cast(:but as uuid)
                order by id limit 1
            )
            union all
            select next.id, next.position, pushed.place + 1 from pushed, lateral (
                select id, position from task
                where account_id = :own_account and status = cast(:column as text) and deleted_at is null
                and (position, id) > (pushed.position, pushed.id) and id <> cast(:but as uuid)
                order by position, id limit 1
            ) next
            where next.position <= cast(:at as bigint) + pushed.place
        )
        update task set position = cast(:at as bigint) + pushed.place
        from pushed where task.account_id = :own_account and task.id = pushed.id
        """
    )
)


async def lock(ctx: Context) -> None:
    """Wait until other moves to a given position have ended. Call it before any task is locked, against deadlocks."""
    await _LOCK.run(ctx.db)


async def last_position(ctx: Context, column: str) -> int:
    """Return a position behind all tasks of the column. Simultaneous calls may get the same: then the ids decide."""
    last = await _LAST_POSITION.one(ctx.db, column=column)
    return (last.position or 0) + GAP


async def make_room(ctx: Context, column: str, position: int, task_id: UUID) -> None:
    """Make `position` free for a task: the task there moves by one, and so do those after it up to the first gap.

    The caller has called `lock`. Tasks that move keep their version, since nothing that people edit has changed.
    """
    await _MAKE_ROOM.run(ctx.db, column=column, at=position, but=task_id)

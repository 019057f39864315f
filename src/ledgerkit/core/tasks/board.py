"""Places in the columns of the board: whole numbers, ascending, with room between them."""

from uuid import UUID

from sqlalchemy import Text, bindparam, func, select, text

from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.request.context import Context
from ledgerkit.core.tasks.models import task

GAP = 1024

_HOLD = Prepared(
    text(
        "insert into task_board default values on conflict (account_id) do update set version = task_board.version + 1"
    )
)
_LAST = Prepared(
    select(func.max(task.c.position).label("position")).where(
        task.c.status == bindparam("column", type_=Text), task.c.deleted_at.is_(None)
    )
)
# From whoever holds the place on to the first who has room, one step down the index at a time.
_MAKE_ROOM = Prepared(
    text(
        """
        with recursive pushed (id, position, place) as (
            (
                select id, position, 1 from task
                where status = cast(:column as text) and deleted_at is null
                and position = cast(:at as bigint) and id <> cast(:but as uuid)
                order by id limit 1
            )
            union all
            select next.id, next.position, pushed.place + 1 from pushed, lateral (
                select id, position from task
                where status = cast(:column as text) and deleted_at is null
                and (position, id) > (pushed.position, pushed.id) and id <> cast(:but as uuid)
                order by position, id limit 1
            ) next
            where next.position <= cast(:at as bigint) + pushed.place
        )
        update task set position = cast(:at as bigint) + pushed.place from pushed where task.id = pushed.id
        """
    )
)


async def hold(ctx: Context) -> None:
    """Wait for other moves to a place to end. Before any task is locked: who waits here holds none."""
    await _HOLD.run(ctx.db)


async def end(ctx: Context, column: str) -> int:
    """A place behind all tasks of the column. Two at once may get the same: their ids decide."""
    last = await _LAST.one(ctx.db, column=column)
    return int(last.position or 0) + GAP


async def clear(ctx: Context, column: str, position: int, task_id: UUID) -> None:
    """Make `position` free for a task: who is there moves on by one, and so on as far as there is no room.

    The caller has called `hold`. Those that move keep their version: nothing that anybody edits has changed.
    """
    await _MAKE_ROOM.run(ctx.db, column=column, at=position, but=task_id)

"""Places in the columns of the board: whole numbers, ascending, with room between them."""

from uuid import UUID

from sqlalchemy import Integer, Text, Uuid, bindparam, cast, func, select, text, update

from ledgerkit.core.context import Context
from ledgerkit.core.statements import Prepared
from ledgerkit.core.tasks.models import task

GAP = 1024

_COLUMN = (task.c.status == bindparam("column", type_=Text), task.c.deleted_at.is_(None))
_AT = bindparam("at", type_=task.c.position.type)
_BUT = bindparam("but", type_=Uuid)

_HOLD = Prepared(
    text(
        "insert into task_board default values on conflict (account_id) do update set version = task_board.version + 1"
    )
)
_LAST = Prepared(select(func.max(task.c.position).label("position")).where(*_COLUMN))
_TAKEN = Prepared(select(task.c.id).where(*_COLUMN, task.c.position == _AT, task.c.id != _BUT).limit(1))

_FOLLOWING = (
    select(
        task.c.id,
        task.c.position,
        cast(func.row_number().over(order_by=(task.c.position, task.c.id)), Integer).label("place"),
    )
    .where(*_COLUMN, task.c.position >= _AT, task.c.id != _BUT)
    .cte("following")
)
_MAKE_ROOM = Prepared(
    update(task)
    .where(task.c.id == _FOLLOWING.c.id, _FOLLOWING.c.position < _AT + _FOLLOWING.c.place)
    .values(position=_AT + _FOLLOWING.c.place)
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
    place = {"column": column, "at": position, "but": task_id}
    if await _TAKEN.row(ctx.db, **place) is not None:
        await _MAKE_ROOM.run(ctx.db, **place)

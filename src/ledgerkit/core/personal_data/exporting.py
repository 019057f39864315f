"""Take everything out: asked for, made part by part in the background, fetched within a day, then removed."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.identity import persons, sessions
from ledgerkit.core.jobs import service as jobs
from ledgerkit.core.personal_data import archive, contents
from ledgerkit.core.personal_data.contents import Place
from ledgerkit.core.personal_data.messages import PersonalDataMsg
from ledgerkit.core.personal_data.models import data_export
from ledgerkit.core.personal_data.room import ExportRoom
from ledgerkit.core.personal_data.schemas import DataExport
from ledgerkit.core.request.context import Context, Kernel
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, NotFound

LIFE = timedelta(hours=24)
FAILED_FOR = timedelta(hours=1)
"""Time for which a failed export is told of, before another one is begun."""

MAKE_PART = "export-part"
ORDER = "data-export"
"""One part is made at a time on a whole server; whoever has had theirs goes to the end of the queue."""

DOWNLOAD = "/auth/export/download"

log = structlog.get_logger()


@dataclass(frozen=True)
class ReadyFile:
    """An export to be sent: where it lies, and what it is called."""

    path: Path
    name: str


@operation(Permission.LOGIN, name="personal_data.exporting.ask", effects=Effect.IDEMPOTENT)
async def ask(ctx: Context) -> DataExport:
    """State of one's export; begins one where there is none. Raises Unauthenticated for an API key."""
    user_id, _ = sessions.person(ctx)
    await persons.lock(ctx.db, user_id)
    mine = data_export.c.user_id == user_id
    await ctx.db.execute(delete(data_export).where(mine, data_export.c.expires_at <= clock.now()))
    found = (await ctx.db.execute(select(data_export).where(mine))).one_or_none()
    return _shown(ctx, found or await _begun(ctx, user_id))


@operation(
    Permission.LOGIN, name="personal_data.exporting.download", unit=Unit.READING, errors=[(NotFound, {Code.NOT_FOUND})]
)
async def download(ctx: Context) -> ReadyFile:
    """One's export as a file. Raises NotFound until it is ready, Unauthenticated for an API key."""
    user_id, _ = sessions.person(ctx)
    fresh = data_export.c.state == "ready", data_export.c.expires_at > clock.now()
    found = (await ctx.db.execute(select(data_export).where(data_export.c.user_id == user_id, *fresh))).one_or_none()
    path = None if found is None else ExportRoom(ctx.settings).whole(found.id)
    if found is None or path is None or not await asyncio.to_thread(path.is_file):
        raise NotFound(PersonalDataMsg.NO_EXPORT)
    return ReadyFile(path, f"ledgerkit-{found.created_at:%Y-%m-%d}.zip")


@operation(
    Permission.LOGIN,
    name="personal_data.exporting.discard",
    unit=Unit.OWN,
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
)
async def discard(ctx: Context) -> None:
    """Remove one's export, ready or not, from this server. Raises Unauthenticated for an API key."""
    user_id, _ = sessions.person(ctx)

    async def attempt() -> UUID | None:
        async with ctx.transaction() as inner:
            return await drop(inner.db, user_id)

    found = await retry_on_conflict(attempt)
    if found is not None:
        await asyncio.to_thread(ExportRoom(ctx.settings).clear, found)


async def drop(db: AsyncConnection, user_id: UUID) -> UUID | None:
    """Forget a user's export and give its id, None when there is none. The files are the caller's to remove."""
    gone = delete(data_export).where(data_export.c.user_id == user_id).returning(data_export.c.id)
    found: UUID | None = (await db.execute(gone)).scalar_one_or_none()
    return found


async def make_part(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Make the next part of an export, and have the one after it made; the last time, the whole.

    A part is a file of its own, so that a process that dies over one loses nothing but that: it is written again.
    """
    export_id, room = UUID(str(payload["exportId"])), ExportRoom(kernel.settings)
    row = await _export(kernel, export_id)
    user = None if row is None else await persons.by_id(kernel, row.user_id)
    if row is None or user is None:
        await asyncio.to_thread(room.clear, export_id)
        return
    if row.state != "making" or row.parts != payload["part"]:
        return  # this part has been made
    if not await asyncio.to_thread(room.is_left, export_id, merging=row.place is None and row.parts > 0):
        await _fail(kernel, export_id, room)
        return
    if row.place is None and row.parts > 0:
        await _finish(kernel, export_id, room)
        return
    path = await asyncio.to_thread(room.parts, export_id) / f"{row.parts:08d}.zip"
    place = await contents.write_part(kernel, user, None if row.place is None else Place(**row.place), path)
    await _go_on(kernel, export_id, row.parts + 1, place)


async def forget(kernel: Kernel) -> None:
    """Remove the exports whose time is over, and whatever lies there of none."""

    async def attempt() -> list[UUID]:
        async with kernel.database.transaction(None) as db:
            await db.execute(delete(data_export).where(data_export.c.expires_at <= clock.now()))
            return list((await db.execute(select(data_export.c.id))).scalars())

    known = await retry_on_conflict(attempt)
    await asyncio.to_thread(ExportRoom(kernel.settings).clear_all_but, known)


async def _begun(ctx: Context, user_id: UUID) -> Any:
    moment = clock.now()
    row = {"id": new_id(), "user_id": user_id, "state": "making", "created_at": moment, "expires_at": moment + LIFE}
    made = (await ctx.db.execute(insert(data_export).values(row).returning(data_export))).one()
    await _enqueue(ctx, made.id, 0)
    return made


async def _enqueue(ctx: Context, export_id: UUID, part: int) -> None:
    await jobs.enqueue(ctx, MAKE_PART, {"exportId": str(export_id), "part": part}, order_key=ORDER)


def _shown(ctx: Context, row: Any) -> DataExport:
    return DataExport(
        state=row.state,
        created_at=row.created_at,
        ready_at=row.ready_at,
        expires_at=row.expires_at,
        size=row.size,
        download_url=f"{ctx.settings.public_url}{DOWNLOAD}" if row.state == "ready" else None,
    )


async def _export(kernel: Kernel, export_id: UUID) -> Any:
    async def ask_for() -> Any:
        async with kernel.database.asking() as db:
            return (await db.execute(select(data_export).where(data_export.c.id == export_id))).one_or_none()

    return await retry_on_conflict(ask_for)


async def _go_on(kernel: Kernel, export_id: UUID, part: int, place: Place | None) -> None:
    async def attempt() -> None:
        async with Context(kernel=kernel).transaction() as inner:
            now = {"parts": part, "place": None if place is None else asdict(place)}
            if await _change(inner.db, export_id, now):
                await _enqueue(inner, export_id, part)

    await retry_on_conflict(attempt)


async def _finish(kernel: Kernel, export_id: UUID, room: ExportRoom) -> None:
    size = await asyncio.to_thread(archive.merge, room.parts(export_id), room.whole(export_id))
    moment = clock.now()
    await _settle(kernel, export_id, {"state": "ready", "size": size, "ready_at": moment, "expires_at": moment + LIFE})
    await asyncio.to_thread(_remove_parts, room, export_id)


async def _fail(kernel: Kernel, export_id: UUID, room: ExportRoom) -> None:
    """There is no room: the person is told, and what has been made gives its room back."""
    log.warning("export.no_room", export=str(export_id))
    await _settle(kernel, export_id, {"state": "failed", "expires_at": clock.now() + FAILED_FOR})
    await asyncio.to_thread(room.clear, export_id)


async def _settle(kernel: Kernel, export_id: UUID, values: Mapping[str, Any]) -> None:
    async def attempt() -> None:
        async with kernel.database.transaction(None) as db:
            await _change(db, export_id, values)

    await retry_on_conflict(attempt)


async def _change(db: AsyncConnection, export_id: UUID, values: Mapping[str, Any]) -> bool:
    """False when the export has been discarded meanwhile."""
    statement = update(data_export).where(data_export.c.id == export_id).values(values).returning(data_export.c.id)
    return (await db.execute(statement)).scalar_one_or_none() is not None


def _remove_parts(room: ExportRoom, export_id: UUID) -> None:
    folder = room.parts(export_id)
    with suppress(OSError):
        for one in folder.iterdir():
            one.unlink()
        folder.rmdir()

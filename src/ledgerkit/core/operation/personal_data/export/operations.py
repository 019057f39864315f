"""Export of a person's data: made part by part in the background, ready for a day, then removed."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import structlog
from sqlalchemy import DateTime, Uuid, bindparam, delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.operation.personal_data.api import DataExport
from ledgerkit.core.operation.personal_data.export import archive, contents
from ledgerkit.core.operation.personal_data.export.directory import ExportDirectory
from ledgerkit.core.operation.personal_data.table import POSITION, DataExportRow, ExportPosition, data_export
from ledgerkit.core.operation.personal_data.texts import PersonalDataMsg
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity import queries as identity_queries
from ledgerkit.core.platform.identity.logins import sessions
from ledgerkit.core.platform.identity.persons import access as persons
from ledgerkit.core.platform.jobs import operations as jobs
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, NotFound

LIFE = timedelta(hours=24)
FAILED_FOR = timedelta(hours=1)
"""Time for which an export is shown as failed, before another one can be begun."""

MAKE_PART = "export-part"
ORDER_KEY = "data-export"
"""Order key of the jobs: a server makes one part at a time, and the next part of an export waits behind all others."""

DOWNLOAD = "/auth/export/download"

log = structlog.get_logger()


@dataclass(frozen=True)
class ReadyFile:
    """The file of an export, and the name under which it is downloaded."""

    path: Path
    name: str


_OF_USER = data_export.c.user_id == bindparam("user", type_=Uuid)
_BY_USER = Prepared(select(data_export).where(_OF_USER), DataExportRow)
_READY = Prepared(
    select(data_export).where(
        _OF_USER,
        data_export.c.state == "ready",
        data_export.c.expires_at > bindparam("now", type_=DateTime(timezone=True)),
    ),
    DataExportRow,
)
_BY_ID = Prepared(select(data_export).where(data_export.c.id == bindparam("id", type_=Uuid)), DataExportRow)
_INSERT = Prepared(
    insert(data_export).returning(data_export),
    DataExportRow,
    columns=["id", "user_id", "state", "created_at", "expires_at"],
)


@operation(Permission.LOGIN, effects=Effect.IDEMPOTENT)
async def ask_for_export(ctx: Context) -> DataExport:
    """Begin an export of the actor's data, unless there is one, and return its state.

    Raises Unauthenticated for an API key.
    """
    user_id, _ = sessions.person(ctx)
    await persons.lock(ctx.db, user_id)
    expired = data_export.c.user_id == user_id, data_export.c.expires_at <= clock.now()
    await ctx.db.execute(delete(data_export).where(*expired))
    current = await _BY_USER.row(ctx.db, user=user_id)
    return _shown(ctx, current or await _begin(ctx, user_id))


@operation(Permission.LOGIN, unit=Unit.READING, errors=[(NotFound, {Code.NOT_FOUND})])
async def show_export(ctx: Context) -> DataExport:
    """Return the state of the actor's export. Raises NotFound where there is none, Unauthenticated for an API key."""
    user_id, _ = sessions.person(ctx)
    current = await _BY_USER.row(ctx.db, user=user_id)
    if current is None or current.expires_at <= clock.now():
        raise NotFound(PersonalDataMsg.NONE_BEGUN)
    return _shown(ctx, current)


@operation(Permission.LOGIN, unit=Unit.READING, errors=[(NotFound, {Code.NOT_FOUND})])
async def download_export(ctx: Context) -> ReadyFile:
    """Return the file of the actor's export. Raises NotFound until it is ready, Unauthenticated for an API key."""
    user_id, _ = sessions.person(ctx)
    ready = await _READY.row(ctx.db, user=user_id, now=clock.now())
    path = None if ready is None else ctx.kernel.service(ExportDirectory).archive(ready.id)
    if ready is None or path is None or not await asyncio.to_thread(path.is_file):
        raise NotFound(PersonalDataMsg.NO_EXPORT)
    return ReadyFile(path, f"ledgerkit-{ready.created_at:%Y-%m-%d}.zip")


@operation(Permission.LOGIN, unit=Unit.OWN, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def discard_export(ctx: Context) -> None:
    """Remove the actor's export, ready or not, from this server. Raises Unauthenticated for an API key."""
    user_id, _ = sessions.person(ctx)
    export_id = await ctx.transact(lambda inner: drop(inner.db, user_id))
    if export_id is not None:
        await asyncio.to_thread(ctx.kernel.service(ExportDirectory).clear, export_id)


async def drop(db: AsyncConnection, user_id: UUID) -> UUID | None:
    """Remove a user's export and return its id, None when there is none. The caller removes the files."""
    statement = delete(data_export).where(data_export.c.user_id == user_id).returning(data_export.c.id)
    export_id: UUID | None = await db.scalar(statement)
    return export_id


async def make_part(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Write the next part of an export and enqueue the one after it; after the last part, merge them.

    Each part is a file of its own, so a process that dies while writing one loses no other: it is written again.
    """
    export_id, directory = UUID(str(payload["exportId"])), kernel.service(ExportDirectory)
    export = await identity_queries.fetch_row(kernel, _BY_ID, id=export_id)
    user = None if export is None else await persons.by_id(kernel, export.user_id)
    if export is None or user is None:
        await asyncio.to_thread(directory.clear, export_id)
        return
    if export.state != "making" or export.parts != payload["part"]:
        return  # this part was written before
    merging = export.place is None and export.parts > 0
    if not await asyncio.to_thread(directory.has_space, export_id, merging=merging):
        await _fail(kernel, export_id, directory)
    elif merging:
        await _finish(kernel, export_id, directory)
    else:
        path = await asyncio.to_thread(directory.parts, export_id) / f"{export.parts:08d}.zip"
        position = await contents.write_part(kernel, user, POSITION.decode(export.place), path)
        await _continue(kernel, export_id, export.parts + 1, position)


async def forget(kernel: Kernel) -> None:
    """Remove expired exports, and files that belong to no export."""

    async def attempt() -> list[UUID]:
        async with kernel.database.transaction(None) as db:
            await db.execute(delete(data_export).where(data_export.c.expires_at <= clock.now()))
            return list(await db.scalars(select(data_export.c.id)))

    export_ids = await retry_on_conflict(attempt)
    await asyncio.to_thread(kernel.service(ExportDirectory).clear_all_but, export_ids)


async def _begin(ctx: Context, user_id: UUID) -> DataExportRow:
    moment = clock.now()
    export = await _INSERT.one(
        ctx.db, id=new_id(), user_id=user_id, state="making", created_at=moment, expires_at=moment + LIFE
    )
    await _enqueue(ctx, export.id, 0)
    return export


async def _enqueue(ctx: Context, export_id: UUID, part: int) -> None:
    await jobs.enqueue(ctx, MAKE_PART, {"exportId": str(export_id), "part": part}, order_key=ORDER_KEY)


def _shown(ctx: Context, row: DataExportRow) -> DataExport:
    return DataExport(
        state=row.state,
        created_at=row.created_at,
        ready_at=row.ready_at,
        expires_at=row.expires_at,
        size=row.size,
        download_url=f"{ctx.settings.public_url}{DOWNLOAD}" if row.state == "ready" else None,
    )


async def _continue(kernel: Kernel, export_id: UUID, part: int, position: ExportPosition | None) -> None:
    async def attempt(inner: Context) -> None:
        if await _change(inner.db, export_id, Values(DataExportRow, parts=part, place=POSITION.encode(position))):
            await _enqueue(inner, export_id, part)

    await Context(kernel=kernel).transact(attempt)


async def _finish(kernel: Kernel, export_id: UUID, directory: ExportDirectory) -> None:
    size = await asyncio.to_thread(archive.merge, directory.parts(export_id), directory.archive(export_id))
    moment = clock.now()
    await _settle(
        kernel, export_id, Values(DataExportRow, state="ready", size=size, ready_at=moment, expires_at=moment + LIFE)
    )
    await asyncio.to_thread(_remove_parts, directory, export_id)


async def _fail(kernel: Kernel, export_id: UUID, directory: ExportDirectory) -> None:
    """Mark an export as failed for lack of disk space, and remove its parts."""
    log.warning("export.no_room", export=str(export_id))
    await _settle(kernel, export_id, Values(DataExportRow, state="failed", expires_at=clock.now() + FAILED_FOR))
    await asyncio.to_thread(directory.clear, export_id)


async def _settle(kernel: Kernel, export_id: UUID, values: Values[DataExportRow]) -> None:
    async def attempt() -> None:
        async with kernel.database.transaction(None) as db:
            await _change(db, export_id, values)

    await retry_on_conflict(attempt)


async def _change(db: AsyncConnection, export_id: UUID, values: Values[DataExportRow]) -> bool:
    """Change an export; return False when it was discarded meanwhile."""
    statement = (
        update(data_export).where(data_export.c.id == export_id).values(dict(values)).returning(data_export.c.id)
    )
    return await db.scalar(statement) is not None


def _remove_parts(directory: ExportDirectory, export_id: UUID) -> None:
    folder = directory.parts(export_id)
    with suppress(OSError):
        for part in folder.iterdir():
            part.unlink()
        folder.rmdir()

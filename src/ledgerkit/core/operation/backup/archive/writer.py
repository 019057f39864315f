"""Writing of a backup, which is consistent while servers go on working."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZipFile

import asyncpg

from ledgerkit import __version__, clock
from ledgerkit.core.operation.backup.archive.file import (
    SECRET_KEY,
    BackupError,
    Manifest,
    created,
    member,
    put_file,
    put_manifest,
)
from ledgerkit.core.operation.backup.archive.rows import PORTABLE, Progress, copy_out, locked, tables
from ledgerkit.core.operation.backup.texts import BackupMsg
from ledgerkit.core.platform.attachments.store.contents import FOLDER as ATTACHMENTS
from ledgerkit.core.platform.database.server_checks import check_owner, check_server
from ledgerkit.core.platform.database.targets import connected
from ledgerkit.settings.start_errors import Misconfigured
from ledgerkit.texts import text

EXCLUDED = ("postgres", "cache", "exports", "secret.key")
"""Parts of the data directory that are not copied as files: the embedded server's, caches, exports, and the key."""


@dataclass(frozen=True)
class Installation:
    """Installation to back up; `others` are files from outside, by their place in a restored data directory."""

    owner_url: str | None = field(repr=False)
    data_dir: Path
    secret: bytes = field(repr=False)
    others: Mapping[str, Path]


async def write(path: Path, installation: Installation, progress: Progress) -> Manifest:
    """Back up to `path`. Files are copied before rows, so that they are never ahead of the database.

    Contents of attachments that come meanwhile are copied after the rows, so that no row lacks its content.

    Raises BackupError, Misconfigured or Unreachable.
    """
    if installation.owner_url is None:
        raise Misconfigured(BackupMsg.BACKUP_NEEDS_OWNER)
    _require_outside(path, installation.data_dir)
    with created(path) as archive:
        async with connected(installation.owner_url) as connection:
            await check_server(connection)
            await check_owner(connection)
            archive.writestr(SECRET_KEY, installation.secret)
            _put_files(archive, installation, progress)
            manifest = await _put_database(connection, archive, progress)
            _put_late_attachments(archive, installation.data_dir)
        put_manifest(archive, manifest)
    return manifest


def _require_outside(path: Path, data_dir: Path) -> None:
    if path.resolve().is_relative_to(data_dir.resolve()):
        raise BackupError(BackupMsg.INSIDE_DATA_DIRECTORY, path=path)


def _put_files(archive: ZipFile, installation: Installation, progress: Progress) -> None:
    count = 0
    for place, file in _files(installation.data_dir):
        try:
            put_file(archive, place, file.read_bytes())
        except FileNotFoundError:
            continue  # a running server has just removed it
        count += 1
    for place, file in installation.others.items():
        put_file(archive, place, file.read_bytes())
    progress(text(BackupMsg.FILES_STORED, count=count + len(installation.others)))


def _put_late_attachments(archive: ZipFile, data_dir: Path) -> None:
    """Add the contents of attachments that came between the files and the rows, which may name them.

    A content is never changed under its name. One without a row goes with the first sweep after a restoration.
    """
    names_stored = set(archive.namelist())
    for place, file in _files(data_dir):
        if PurePosixPath(place).parts[0] != ATTACHMENTS or member(place) in names_stored:
            continue
        try:
            put_file(archive, place, file.read_bytes())
        except FileNotFoundError:
            continue  # its attachment has just been deleted


def _files(data_dir: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(data_dir.rglob("*")):
        place = file.relative_to(data_dir)
        if place.parts[0] not in EXCLUDED and file.suffix != ".tmp" and file.is_file() and not file.is_symlink():
            yield place.as_posix(), file


async def _put_database(connection: "asyncpg.Connection[Any]", archive: ZipFile, progress: Progress) -> Manifest:
    """Copy all tables as they are at one moment. They are locked first, so that no migration comes in between."""
    all_tables = await tables(connection)
    if not all_tables:
        raise BackupError(BackupMsg.NO_TABLES)
    await connection.execute(PORTABLE)
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        await connection.execute(locked(all_tables))
        copied = await copy_out(connection, all_tables, archive, progress)
        return Manifest(
            ledgerkit=__version__,
            revision=await connection.fetchval("select version_num from public.alembic_version"),
            postgres=await connection.fetchval("select current_setting('server_version')"),
            made_at=clock.now(),
            tables=copied,
        )

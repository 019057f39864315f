"""Restore of a backup into an empty installation, or in place of one on request.

The database is restored in one transaction, so a restore that fails or is killed changes nothing.
"""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from zipfile import ZipFile

import asyncpg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.einvoice.chain.restore_detection import shows_more_sent
from ledgerkit.core.operation.backup.archive.file import SECRET_KEY, BackupError, Manifest, files, opened
from ledgerkit.core.operation.backup.archive.rows import PORTABLE, Progress, copy_in, tables
from ledgerkit.core.operation.backup.texts import BackupMsg
from ledgerkit.core.operation.installation.database.access import lends_account
from ledgerkit.core.operation.installation.database.all_tables import metadata
from ledgerkit.core.operation.installation.database.setup import Access, grant_rights, prepare
from ledgerkit.core.platform.database import migrations
from ledgerkit.core.platform.database.roles import quoted
from ledgerkit.core.platform.database.server_checks import check_owner, check_server
from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.database.targets import Target, connected
from ledgerkit.settings import private_files
from ledgerkit.settings.start_errors import Misconfigured, Unreachable
from ledgerkit.texts import Message
from ledgerkit.texts.common import CountedMsg

CHAINS = "chains"
SANDBOX = "sandbox"
CERTIFICATES = "certificates"


@dataclass(frozen=True)
class Restored:
    """Result of a restore; `certificates` are files of the operator's that settings have to name."""

    manifest: Manifest
    certificates: tuple[Path, ...]


async def restore(
    path: Path, access: Access, data_dir: Path, configured_secret: bytes | None, progress: Progress, *, replaces: bool
) -> Restored:
    """Restore a backup into the database of `access` and into `data_dir`.

    New chains of fiscal records begin at the next start: from then on this is another installation.
    `configured_secret` is the secret key where a setting holds it. `replaces` allows existing data to be replaced.
    Raises BackupError, Misconfigured or Unreachable.
    """
    if access.owner is None:
        raise Misconfigured(BackupMsg.RESTORE_NEEDS_OWNER)
    with opened(path) as (archive, manifest):
        secret = _fitting_secret(archive, configured_secret)
        _require_known(path, manifest)
        await _require_unused(access.owner, replaces=replaces)
        url = await prepare(replace(access, secret=secret, renews_password=True))
        staged = _staged(archive, data_dir)
        try:
            await _restore_database(archive, manifest, access.owner, Target.parse(url).user or "", progress)
            certificates = _put_in_place(staged, data_dir, progress)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    return Restored(manifest, certificates)


def _require_known(path: Path, manifest: Manifest) -> None:
    """Raise BackupError when no migration begins or ends with the tables of the backup."""
    if migrations.knows(manifest.revision):
        return
    made_by, revision = manifest.ledgerkit, manifest.revision
    if migrations.is_squashed(revision):
        raise BackupError(
            BackupMsg.EARLIER_VERSION, path=path, ledgerkit=made_by, revision=revision, oldest=migrations.OLDEST
        )
    raise BackupError(BackupMsg.NEWER_VERSION, path=path, ledgerkit=made_by)


def _fitting_secret(archive: ZipFile, configured: bytes | None) -> bytes:
    secret = archive.read(SECRET_KEY)
    if configured is not None and configured != secret:
        raise Misconfigured(BackupMsg.OTHER_KEY, secret_key=SECRET_KEY)
    return secret


async def _require_unused(owner_url: str, *, replaces: bool) -> None:
    """Raise Unreachable while a server uses the database, BackupError when it has users and `replaces` is False."""
    async with connected(owner_url) as owner:
        await check_server(owner)
        await check_owner(owner)
        servers = await owner.fetchval(_SERVERS)
        if servers:
            raise Unreachable(BackupMsg.SERVER_RUNNING, servers=servers)
        if replaces or not await owner.fetchval("select to_regclass('public.app_user') is not null"):
            return
        users, accounts, records = await _content(owner)
        if users:
            raise BackupError(
                BackupMsg.NOT_EMPTY,
                users=Message(CountedMsg.USERS, {"count": users}),
                accounts=Message(CountedMsg.ACCOUNTS, {"count": accounts}),
                records=Message(CountedMsg.FISCAL_RECORDS, {"count": records}),
            )


async def _content(owner: "asyncpg.Connection[Any]") -> tuple[int, int, int]:
    ((users, accounts, records),) = await owner.fetch(
        "select (select count(*) from app_user), (select count(*) from account), (select count(*) from fiscal_record)"
    )
    return users, accounts, records


async def _restore_database(
    archive: ZipFile, manifest: Manifest, owner_url: str, role: str, progress: Progress
) -> None:
    """Create the tables of the backup's revision, copy its rows, and migrate to this version; one transaction."""
    try:
        async with migrations.alone_in_one_transaction(owner_url) as connection:
            raw = driver(connection)
            await raw.execute(PORTABLE)
            await _drop_tables(raw, manifest)
            await migrations.upgrade_on(connection, manifest.revision)
            await copy_in(raw, manifest.tables, archive, progress)
            await migrations.upgrade_on(connection)
            await _mark_as_restored(connection, manifest)
            await grant_rights(connection, role)
    except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError) as error:
        raise BackupError(BackupMsg.TABLES_DIFFER, error=error) from error


async def _drop_tables(raw: "asyncpg.Connection[Any]", manifest: Manifest) -> None:
    """Drop the tables of ledgerkit that exist; other tables stay."""
    names_of_tables = {"alembic_version", *metadata.tables, *(table.name for table in manifest.tables)}
    existing = [table.name for table in await tables(raw)] + ["alembic_version"]
    names = ", ".join(f"public.{quoted(name)}" for name in existing if name in names_of_tables)
    await raw.execute(f"drop table if exists {names}")


async def _mark_as_restored(connection: AsyncConnection, manifest: Manifest) -> None:
    """Change the database's identity, so that no chain of records continues as if nothing had happened."""
    identity = f"backup of {manifest.made_at.isoformat()}"
    for table in ("fiscal_installation", "fiscal_sender"):
        await connection.execute(text(f"update {table} set database_identity = :identity"), {"identity": identity})  # noqa: S608 - two fixed names
    values = {"identity": identity, "made_at": manifest.made_at}
    await connection.execute(text("update fiscal_database set identity = :identity || ', ' || identity"), values)
    await connection.execute(text("insert into fiscal_database values (:identity, :made_at)"), values)


def _staged(archive: ZipFile, data_dir: Path) -> Path:
    """Write the files to a temporary directory next to their places: a full disk is noticed before anything changes."""
    if not data_dir.exists():
        private_files.make_directory(data_dir)
    private_files.close_to_others(data_dir, but_passable=lends_account(data_dir))
    staged = Path(mkdtemp(prefix="restoring-", dir=data_dir))
    for place, content in files(archive):
        target = staged / place
        private_files.make_directory(target.parent)
        target.touch(mode=0o600)
        target.write_bytes(content)
    return staged


def _put_in_place(staged: Path, data_dir: Path, progress: Progress) -> tuple[Path, ...]:
    """Move the files to their places. Of two states of a chain file the one that is further ahead stays."""
    count, certificates = 0, []
    for file in sorted(path for path in staged.rglob("*") if path.is_file()):
        place = file.relative_to(staged)
        target = data_dir / place
        if target.parent != data_dir:
            private_files.make_directory(target.parent)
        if target.exists() and _is_behind(place, file, target):
            continue
        file.replace(target)
        count += 1
        if place.parts[0] == CERTIFICATES:
            certificates.append(target)
    progress(Message(BackupMsg.FILES_RESTORED, {"count": count, "directory": data_dir}))
    return tuple(certificates)


def _is_behind(place: Path, file: Path, target: Path) -> bool:
    """Return True for a file of the backup that would set back what others know: sent records, the sandbox's register.

    The sandbox stands for an authority, which a restore does not change. It only adds to its register.
    """
    if place.parts[0] == CHAINS:
        return not shows_more_sent(file, target)
    return place.parts[0] == SANDBOX and place.suffix == ".jsonl" and file.stat().st_size <= target.stat().st_size


_SERVERS = (
    "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    " and application_name in ('ledgerkit', 'ledgerkit jobs')"
)

"""`ledgerkit backup` and `ledgerkit restore`: a whole installation in one file."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import typer

from ledgerkit.commands.configuring import quietly_configured
from ledgerkit.commands.language import operators_language, say
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.commands.running import run
from ledgerkit.core.operation import backup as backups
from ledgerkit.core.operation.backup.archive.restore import CERTIFICATES
from ledgerkit.core.operation.installation.database.access import any_database, own_database
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.settings import Settings, secret_key
from ledgerkit.texts import Text, text
from ledgerkit.texts.common import CountedMsg

MIB = 1 << 20

File = Annotated[Path, typer.Argument(dir_okay=False, help="The backup's file", show_default=False)]


def backup(file: File) -> None:
    """Write the whole installation into one file.

    That is the database, the secret key, certificates and files, as they are at one moment, also while a server runs.
    FILE must not exist yet. It holds the secret key: keep it where nobody else can read it.
    """
    settings = quietly_configured()

    async def work() -> None:
        written = await backed_up(settings, file)
        rows = text(CountedMsg.ROWS, count=sum(table.rows for table in written.tables))
        tables = text(CountedMsg.TABLES, count=len(written.tables))
        size = f"{file.stat().st_size / MIB:.1f}"
        say(CommandsMsg.BACKUP_WRITTEN, file=file, rows=rows, tables=tables, size=size)

    run(work())


def restore(
    file: File,
    replaces: Annotated[bool, typer.Option("--replace", help="Replace what the installation holds now")] = False,
) -> None:
    """Put a backup into the configured database and data directory.

    No server may run on them. What comes back is a new fiscal installation: its chains of records begin anew at the
    next start.
    """
    settings = quietly_configured()

    async def work() -> None:
        restored_backup = await restored(settings, file, replaces=replaces)
        made_at = f"{restored_backup.manifest.made_at:%Y-%m-%d %H:%M:%S}"
        say(CommandsMsg.RESTORED, version=restored_backup.manifest.ledgerkit, made_at=made_at)
        for certificate in restored_backup.certificates:
            say(CommandsMsg.RESTORED_CERTIFICATE, file=certificate)

    run(work())


async def backed_up(settings: Settings, file: Path) -> backups.Manifest:
    async with AsyncExitStack() as stack:
        access = await any_database(stack, settings)
        secret, certificates = secret_key(settings), _certificates(settings)
        installation = backups.Installation(access.owner, settings.data_dir, secret, certificates)
        return await backups.write(file, installation, _progress)


async def restored(settings: Settings, file: Path, *, replaces: bool) -> backups.Restored:
    key = settings.secret_key.get_secret_value().encode() if settings.secret_key else None
    async with AsyncExitStack() as stack:
        access = await own_database(stack, settings)
        return await backups.restore(file, access, settings.data_dir, key, _progress, replaces=replaces)


def _progress(step: Text) -> None:
    typer.echo(step.in_language(operators_language()), err=True)


def _certificates(settings: Settings) -> dict[str, Path]:
    """The operator's files that settings name, by where they are restored; those in the data directory come anyway."""
    verifactu_settings = VerifactuSettings()
    inside = settings.data_dir.resolve()
    named = [path for path in (verifactu_settings.cert_file, verifactu_settings.ca_file) if path is not None]
    return {f"{CERTIFICATES}/{path.name}": path for path in named if not path.resolve().is_relative_to(inside)}

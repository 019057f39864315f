"""File of a backup: a ZIP archive with a manifest, the rows of each table, and files.

`manifest.json`, `database/<table>.copy` (PostgreSQL's COPY in text format), `files/<path in the data directory>`.
Nothing in it depends on the version of PostgreSQL, on a program of PostgreSQL's, or on the names of roles.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from pydantic import BaseModel, ConfigDict, ValidationError

from ledgerkit.core.operation.backup.texts import BackupMsg
from ledgerkit.settings.start_errors import StartError

FORMAT = 1
SECRET_KEY = "files/secret.key"  # noqa: S105 - its name

_MANIFEST = "manifest.json"
_FILES = "files/"
_LEVEL = 6


class BackupError(StartError):
    """Failure to make or restore a backup; the text says why and what to do."""

    exit_code = 3


class Table(BaseModel):
    """A table with its columns in the order in which they were copied."""

    model_config = ConfigDict(frozen=True)

    name: str
    columns: tuple[str, ...]
    rows: int

    @property
    def member(self) -> str:
        return f"database/{self.name}.copy"


class Manifest(BaseModel):
    """Contents of a backup: `tables` in an order that satisfies foreign keys, `revision` of their migrations."""

    model_config = ConfigDict(frozen=True)

    format: int = FORMAT
    ledgerkit: str
    revision: str
    postgres: str
    made_at: datetime
    tables: tuple[Table, ...]


@contextmanager
def created(path: Path) -> Iterator[ZipFile]:
    """Create an archive that only its owner can read; it appears under its name only when it is complete.

    Raises BackupError when the file exists already or cannot be written.
    """
    if path.exists():
        raise BackupError(BackupMsg.EXISTS, path=path)
    draft = path.with_name(f"{path.name}.partial")
    try:
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600, exist_ok=False)
        with draft.open("wb") as file:
            with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
                yield archive
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
    except OSError as error:
        raise BackupError(BackupMsg.NOT_WRITABLE, path=path, error=error) from error
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def opened(path: Path) -> Iterator[tuple[ZipFile, Manifest]]:
    """Open an archive and check every byte. Raises BackupError when it is no backup, or incomplete."""
    try:
        with ZipFile(path) as archive:
            damaged = archive.testzip()
            if damaged is not None:
                raise BackupError(BackupMsg.DAMAGED, path=path, damaged=damaged)
            yield archive, _manifest(path, archive)
    except OSError as error:
        raise BackupError(BackupMsg.UNREADABLE, path=path, error=error) from error
    except BadZipFile as error:
        raise BackupError(BackupMsg.INCOMPLETE, path=path, error=error) from error


def put_manifest(archive: ZipFile, manifest: Manifest) -> None:
    archive.writestr(_MANIFEST, manifest.model_dump_json(indent=2))


def put_file(archive: ZipFile, place: str, content: bytes) -> None:
    """Add a file that is restored to `place` in the data directory."""
    archive.writestr(member(place), content)


def member(place: str) -> str:
    """Return the name in the archive of the file at `place` in the data directory."""
    return f"{_FILES}{place}"


def files(archive: ZipFile) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield each file's place in the data directory and its content. Raises BackupError for a place outside of it."""
    for name in archive.namelist():
        if not name.startswith(_FILES):
            continue
        place = PurePosixPath(name.removeprefix(_FILES))
        if place.is_absolute() or ".." in place.parts:
            raise BackupError(BackupMsg.FILE_OUTSIDE, name=name)
        yield place, archive.read(name)


def _manifest(path: Path, archive: ZipFile) -> Manifest:
    try:
        manifest = Manifest.model_validate_json(archive.read(_MANIFEST))
    except (KeyError, ValidationError) as error:
        raise BackupError(BackupMsg.NOT_A_BACKUP, path=path) from error
    if manifest.format != FORMAT:
        raise BackupError(BackupMsg.NEWER_FORMAT, path=path, ledgerkit=manifest.ledgerkit)
    return manifest

"""Directory of exports, and the disk space that they may use."""

import shutil
from collections.abc import Collection
from pathlib import Path
from uuid import UUID

from ledgerkit.settings import Settings

SPARE_BYTES = 256 << 20
"""Disk space that exports leave free for everything else."""


class ExportDirectory:
    """Service that holds the directory of exports; every method blocks.

    Only this user can read it, because it holds people's data.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._root = settings.data_dir / "exports"
        self._limit = settings.export_space_mib << 20

    def in_dry_run(self, _dry_run: object) -> "ExportDirectory":
        """Return the directory as one from which nothing is removed; only jobs, which are never dry, write into it."""
        return _KeptDirectory(self._settings)

    def parts(self, export_id: UUID) -> Path:
        """Return the directory for the parts of an export, created if necessary."""
        directory = self._root / export_id.hex
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
        return directory

    def archive(self, export_id: UUID) -> Path:
        """Return the path of the file of an export that is ready."""
        return self._root / f"{export_id.hex}.zip"

    def has_space(self, export_id: UUID, *, merging: bool) -> bool:
        """Return True when another part may be written; when `merging`, a copy of all parts."""
        parts = self.parts(export_id)
        needed = _size(parts) if merging else 0
        free = shutil.disk_usage(self._root).free - needed
        return _size(self._root) + needed < self._limit and free > SPARE_BYTES

    def clear(self, export_id: UUID) -> None:
        """Remove all files of an export."""
        self.archive(export_id).unlink(missing_ok=True)
        shutil.rmtree(self._root / export_id.hex, ignore_errors=True)

    def clear_all_but(self, export_ids: Collection[UUID]) -> None:
        """Remove the files of all other exports."""
        names = {export_id.hex for export_id in export_ids}
        for path in self._root.glob("*"):
            if path.name.partition(".")[0] in names:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


class _KeptDirectory(ExportDirectory):
    def clear(self, export_id: UUID) -> None:
        pass

    def clear_all_but(self, export_ids: Collection[UUID]) -> None:
        pass


def _size(folder: Path) -> int:
    """Return the bytes of all files in a directory."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

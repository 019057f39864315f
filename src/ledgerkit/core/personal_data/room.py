"""The directory of exports, and the room there is for them."""

import shutil
from collections.abc import Collection
from pathlib import Path
from uuid import UUID

from ledgerkit.settings import Settings

SPARE_BYTES = 256 << 20
"""Room on the disk that exports leave to everything else."""


class ExportRoom:
    """The directory of exports; every method blocks. Readable by this user only: it holds people's books."""

    def __init__(self, settings: Settings) -> None:
        self._root = settings.data_dir / "exports"
        self._limit = settings.export_space_mib << 20

    def parts(self, export_id: UUID) -> Path:
        """The directory of an export that is being made."""
        found = self._root / export_id.hex
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        found.mkdir(mode=0o700, exist_ok=True)
        return found

    def whole(self, export_id: UUID) -> Path:
        """The file of an export that is ready."""
        return self._root / f"{export_id.hex}.zip"

    def is_left(self, export_id: UUID, *, merging: bool) -> bool:
        """Tell whether another part may be written; when `merging`, all of its parts once more."""
        own = _size(self.parts(export_id))
        more = own if merging else 0
        return _size(self._root) + more < self._limit and shutil.disk_usage(self._root).free - more > SPARE_BYTES

    def clear(self, export_id: UUID) -> None:
        """Remove whatever there is of an export."""
        self.whole(export_id).unlink(missing_ok=True)
        shutil.rmtree(self._root / export_id.hex, ignore_errors=True)

    def clear_all_but(self, known: Collection[UUID]) -> None:
        """Remove what belongs to no export that is known."""
        names = {one.hex for one in known}
        for found in self._root.glob("*"):
            if found.name.partition(".")[0] in names:
                continue
            if found.is_dir():
                shutil.rmtree(found, ignore_errors=True)
            else:
                found.unlink(missing_ok=True)


def _size(folder: Path) -> int:
    """Bytes of all files in a directory."""
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())

"""Cache of PDF files by content: documents that print alike are laid out once."""

import logging
import os
from contextlib import suppress
from pathlib import Path

from ledgerkit.settings import private_files

_log = logging.getLogger(__name__)


class PdfCache:
    """PDF files in one directory, named by key, at most `max_bytes` in all; the least recently used go first.

    Losing a file costs only time, so a full or read-only disk is logged and otherwise ignored. Several processes may
    share the directory: each estimates its size, and counts the files when the estimate exceeds the bound.
    """

    def __init__(self, directory: Path, max_bytes: int) -> None:
        self._directory = directory
        self._max_bytes = max_bytes
        self._bytes_seen = max_bytes  # unknown yet: the first store counts

    def get(self, key: str) -> bytes | None:
        """Return the document, or None when it is absent or was cut short by a crash."""
        path = self._path(key)
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        return content if content.startswith(b"%PDF-") and content.rstrip().endswith(b"%%EOF") else None

    def put(self, key: str, content: bytes) -> None:
        """Store all of `content` or nothing."""
        try:
            private_files.make_directory(self._directory)
            private_files.write(self._path(key), content)
            self._bytes_seen += len(content)
            if self._bytes_seen > self._max_bytes:
                self._evict()
        except OSError as error:
            _log.warning("the PDF cache could not be written: %s", error)

    def _path(self, key: str) -> Path:
        return self._directory / f"{key}.pdf"

    def _evict(self) -> None:
        """Remove the least recently used files, down to nine tenths of the bound: not every store counts again."""
        files = sorted(_sizes(self._directory), key=lambda file: file[1])
        total = sum(size for _, _, size in files)
        for path, _, size in files if total > self._max_bytes else ():
            if total <= self._max_bytes * 9 // 10:
                break
            path.unlink(missing_ok=True)
            total -= size
        self._bytes_seen = total


def _sizes(directory: Path) -> list[tuple[Path, int, int]]:
    """Return path, time of last use (ns) and size of every file; one that vanishes meanwhile is left out."""
    files = []
    with os.scandir(directory) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                status = entry.stat()
                files.append((Path(entry.path), status.st_mtime_ns, status.st_size))
    return files

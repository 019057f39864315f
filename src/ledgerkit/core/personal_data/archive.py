"""Parts of an export as ZIP files of their own, and the whole made of them: written whole or not at all."""

import asyncio
import os
import shutil
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

_STORED = (".pdf", ".zip")
"""Kinds of files that are compressed already."""


class PartWriter:
    """Adds files to one part. Nothing of it is kept in memory but the piece at hand."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    async def add(self, name: str, content: bytes) -> None:
        await asyncio.to_thread(self._archive.writestr, _entry(name), content)

    async def add_stream(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        with self._archive.open(_entry(name), "w", force_zip64=True) as file:
            async for piece in pieces:
                await asyncio.to_thread(file.write, piece)


@asynccontextmanager
async def new_part(path: Path) -> AsyncIterator[PartWriter]:
    """A part at `path`, there only once it is whole."""
    with _written(path) as archive:
        yield PartWriter(archive)


def merge(parts: Path, whole: Path) -> int:
    """Make one file of all parts in a directory, in their order, and give its size in bytes; blocking."""
    with _written(whole) as archive:
        taken: set[str] = set()
        for part in sorted(parts.glob("*.zip")):
            with zipfile.ZipFile(part) as source:
                for info in source.infolist():
                    name = _free(info.filename, taken)
                    with source.open(info) as read, archive.open(_entry(name), "w", force_zip64=True) as write:
                        shutil.copyfileobj(read, write, 1 << 20)
    return whole.stat().st_size


@contextmanager
def _written(path: Path) -> Iterator[zipfile.ZipFile]:
    draft = path.with_suffix(".tmp")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            yield archive
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_STORED if name.endswith(_STORED) else zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info


def _free(name: str, taken: set[str]) -> str:
    """`name`, with a number in it when another file has it already."""
    stem, dot, suffix = name.rpartition(".")
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{stem}-{number}{dot}{suffix}"
    taken.add(found)
    return found

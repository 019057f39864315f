"""ZIP files of an export: one for each part, and one merged from all; each is written completely or not at all."""

import asyncio
import os
import shutil
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

_STORED = (".pdf", ".zip")
"""Suffixes of files that are compressed already."""


class PartWriter:
    """Adds files to one part; it holds no more than one piece of a file in memory."""

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
    """Write a part to `path`, which exists only once the part is complete."""
    with _written(path) as archive:
        yield PartWriter(archive)


def merge(parts: Path, merged: Path) -> int:
    """Merge all parts in a directory, in their order, into one file, and return its size in bytes; blocking."""
    with _written(merged) as archive:
        names_taken: set[str] = set()
        for part in sorted(parts.glob("*.zip")):
            with zipfile.ZipFile(part) as source:
                for info in source.infolist():
                    name = _free_name(info.filename, names_taken)
                    with source.open(info) as read, archive.open(_entry(name), "w", force_zip64=True) as write:
                        shutil.copyfileobj(read, write, 1 << 20)
    return merged.stat().st_size


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


def _free_name(name: str, names_taken: set[str]) -> str:
    """Return `name`, with a number in it when another file has that name already."""
    stem, dot, suffix = name.rpartition(".")
    number, free_name = 1, name
    while free_name in names_taken:
        number += 1
        free_name = f"{stem}-{number}{dot}{suffix}"
    names_taken.add(free_name)
    return free_name

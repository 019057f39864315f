"""Store of contents: the port, and the one in the data directory.

A content's address is its account and its SHA-256, so no account can tell what another one has stored.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkstemp
from typing import Protocol
from uuid import UUID

from ledgerkit.settings.private_files import make_directory

PIECE = 256 << 10
"""Bytes of a content that are in memory at a time while it is read."""

FOLDER = "attachments"
"""Folder in the data directory, of mode 0700."""


@dataclass(frozen=True)
class ContentAddress:
    """Address of a content; `sha256` in lower-case hexadecimal."""

    account_id: UUID
    sha256: str

    @property
    def path(self) -> str:
        """Path in a store: sharded by the first two digits, so that no folder grows large."""
        return f"{self.account_id.hex}/{self.sha256[:2]}/{self.sha256}"


@dataclass(frozen=True)
class StoredContent:
    """Content in a store, and the moment of its last writing."""

    sha256: str
    written_at: datetime


class ContentMissingError(Exception):
    """A content that a row names is not in the store."""


class StoreUnreachableError(Exception):
    """The store has failed, and may work again later."""


class Store(Protocol):
    """Port of the store. Methods raise OSError for a full or broken disk, StoreUnreachableError otherwise."""

    async def put(self, address: ContentAddress, content: bytes) -> None:
        """Write a content durably, whole or not at all. A content that is there already is written again."""

    async def read(self, address: ContentAddress) -> AsyncIterator[bytes]:
        """Return the content in pieces. Raises ContentMissingError before the first."""

    async def remove(self, address: ContentAddress) -> None:
        """Remove a content; a missing one is no error."""

    async def contents(self, account_id: UUID) -> Sequence[StoredContent]:
        """Return all contents of an account."""

    async def clear_drafts(self, account_id: UUID, before: datetime) -> None:
        """Remove incomplete files that processes left before that moment, when they were killed while they wrote."""


class LocalStore:
    """Store in a directory. A file appears under its name when it is complete and on the disk."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, address: ContentAddress, content: bytes) -> None:
        await asyncio.to_thread(self._put, address, content)

    async def read(self, address: ContentAddress) -> AsyncIterator[bytes]:
        path = self._root / address.path
        if not await asyncio.to_thread(path.is_file):
            raise ContentMissingError

        async def pieces() -> AsyncIterator[bytes]:
            with await asyncio.to_thread(path.open, "rb") as file:  # only now: nobody may ever ask for the first piece
                while piece := await asyncio.to_thread(file.read, PIECE):
                    yield piece

        return pieces()

    async def remove(self, address: ContentAddress) -> None:
        await asyncio.to_thread((self._root / address.path).unlink, missing_ok=True)

    async def contents(self, account_id: UUID) -> Sequence[StoredContent]:
        return await asyncio.to_thread(lambda: list(self._contents(account_id)))

    async def clear_drafts(self, account_id: UUID, before: datetime) -> None:
        await asyncio.to_thread(self._clear_drafts, account_id, before)

    def _put(self, address: ContentAddress, content: bytes) -> None:
        path = self._root / address.path
        make_directory(path.parent)
        with _draft(path) as draft:
            descriptor = os.open(draft, os.O_WRONLY)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            draft.replace(path)
        for folder in (path.parent, path.parent.parent, self._root):
            _sync(folder)

    def _contents(self, account_id: UUID) -> Iterator[StoredContent]:
        for path in (self._root / account_id.hex).glob("??/*"):
            try:
                written_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            except FileNotFoundError:
                continue  # removed meanwhile
            if path.suffix != ".tmp":
                yield StoredContent(path.name, written_at)

    def _clear_drafts(self, account_id: UUID, before: datetime) -> None:
        for path in (self._root / account_id.hex).glob("??/.*.tmp"):
            if path.stat().st_mtime < before.timestamp():
                path.unlink(missing_ok=True)


class ForgetfulStore:
    """Store for a dry run: it accepts contents, stores none, and reads every content as empty."""

    async def put(self, address: ContentAddress, content: bytes) -> None:
        pass

    async def read(self, address: ContentAddress) -> AsyncIterator[bytes]:  # noqa: ARG002 - as the port says
        async def pieces() -> AsyncIterator[bytes]:
            yield b""

        return pieces()

    async def remove(self, address: ContentAddress) -> None:
        pass

    async def contents(self, account_id: UUID) -> Sequence[StoredContent]:  # noqa: ARG002 - as the port says
        return []

    async def clear_drafts(self, account_id: UUID, before: datetime) -> None:
        pass


@contextmanager
def _draft(path: Path) -> Iterator[Path]:
    """Make an empty private file (mode 0600) beside `path`; nothing of it is left when the block fails."""
    descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Write the entries of a folder to the disk, so that a renamed file survives a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

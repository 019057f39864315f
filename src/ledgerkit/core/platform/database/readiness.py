"""Readiness of this process (PostgreSQL answers, there is room to write), and whether only a restart would help it."""

import asyncio
import os
from pathlib import Path
from typing import Protocol

from ledgerkit.core.platform.database.outages import unavailable
from ledgerkit.core.platform.database.texts import DatabaseMsg
from ledgerkit.core.platform.database.transactions import Database, retry_on_conflict
from ledgerkit.problems import StorageFull
from ledgerkit.settings import Settings

MIB = 1 << 20

LEAST_MIB = 1
LEAST_MIB_WITH_DATABASE = 32
"""Two segments of PostgreSQL's log: with less, the embedded server may end itself in the middle of a write."""


PATIENCE_SECONDS = 120.0
"""Time for the embedded server to be started again. Longer than four tries with the longest pause between them."""


class SupervisedServer(Protocol):
    """A PostgreSQL that this process runs, and starts again when it dies."""

    @property
    def lost_seconds(self) -> float:
        """Seconds for which no server has lived though one should; infinite when nobody would start one."""
        ...


class Life:
    """Judgement on whether this process can recover by itself; if not, a new process should replace it.

    An unreachable PostgreSQL elsewhere is not a reason for a restart, because a new process would not reach it either.
    Nor is a full disk, because a start needs room as well, nor a recovery after a crash, which a restart would begin
    anew.
    """

    def __init__(
        self, own_server: SupervisedServer | None, settings: Settings, *, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._own_server = own_server
        self._settings = settings
        self._patience = patience

    async def check(self) -> None:
        """Raise Unavailable when our own server has been lost for longer than the patience, in seconds."""
        if self._own_server is None or self._own_server.lost_seconds <= self._patience:
            return
        free = await asyncio.to_thread(free_bytes, self._settings.data_dir)
        if free >= least_mib(self._settings) * MIB:
            raise unavailable()


async def check(database: Database, settings: Settings) -> None:
    """Check the database and the room on the disk. Raises StorageFull, Unavailable.

    A refusal of PostgreSQL's own disk is remembered until a megabyte could be written there, which each call tries.
    """
    free, least = await asyncio.to_thread(free_bytes, settings.data_dir), least_mib(settings)
    if free < least * MIB:
        raise _too_little(free // MIB, least)
    await retry_on_conflict(database.ready)


def free_bytes(directory: Path) -> int:
    """Return the bytes that may still be written in `directory`, which need not exist; 0 where no file can be made."""
    directory = directory.absolute()
    place = next(folder for folder in (directory, *directory.parents) if folder.exists())
    disk = os.statvfs(place)
    return 0 if disk.f_files and not disk.f_favail else disk.f_bavail * disk.f_frsize


def least_mib(settings: Settings) -> int:
    """The room that the data directory needs for the work to go on."""
    embedded = settings.database_url is None and settings.database_app_url is None
    return LEAST_MIB_WITH_DATABASE if embedded else LEAST_MIB


def _too_little(free: int, least: int) -> StorageFull:
    return StorageFull(DatabaseMsg.DISK_NEARLY_FULL, headers={"Retry-After": "60"}, free=free, least=least)

"""Noticing at start that the database is another one, or an earlier state of it, than the one records were sent from.

Two witnesses: the database's own identity, which a copy, a restored and a promoted one do not have; and a small file
for each chain in the data directory, which says up to where records have been sent from this machine. A copy of the
whole machine deceives both: then `ledgerkit verifactu new-installation` says it.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import select

from ledgerkit import private_files
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.models import fiscal_sender
from ledgerkit.core.identity import accounts
from ledgerkit.core.request.context import Kernel

log = structlog.get_logger()


@dataclass(frozen=True)
class LastSent:
    """Up to where a chain has been sent from here."""

    position: int
    number: str


class SentRecords:
    """A file for each chain, outside the database: ahead of it, it proves that records were lost."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._known: dict[UUID, int] = {}

    async def remember(self, installation_id: UUID, sent: LastSent) -> None:
        """Before a message leaves. A file that cannot be written never keeps a message back."""
        if self._known.get(installation_id, 0) >= sent.position:
            return
        try:
            await asyncio.to_thread(self._write, installation_id, sent)
        except OSError as error:
            log.warning("cannot note what is sent", directory=str(self._directory), error=str(error))
        else:
            self._known[installation_id] = sent.position

    def all(self) -> Mapping[UUID, LastSent]:
        """What is known of each chain; a file that is none of ours is passed over.

        Files of earlier versions, which everybody could read, are closed to others.
        """
        found = {}
        for path in self._directory.glob("*.json"):
            try:
                private_files.close_to_others(path)
                found[UUID(path.stem)] = LastSent(**json.loads(path.read_text()))
            except (OSError, ValueError, TypeError) as error:
                log.warning("cannot read what was sent", file=str(path), error=str(error))
        return found

    def _write(self, installation_id: UUID, sent: LastSent) -> None:
        """Whole or not at all."""
        private_files.make_directory(self._directory)
        private_files.write(self._directory / f"{installation_id.hex}.json", json.dumps(asdict(sent)).encode())


def further(one: Path, other: Path) -> bool:
    """Whether of two files of the same chain the first says that more was sent; a file that is none says nothing."""
    return _position(one) > _position(other)


def _position(path: Path) -> int:
    try:
        return LastSent(**json.loads(path.read_text())).position
    except (OSError, ValueError, TypeError):
        return 0


async def look(kernel: Kernel) -> None:
    """At start, before anything is sent: chains that this database cannot go on with are begun anew, and it is said."""
    here, known = await retry_on_conflict(lambda: _chains(kernel))
    sent = await asyncio.to_thread(kernel.service(SentRecords).all)
    for chain in known:
        elsewhere = chain.database_identity not in {None, here}
        ahead = sent.get(chain.installation_id)
        if elsewhere or (ahead is not None and ahead.position > chain.position):
            await retry_on_conflict(partial(_renewed, kernel, chain, ahead))
    for installation_id in sent.keys() - {chain.installation_id for chain in known}:
        log.warning("this database does not know a chain that was sent from here", installation=installation_id.hex)


async def _chains(kernel: Kernel) -> tuple[str, list[Any]]:
    columns = (
        fiscal_sender.c.account_id,
        fiscal_sender.c.installation_id,
        fiscal_sender.c.position,
        fiscal_sender.c.database_identity,
    )
    async with kernel.database.asking() as connection:
        here = await heads.identity(kernel.database, connection)
        return here, list(await connection.execute(select(*columns)))


async def _renewed(kernel: Kernel, chain: Any, ahead: LastSent | None) -> None:
    """Begin a chain anew unless that has been done; either way its open records count as perhaps sent."""
    ctx = await accounts.system_context(kernel, chain.account_id)
    async with ctx.transaction() as inner:
        head = await heads.locked(inner, chain.installation_id)
        if head is None:
            return
        lost = ahead is not None and ahead.position > head.position
        if head.closed_at is None:
            await heads.renew(inner, head, heads.LOST if lost else heads.RESTORED, _words(head, ahead))
        elif not lost:
            await heads.close(inner, head, heads.RESTORED, None)


def _words(head: Any, ahead: LastSent | None) -> str:
    if ahead is None or ahead.position <= head.position:
        return heads.MOVED
    return (
        f"The database ends at position {head.position} ({head.last_number}), and position {ahead.position} "
        f"({ahead.number}) was sent from here: records were lost. Numbers up to {ahead.number} may be known to the "
        "authority; go on in a new series."
    )

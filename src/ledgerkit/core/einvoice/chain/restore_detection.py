"""Detection, at start, of a restored or copied database: one that must not continue the chains it holds.

Two sources are compared with the database. One is its identity: a copied, restored or promoted database has another
one. The other is a small file for each chain in the data directory, which names the last position that was sent from
this machine. Neither detects a copy of the whole machine: then the operator runs `ledgerkit verifactu
new-installation`.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from uuid import UUID

import structlog
from sqlalchemy import select

from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.outbox.table import fiscal_sender
from ledgerkit.core.einvoice.table import ChainHeadRow
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.settings import private_files

log = structlog.get_logger()


@dataclass(frozen=True)
class LastSent:
    """The last record of a chain that was sent from this machine: its position, and its invoice's number."""

    position: int
    number: str


class SentRecords:
    """Files outside the database, one for each chain, with its last record that was sent.

    A file that is ahead of the database proves that the database has lost records.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._positions: dict[UUID, int] = {}

    async def remember(self, installation_id: UUID, sent: LastSent) -> None:
        """Store the last record of a message before it is sent. A failure is logged and stops no message."""
        if self._positions.get(installation_id, 0) >= sent.position:
            return
        try:
            await asyncio.to_thread(self._write, installation_id, sent)
        except OSError as error:
            log.warning("cannot note what is sent", directory=str(self._directory), error=str(error))
        else:
            self._positions[installation_id] = sent.position

    def all(self) -> Mapping[UUID, LastSent]:
        """Return the last sent record of each chain; a file that cannot be read as one is logged and skipped.

        Files of earlier versions, which everybody could read, become readable only for their owner.
        """
        sent_records = {}
        for path in self._directory.glob("*.json"):
            try:
                private_files.close_to_others(path)
                sent_records[UUID(path.stem)] = LastSent(**json.loads(path.read_text()))
            except (OSError, ValueError, TypeError) as error:
                log.warning("cannot read what was sent", file=str(path), error=str(error))
        return sent_records

    def _write(self, installation_id: UUID, sent: LastSent) -> None:
        """Write the file whole or not at all."""
        private_files.make_directory(self._directory)
        private_files.write(self._directory / f"{installation_id.hex}.json", json.dumps(asdict(sent)).encode())


def shows_more_sent(path: Path, other: Path) -> bool:
    """Return True when the file at `path` names a later position than `other`, a file of the same chain.

    A file that cannot be read names no position.
    """
    return _sent_position(path) > _sent_position(other)


def _sent_position(path: Path) -> int:
    try:
        return LastSent(**json.loads(path.read_text())).position
    except (OSError, ValueError, TypeError):
        return 0


async def detect_restored_database(kernel: Kernel) -> None:
    """Close, at start and before anything is sent, each chain that this database must not continue; begin it anew."""
    identity, chains = await retry_on_conflict(lambda: _identity_and_chains(kernel))
    await retry_on_conflict(lambda: _note_database(kernel, identity))
    sent_records = await asyncio.to_thread(kernel.service(SentRecords).all)
    for chain in chains:
        is_another_database = chain.database_identity not in {None, identity}
        last_sent = sent_records.get(chain.installation_id)
        if is_another_database or (last_sent is not None and last_sent.position > chain.position):
            await retry_on_conflict(partial(_renew, kernel, chain, last_sent))
    for installation_id in sent_records.keys() - {chain.installation_id for chain in chains}:
        log.warning("this database does not know a chain that was sent from here", installation=installation_id.hex)


class _ChainRow(Row):
    account_id: UUID
    installation_id: UUID
    position: int
    database_identity: str | None


_CHAINS = Prepared(
    select(
        fiscal_sender.c.account_id,
        fiscal_sender.c.installation_id,
        fiscal_sender.c.position,
        fiscal_sender.c.database_identity,
    ),
    _ChainRow,
)


async def _identity_and_chains(kernel: Kernel) -> tuple[str, list[_ChainRow]]:
    async with kernel.database.asking() as connection:
        identity = await heads.database_identity(kernel.database, connection)
        return identity, await _CHAINS.rows(connection)


async def _note_database(kernel: Kernel, identity: str) -> None:
    async with kernel.database.transaction(None) as connection:
        await heads.note_database(connection, identity)


async def _renew(kernel: Kernel, chain: _ChainRow, last_sent: LastSent | None) -> None:
    """Begin a chain anew unless another process has; the outcome of its pending records becomes unknown either way."""
    ctx = await accounts.system_context(kernel, chain.account_id)
    async with ctx.transaction() as inner:
        head = await heads.lock_head(inner, chain.installation_id)
        if head is None:
            return
        has_lost_records = last_sent is not None and last_sent.position > head.position
        if head.closed_at is None:
            reason = heads.LOST if has_lost_records else heads.RESTORED
            number = last_sent.number if last_sent is not None and has_lost_records else None
            await heads.renew(inner, head, reason, _explanation(head, last_sent), last_sent_number=number)
        elif not has_lost_records:
            await heads.close(inner, head, heads.RESTORED, None)


def _explanation(head: ChainHeadRow, last_sent: LastSent | None) -> str:
    if last_sent is None or last_sent.position <= head.position:
        return heads.MOVED
    return (
        f"The database ends at position {head.position} ({head.last_number}), and position {last_sent.position} "
        f"({last_sent.number}) was sent from here: records were lost. Numbers up to {last_sent.number} may be known to "
        "the authority, which is asked before the next one is given."
    )

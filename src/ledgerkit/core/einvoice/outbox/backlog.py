"""Backlog: number of records that wait for an authority, over all accounts, by the state of their chain."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import case, func, select

from ledgerkit.core.einvoice.outbox.table import fiscal_sender
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Kernel


class ChainState(StrEnum):
    """State of a chain with records to send: waiting for its turn, retrying, or stopped until resumed."""

    WAITING = "waiting"
    RETRYING = "retrying"
    STOPPED = "stopped"


@dataclass(frozen=True)
class WaitingRecords:
    """Records of all chains in one state; `oldest` is the time of the first of them, None without any."""

    state: ChainState
    records: int
    oldest: datetime | None


async def waiting(kernel: Kernel) -> list[WaitingRecords]:
    """Count waiting records by state; one result for each state, zero included.

    Reads the senders' table, which holds no account's data. Raises Unavailable.
    """
    sender = fiscal_sender.c
    stopped, failed = sender.stopped_at.is_not(None), sender.failures > 0
    state = case((stopped, ChainState.STOPPED), (failed, ChainState.RETRYING), else_=ChainState.WAITING)
    query = (
        select(state, func.sum(sender.waiting), func.min(sender.waiting_since))
        .where(sender.waiting > 0)
        .group_by(state)
    )

    async def ask() -> dict[str, WaitingRecords]:
        async with kernel.database.asking() as connection:
            rows = await connection.execute(query)
            return {name: WaitingRecords(ChainState(name), count, oldest) for name, count, oldest in rows}

    by_state = await retry_on_conflict(ask)
    return [by_state.get(state, WaitingRecords(state, 0, None)) for state in ChainState]

"""While a process runs: that it started, a summary every six hours, that it stopped; for every chain that is kept."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import select

from ledgerkit import clock
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice import modes
from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.event_log import events
from ledgerkit.core.einvoice.event_log.events import SUMMARY_EVERY
from ledgerkit.core.einvoice.event_log.models import fiscal_keeper
from ledgerkit.core.identity import accounts
from ledgerkit.core.request.context import Context, Kernel
from ledgerkit.providers.api import Mode

AT_ONCE = 8

log = structlog.get_logger()

Step = Callable[[Context, Any], Awaitable[None]]


class EventLogKeeper:
    """Logs for all chains that are kept. One per serving process; what fails for one is said, and stops nobody."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._room = asyncio.Semaphore(AT_ONCE)

    async def start(self) -> None:
        await self._each(events.start, await self._kept(clock.now()))

    async def stop(self) -> None:
        await self._each(events.stop, await self._kept(clock.now()))

    async def sum_up(self) -> None:
        """A summary for every chain whose last one is almost six hours old."""
        await self._each(_begun_and_summed, await self._kept(clock.now() - SUMMARY_EVERY))

    async def _kept(self, summed_before: datetime) -> list[tuple[UUID, UUID]]:
        query = select(fiscal_keeper.c.account_id, fiscal_keeper.c.installation_id).where(
            fiscal_keeper.c.summed_at <= summed_before
        )

        async def ask() -> list[tuple[UUID, UUID]]:
            async with self._kernel.database.asking() as connection:
                return [(row[0], row[1]) for row in await connection.execute(query)]

        return await retry_on_conflict(ask)

    async def _each(self, step: Step, chains_kept: list[tuple[UUID, UUID]]) -> None:
        await asyncio.gather(*(self._one(step, account_id, chain_id) for account_id, chain_id in chains_kept))

    async def _one(self, step: Step, account_id: UUID, installation_id: UUID) -> None:
        async def attempt() -> None:
            ctx = await accounts.system_context(self._kernel, account_id)
            async with ctx.transaction() as inner:
                head = await heads.lock_head(inner, installation_id)
                if head is not None and modes.mode_of(inner, head) is Mode.KEEPING:
                    await step(inner, head)

        async with self._room:
            try:
                await retry_on_conflict(attempt)
            except Exception as error:
                log.exception("cannot log an event", installation=installation_id.hex, exc_info=error)


async def _begun_and_summed(ctx: Context, head: Any) -> None:
    """Also of a chain that is kept since today, as was decided before; not if another sweep was here first."""
    if await events.is_summary_due(ctx, head):
        await events.ensure_started(ctx, head)
        await events.summarise(ctx, head)

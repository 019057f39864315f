"""Log the start of a process, a summary every six hours, and its stop, for every chain in the signed mode."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from uuid import UUID

import structlog
from sqlalchemy import DateTime, bindparam, select

from ledgerkit import clock
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.signed_mode import events
from ledgerkit.core.einvoice.signed_mode.events import SUMMARY_EVERY
from ledgerkit.core.einvoice.signed_mode.table import SignedChainRow, fiscal_signed_chain
from ledgerkit.core.einvoice.table import ChainHeadRow
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.providers.api import Environment, Mode

CHAINS_AT_ONCE = 8

log = structlog.get_logger()

Step = Callable[[Context, ChainHeadRow], Awaitable[None]]
"""Logs something for one chain, whose locked head it is given."""


class SignedModeProcess:
    """Events of the process for all chains in the signed mode; one instance per serving process.

    A failure for one chain goes to the server's log and does not stop the others.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._limit = asyncio.Semaphore(CHAINS_AT_ONCE)

    async def start(self) -> None:
        """Log that the process has started."""
        await self._each(events.log_start, await self._signed_chains(clock.now()))

    async def stop(self) -> None:
        """Log a summary, and that the process stops."""
        await self._each(events.log_stop, await self._signed_chains(clock.now()))

    async def summarise(self) -> None:
        """Log a summary for every chain whose last one is almost six hours old."""
        await self._each(_summarise_if_due, await self._signed_chains(clock.now() - SUMMARY_EVERY))

    async def _signed_chains(self, summed_before: datetime) -> list[tuple[UUID, UUID]]:
        """Return account and installation of the chains whose last summary is older."""

        async def read() -> list[tuple[UUID, UUID]]:
            async with self._kernel.database.asking() as connection:
                rows = await _SIGNED_CHAINS.rows(connection, summed_before=summed_before)
            return [(row.account_id, row.installation_id) for row in rows]

        return await retry_on_conflict(read)

    async def _each(self, step: Step, chains: list[tuple[UUID, UUID]]) -> None:
        await asyncio.gather(*(self._step_on_chain(step, account_id, chain_id) for account_id, chain_id in chains))

    async def _step_on_chain(self, step: Step, account_id: UUID, installation_id: UUID) -> None:
        async def attempt() -> None:
            ctx = await accounts.system_context(self._kernel, account_id)
            async with ctx.transaction() as inner:
                head = await heads.lock_head(inner, installation_id)
                if head is not None and modes.mode_of(inner, head) is Mode.SIGNING and await _can_sign(inner, head):
                    await step(inner, head)

        async with self._limit:
            try:
                await retry_on_conflict(attempt)
            except Exception as error:
                log.exception("cannot log an event", installation=installation_id.hex, exc_info=error)


async def _can_sign(ctx: Context, head: ChainHeadRow) -> bool:
    """Return False where this server cannot sign the chain's events any more, and tell the operator what to do.

    The signed mode was switched off while a chain is in it, or the key that signed is gone.
    """
    channel, _ = events.signing_channel(ctx, head)
    obstacles = await access.signing_obstacles(ctx, channel, Environment(head.environment), head.issuer_tax_id)
    for obstacle in obstacles:
        log.error(
            "events of a chain are not logged: nothing can sign them",
            installation=head.id.hex,
            issuer=head.issuer_tax_id,
            setting=obstacle.field,
            why=obstacle.message,
            remedy=obstacle.remedy,
        )
    return not obstacles


async def log_summaries(kernel: Kernel) -> None:
    """Log all summaries that are due; a job calls it every ten minutes."""
    await SignedModeProcess(kernel).summarise()


async def _summarise_if_due(ctx: Context, head: ChainHeadRow) -> None:
    """Log a summary unless another process has; log the start first for a chain whose signed mode begins today."""
    if await events.is_summary_due(ctx, head):
        await events.ensure_started(ctx, head)
        await events.log_summary(ctx, head)


_SIGNED_CHAINS = Prepared(
    select(fiscal_signed_chain).where(
        fiscal_signed_chain.c.summed_at <= bindparam("summed_before", type_=DateTime(timezone=True))
    ),
    SignedChainRow,
)

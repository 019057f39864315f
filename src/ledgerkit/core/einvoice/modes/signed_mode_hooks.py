"""Calls of the chain, its records and its exports to the signed mode, which is registered when the process starts.

Nothing below `signed_mode` imports it: without its registration every issuer reports.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date, datetime
from typing import TypeAlias
from uuid import UUID

from ledgerkit.core.einvoice.table import ChainHeadRow
from ledgerkit.core.einvoice.values.chains import PositionRange
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import Anomaly, Check, Signer

File: TypeAlias = tuple[str, bytes]
"""Path inside an export, and content."""

EventDescription: TypeAlias = Mapping[str, object]
"""Description of exported events for the manifest."""


class SignedModeHooks(ABC):
    """Interface of the signed mode. Each method runs in the caller's transaction, under the lock of the chain's head.

    `head` is the head of a chain whose mode is `Mode.SIGNING`, unless a method says otherwise.
    """

    @abstractmethod
    async def signer(self, ctx: Context, head: ChainHeadRow) -> Signer:
        """Return the signer of the chain's next record. Raises Invalid FISCAL_CHECK_FAILED without a usable key."""

    @abstractmethod
    async def record_flawed(self, ctx: Context, head: ChainHeadRow, anomaly: Anomaly) -> None:
        """Log a flaw of a record."""

    @abstractmethod
    async def records_checked(
        self, ctx: Context, head: ChainHeadRow, check: Check, anomalies: Sequence[Anomaly]
    ) -> bool:
        """Log a check of records and the anomalies found; return False where nothing may be logged."""

    @abstractmethod
    async def installation_renewed(
        self, ctx: Context, closed_head: ChainHeadRow, new_head: ChainHeadRow, *, restored: bool
    ) -> None:
        """Continue on a new installation; `closed_head` is in the signed mode, now or from a day decided."""

    @abstractmethod
    async def records_exported(
        self,
        ctx: Context,
        head: ChainHeadRow,
        period: tuple[datetime, datetime],
        records: PositionRange | None,
        events: PositionRange | None,
    ) -> None:
        """Log the export of records and events of a period, at these positions."""

    @abstractmethod
    async def event_positions(self, ctx: Context, period: tuple[datetime, datetime]) -> Mapping[UUID, PositionRange]:
        """Return the positions of all events of a period, by installation; `ctx` reads and has no transaction."""

    @abstractmethod
    def event_files(
        self, ctx: Context, head: ChainHeadRow, events: PositionRange, described: list[EventDescription]
    ) -> AsyncIterator[File]:
        """Yield the events of a chain of any mode at these positions; add their description. Outside a transaction."""

    @abstractmethod
    def request_files(self, ctx: Context, days: tuple[date, date]) -> AsyncIterator[File]:
        """Yield what answered the authority's requests for records of these days. Outside a transaction."""


def signed_mode(ctx: Context) -> SignedModeHooks | None:
    """Return the signed mode, or None in a process where it is not registered."""
    return ctx.kernel.service(SignedModeHooks) if SignedModeHooks in ctx.kernel.services else None


def required_signed_mode(ctx: Context) -> SignedModeHooks:
    """Return the signed mode, for a chain that is in it, because nothing else could sign the chain's records."""
    return ctx.kernel.service(SignedModeHooks)

"""Registration of the signed mode: the answers to the calls of the chain, its records and its exports."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date, datetime
from uuid import UUID

from ledgerkit.core.einvoice.modes.signed_mode_hooks import EventDescription, File, SignedModeHooks
from ledgerkit.core.einvoice.signed_mode import events, export
from ledgerkit.core.einvoice.table import ChainHeadRow
from ledgerkit.core.einvoice.values.chains import PositionRange
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import Anomaly, Check, Signer


class SignedMode(SignedModeHooks):
    """The signed mode, with an event log for each chain."""

    async def signer(self, ctx: Context, head: ChainHeadRow) -> Signer:
        return await events.signer(ctx, head)

    async def record_flawed(self, ctx: Context, head: ChainHeadRow, anomaly: Anomaly) -> None:
        await events.log_flaw(ctx, head, anomaly)

    def in_dry_run(self, _dry_run: object) -> "SignedMode":
        """Return this object, which changes nothing outside of the transaction."""
        return self

    async def records_checked(
        self, ctx: Context, head: ChainHeadRow, check: Check, anomalies: Sequence[Anomaly]
    ) -> bool:
        return await events.log_check(ctx, head, check, anomalies)

    async def installation_renewed(
        self, ctx: Context, closed_head: ChainHeadRow, new_head: ChainHeadRow, *, restored: bool
    ) -> None:
        await events.log_new_installation(ctx, closed_head, new_head, restored=restored)

    async def records_exported(
        self,
        ctx: Context,
        head: ChainHeadRow,
        period: tuple[datetime, datetime],
        records: PositionRange | None,
        events_of_period: PositionRange | None,
    ) -> None:
        await events.log_export(ctx, head, period, records, events_of_period)

    async def event_positions(self, ctx: Context, period: tuple[datetime, datetime]) -> Mapping[UUID, PositionRange]:
        return await export.event_positions(ctx, period)

    def event_files(
        self, ctx: Context, head: ChainHeadRow, positions: PositionRange, described: list[EventDescription]
    ) -> AsyncIterator[File]:
        return export.event_files(ctx, head, positions, described)

    def request_files(self, ctx: Context, days: tuple[date, date]) -> AsyncIterator[File]:
        return export.request_files(ctx, days)

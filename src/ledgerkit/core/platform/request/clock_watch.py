"""Comparison of our clock with those of PostgreSQL and the tax authority, for the dates of invoices and records."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.database.outages import DATABASE_ERRORS
from ledgerkit.core.platform.database.transactions import Database
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.previews import DryRun
from ledgerkit.core.platform.request.texts import RequestMsg
from ledgerkit.problems import Code, Unavailable
from ledgerkit.telemetry.metrics import CLOCK_OFFSET
from ledgerkit.texts import text

TOLERANCE = timedelta(minutes=1)
"""Difference from which a clock counts as wrong. Source: Orden HAC/1177/2024 art. 16 (one minute)."""

CHECK_SECONDS = 60
_VALID_SECONDS = 3600
"""Age up to which another clock's time is compared with; the machine may have slept meanwhile."""

_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

log = structlog.get_logger()


class Reference(StrEnum):
    """A clock that ours is compared with."""

    DATABASE = "database"
    AUTHORITY = "authority"


@dataclass(frozen=True)
class ReferenceTime:
    """Time that a reference stated, when a clock that nobody sets showed `read_at` seconds."""

    moment: datetime
    read_at: float

    def now(self, steady_seconds: float) -> datetime:
        """Return the present time by the reference, by the seconds that the steady clock has counted since."""
        return self.moment + timedelta(seconds=steady_seconds - self.read_at)

    def is_valid(self, steady_seconds: float) -> bool:
        return 0 <= steady_seconds - self.read_at <= _VALID_SECONDS


def is_wrong(offset: timedelta) -> bool:
    """Return True when our clock is too far ahead (above zero) or behind."""
    return abs(offset) > TOLERANCE


def other_day(ours: datetime, offset: timedelta, time_zone: str) -> bool:
    """Return True when a wrong clock of ours shows another calendar date than the reference, in an IANA time zone."""
    zone = ZoneInfo(time_zone)
    return is_wrong(offset) and ours.astimezone(zone).date() != (ours - offset).astimezone(zone).date()


class ClockWatch:
    """Times of other clocks, as this process received them. A change of its own clock is noticed at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readings: dict[Reference, ReferenceTime] = {}
        self._warned: set[Reference] = set()
        self._task: asyncio.Task[None] | None = None

    def in_dry_run(self, _: DryRun) -> "ClockWatch":
        return self

    async def start(self) -> None:
        """Compare with PostgreSQL now and each minute."""
        await self._check()
        self._task = asyncio.create_task(self._go_on_checking(), name="clock")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def note(self, reference: Reference, moment: datetime) -> None:
        """Store the time that a reference has just stated."""
        self._readings[reference] = ReferenceTime(moment, time.clock_gettime(_STEADY))
        self._tell()

    def offsets(self) -> Mapping[Reference, timedelta]:
        """Return by how much our clock is ahead of each reference that answered within the last hour."""
        steady, ours = time.clock_gettime(_STEADY), clock.now()
        valid = {name: reading for name, reading in self._readings.items() if reading.is_valid(steady)}
        return {name: ours - reading.now(steady) for name, reading in valid.items()}

    async def ask(self, db: AsyncConnection) -> None:
        """Ask PostgreSQL for the time."""
        self.note(Reference.DATABASE, (await db.execute(select(func.clock_timestamp()))).scalar_one())

    def shows_other_day(self, time_zone: str) -> bool:
        """Return True when any reference has another date in this time zone than we have."""
        ours = clock.now()
        return any(other_day(ours, offset, time_zone) for offset in self.offsets().values())

    def _tell(self) -> None:
        """Log when a clock begins to be wrong, and when it is right again."""
        for name, offset in self.offsets().items():
            CLOCK_OFFSET.labels(name).set(offset.total_seconds())
            if is_wrong(offset) and name not in self._warned:
                self._warned.add(name)
                log.warning(
                    "this machine's clock is wrong: synchronise it (NTP)",
                    compared_with=name.value,
                    seconds_ahead=round(offset.total_seconds()),
                )
            elif not is_wrong(offset) and name in self._warned:
                self._warned.remove(name)
                log.info("this machine's clock is right again", compared_with=name.value)

    async def _check(self) -> None:
        with suppress(*DATABASE_ERRORS, TimeoutError):  # others say that PostgreSQL is away
            async with self._database.asking() as connection:
                await self.ask(connection)

    async def _go_on_checking(self) -> None:
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            await self._check()


def warnings(ctx: Context) -> list[str]:
    """Return the warning that our clock is wrong, by the reference it differs from most, in the request's language."""
    wrong = [offset for offset in ctx.kernel.service(ClockWatch).offsets().values() if is_wrong(offset)]
    if not wrong:
        return []
    seconds = round(max(wrong, key=abs).total_seconds())
    return [text(RequestMsg.CLOCK_WRONG_WARNING, seconds=seconds).in_language(ctx.request_metadata.language)]


async def check_day(ctx: Context) -> None:
    """Raise Unavailable CLOCK_WRONG if our clock shows a wrong calendar date in the account's time zone.

    If the clock is wrong within the same day, there is a warning, and invoicing goes on.
    """
    watch, time_zone = ctx.kernel.service(ClockWatch), ctx.account.time_zone
    if not watch.shows_other_day(time_zone):
        return
    await watch.ask(ctx.db)  # the machine may have slept
    if watch.shows_other_day(time_zone):
        local_time = clock.local_now(time_zone)
        raise Unavailable(
            RequestMsg.CLOCK_WRONG,
            code=Code.CLOCK_WRONG,
            headers={"Retry-After": str(CHECK_SECONDS)},
            here=f"{local_time:%F %R}",
        )

"""A server whose operator offers the signed mode."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from ledgerkit import clock
from support.office import Office
from support.signed_mode import signed_mode_office

MADRID = ZoneInfo("Europe/Madrid")


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    """An application whose operator offers the signed mode."""
    async with signed_mode_office(postgres, tmp_path_factory.mktemp("dual"), cheap_passwords) as office:
        yield office


@pytest.fixture
def on_day(monkeypatch):
    """Set the process's clock to another day in Madrid, at the same time of day."""

    def travel(day: date) -> None:
        now = datetime.now(MADRID)
        offset = datetime.combine(day, now.time(), MADRID) - now
        monkeypatch.setattr(clock, "now", lambda: datetime.now(UTC) + offset)

    return travel


@pytest.fixture
def stopped_clock(monkeypatch):
    """Stop the process's clock at the end of the present second, or as many seconds before."""
    present = datetime.now(UTC).replace(microsecond=999_000)

    def stop(back: int = 0) -> None:
        monkeypatch.setattr(clock, "now", lambda: present - timedelta(seconds=back))

    return stop

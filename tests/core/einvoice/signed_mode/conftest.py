"""A server whose operator lets issuers choose whether their records are reported or kept."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from ledgerkit import clock
from support.keeping import choosing
from support.office import Office

MADRID = ZoneInfo("Europe/Madrid")


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    """One whose operator lets issuers choose."""
    async with choosing(postgres, tmp_path_factory.mktemp("dual"), cheap_passwords) as office:
        yield office


@pytest.fixture
def on_day(monkeypatch):
    """Lets the process believe that it is another day in Madrid, at the same time of day."""

    def travel(day: date) -> None:
        here = datetime.now(MADRID)
        away = datetime.combine(day, here.time(), MADRID) - here
        monkeypatch.setattr(clock, "now", lambda: datetime.now(UTC) + away)

    return travel

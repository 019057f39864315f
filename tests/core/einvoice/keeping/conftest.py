"""A server whose operator lets issuers choose whether their records are reported or kept."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from ledgerkit import clock
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from support.office import Office, cloned, opened

MADRID = ZoneInfo("Europe/Madrid")


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    """One whose operator lets issuers choose."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(country.channels[0], "_setup", VerifactuSettings(_env_file=None, signed_mode="on"))
        directory = tmp_path_factory.mktemp("dual")
        async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=20) as office:
            yield office


@pytest.fixture
async def ana(office):
    return await office.account()


@pytest.fixture
def on_day(monkeypatch):
    """Lets the process believe that it is another day in Madrid, at the same time of day."""

    def travel(day: date) -> None:
        here = datetime.now(MADRID)
        away = datetime.combine(day, here.time(), MADRID) - here
        monkeypatch.setattr(clock, "now", lambda: datetime.now(UTC) + away)

    return travel

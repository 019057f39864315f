"""A server whose operator lets issuers choose whether their records are reported or kept."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime

import pytest

from ledgerkit import clock
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from support.office import Office, cloned, opened


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
    """Lets the process believe that it is another day, at the same time of day."""

    def travel(day: date) -> None:
        away = datetime.combine(day, datetime.now(UTC).time(), UTC) - datetime.now(UTC)
        monkeypatch.setattr(clock, "now", lambda: datetime.now(UTC) + away)

    return travel

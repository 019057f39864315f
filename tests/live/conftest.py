"""Applications that commit and send, with an authority that does what the test asks."""

from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pytest

from ledgerkit.core.einvoice.outbox import retry_policy
from ledgerkit.core.einvoice.transmission import sender
from support.office import Office, cloned, opened


@pytest.fixture(scope="module")
def brisk():
    """Fractions of a second where the sender would pause for seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retry_policy, "FIRST_PAUSE", timedelta(seconds=0.05))
        patch.setattr(retry_policy, "LONGEST_PAUSE", timedelta(seconds=0.2))
        patch.setattr(sender, "SWEEP_SECONDS", 0.05)
        patch.setattr(sender, "LEASE", timedelta(seconds=10))
        yield


@pytest.fixture
async def url(postgres) -> AsyncIterator[str]:
    """The address of a database that nobody else uses."""
    async with cloned(postgres) as url:
        yield url


@pytest.fixture
async def owner(url) -> AsyncIterator[asyncpg.Connection]:
    """The owner's own connection to that database."""
    connection = await asyncpg.connect(url.replace("+asyncpg", ""))
    yield connection
    await connection.close()


@pytest.fixture(scope="module")
async def office(brisk, postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    """An application whose callers wait until the authority has answered."""
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=20) as office:
        yield office


@pytest.fixture(scope="module")
async def hasty(brisk, postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    """An application whose callers wait a fifth of a second at most, and in which nothing but the sweep sends again."""
    directory = tmp_path_factory.mktemp("hasty")
    wanted = {"einvoice_wait": 0.2, "worker": "apart"}
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, **wanted) as office:
        yield office


@pytest.fixture
async def ana(office):
    """A team of its own in an application whose authority has no fault left over."""
    office.authority.faults.clear()
    office.authority.question_faults.clear()
    return await office.account()


@pytest.fixture
async def berta(hasty):
    hasty.authority.faults.clear()
    hasty.authority.question_faults.clear()
    return await hasty.account("Berta Gil")

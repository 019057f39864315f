"""An application whose calls are committed: the log tells calls apart by their transactions."""

from collections.abc import AsyncIterator

import pytest

from support.office import Office, cloned, opened


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    directory = tmp_path_factory.mktemp("undoing")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=20) as office:
        yield office


@pytest.fixture
async def ana(office):
    return await office.account()

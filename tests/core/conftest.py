"""One application for all tests that need a running one; each test has its own accounts."""

from collections.abc import AsyncIterator

import pytest

from support.office import Office, cloned, opened


@pytest.fixture(scope="session")
async def office(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=20) as office:
        yield office

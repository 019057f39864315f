"""An application that reports to the sandbox authority, for what was issued before a merging."""

from collections.abc import AsyncIterator

import pytest

from support.office import Office, cloned, opened


@pytest.fixture
async def office(postgres, tmp_path, cheap_passwords) -> AsyncIterator[Office]:
    async with cloned(postgres) as url, opened(url, tmp_path, cheap_passwords, einvoice_wait=20) as office:
        yield office

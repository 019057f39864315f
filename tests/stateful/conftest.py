"""A state machine's steps are coroutines, run on the session's event loop one after the other."""

import asyncio

import pytest

from support.office import cloned, opened


@pytest.fixture(scope="session")
async def loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords):
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=20) as office:
        yield office

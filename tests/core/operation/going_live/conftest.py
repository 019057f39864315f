"""One server in its sandbox, which can be had report to the real authority's place; each test has its own accounts."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from ledgerkit.settings import EInvoiceEnvironment
from support.api import Api
from support.going_live import channel_of, ready, use
from support.office import Office, cloned, opened


@pytest.fixture(scope="module")
async def office(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=1) as office:
        use(office, channel_of(office).connect_sandbox(office.authority.access))
        yield office


@pytest.fixture
async def ana(office) -> Api:
    """An owner whose team has all that production needs."""
    return await ready(office)


@pytest.fixture
def in_production(office) -> Iterator[Callable[[], None]]:
    """Has the server report to the real authority, to the end of the test."""
    settings, countries = office.kernel.settings, office.kernel.countries

    def move() -> None:
        after = settings.model_copy(update={"einvoice_env": EInvoiceEnvironment.PRODUCTION})
        object.__setattr__(office.kernel, "settings", after)
        use(office, channel_of(office))

    yield move
    object.__setattr__(office.kernel, "settings", settings)
    object.__setattr__(office.kernel, "countries", countries)

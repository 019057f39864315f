"""One application for all tests of a module; each test has its own accounts."""

from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from lxml import etree

from ledgerkit.settings import EInvoiceEnvironment
from support.office import Office, cloned, opened


@pytest.fixture(scope="session")
async def office(postgres, tmp_path_factory, cheap_passwords) -> AsyncIterator[Office]:
    directory = tmp_path_factory.mktemp("office")
    async with cloned(postgres) as url, opened(url, directory, cheap_passwords, einvoice_wait=20) as office:
        yield office


@pytest.fixture
async def ana(office):
    yield await office.account()
    office.authority.faults.clear()  # what a test has left would meet the next one's records
    office.authority.question_faults.clear()


@pytest.fixture
def moved(office) -> Iterator[Callable[[], None]]:
    """Has the server report to another environment than before, to the end of the test."""
    before = office.kernel.settings

    def move() -> None:
        after = before.model_copy(update={"einvoice_env": EInvoiceEnvironment.TEST})
        object.__setattr__(office.kernel, "settings", after)

    yield move
    object.__setattr__(office.kernel, "settings", before)


@pytest.fixture(scope="session")
def schema(shared) -> etree.XMLSchema:
    """The official schema of messages to the authority."""
    schemas = shared / "spain" / "verifactu-schemas"
    return etree.XMLSchema(etree.parse(schemas / "SuministroLR.xsd", etree.XMLParser(no_network=True)))

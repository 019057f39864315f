"""Accounts of an office with its authority, and the schemas of what is sent there."""

from collections.abc import Callable, Iterator

import pytest
from lxml import etree

from ledgerkit.settings import EInvoiceEnvironment


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

import pytest
from lxml import etree
from spanish_documents import CHANNEL, ISSUER

from ledgerkit.providers.api import Heading
from ledgerkit.providers.es.verifactu.xml import SOAP


@pytest.fixture(scope="session")
def schema_of_messages(shared):
    """The authority's schema of what is sent (no network)."""
    schemas = shared / "spain" / "verifactu-schemas"
    return etree.XMLSchema(etree.parse(schemas / "SuministroLR.xsd", etree.XMLParser(no_network=True)))


@pytest.fixture(scope="session")
def valid(schema_of_messages):
    """Asserts that a message with these records keeps to the authority's schema; gives its content."""

    def check(*records, late=False):
        message = CHANNEL.message(Heading(issuer=ISSUER, late=late), [record.content for record in records])
        (submission,) = etree.fromstring(message).find(f"{{{SOAP}}}Body")
        schema_of_messages.assertValid(submission)
        return submission

    return check

import pytest

from ledgerkit.providers.es import country
from support.receipts.lines import TODAY, lines_of


@pytest.fixture
def read():
    """Reading of a drawing in plain text."""
    return lambda drawing: country.readings.read(lines_of(drawing), TODAY)

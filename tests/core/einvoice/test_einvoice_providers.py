"""Countries with electronic invoicing, and its state for the account."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from ledgerkit.providers.es import country
from ledgerkit.providers.registry import Registry
from support.api import Api

PATH = "/api/einvoice/providers"


@pytest.fixture
async def ana(client) -> Api:
    return await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")


@pytest.fixture
def without_channels(kernel):
    """A server that knows the taxes of Spain and no way to its authority."""
    registry = Registry(countries=MappingProxyType({"ES": replace(country, channels=())}))
    object.__setattr__(kernel, "countries", registry)


async def test_spain_has_it_without_a_pac(ana):
    answer = await ana.get(PATH)

    assert (answer["country"], answer["hasEInvoice"], answer["hasPAC"]) == ("ES", True, False)
    assert (answer["supportedCountries"], answer["environment"]) == (["ES"], "sandbox")
    assert answer["unsent"] == {**answer["unsent"], "count": 0, "oldestAt": None, "troubles": []}


@pytest.mark.usefixtures("without_channels")
async def test_a_country_without_a_channel_is_not_supported(ana):
    answer = await ana.get(PATH)

    assert (answer["country"], answer["hasEInvoice"], answer["supportedCountries"]) == ("ES", False, [])
    draft = await ana.invoice()
    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    assert problem["code"] == "EINVOICE_UNSUPPORTED"

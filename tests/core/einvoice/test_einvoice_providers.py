"""Where there is electronic invoicing, and how the account's own stands."""

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
    """A server that knows Spain and its taxes, and nothing of its authority."""
    bare = Registry(countries=MappingProxyType({"ES": replace(country, channels=())}))
    object.__setattr__(kernel, "countries", bare)


async def test_spain_has_it_without_a_pac(ana):
    told = await ana.get(PATH)

    assert (told["country"], told["hasEInvoice"], told["hasPAC"]) == ("ES", True, False)
    assert (told["supportedCountries"], told["environment"]) == (["ES"], "sandbox")
    assert told["unsent"] == {**told["unsent"], "count": 0, "oldestAt": None, "troubles": []}


@pytest.mark.usefixtures("without_channels")
async def test_a_country_without_a_channel_is_not_supported(ana):
    told = await ana.get(PATH)

    assert (told["country"], told["hasEInvoice"], told["supportedCountries"]) == ("ES", False, [])
    draft = await ana.invoice()
    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
    assert problem["code"] == "EINVOICE_UNSUPPORTED"

"""Accounts and servers that are ready for production, while the sandbox stands at the real authority's place."""

from dataclasses import replace
from datetime import date
from types import MappingProxyType

from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.registry import Registry
from support.api import Api
from support.credentials import authority_of, encoded, person
from support.office import Office

PRODUCER = {
    "producer_name": "Productora del Norte, S.L.",
    "producer_tax_id": "B64717838",
    "producer_address": "Calle Mayor, 1, 28013 Madrid (España)",
    "declaration_place": "Madrid (España)",
    "declaration_date": date(2026, 11, 21),
}
ADDRESS = {"address": "Calle Mayor, 1", "postalCode": "28013", "city": "Madrid"}


def channel_of(office: Office) -> VerifactuChannel:
    """The channel as an operator configures it; the sandbox of `office` stands at the real authority's place."""
    at = office.authority.access
    return VerifactuChannel(VerifactuSettings(_env_file=None, url=at.url, ca_file=at.ca_file, **PRODUCER))


def use(office: Office, channel: VerifactuChannel) -> None:
    registry = Registry(countries=MappingProxyType({"ES": replace(country, channels=(channel,))}))
    object.__setattr__(office.kernel, "countries", registry)


async def ready(office: Office) -> Api:
    api = await office.account()
    await api.put("/api/teams/current", ADDRESS)
    by = authority_of(office.authority.access.ca_file)
    await api.put("/api/einvoice/certificate", {"file": encoded(person(api.team["taxId"], by=by).pem())})
    return api

"""Clients outside of the territory of the IVA: doubts about what they are charged, and the category of a service.

Sources: Ley 37/1992, arts. 3 (the Canary Islands, Ceuta and Melilla lie outside of the territory of the tax), 21
(exports), 25 (supplies to businesses of other member states), 69.Uno.1 (services to a business: where it is), 70 (land,
events, transport of persons: where they are) and 84.Uno.2 (who owes the tax within Spain).
"""

from collections.abc import Iterator, Sequence

from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    DocumentKind,
    DraftFacts,
    Party,
    ServiceFacts,
    TaxCategory,
    TaxDoubt,
    TaxLine,
    TaxProposal,
)
from ledgerkit.providers.es import tax_ids, territories
from ledgerkit.providers.es.doubt_wordings import doubt
from ledgerkit.providers.es.messages import SpainMsg
from ledgerkit.texts import text

FOREIGN_BUSINESS_DOMESTIC_VAT = "FOREIGN_BUSINESS_DOMESTIC_VAT"
IVA_OUTSIDE_ITS_TERRITORY = "IVA_OUTSIDE_ITS_TERRITORY"
ZERO_RATE_WITHOUT_REASON = "ZERO_RATE_WITHOUT_REASON"
REVERSE_CHARGE_ABROAD = "REVERSE_CHARGE_ABROAD"
VAT_NUMBER_MISSING = "VAT_NUMBER_MISSING"
FOREIGN_CLIENT_UNKNOWN = "FOREIGN_CLIENT_UNKNOWN"

_SPAIN = "ES"

_INTRA_EU = frozenset({TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES})

_GENERAL_REGIMES = frozenset({None, "01"})
"""Regimes without a special scheme: those of margins, of the one-stop shop and others tax in their own way."""


def doubts(facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return the doubts about a document for a client outside of the territory; a correction repeats what it corrects.

    They are only doubts: services about land, events or transport of persons, and goods that stay in Spain, are taxed
    here. `place_of_supply` ES says so. Private persons of other member states are taxed here too, up to the limit of
    distance sales.
    """
    if facts.kind is DocumentKind.CREDIT_NOTE:
        return ()
    return (*_of_charged_iva(facts), *_of_categories(facts))


def proposal(facts: ServiceFacts) -> TaxProposal | None:
    """Return that a service to a business of another member state is not subject here; None for any other client.

    Only a VAT number of the right form shows such a business. A stated place of supply other than the client's country
    is not contradicted. An issuer in the Canary Islands, Ceuta or Melilla has other rules.
    """
    client = facts.recipient
    if territories.is_outside_of_the_iva(facts.issuer):
        return None
    place = (facts.place_of_supply or "").strip().upper()
    if not _has_vat_number(client) or facts.recipient_is_company is False or place not in {"", client.country}:
        return None
    if client.country not in tax_ids.MEMBER_STATES:  # Northern Ireland is a member state for goods only
        return None
    reason = text(SpainMsg.SERVICE_TO_EU_BUSINESS, country=client.country)
    return TaxProposal(category=TaxCategory.INTRA_EU_SERVICES, text=reason)


def is_general(line: TaxLine) -> bool:
    """Return True for a line that is charged IVA at any rate, under no special scheme; False for one of no amount."""
    is_vat = line.tax is None and line.category is TaxCategory.STANDARD
    return is_vat and line.regime_key in _GENERAL_REGIMES and line.base != ZERO


def _of_charged_iva(facts: DraftFacts) -> Iterator[TaxDoubt]:
    """Yield the doubt about a business that is charged IVA, or the one about a standard rate of zero."""
    client = facts.recipient
    if client is None or (client.country == _SPAIN and not territories.is_outside_of_the_iva(client)):
        return
    rates = sorted({line.rate for line in facts.taxes if is_general(line)})
    listed = ", ".join(f"{rate.normalize():f} %" for rate in rates)
    taxed_here = (facts.place_of_supply or "").strip().upper() == _SPAIN
    if rates and not taxed_here and _is_business_abroad(facts, client):
        yield doubt(FOREIGN_BUSINESS_DOMESTIC_VAT, _of_business(client), country=client.country, rates=listed)
    elif ZERO in rates:
        yield doubt(ZERO_RATE_WITHOUT_REASON, SpainMsg.ZERO_RATE_ABROAD)
    elif rates and not taxed_here and _is_unknown_abroad(facts, client):
        message = SpainMsg.THIRD_COUNTRY_CLIENT_UNKNOWN
        yield doubt(FOREIGN_CLIENT_UNKNOWN, message, country=client.country, rates=listed)
    elif rates and not taxed_here and client.country == _SPAIN and tax_ids.is_entity(client.tax_id or ""):
        yield doubt(IVA_OUTSIDE_ITS_TERRITORY, SpainMsg.ISLANDS_BUSINESS_TAXED, rates=listed)


def _of_business(client: Party) -> SpainMsg:
    if client.country not in tax_ids.MEMBER_STATES:
        return SpainMsg.THIRD_COUNTRY_BUSINESS_TAXED
    return SpainMsg.EU_BUSINESS_TAXED if client.tax_id else SpainMsg.EU_BUSINESS_WITHOUT_NUMBER


def _of_categories(facts: DraftFacts) -> Iterator[TaxDoubt]:
    """Yield the doubts about categories that the client cannot have."""
    client = facts.recipient
    categories = {line.category for line in facts.taxes if line.tax is None}
    if categories & _INTRA_EU and (client is None or not _has_vat_number(client)):
        yield doubt(VAT_NUMBER_MISSING, SpainMsg.VAT_NUMBER_MISSING)
    if TaxCategory.REVERSE_CHARGE in categories and client is not None and _is_business_abroad(facts, client):
        yield doubt(REVERSE_CHARGE_ABROAD, SpainMsg.REVERSE_CHARGE_ABROAD, country=client.country)


def _is_business_abroad(facts: DraftFacts, client: Party) -> bool:
    """Return True for whoever is named with a tax number of another country, be it mistyped, or said to be a business.

    A passport is a person's, and so is the number of a client whose card says that it is no company. Who has a Spanish
    NIF is registered here.
    """
    if client.country == _SPAIN or client.tax_id_kind is not None:
        return False
    if not client.tax_id:
        return facts.is_business_stated
    return facts.recipient_is_company is not False and tax_ids.foreign_nif(client.tax_id) is None


def _is_unknown_abroad(facts: DraftFacts, client: Party) -> bool:
    """Return True for a client outside of the EU without a number, of whom nobody has said whether it is a business.

    Who has no number within the EU mostly is a private person, and bears IVA.
    """
    is_elsewhere = client.country != _SPAIN and client.country not in tax_ids.MEMBER_STATES
    return is_elsewhere and not client.tax_id and facts.recipient_is_company is not False


def _has_vat_number(client: Party) -> bool:
    """Return True for a number of the form of the VAT numbers of the client's own country, which is not Spain."""
    if client.country == _SPAIN or client.tax_id_kind is not None or not client.tax_id:
        return False
    return tax_ids.vat_number(client.tax_id, client.country) is not None

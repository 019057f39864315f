"""Issuer and client as a document prints them: tax identifiers, addresses, and countries where they differ."""

from babel import Locale
from stdnum.eu import vat

from ledgerkit.core.platform.documents.languages import Words
from ledgerkit.core.platform.records.search import fold
from ledgerkit.core.sales.invoices.pdf import PartyBlock
from ledgerkit.providers.api import Document, Party, TaxCategory

_INTRA_EU = {TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES}
_TAXED_BY_THE_CLIENT = {TaxCategory.REVERSE_CHARGE, TaxCategory.NOT_SUBJECT}


def issuer_block(document: Document, words: Words, phone: str | None) -> PartyBlock:
    """Return the issuer as printed; its country only on a document for a client in another country."""
    return _block(document.issuer, document, words, phone)


def client_block(document: Document, words: Words) -> PartyBlock | None:
    """Return the client as printed; its country only where it is not the issuer's."""
    return None if document.recipient is None else _block(document.recipient, document, words)


def _block(party: Party, document: Document, words: Words, phone: str | None = None) -> PartyBlock:
    number = _vat_number(party) if is_intra_eu(document) else None
    is_abroad = document.recipient is not None and document.recipient.country != document.issuer.country
    address_lines = [_street(party), _town(party), _country(party, words) if is_abroad else None]
    return PartyBlock(
        name=party.name,
        tax_id=number or party.tax_id,
        is_vat_number=number is not None,
        address=tuple(line for line in address_lines if line),
        email=party.email,
        phone=phone,
    )


def is_intra_eu(document: Document) -> bool:
    """Return True when something is sold without tax to a business in another member state or in Northern Ireland.

    Then the invoice shows both VAT numbers with their prefix. Source: Directive 2006/112/EC, arts. 214, 215 and
    226.3 and 226.4.
    """
    categories = {line.category for line in document.taxes}
    issuer, client = document.issuer, document.recipient
    if client is None or _prefix(issuer.country) is None:
        return False
    is_elsewhere = client.country != issuer.country and _vat_number(client) is not None
    return bool(categories & _INTRA_EU) or (is_elsewhere and bool(categories & _TAXED_BY_THE_CLIENT))


def _vat_number(party: Party) -> str | None:
    """Return the VAT number with its country's prefix, as ESB12345674; None for no VAT number of the European Union."""
    if not party.tax_id or party.tax_id_kind is not None:
        return None
    if party.tax_id[:2].lower() in {*vat.MEMBER_STATES, "el"}:
        return party.tax_id
    prefix = _prefix(party.country)
    return None if prefix is None else prefix + party.tax_id


def _prefix(country: str) -> str | None:
    """Return the prefix of a member state's VAT numbers: its ISO 3166 code, but EL for Greece."""
    return {"GR": "EL"}.get(country, country) if country.lower() in vat.MEMBER_STATES else None


def _street(party: Party) -> str | None:
    """Return the address without the parts that the line of the town repeats."""
    if party.address is None:
        return None
    repeated = {fold(part) for part in (_postal_town(party), party.postal_code, party.city, party.province) if part}
    parts = party.address.split(",")
    while parts and fold(parts[-1].strip()) in repeated:
        parts.pop()
    return ",".join(parts) or None


def _town(party: Party) -> str | None:
    town, province = _postal_town(party), party.province
    if not province or fold(province) == fold(party.city):
        return town
    return f"{town} ({province})" if town else province


def _postal_town(party: Party) -> str | None:
    return " ".join(part for part in (party.postal_code, party.city) if part) or None


def _country(party: Party, words: Words) -> str:
    return str(Locale.parse(words.locale).territories.get(party.country, party.country))

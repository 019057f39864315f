"""Identification of a document's parties to the authority: NIF, VAT number or another country's document.

Source: AEAT, record design, types PersonaFisicaJuridica and IDOtro; validations 1.2.2, rules 1111 to 1126 and 1255.
"""

from dataclasses import dataclass

from ledgerkit.providers.api import Party
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.territories import COUNTRIES

VAT_NUMBER, PASSPORT, OFFICIAL_ID, RESIDENCE, OTHER_DOCUMENT, NOT_REGISTERED = "02", "03", "04", "05", "06", "07"
NAME_LENGTH, ID_LENGTH = 120, 20

_ELSEWHERE = "QU"
"""Code for countries and territories that the list does not name (Kosovo, for one)."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """A NIF (`id_type` None), or the parts of IDOtro. `country` is None beside a VAT number, which names it."""

    number: str
    id_type: str | None = None
    country: str | None = None


_KINDS = {
    "passport": PASSPORT,
    "official_id": OFFICIAL_ID,
    "residence_certificate": RESIDENCE,
    "other": OTHER_DOCUMENT,
    "not_registered": NOT_REGISTERED,
}
"""IDType by the keys of `tax.TAX_ID_KINDS` (list L7); a tax number tells by its form what it is."""


def identity(party: Party) -> Identity | None:
    """Identify `party` for a record; None when its identifier is missing or not a valid one of its kind."""
    if not party.tax_id or not party.tax_id.strip():
        return None
    if party.tax_id_kind in _KINDS:
        return _document(party, party.tax_id, _KINDS[party.tax_id_kind])
    return _number(party, party.tax_id)


def _number(party: Party, tax_id: str) -> Identity | None:
    nif = tax_ids.spanish(tax_id) if party.country == "ES" else tax_ids.foreign_nif(tax_id)
    if nif is not None or party.country == "ES":
        return Identity(number=nif.removeprefix("ES")) if nif else None
    vat_number = tax_ids.vat_number(tax_id, party.country)
    if vat_number is not None:
        return Identity(number=vat_number, id_type=VAT_NUMBER)
    return Identity(number=tax_id.strip(), id_type=OFFICIAL_ID, country=_listed(party.country))


def _document(party: Party, number: str, kind: str) -> Identity | None:
    """Identify by another document than a tax number. Somebody not registered has a Spanish NIF (1126, 1290)."""
    if kind != NOT_REGISTERED:
        return Identity(number=number.strip(), id_type=kind, country=_listed(party.country))
    nif = tax_ids.spanish(number) if party.country == "ES" else None
    return Identity(number=nif, id_type=kind, country=party.country) if nif else None


def _listed(country: str) -> str:
    return country if country in COUNTRIES else _ELSEWHERE


def issuer_nif(party: Party) -> str:
    """The issuer's NIF in its normal form; as given when it is none (preflight refuses that before)."""
    return nif(party.tax_id or "")


def nif(tax_id: str) -> str:
    """A NIF in its normal form; as given when it is none."""
    return tax_ids.spanish(tax_id) or tax_id.strip()

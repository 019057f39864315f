"""Records of a list: amounts as texts, and what is said of the party of each."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from pydantic import JsonValue

from ledgerkit.money import round_cents
from ledgerkit.providers.api import DeclarationWarning, DeclaredRecord, Party
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.tax_forms.income.warnings import warnings_where
from ledgerkit.providers.es.tax_forms.messages import ListFormMsg
from ledgerkit.providers.es.territories import province_code

Fields = Mapping[str, JsonValue]


def euros(amount: Decimal) -> str:
    """Return an amount with two decimals, as records hold it."""
    return str(round_cents(amount))


def declared(fields: Fields, document_ids: Iterable[str]) -> DeclaredRecord:
    """Return a record with the documents behind it, each once and in order."""
    return DeclaredRecord(fields=fields, document_ids=tuple(sorted(set(document_ids))))


def spanish_tax_id(party: Party) -> str | None:
    """Return the NIF of a party, in its normal form where it has one; None for whom has none in Spain."""
    if party.tax_id and (number := tax_ids.spanish(party.tax_id)):
        return number
    return party.tax_id if party.country == "ES" and party.tax_id else None


def about_parties(records: Iterable[DeclaredRecord]) -> list[DeclarationWarning]:
    """Return warnings of records that lack their party's tax id or province, which the file needs."""
    listed = list(records)
    nameless = (key for record in listed if not _has_tax_id(record.fields) for key in record.document_ids)
    nowhere = (key for record in listed if not record.fields["province"] for key in record.document_ids)
    return warnings_where((ListFormMsg.PARTY_UNKNOWN, nameless), (ListFormMsg.PROVINCE_UNKNOWN, nowhere))


def party_fields(party: Party) -> dict[str, JsonValue]:
    """Return tax id, name and province of a resident party."""
    return {"partyTaxId": spanish_tax_id(party), "partyName": party.name, "province": province_code(party)}


def _has_tax_id(fields: Fields) -> bool:
    return bool(fields["partyTaxId"] or fields.get("euVatNumber"))

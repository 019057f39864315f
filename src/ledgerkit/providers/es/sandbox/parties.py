"""Rules on the parties of a record: recipients, third parties, and the author of an annulment.

Source: AEAT, validations document 1.2.2 (2026-04-08).
"""

import re
from collections.abc import Iterator
from datetime import date

from ledgerkit.providers.es.sandbox.forms import WITH_RECIPIENT, Setting
from ledgerkit.providers.es.sandbox.messages import Annulment, Issue, OtherId, Person
from ledgerkit.providers.es.sandbox.reading import real_day, valid_nif

_VAT_FORMS = {
    "AT": "[0-9A-Z]{9}",
    "BE": "[0-9]{10}",
    "BG": "[0-9]{9,10}",
    "CY": "[0-9A-Z]{9}",
    "CZ": "[0-9]{8,10}",
    "DE": "[0-9]{9}",
    "DK": "[0-9]{8}",
    "EE": "[0-9]{9}",
    "EL": "[0-9]{9}",
    "FI": "[0-9]{8}",
    "FR": "[0-9A-Z]{11}",
    "GB": "([0-9]{5}|[0-9]{9}|[0-9A-Z]{12})",
    "HR": "[0-9]{11}",
    "HU": "[0-9]{8}",
    "IE": "[0-9A-Z]{8,9}",
    "IT": "[0-9]{11}",
    "LT": "([0-9]{9}|[0-9]{12})",
    "LU": "[0-9]{8}",
    "LV": "[0-9]{11}",
    "MT": "[0-9]{8}",
    "NL": "[0-9A-Z]{12}",
    "PL": "[0-9]{10}",
    "PT": "[0-9]{9}",
    "RO": "[1-9][0-9]{1,9}",
    "SE": "[0-9]{12}",
    "SI": "[0-9]{8}",
    "SK": "[0-9]{10}",
    "XI": "([0-9]{5}|[0-9]{9}|[0-9A-Z]{12})",
}
"""Patterns of a NIF-IVA after its two letters, by its prefix."""

_PREFIX_COUNTRY = {"EL": "GR", "XI": "GB"}
_NOT_A_PERSON = frozenset("ABCDEFGHJNPQRSUVW")
"""The first letters of NIFs of legal persons and other bodies."""


def recipients(record: Issue) -> Iterator[int]:
    """Check Destinatarios: their presence, and each one's identification."""
    if record.type in WITH_RECIPIENT and not record.recipients:
        yield 1189
    if record.type not in WITH_RECIPIENT and record.recipients:
        yield 1190
    for person in record.recipients:
        yield from _named(person, 1239)
        yield from _nif(person, 1123)
        if person.other:
            yield from _other_id(person.other, record)
            yield from _spanish_id(person.other)


def third_party(record: Issue, setting: Setting) -> Iterator[int]:
    """Check Tercero and the flag that goes with it."""
    person = record.third_party
    if person and record.issued_by is None:
        yield 1155
    if person and record.issued_by == "D":
        yield 1159
    if record.issued_by == "T" and person is None:
        yield 1186
    if record.issued_by == "D" and not record.recipients:
        yield 1158
    if person is None:
        return
    yield from _named(person, 1178)
    yield from _nif(person, 1178)
    if person.nif == setting.header.issuer.nif:
        yield 1188
    if person.other:
        yield from _third_party_id(person.other, record)


def generator(record: Annulment, setting: Setting) -> Iterator[int]:
    """Check GeneradoPor and Generador of an annulment."""
    person, role = record.generator, record.generated_by
    if (person is None) != (role is None):
        yield 1224
    if person is None:
        return
    if (person.nif is None) == (person.other is None):
        yield 1228
    if not 1 <= len(person.name) <= 120:
        yield 1100
    yield from _nif(person, 1258)
    if role == "E" and person.nif is None:
        yield 1227
    if role != "E" and person.nif == setting.header.issuer.nif:
        yield 1259
    if person.other:
        yield from _generator_id(person.other, role)


def _named(person: Person, code: int) -> Iterator[int]:
    if (person.nif is None) == (person.other is None):
        yield code
    if not 1 <= len(person.name) <= 120:
        yield 1100


def _nif(person: Person, code: int) -> Iterator[int]:
    if person.nif is not None and not valid_nif(person.nif):
        yield code


def _other_id(other: OtherId, record: Issue) -> Iterator[int]:
    if other.kind not in {"02", "03", "04", "05", "06", "07"}:
        yield 1102
    if not 1 <= len(other.number) <= 20:
        yield 1103
    if other.country is None and other.kind != "02":
        yield 1111
    if other.country is not None and not re.fullmatch("[A-Z]{2}", other.country):
        yield 1101
    if other.kind == "02":
        yield from _vat_id(other, record)


def _vat_id(other: OtherId, record: Issue) -> Iterator[int]:
    prefix, national_part = other.number[:2], other.number[2:]
    if record.type not in {"F1", "F3", "R1", "R2", "R3", "R4"}:
        yield 1156
    if other.country not in {None, prefix, _PREFIX_COUNTRY.get(prefix)}:
        yield 1122
    if not re.fullmatch(_VAT_FORMS.get(prefix, "(?!)"), national_part):
        yield 1103
    day = real_day(record.operation_date or record.issue_date)
    if prefix == "GB" and day and day >= date(2021, 2, 1):
        yield 1255
    if prefix == "XI" and day and day < date(2021, 1, 1):
        yield 1254


def _spanish_id(other: OtherId) -> Iterator[int]:
    if (other.country == "ES" and other.kind not in {"03", "07"}) or (other.kind == "07" and other.country != "ES"):
        yield 1126
    if other.kind == "07" and not valid_nif(other.number):
        yield 1290
    if other.kind == "07" and other.number[:1] in _NOT_A_PERSON:
        yield 1131


def _third_party_id(other: OtherId, record: Issue) -> Iterator[int]:
    if other.kind == "07":
        yield 1211
    yield from _other_id(other, record)
    if other.country == "ES" and other.kind != "03":
        yield 1232


def _generator_id(other: OtherId, role: str | None) -> Iterator[int]:
    if not 1 <= len(other.number) <= 20:
        yield 1222
    if other.kind not in {"02", "03", "04", "05", "06", "07"}:
        yield 1231
    if other.country is None and other.kind != "02":
        yield 1111
    if role == "T" and other.kind == "07":
        yield 1229
    if role == "D" and other.country == "ES" and other.kind not in {"03", "07"}:
        yield 1234
    if role == "T" and other.country == "ES" and other.kind != "03":
        yield 1232

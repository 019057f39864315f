"""Spanish tax identifiers (NIF of persons, foreigners and companies) and VAT numbers of the European Union.

Sources: RD 1065/2007, arts. 18 to 28 (NIF), check letters by python-stdnum; structure of the VAT numbers as in the
AEAT's VERI*FACTU validations 1.2.2 (08/04/2026). Structure says nothing about registration: only VIES does.
"""

import re
from functools import lru_cache

from stdnum.es import nif
from stdnum.exceptions import ValidationError

from ledgerkit.providers.api import TaxIdCheck
from ledgerkit.providers.es.messages import SpainMsg
from ledgerkit.texts import text

_SEPARATORS = re.compile(r"[\s.\-/·_]+")
_NINE = re.compile(r"[0-9A-Z]{9}")
_NIE_ABOVE_ZERO = frozenset("YZ")

_VAT_FORMS = {
    "AT": r"[0-9A-Z]{9}",
    "BE": r"\d{10}",
    "BG": r"\d{9,10}",
    "CY": r"[0-9A-Z]{9}",
    "CZ": r"\d{8,10}",
    "DE": r"\d{9}",
    "DK": r"\d{8}",
    "EE": r"\d{9}",
    "EL": r"\d{9}",
    "FI": r"\d{8}",
    "FR": r"[0-9A-Z]{11}",
    "HR": r"\d{11}",
    "HU": r"\d{8}",
    "IE": r"[0-9A-Z]{8,9}",
    "IT": r"\d{11}",
    "LT": r"\d{9}|\d{12}",
    "LU": r"\d{8}",
    "LV": r"\d{11}",
    "MT": r"\d{8}",
    "NL": r"[0-9A-Z]{12}",
    "PL": r"\d{10}",
    "PT": r"\d{9}",
    "RO": r"[1-9]\d{1,9}",
    "SE": r"\d{12}",
    "SI": r"\d{8}",
    "SK": r"\d{10}",
    "XI": r"[0-9A-Z]{5}|[0-9A-Z]{9}|[0-9A-Z]{12}",
}
_VAT = {prefix: re.compile(form, re.ASCII) for prefix, form in _VAT_FORMS.items()}

_OTHERWISE_CALLED = {"EL": "GR", "XI": "GB"}
_PREFIX_OF = {_OTHERWISE_CALLED.get(prefix, prefix): prefix for prefix in _VAT}
"""VAT prefix by ISO 3166 code: Greece writes EL, Northern Ireland (GB) XI."""

ENTITIES = frozenset("ABCDEFGHJNPQRSUVW")
"""First letters of the NIFs of companies, bodies and entities. Source: Orden EHA/451/2008."""

MEMBER_STATES = frozenset({"ES", *_PREFIX_OF} - {"GB"})
"""Member states of the European Union by ISO 3166 code."""


def check(value: str, country: str) -> TaxIdCheck:
    """Judge and normalise the identifier of a party of `country` (ISO 3166 alpha-2).

    Spain: upper case, no separators, no ES prefix, right check character. Member states: VAT number with its
    prefix. Elsewhere nothing can be judged: trimmed and accepted. A Spanish NIF of a foreign party is recognised
    by its ES prefix, which it keeps.
    """
    trimmed = value.strip()
    if not trimmed:
        return TaxIdCheck(valid=False, normalised="", reason=text(SpainMsg.TAX_ID_EMPTY))
    if country == "ES":
        return _spanish_check(trimmed)
    number = foreign_nif(trimmed) or vat_number(trimmed, country)
    if number is None and country not in MEMBER_STATES:
        return TaxIdCheck(valid=True, normalised=trimmed)
    if number is None:
        reason = text(SpainMsg.VAT_NUMBER_FORM, country=country)
        return TaxIdCheck(valid=False, normalised=_compact(trimmed), reason=reason)
    return TaxIdCheck(valid=True, normalised=number)


def spanish(value: str) -> str | None:
    """The NIF in its normal form (nine characters), or None when it is not one."""
    verdict = _spanish_check(value)
    return verdict.normalised if verdict.valid else None


def is_entity(value: str) -> bool:
    """Return True for the NIF of a company, body or entity; False for a natural person's, and for no NIF."""
    return (spanish(value) or "")[:1] in ENTITIES


def is_person(value: str) -> bool:
    """Return True for the NIF of a natural person, be it a DNI, a NIE or another; False for any other identifier."""
    return _spanish_check(value.strip()).of_person


def foreign_nif(value: str) -> str | None:
    """The NIF, with its ES prefix, of a party outside Spain; None unless it is written with that prefix."""
    compact = _compact(value)
    return compact if compact.startswith("ES") and spanish(compact) else None


def vat_number(value: str, country: str) -> str | None:
    """Return the VAT number of a party of `country` with its prefix, or None if its structure is wrong.

    The prefix may be missing in `value`; only that of Northern Ireland is needed, to distinguish it from Great Britain.
    """
    prefix = _PREFIX_OF.get(country)
    if prefix is None:
        return None
    compact = _compact(value)
    written = compact.startswith(prefix)
    body = compact[2:] if written else compact
    return prefix + body if _VAT[prefix].fullmatch(body) and (written or prefix != "XI") else None


def written_prefix(value: str) -> str | None:
    """Return the two letters that mark `value` as a VAT number of a member state, if it has them. Else None."""
    prefix = _compact(value)[:2]
    return prefix if prefix in _VAT else None


def country_of(prefix: str) -> str:
    """Return the ISO 3166 code of the state whose VAT numbers have a prefix."""
    return _OTHERWISE_CALLED.get(prefix, prefix)


def _is_zero(number: str) -> bool:
    """Return True when the number in a NIF of nine characters is zero, which no taxpayer has.

    The first letter of a NIE is a digit of its number: X is 0, Y is 1, Z is 2. Source: AEAT's test service, which
    refuses them; Orden INT/2058/2008 (letters).
    """
    return number[0] not in _NIE_ABOVE_ZERO and not any(digit in number for digit in "123456789")


def _compact(value: str) -> str:
    return _SEPARATORS.sub("", value).upper()


@lru_cache(maxsize=4096)
def _spanish_check(value: str) -> TaxIdCheck:
    compact = _compact(value)
    number = compact.removeprefix("ES")
    if not _NINE.fullmatch(number):
        return TaxIdCheck(valid=False, normalised=number, reason=text(SpainMsg.NIF_LENGTH))
    if _is_zero(number):
        return TaxIdCheck(valid=False, normalised=number, reason=text(SpainMsg.NIF_ZEROS))
    try:
        return TaxIdCheck(valid=True, normalised=nif.validate(number), of_person=number[0] not in ENTITIES)
    except ValidationError:
        return TaxIdCheck(valid=False, normalised=number, reason=text(SpainMsg.NIF_CHECK_CHARACTER))

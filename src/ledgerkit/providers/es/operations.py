"""Operation that a tax line states, in the authority's codes, which records, books and declarations share.

Source: AEAT, record design and validations 1.2.2, lists L1 (tax), L8A and L8B (regime), L9 (qualification) and L10
(exemption); the books of Orden HAC/773/2019 use the same codes. The supply by the intermediary of a triangular
operation takes place where the goods arrive: Ley 37/1992, arts. 26.Tres and 68; Directive 2006/112/EC, arts. 42, 141
and 197.
"""

from dataclasses import dataclass
from functools import lru_cache

from ledgerkit.money import ZERO
from ledgerkit.providers.api import TaxCategory, TaxLine
from ledgerkit.providers.es import not_subject

VAT, IPSI, IGIC, OTHER = "01", "02", "03", "05"
GENERAL, EXPORT = "01", "02"

_CODES = {None: VAT, "IPSI": IPSI, "IGIC": IGIC, "OTHER": OTHER}
_WITH_EXPORT_REGIME = frozenset({VAT, IGIC})


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """Operation of a line: exactly one of `qualification` (S1, S2, N1, N2) and `exemption` (E1 to E8) is set.

    `tax` is of list L1; `regime` is None for another tax than IVA, IGIC and IPSI.
    """

    tax: str
    regime: str | None
    qualification: str | None = None
    exemption: str | None = None


def operation(line: TaxLine, place_of_supply: str | None, *, triangular: bool = False) -> Operation:
    """Return the operation of a line of a document with this place of supply (ISO 3166 code, or free text).

    `triangular`: the document is the second supply of a triangular operation.
    """
    if triangular and line.category is TaxCategory.INTRA_EU_GOODS:
        return _qualified(line, "N2")
    return _of_codes(
        line.category, line.tax, line.exemption_code, line.regime_key, line.not_subject_reason, place_of_supply
    )


@lru_cache(maxsize=1024)
def _of_codes(  # noqa: PLR0917 - by name it would take longer than what is remembered
    category: TaxCategory,
    tax: str | None,
    exemption_code: str | None,
    regime_key: str | None,
    not_subject_reason: str | None,
    place_of_supply: str | None,
) -> Operation:
    """Return the operation of a line with these codes; its rate and amounts do not matter."""
    line = TaxLine(
        category=category,
        rate=ZERO,
        base=ZERO,
        amount=ZERO,
        exemption_code=exemption_code,
        regime_key=regime_key,
        tax=tax,
        not_subject_reason=not_subject_reason,
    )
    return _operation(line, place_of_supply)


def _operation(line: TaxLine, place_of_supply: str | None) -> Operation:
    match line.category:
        case TaxCategory.STANDARD:
            return _qualified(line, "S1")
        case TaxCategory.EXEMPT | TaxCategory.EXPORT | TaxCategory.INTRA_EU_GOODS:
            return _exempt(line)
        case TaxCategory.REVERSE_CHARGE:
            return _qualified(line, "S2")
        case TaxCategory.INTRA_EU_SERVICES:
            return _qualified(line, "N2")
        case TaxCategory.NOT_SUBJECT:
            elsewhere = not_subject.reason(line, place_of_supply) == not_subject.LOCATION_RULES
            return _qualified(line, "N2" if elsewhere else "N1")


def tax_code(line: TaxLine) -> str:
    """Impuesto (list L1). A tax that Spain does not know is another one; preflight refuses it."""
    return _CODES.get(line.tax, OTHER)


def _qualified(line: TaxLine, qualification: str) -> Operation:
    return Operation(tax=tax_code(line), regime=_regime(line, GENERAL), qualification=qualification)


def _exempt(line: TaxLine) -> Operation:
    """Exports and what is treated as such are not of the general regime (rule 1199)."""
    usual = {TaxCategory.EXPORT: "E2", TaxCategory.INTRA_EU_GOODS: "E5"}.get(line.category, "E1")
    exemption = usual if line.category is TaxCategory.INTRA_EU_GOODS else line.exemption_code or usual
    exported = exemption in {"E2", "E3"} and tax_code(line) in _WITH_EXPORT_REGIME
    return Operation(tax=tax_code(line), regime=_regime(line, EXPORT if exported else GENERAL), exemption=exemption)


def _regime(line: TaxLine, usual: str) -> str | None:
    return None if tax_code(line) == OTHER else line.regime_key or usual

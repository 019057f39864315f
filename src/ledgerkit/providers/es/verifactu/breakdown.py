"""Breakdown of a document: from its tax lines to DetalleDesglose, with regime, and qualification or exemption.

Source: AEAT, record design and validations 1.2.2, blocks Desglose and lists L1, L8A, L8B, L9 and L10.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import Document, TaxCategory, TaxLine
from ledgerkit.providers.es import not_subject

VAT, IPSI, IGIC, OTHER = "01", "02", "03", "05"
GENERAL, EXPORT = "01", "02"

_CODES = {None: VAT, "IPSI": IPSI, "IGIC": IGIC, "OTHER": OTHER}
_WITH_EXPORT_REGIME = frozenset({VAT, IGIC})


@dataclass(frozen=True, kw_only=True)
class Detail:
    """One DetalleDesglose; exactly one of `qualification` and `exemption` is set. Rates in percent, amounts in euro.

    `rate` and `amount` are None where the authority forbids them (exempt, not subject). `code` is Impuesto, whose
    `regime` is None for another tax than IVA, IGIC and IPSI.
    """

    code: str = VAT
    regime: str | None
    qualification: str | None
    exemption: str | None
    base: Decimal
    rate: Decimal | None = None
    amount: Decimal | None = None
    surcharge_rate: Decimal | None = None
    surcharge_amount: Decimal | None = None
    cost_base: Decimal | None = None

    @property
    def tax(self) -> Decimal:
        """Tax plus surcharge."""
        return (self.amount or ZERO) + (self.surcharge_amount or ZERO)


def details(document: Document) -> list[Detail]:
    """The breakdown of a document: one entry per combination, in the order of the tax lines."""
    by_combination: dict[tuple[object, ...], Detail] = {}
    for line in document.taxes:
        detail = of_line(line, document.place_of_supply)
        key = _combination(detail)
        by_combination[key] = _sum(by_combination[key], detail) if key in by_combination else detail
    return list(by_combination.values())


def of_line(line: TaxLine, place_of_supply: str | None) -> Detail:
    match line.category:
        case TaxCategory.STANDARD:
            return _taxed(line)
        case TaxCategory.EXEMPT | TaxCategory.EXPORT | TaxCategory.INTRA_EU_GOODS:
            return _exempt(line)
        case TaxCategory.REVERSE_CHARGE:
            nothing = Decimal("0.00")
            return _plain(line, "S2", rate=nothing, amount=nothing)
        case TaxCategory.INTRA_EU_SERVICES:
            return _plain(line, "N2")
        case TaxCategory.NOT_SUBJECT:
            elsewhere = not_subject.reason(line, place_of_supply) == not_subject.LOCATION_RULES
            return _plain(line, "N2" if elsewhere else "N1")


def tax_total(lines: Sequence[Detail]) -> Decimal:
    """CuotaTotal: taxes and surcharges, in euro."""
    return sum((detail.tax for detail in lines), Decimal("0.00"))


def tax_code(line: TaxLine) -> str:
    """Impuesto (list L1). A tax that Spain does not know is another one; preflight refuses it."""
    return _CODES.get(line.tax, OTHER)


def _combination(detail: Detail) -> tuple[object, ...]:
    return (
        detail.code,
        detail.regime,
        detail.qualification,
        detail.exemption,
        detail.rate,
        detail.surcharge_rate,
        detail.cost_base is None,
    )


def _plain(line: TaxLine, qualification: str, *, rate: Decimal | None = None, amount: Decimal | None = None) -> Detail:
    return Detail(
        code=tax_code(line),
        regime=_regime(line, GENERAL),
        qualification=qualification,
        exemption=None,
        base=line.base,
        cost_base=line.cost_base,
        rate=rate,
        amount=amount,
    )


def _taxed(line: TaxLine) -> Detail:
    detail = _plain(line, "S1", rate=line.rate, amount=line.amount)
    if not line.surcharge_rate:
        return detail
    return replace(detail, surcharge_rate=line.surcharge_rate, surcharge_amount=line.surcharge_amount)


def _exempt(line: TaxLine) -> Detail:
    """Return the exemption; exports and what is treated as such are not of the general regime (rule 1199)."""
    usual = {TaxCategory.EXPORT: "E2", TaxCategory.INTRA_EU_GOODS: "E5"}.get(line.category, "E1")
    exemption = usual if line.category is TaxCategory.INTRA_EU_GOODS else line.exemption_code or usual
    exported = exemption in {"E2", "E3"} and tax_code(line) in _WITH_EXPORT_REGIME
    return Detail(
        code=tax_code(line),
        regime=_regime(line, EXPORT if exported else GENERAL),
        qualification=None,
        exemption=exemption,
        base=line.base,
        cost_base=line.cost_base,
    )


def _regime(line: TaxLine, usual: str) -> str | None:
    return None if tax_code(line) == OTHER else line.regime_key or usual


def _sum(detail: Detail, other: Detail) -> Detail:
    return replace(
        detail,
        base=detail.base + other.base,
        amount=_plus(detail.amount, other.amount),
        surcharge_amount=_plus(detail.surcharge_amount, other.surcharge_amount),
        cost_base=_plus(detail.cost_base, other.cost_base),
    )


def _plus(amount: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if amount is None or other is None else amount + other

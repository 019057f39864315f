"""From the document's tax lines to DetalleDesglose: which regime, qualification or exemption each one is.

Source: AEAT, record design and validations 1.2.2, blocks Desglose and lists L8A, L9 and L10.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import Document, Party, TaxCategory, TaxLine
from ledgerkit.providers.es.legends import elsewhere

VAT = "01"
GENERAL, EXPORT, CANARY_ISLANDS = "01", "02", "08"


@dataclass(frozen=True, kw_only=True)
class Detail:
    """One DetalleDesglose; exactly one of `qualification` and `exemption` is set. Rates in percent, amounts in euro.

    `rate` and `amount` are None where the authority forbids them (exempt, not subject).
    """

    regime: str
    qualification: str | None
    exemption: str | None
    base: Decimal
    rate: Decimal | None = None
    amount: Decimal | None = None
    surcharge_rate: Decimal | None = None
    surcharge_amount: Decimal | None = None

    @property
    def tax(self) -> Decimal:
        """Tax plus surcharge."""
        return (self.amount or ZERO) + (self.surcharge_amount or ZERO)


def details(document: Document) -> list[Detail]:
    """The breakdown of a document: one entry per combination, in the order of the tax lines."""
    found: dict[tuple[object, ...], Detail] = {}
    for line in document.taxes:
        detail = of_line(line, document.recipient)
        key = (detail.regime, detail.qualification, detail.exemption, detail.rate, detail.surcharge_rate)
        found[key] = _sum(found[key], detail) if key in found else detail
    return list(found.values())


def of_line(line: TaxLine, recipient: Party | None) -> Detail:
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
            return _plain(line, "N2" if elsewhere(line, recipient) else "N1")


def tax_total(lines: Sequence[Detail]) -> Decimal:
    """CuotaTotal: taxes and surcharges, in euro."""
    return sum((detail.tax for detail in lines), Decimal("0.00"))


def _plain(line: TaxLine, qualification: str, *, rate: Decimal | None = None, amount: Decimal | None = None) -> Detail:
    return Detail(
        regime=line.regime_key or GENERAL,
        qualification=qualification,
        exemption=None,
        base=line.base,
        rate=rate,
        amount=amount,
    )


def _taxed(line: TaxLine) -> Detail:
    detail = _plain(line, "S1", rate=line.rate, amount=line.amount)
    if not line.surcharge_rate:
        return detail
    return replace(detail, surcharge_rate=line.surcharge_rate, surcharge_amount=line.surcharge_amount)


def _exempt(line: TaxLine) -> Detail:
    """Exports and what is treated as such are not of the general regime (rule 1199)."""
    usual = {TaxCategory.EXPORT: "E2", TaxCategory.INTRA_EU_GOODS: "E5"}.get(line.category, "E1")
    exemption = usual if line.category is TaxCategory.INTRA_EU_GOODS else line.exemption_code or usual
    regime = line.regime_key or (EXPORT if exemption in {"E2", "E3"} else GENERAL)
    return Detail(regime=regime, qualification=None, exemption=exemption, base=line.base)


def _sum(one: Detail, other: Detail) -> Detail:
    return replace(
        one,
        base=one.base + other.base,
        amount=_plus(one.amount, other.amount),
        surcharge_amount=_plus(one.surcharge_amount, other.surcharge_amount),
    )


def _plus(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one + other

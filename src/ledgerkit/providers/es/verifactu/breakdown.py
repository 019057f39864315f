"""Entries of DetalleDesglose, from the tax lines of a document.

Source: AEAT, record design and validations 1.2.2, blocks Desglose and lists L1, L8A, L8B, L9 and L10.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ledgerkit.money import ZERO
from ledgerkit.providers.api import Document, TaxLine
from ledgerkit.providers.es.operations import VAT, operation

_NOTHING = Decimal("0.00")


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
        detail = of_line(line, document)
        key = _combination(detail)
        by_combination[key] = _sum(by_combination[key], detail) if key in by_combination else detail
    return list(by_combination.values())


def of_line(line: TaxLine, document: Document) -> Detail:
    """Return the entry of one line: a rate and an amount where the authority wants them, and a surcharge."""
    stated = operation(line, document.place_of_supply, triangular=document.triangular is not None)
    detail = Detail(
        code=stated.tax,
        regime=stated.regime,
        qualification=stated.qualification,
        exemption=stated.exemption,
        base=line.base,
        cost_base=line.cost_base,
    )
    if stated.qualification == "S2":
        return replace(detail, rate=_NOTHING, amount=_NOTHING)
    return _taxed(detail, line) if stated.qualification == "S1" else detail


def tax_total(lines: Sequence[Detail]) -> Decimal:
    """CuotaTotal: taxes and surcharges, in euro."""
    return sum((detail.tax for detail in lines), _NOTHING)


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


def _taxed(detail: Detail, line: TaxLine) -> Detail:
    with_tax = replace(detail, rate=line.rate, amount=line.amount)
    if not line.surcharge_rate:
        return with_tax
    return replace(with_tax, surcharge_rate=line.surcharge_rate, surcharge_amount=line.surcharge_amount)


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

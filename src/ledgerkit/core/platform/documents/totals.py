"""Arithmetic of a document: pure, exact, shared by printing, fiscal records and reports (interface decisions B4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.money import HUNDRED, ZERO, ZERO_AMOUNT, RoundingPolicy, percent_of, round_cents
from ledgerkit.providers.api import TaxCategory, TaxLine

TOLERANCE = Decimal("0.02")
"""Largest difference between a stated amount and the one computed: others round by line, or from prices with tax."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """Amounts and tax of one line. `discount`, `rate` and `surcharge_rate` in percent; `rate` is 0 unless standard.

    `tax` is None for the country's general one; `cost_base` is the line's base at cost, where a regime wants it.
    `purchase_cost` is what the line's goods or services cost the seller, taxes included, under a regime that taxes the
    margin only: the price then contains its tax, however the document's prices are. None under any other regime.
    """

    quantity: Decimal
    unit_price: Decimal
    discount: Decimal
    category: TaxCategory
    rate: Decimal
    surcharge_rate: Decimal | None = None
    exemption_code: str | None = None
    regime_key: str | None = None
    tax: str | None = None
    cost_base: Decimal | None = None
    not_subject_reason: str | None = None
    purchase_cost: Decimal | None = None

    @property
    def amount(self) -> Decimal:
        """Quantity times price less discount, in whole cents, half up; with or without tax, as the prices are."""
        return round_cents(self.quantity * self.unit_price * (HUNDRED - self.discount) / HUNDRED)

    @property
    def taxable_amount(self) -> Decimal:
        """Part of the amount that is taxed: all of it; under a margin scheme the margin, and zero for a loss."""
        if self.purchase_cost is None:
            return self.amount
        margin = self.amount - self.purchase_cost
        return margin if margin * self.amount > 0 else ZERO_AMOUNT


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Amounts of one document, two decimals. `gross` = subtotal + tax + surcharge; `total` = gross - retention.

    `subtotal` is the sum of the bases and of what a margin scheme leaves untaxed. `lines` are net, or contain their
    tax where the prices do: then they sum to `gross`.
    """

    lines: tuple[Decimal, ...]
    taxes: tuple[TaxLine, ...]
    subtotal: Decimal
    tax: Decimal
    surcharge: Decimal
    retention: Decimal
    gross: Decimal
    total: Decimal


def total(
    lines: Sequence[Line], retention_rate: Decimal, policy: RoundingPolicy, *, prices_include_tax: bool = False
) -> Totals:
    """Compute bases, taxes and amount due of one document.

    Tax is computed per rate on the summed base, or per line, as `policy` says; always half up to cents. Where the
    prices contain it, the base is their sum divided by one plus the rate, and the tax is the difference, so that the
    document comes to exactly the sum of its prices. Retention is computed on the sum of bases and lowers the amount
    due, never the tax.
    Source: RD 1619/2012 art. 6.1.f-h, art. 7.1.e-f (tax included); EN 16931-1:2017 BR-CO-10 to BR-CO-17; Ley 37/1992
    arts. 137 and 145 (margin).
    """
    taxes = tuple(_tax_line(group, policy, included=prices_include_tax) for group in _groups(lines))
    subtotal = sum((row.base + (row.untaxed or ZERO_AMOUNT) for row in taxes), ZERO_AMOUNT)
    tax = sum((row.amount for row in taxes), ZERO_AMOUNT)
    surcharge = sum((row.surcharge_amount for row in taxes), ZERO_AMOUNT)
    retention = percent_of(subtotal, retention_rate)
    gross = subtotal + tax + surcharge
    return Totals(
        lines=tuple(line.amount for line in lines),
        taxes=taxes,
        subtotal=subtotal,
        tax=tax,
        surcharge=surcharge,
        retention=retention,
        gross=gross,
        total=gross - retention,
    )


def _groups(lines: Sequence[Line]) -> list[list[Line]]:
    """Group the lines that share every tax attribute, in an order that does not depend on the order of the lines."""
    groups: dict[tuple[str, str, Decimal, Decimal, str, str, str, bool], list[Line]] = {}
    for line in lines:
        key = (
            line.tax or "",
            line.category.value,
            -line.rate,
            -(line.surcharge_rate or ZERO),
            line.exemption_code or "",
            line.regime_key or "",
            line.not_subject_reason or "",
            line.purchase_cost is not None,
        )
        groups.setdefault(key, []).append(line)
    return [groups[key] for key in sorted(groups)]


def _tax_line(lines: Sequence[Line], policy: RoundingPolicy, *, included: bool) -> TaxLine:
    first = lines[0]
    taxes_margin = first.purchase_cost is not None
    parts = [sum((line.taxable_amount for line in lines), ZERO_AMOUNT)]
    if policy.per == "line":
        parts = [line.taxable_amount for line in lines]
    split = [_split(amount, first, included=included or taxes_margin) for amount in parts]
    return TaxLine(
        category=first.category,
        rate=first.rate,
        base=sum((base for base, _, _ in split), ZERO_AMOUNT),
        amount=sum((tax for _, tax, _ in split), ZERO_AMOUNT),
        surcharge_rate=first.surcharge_rate or None,
        surcharge_amount=sum((surcharge for _, _, surcharge in split), ZERO_AMOUNT),
        exemption_code=first.exemption_code,
        regime_key=first.regime_key,
        tax=first.tax,
        cost_base=_cost_base(lines),
        not_subject_reason=first.not_subject_reason,
        untaxed=sum((line.amount - line.taxable_amount for line in lines), ZERO_AMOUNT) if taxes_margin else None,
    )


def _cost_base(lines: Sequence[Line]) -> Decimal | None:
    """Sum of the bases at cost over the lines that state one; None where no line does."""
    stated = [line.cost_base for line in lines if line.cost_base is not None]
    return sum(stated, ZERO_AMOUNT) if stated else None


def _split(amount: Decimal, line: Line, *, included: bool) -> tuple[Decimal, Decimal, Decimal]:
    """Split an amount into base, tax and surcharge at the rates of `line`; `included`: the amount contains them."""
    surcharge_rate = line.surcharge_rate or ZERO
    if not included:
        return amount, percent_of(amount, line.rate), percent_of(amount, surcharge_rate)
    base = round_cents(amount * HUNDRED / (HUNDRED + line.rate + surcharge_rate))
    surcharge = percent_of(base, surcharge_rate)
    return base, amount - base - surcharge, surcharge

"""Deductible shares of a supplier invoice: by rate and by the use of what its lines buy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from ledgerkit.core.purchases.supplier_invoices.table import StoredDeduction
from ledgerkit.money import ZERO, percent_of
from ledgerkit.providers.api import TaxLine

_NOTHING = Decimal("0.00")


@dataclass(frozen=True, kw_only=True)
class Use:
    """Use of what a line buys, which decides the deduction of its tax; the share in percent."""

    deductible_percent: Decimal
    investment_good: bool
    useful_life_years: int | None


@dataclass(frozen=True, kw_only=True)
class UsedLine:
    """Net amount of a line, its rates in percent, and its use."""

    net: Decimal
    rate: Decimal
    surcharge_rate: Decimal | None
    use: Use


@dataclass(frozen=True, kw_only=True)
class _Part:
    """Part of one rate's base and tax that has one use."""

    use: Use
    rate: Decimal
    base: Decimal
    tax: Decimal
    surcharge_rate: Decimal | None
    surcharge: Decimal


def deductions(taxes: Sequence[TaxLine], lines: Sequence[UsedLine], *, surcharged: bool) -> tuple[StoredDeduction, ...]:
    """Return the deductible shares, half up to cents, the largest tax first.

    Tax and surcharge of a rate are divided among its uses by their bases, and the tax that one percentage lets deduct
    is that percentage of their sum: the largest part takes the cents that are left over. `surcharged` is false where
    the vendor charges no tax, and so no surcharge.
    """
    parts = [part for tax in taxes for part in _parts(tax, lines)]
    parts.sort(key=lambda part: (-abs(part.tax), part.rate, part.base))
    deductible = _deductible_taxes(parts)
    return tuple(
        StoredDeduction(
            rate=part.rate,
            base=part.base,
            tax=part.tax,
            surcharge_rate=part.surcharge_rate if surcharged else None,
            surcharge=part.surcharge if surcharged else _NOTHING,
            deductible_base=percent_of(part.base, part.use.deductible_percent),
            deductible_tax=deductible_tax,
            investment_good=part.use.investment_good,
            useful_life_years=part.use.useful_life_years,
        )
        for part, deductible_tax in zip(parts, deductible, strict=True)
    )


def _parts(tax: TaxLine, lines: Sequence[UsedLine]) -> Iterator[_Part]:
    """Yield the uses of one rate, in the order of the lines."""
    bases: dict[Use, Decimal] = {}
    for line in lines:
        if (line.rate, line.surcharge_rate) == (tax.rate, tax.surcharge_rate):
            bases[line.use] = bases.get(line.use, ZERO) + line.net
    shares = list(bases.values())
    taxes = divided(tax.amount, [percent_of(base, tax.rate) for base in shares])
    surcharges = divided(tax.surcharge_amount, [percent_of(base, tax.surcharge_rate or ZERO) for base in shares])
    for use, base, amount, surcharge in zip(bases, shares, taxes, surcharges, strict=True):
        yield _Part(
            use=use,
            rate=tax.rate,
            base=base,
            tax=amount,
            surcharge_rate=tax.surcharge_rate,
            surcharge=surcharge,
        )


def _deductible_taxes(parts: Sequence[_Part]) -> list[Decimal]:
    """Return the deductible tax of each part, in their order."""
    shares = [ZERO] * len(parts)
    by_percent = sorted(range(len(parts)), key=lambda place: (parts[place].use.deductible_percent, place))
    for percent, grouped in groupby(by_percent, key=lambda place: parts[place].use.deductible_percent):
        places = list(grouped)
        whole = percent_of(sum((parts[place].tax for place in places), ZERO), percent)
        parts_of_whole = divided(whole, [percent_of(parts[place].tax, percent) for place in places])
        for place, share in zip(places, parts_of_whole, strict=True):
            shares[place] = share
    return shares


def divided(whole: Decimal, shares: Sequence[Decimal]) -> list[Decimal]:
    """Return the shares so that they add up to `whole`: the first of the largest ones takes what is left over."""
    parts = list(shares)
    if parts:
        largest = max(range(len(parts)), key=lambda place: abs(parts[place]))
        parts[largest] += whole - sum(parts, ZERO)
    return parts

"""The amounts of one expense, from what it cost and its rates."""

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from ledgerkit.core.totals import TOLERANCE
from ledgerkit.money import HUNDRED, LARGEST, ZERO, percent_of, round_cents
from ledgerkit.problems import Invalid


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What an expense says: `amount` gross in its currency, `exchange_rate` into the account's, rates in percent.

    `self_assessed` VAT is owed by the buyer to the authority: `amount` holds none.
    """

    amount: Decimal
    tax_rate: Decimal
    retention_rate: Decimal
    exchange_rate: Decimal
    self_assessed: bool
    deductible_percent: Decimal
    printed_tax: Decimal | None = None
    said_retention: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class Amounts:
    """Columns of an expense: the first three in its currency, the others in the account's."""

    net_amount: Decimal
    tax_amount: Decimal
    retention_amount: Decimal
    base_total: Decimal
    base_amount: Decimal
    base_tax_amount: Decimal
    base_retention_amount: Decimal
    deductible_tax_amount: Decimal


def columns(cost: Cost) -> dict[str, Any]:
    """`amounts` by column."""
    return asdict(amounts(cost))


def amounts(cost: Cost) -> Amounts:
    """Net, VAT, retention and deductible VAT, rounded half up to cents.

    Net is the amount less the VAT in it; retention lowers what is paid, neither net nor VAT. Net and VAT make the
    gross amount in both currencies, but for VAT that is self-assessed. Raises Invalid when the printed VAT or the
    retention does not go with its rate, or when an amount is too large to be kept.
    """
    tax = _tax(cost)
    net = cost.amount if cost.self_assessed else cost.amount - tax
    retention = _retention(cost, net)
    total, base, assessed, retained = (
        round_cents(one * cost.exchange_rate) for one in (cost.amount, net, tax, retention)
    )
    if max(abs(total), abs(assessed)) > LARGEST:
        raise Invalid.field("amount", f"more than {LARGEST} in the account's currency cannot be kept")
    base_tax = assessed if cost.self_assessed else total - base
    return Amounts(
        net_amount=net,
        tax_amount=tax,
        retention_amount=retention,
        base_total=total,
        base_amount=base,
        base_tax_amount=base_tax,
        base_retention_amount=retained,
        deductible_tax_amount=percent_of(base_tax, cost.deductible_percent),
    )


def _tax(cost: Cost) -> Decimal:
    if cost.self_assessed:
        reckoned = percent_of(cost.amount, cost.tax_rate)
    else:
        reckoned = cost.amount - round_cents(cost.amount * HUNDRED / (HUNDRED + cost.tax_rate))
    printed = reckoned if cost.printed_tax is None else cost.printed_tax
    tolerance = TOLERANCE if cost.tax_rate else ZERO
    if abs(printed - reckoned) > tolerance:
        raise Invalid.field(
            "taxAmount",
            f"{cost.tax_rate.normalize():f} % VAT is {reckoned}, from which {printed} is more than {tolerance} away",
            remedy="Correct the rate, or record one expense for each rate on the receipt.",
        )
    return printed


def _retention(cost: Cost, net: Decimal) -> Decimal:
    retention = percent_of(net, cost.retention_rate)
    if cost.said_retention not in {None, retention}:
        raise Invalid.field(
            "retentionAmount",
            f"{cost.retention_rate.normalize():f} % of {net} is {retention}, not {cost.said_retention}",
            remedy="Give the retentionRate that was withheld, and leave retentionAmount out.",
        )
    return retention

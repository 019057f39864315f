"""The amounts of one expense, from what it cost and its rates."""

from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ledgerkit.core.documents.totals import TOLERANCE
from ledgerkit.money import HUNDRED, LARGEST, ZERO, percent_of, round_cents
from ledgerkit.problems import bilingual_field

_RATE_STEP = Decimal("0.001")


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What an expense says: `amount` gross in its currency, `exchange_rate` into the account's, rates in percent.

    `self_assessed` VAT is owed by the buyer to the authority: `amount` holds none. Without a `retention_rate` the
    retention is `said_retention`, else nothing.
    """

    amount: Decimal
    tax_rate: Decimal
    retention_rate: Decimal | None
    exchange_rate: Decimal
    self_assessed: bool
    deductible_percent: Decimal
    printed_tax: Decimal | None = None
    said_retention: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class ExpenseAmounts:
    """Columns of an expense: the first four in its currency, the others in the account's."""

    net_amount: Decimal
    tax_amount: Decimal
    retention_rate: Decimal
    retention_amount: Decimal
    base_total: Decimal
    base_amount: Decimal
    base_tax_amount: Decimal
    base_retention_amount: Decimal
    deductible_tax_amount: Decimal


def columns(cost: Cost) -> dict[str, Any]:
    """`amounts` by column."""
    return asdict(amounts(cost))


def amounts(cost: Cost) -> ExpenseAmounts:
    """Net, VAT, retention and deductible VAT, rounded half up to cents.

    Net is the amount less the VAT in it; retention lowers what is paid, neither net nor VAT. Net and VAT make the
    gross amount in both currencies, but for VAT that is self-assessed. Raises Invalid when the printed VAT or the
    retention does not go with its rate or with the net, or when an amount is too large to be kept.
    """
    tax = _tax(cost)
    net = cost.amount if cost.self_assessed else cost.amount - tax
    retention_rate, retention = _retention(cost, net)
    total, base, assessed, retained = (
        round_cents(one * cost.exchange_rate) for one in (cost.amount, net, tax, retention)
    )
    if max(abs(total), abs(assessed)) > LARGEST:
        raise bilingual_field(
            "amount",
            (
                f"more than {LARGEST} in the account's currency cannot be kept",
                "Correct amount or exchangeRate.",
            ),
            (f"no cabe más de {LARGEST} en la moneda de la cuenta", "Corrige amount o exchangeRate."),
        )
    base_tax = assessed if cost.self_assessed else total - base
    return ExpenseAmounts(
        net_amount=net,
        tax_amount=tax,
        retention_rate=retention_rate,
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
        percent = f"{cost.tax_rate.normalize():f} %"
        raise bilingual_field(
            "taxAmount",
            (
                f"{percent} VAT is {reckoned}, from which {printed} is more than {tolerance} away",
                "Correct the rate, or record one expense for each rate on the receipt.",
            ),
            (
                f"el {percent} de IVA es {reckoned}, y {printed} se aparta más de {tolerance}",
                "Corrige el tipo, o registra un gasto por cada tipo del recibo.",
            ),
        )
    return printed


def _retention(cost: Cost, net: Decimal) -> tuple[Decimal, Decimal]:
    """Rate and amount of the retention. An amount alone is taken as it is; beside a rate it must agree with it."""
    said, rate = cost.said_retention, cost.retention_rate
    if said is None:
        rate = ZERO if rate is None else rate
        return rate, percent_of(net, rate)
    _check_retention(said, net)
    derived = _derived_rate(said, net)
    if rate not in {None, derived} and said != percent_of(net, rate):
        reckoned, percent = percent_of(net, rate), f"{rate.normalize():f} %"
        raise bilingual_field(
            "retentionAmount",
            (f"{percent} of {net} is {reckoned}, not {said}", "Send the one that was withheld, rate or amount."),
            (f"el {percent} de {net} es {reckoned}, no {said}", "Envía lo que se retuvo: el tipo o el importe."),
        )
    return derived if rate is None else rate, said


def _check_retention(said: Decimal, net: Decimal) -> None:
    """Raises Invalid unless the retention is a part of the net, on the same side of zero."""
    if abs(said) > abs(net) or said * net < ZERO:
        raise bilingual_field(
            "retentionAmount",
            (f"must lie between 0 and the net amount, {net}", "Send what was withheld from the vendor."),
            (f"debe estar entre 0 y el importe neto, {net}", "Envía lo que se retuvo al proveedor."),
        )


def _derived_rate(said: Decimal, net: Decimal) -> Decimal:
    """Percentage that `said` is of the net, three decimals, half up: to be shown, not to be reckoned with."""
    return (said * HUNDRED / net).quantize(_RATE_STEP, ROUND_HALF_UP) if net else ZERO

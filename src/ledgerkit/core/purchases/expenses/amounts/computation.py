"""Amounts of one expense, computed from its gross amount and its rates."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from ledgerkit.core.platform.documents.totals import TOLERANCE
from ledgerkit.core.purchases.expenses.texts import ExpensesMsg
from ledgerkit.money import HUNDRED, LARGEST, ZERO, percent_of, round_cents
from ledgerkit.problems import Invalid

_RATE_STEP = Decimal("0.001")


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Input of the computation: `amount` gross in the expense's currency, rates in percent.

    `exchange_rate` is the value of one unit of that currency in the account's. VAT that is `self_assessed` is owed by
    the buyer to the authority, and `amount` does not contain it. Without a `retention_rate` the retention is
    `withheld_amount`; without both it is zero.
    """

    amount: Decimal
    tax_rate: Decimal
    retention_rate: Decimal | None
    exchange_rate: Decimal
    self_assessed: bool
    deductible_percent: Decimal
    printed_tax: Decimal | None = None
    withheld_amount: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class ExpenseAmounts:
    """Amounts by column: the first four in the expense's currency, the others in the account's."""

    net_amount: Decimal
    tax_amount: Decimal
    retention_rate: Decimal
    retention_amount: Decimal
    base_total: Decimal
    base_amount: Decimal
    base_tax_amount: Decimal
    base_retention_amount: Decimal
    deductible_tax_amount: Decimal


def amounts(cost: Cost) -> ExpenseAmounts:
    """Compute net, VAT, retention and deductible VAT, rounded half up to cents.

    Net is the amount less the VAT in it. Retention lowers the payment, but neither net nor VAT. Net and VAT add up to
    the gross amount in both currencies, except where the VAT is self-assessed. Raises Invalid when the printed VAT or
    the retention does not agree with its rate or with the net, or when an amount is too large to be stored.
    """
    tax = _tax(cost)
    net = cost.amount if cost.self_assessed else cost.amount - tax
    retention_rate, retention = _retention(cost, net)
    account_gross, account_net, account_tax, account_retention = (
        round_cents(part * cost.exchange_rate) for part in (cost.amount, net, tax, retention)
    )
    if max(abs(account_gross), abs(account_tax)) > LARGEST:
        raise Invalid.field("amount", ExpensesMsg.TOO_LARGE, largest=LARGEST)
    account_vat = account_tax if cost.self_assessed else account_gross - account_net
    return ExpenseAmounts(
        net_amount=net,
        tax_amount=tax,
        retention_rate=retention_rate,
        retention_amount=retention,
        base_total=account_gross,
        base_amount=account_net,
        base_tax_amount=account_vat,
        base_retention_amount=account_retention,
        deductible_tax_amount=percent_of(account_vat, cost.deductible_percent),
    )


def _tax(cost: Cost) -> Decimal:
    if cost.self_assessed:
        computed_tax = percent_of(cost.amount, cost.tax_rate)
    else:
        computed_tax = cost.amount - round_cents(cost.amount * HUNDRED / (HUNDRED + cost.tax_rate))
    printed_tax = computed_tax if cost.printed_tax is None else cost.printed_tax
    tolerance = TOLERANCE if cost.tax_rate else ZERO
    if abs(printed_tax - computed_tax) > tolerance:
        percent = f"{cost.tax_rate.normalize():f} %"
        raise Invalid.field(
            "taxAmount",
            ExpensesMsg.PRINTED_TAX_DISAGREES,
            percent=percent,
            computed_tax=computed_tax,
            printed_tax=printed_tax,
            tolerance=tolerance,
        )
    return printed_tax


def _retention(cost: Cost, net: Decimal) -> tuple[Decimal, Decimal]:
    """Return rate and amount of the retention.

    An amount without a rate is taken as it is; with a rate it must agree with it. Raises Invalid otherwise.
    """
    withheld, rate = cost.withheld_amount, cost.retention_rate
    if withheld is None:
        rate = ZERO if rate is None else rate
        return rate, percent_of(net, rate)
    _check_retention(withheld, net)
    derived = _derived_rate(withheld, net)
    if rate not in {None, derived} and withheld != percent_of(net, rate):
        computed_retention, percent = percent_of(net, rate), f"{rate.normalize():f} %"
        raise Invalid.field(
            "retentionAmount",
            ExpensesMsg.RETENTION_DISAGREES,
            percent=percent,
            net=net,
            computed_retention=computed_retention,
            withheld=withheld,
        )
    return derived if rate is None else rate, withheld


def _check_retention(withheld: Decimal, net: Decimal) -> None:
    """Raise Invalid unless the retention is at most the net amount and has the same sign."""
    if abs(withheld) > abs(net) or withheld * net < ZERO:
        raise Invalid.field("retentionAmount", ExpensesMsg.RETENTION_OUT_OF_BOUNDS, net=net)


def _derived_rate(withheld: Decimal, net: Decimal) -> Decimal:
    """Return `withheld` as a percentage of the net, three decimals, half up: for display, not for computing."""
    return (withheld * HUNDRED / net).quantize(_RATE_STEP, ROUND_HALF_UP) if net else ZERO

"""Conversion of an invoice's amounts into the account's currency, one tax row at a time; pure functions."""

from collections.abc import Sequence
from decimal import Decimal

from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.sales.invoices.json_columns.codecs import CONVERTED, StoredConverted, StoredReplaced, StoredTax
from ledgerkit.core.sales.invoices.table import InvoiceRow

_NOTHING = Decimal("0.00")


def converted(taxes: Sequence[StoredTax], retention: Decimal, rate: Decimal | None) -> StoredConverted | None:
    """Convert tax rows and retention at `rate`; None without a rate. All sums are those of the converted rows.

    Raises Invalid for amounts that are too large to be stored.
    """
    if rate is None:
        return None
    rows = tuple(_converted_row(row, rate) for row in taxes)
    subtotal = sum((row.base + (row.untaxed_amount or _NOTHING) for row in rows), _NOTHING)
    tax = sum((row.amount for row in rows), _NOTHING)
    surcharge = sum((row.surcharge_amount for row in rows), _NOTHING)
    withheld = exchange_rates.converted(retention, rate)
    parts = [amount for row in rows for amount in (row.base, row.amount, row.untaxed_amount or _NOTHING)]
    exchange_rates.check_size([*parts, subtotal, tax, subtotal + tax + surcharge, withheld])
    return StoredConverted(
        subtotal=subtotal,
        tax_amount=tax,
        surcharge_amount=surcharge,
        retention_amount=withheld,
        total=subtotal + tax + surcharge - withheld,
        tax_breakdown=rows,
    )


def converted_replaced(replaced: StoredReplaced | None, rate: Decimal | None) -> StoredConverted | None:
    """Convert the amounts that a credit note by substitution replaces; None for any other document."""
    return None if replaced is None else converted(replaced.tax_breakdown, replaced.retention_amount, rate)


def converted_payment(row: InvoiceRow, before: Decimal, after: Decimal) -> Decimal | None:
    """Convert the payment that raises the paid amount of an invoice from `before` to `after`; None unless converted.

    The payments of the whole total add up to the converted total.
    """
    amounts = CONVERTED.decode(row.converted)
    if amounts is None or row.exchange_rate is None:
        return None
    paid = [
        exchange_rates.converted_part(part, row.total, amounts.total, row.exchange_rate) for part in (before, after)
    ]
    return paid[1] - paid[0]


def _converted_row(row: StoredTax, rate: Decimal) -> StoredTax:
    return row.model_copy(
        update={
            "base": exchange_rates.converted(row.base, rate),
            "amount": exchange_rates.converted(row.amount, rate),
            "surcharge_amount": exchange_rates.converted(row.surcharge_amount, rate),
            "cost_base": _converted(row.cost_base, rate),
            "untaxed_amount": _converted(row.untaxed_amount, rate),
        }
    )


def _converted(amount: Decimal | None, rate: Decimal) -> Decimal | None:
    return None if amount is None else exchange_rates.converted(amount, rate)

"""Conversion of a supplier invoice's amounts into the account's currency, one tax row at a time; pure functions."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.purchases.supplier_invoices.amounts.deductions import UsedLine, deductions, divided
from ledgerkit.core.purchases.supplier_invoices.table import (
    CONVERTED,
    StoredConvertedPurchase,
    StoredTaxRow,
    SupplierInvoiceRow,
)
from ledgerkit.providers.api import TaxLine

_NOTHING = Decimal("0.00")


def converted(
    taxes: Sequence[TaxLine], lines: Sequence[UsedLine], retention: Decimal, rate: Decimal, *, charged: bool
) -> StoredConvertedPurchase:
    """Convert tax rows and retention at `rate`; the deductible shares are those of the converted rows.

    `charged`: the vendor charges the tax, else the buyer assesses it. All sums are those of the converted rows. Raises
    Invalid for amounts that are too large to be stored.
    """
    rows = [_converted_row(row, rate) for row in taxes]
    subtotal = sum((row.base for row in rows), _NOTHING)
    tax = sum((row.amount for row in rows), _NOTHING)
    surcharge = sum((row.surcharge_amount for row in rows), _NOTHING) if charged else _NOTHING
    withheld = exchange_rates.converted(retention, rate)
    exchange_rates.check_size([subtotal, tax, subtotal + tax + surcharge, withheld])
    shares = deductions(rows, _converted_lines(rows, lines, rate), surcharged=charged)
    charged_tax = tax if charged else _NOTHING
    return StoredConvertedPurchase(
        subtotal=subtotal,
        tax_amount=charged_tax,
        surcharge_amount=surcharge,
        self_assessed_tax=_NOTHING if charged else tax,
        deductible_tax_amount=sum((share.deductible_tax for share in shares), _NOTHING),
        retention_amount=withheld,
        total=subtotal + charged_tax + surcharge - withheld,
        tax_breakdown=tuple(StoredTaxRow.of(row) for row in rows),
        deductions=shares,
    )


def converted_total(row: SupplierInvoiceRow) -> Decimal:
    """Return the total in the currency in which the invoice counts: the account's where it is converted."""
    amounts = CONVERTED.decode(row.converted)
    return row.total if amounts is None else amounts.total


def converted_payment(row: SupplierInvoiceRow, before: Decimal, after: Decimal) -> Decimal | None:
    """Convert the payment that raises the paid amount of an invoice from `before` to `after`; None unless converted.

    The payments of the whole total add up to the converted total.
    """
    if row.exchange_rate is None:
        return None
    total = converted_total(row)
    paid = [exchange_rates.converted_part(part, row.total, total, row.exchange_rate) for part in (before, after)]
    return paid[1] - paid[0]


def _converted_row(row: TaxLine, rate: Decimal) -> TaxLine:
    return replace(
        row,
        base=exchange_rates.converted(row.base, rate),
        amount=exchange_rates.converted(row.amount, rate),
        surcharge_amount=exchange_rates.converted(row.surcharge_amount, rate),
    )


def _converted_lines(rows: Sequence[TaxLine], lines: Sequence[UsedLine], rate: Decimal) -> list[UsedLine]:
    """Return the lines with net amounts that add up to the converted base of their tax row."""
    converted_lines: list[UsedLine] = []
    for row in rows:
        of_row = [line for line in lines if (line.rate, line.surcharge_rate) == (row.rate, row.surcharge_rate)]
        nets = divided(row.base, [exchange_rates.converted(line.net, rate) for line in of_row])
        converted_lines += [replace(line, net=net) for line, net in zip(of_row, nets, strict=True)]
    return converted_lines

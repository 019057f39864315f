"""Fields of an expense that a reading of its receipt has; pure."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TypeVar

from ledgerkit.core.purchases.reading.api import ScannedTax
from ledgerkit.core.purchases.reading.fields import bounds
from ledgerkit.money import ZERO
from ledgerkit.providers.api import DocumentReading, ReadField

_UNCONFIRMED = 0.4
"""Confidence of a total whose retention is not confirmed by base and tax."""

_DESCRIBING_LINES = 3

T = TypeVar("T")
Read = tuple[T | None, float]
"""A value that fits its field, and its confidence; None with 0."""


@dataclass(frozen=True, kw_only=True)
class ReceiptFields:
    """Values with their confidence. `agrees` is False when total, base, tax and retention contradict each other."""

    description: Read[str]
    amount: Read[Decimal]
    vendor: Read[str]
    day: Read[date]
    tax_rate: Read[Decimal]
    currency: Read[str]
    vendor_tax_id: str | None
    invoice_number: str | None
    tax_amount: Decimal | None
    retention_amount: Decimal | None
    taxes: list[ScannedTax]
    payment_method: str | None
    agrees: bool


def receipt_fields(reading: DocumentReading) -> ReceiptFields:
    """Return the fields of an expense; nothing is computed but the gross amount of a confirmed retention."""
    retention = bounds.amount(reading.retention_total.value)
    agrees = amounts_agree(reading)
    return ReceiptFields(
        description=_description(reading),
        amount=_gross(reading, retention, agrees=agrees),
        vendor=_read(bounds.one_line(reading.vendor_name.value, bounds.MAX_NAME), reading.vendor_name),
        day=_read(bounds.day(reading.issue_date.value), reading.issue_date),
        tax_rate=_only_rate(reading),
        currency=_read(bounds.currency(reading.currency.value), reading.currency),
        vendor_tax_id=bounds.one_line(reading.vendor_tax_id.value),
        invoice_number=bounds.one_line(reading.document_number.value),
        tax_amount=bounds.amount(reading.tax_total.value),
        retention_amount=retention if agrees else None,
        taxes=[
            ScannedTax(rate=bounds.rate(tax.rate), base=bounds.amount(tax.base), amount=bounds.amount(tax.amount))
            for tax in reading.taxes
        ],
        payment_method=bounds.one_line(reading.payment_method.value),
        agrees=agrees,
    )


def amounts_agree(reading: DocumentReading) -> bool:
    """Return False when total, base, tax and retention were all read and contradict each other."""
    total, base, tax = reading.total.value, reading.subtotal.value, reading.tax_total.value
    if total is None or base is None or tax is None:
        return reading.retention_total.value is None
    return base + tax - (reading.retention_total.value or ZERO) == total


def _gross(reading: DocumentReading, retention: Decimal | None, *, agrees: bool) -> Read[Decimal]:
    """Return the amount before a retention, which an expense wants; the printed total where nothing was withheld."""
    total = bounds.amount(reading.total.value)
    if total is None:
        return None, 0.0
    if retention is None:
        return total, reading.total.confidence if agrees else min(_UNCONFIRMED, reading.total.confidence)
    if not agrees:
        return total, min(_UNCONFIRMED, reading.total.confidence)
    return bounds.amount(total + retention), min(reading.total.confidence, reading.retention_total.confidence)


def _only_rate(reading: DocumentReading) -> Read[Decimal]:
    rates = {tax.rate: tax.confidence for tax in reading.taxes}
    if len(rates) != 1:
        return None, 0.0
    rate, confidence = next(iter(rates.items()))
    return (bounds.rate(rate), confidence) if bounds.rate(rate) is not None else (None, 0.0)


def _description(reading: DocumentReading) -> Read[str]:
    """Return the first lines of the document; its words are what was bought, not what was paid."""
    texts = [text for line in reading.lines if (text := bounds.one_line(line.description))]
    description = bounds.one_line(", ".join(texts[:_DESCRIBING_LINES]))
    return (description, 0.6) if description else (None, 0.0)


def _read(value: T | None, field: ReadField[T]) -> Read[T]:
    return (None, 0.0) if value is None else (value, field.confidence)

"""The check of a reading, whoever made it: arithmetic, check characters, calendar. Nothing is added or corrected."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import TypeVar

from ledgerkit.providers.api import DocumentReading, ReadField, ReadTax
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.readings.amounts import RATE_VALUES, sum_of
from ledgerkit.providers.es.readings.dates import LATEST_DUE, is_plausible
from ledgerkit.providers.es.readings.identifiers import repaired_iban
from ledgerkit.providers.es.readings.taxes import agrees

DOUBTFUL = 0.4
"""Confidence of a figure that the other figures of the document contradict."""
_NAMED_ONLY = 0.5

Value = TypeVar("Value")


def checked(reading: DocumentReading, today: date) -> DocumentReading:
    """Return the reading without values that cannot be, and with little confidence in figures that disagree."""
    taxes = tuple(_checked_tax(tax) for tax in reading.taxes if tax.rate in RATE_VALUES)
    consistent = replace(
        reading,
        taxes=taxes,
        vendor_tax_id=_checked_tax_id(reading.vendor_tax_id),
        iban=_checked_iban(reading.iban),
        issue_date=_kept_if(reading.issue_date, _plausible(reading.issue_date.value, today)),
        due_date=_kept_if(reading.due_date, _after_issue(reading, today)),
    )
    return _with_agreeing_sums(consistent)


def _checked_tax(tax: ReadTax) -> ReadTax:
    """Return the tax; its rate alone where base and amount do not agree with it."""
    if tax.base is None or tax.amount is None:
        return replace(tax, confidence=min(tax.confidence, 0.7))
    if agrees(tax.rate, tax.base, tax.amount):
        return tax
    return ReadTax(rate=tax.rate, confidence=min(tax.confidence, _NAMED_ONLY))


def _checked_tax_id(field: ReadField[str]) -> ReadField[str]:
    """Return the identifier in its normal form; None when it claims to be Spanish and is not."""
    if field.value is None:
        return ReadField()
    if spanish := tax_ids.spanish(field.value):
        return replace(field, value=spanish)
    prefix = tax_ids.written_prefix(field.value)
    foreign = prefix is not None and tax_ids.vat_number(field.value, {"EL": "GR", "XI": "GB"}.get(prefix, prefix))
    return ReadField(value=foreign, confidence=min(field.confidence, 0.6)) if foreign else ReadField()


def _checked_iban(field: ReadField[str]) -> ReadField[str]:
    if field.value is None:
        return ReadField()
    value = repaired_iban(field.value)
    return ReadField() if value is None else replace(field, value=value)


def _plausible(day: date | None, today: date) -> bool:
    return day is not None and is_plausible(day, today)


def _after_issue(reading: DocumentReading, today: date) -> bool:
    due, issued = reading.due_date.value, reading.issue_date.value
    if due is None:
        return False
    earliest = issued if issued and is_plausible(issued, today) else today - timedelta(days=3653)
    return earliest <= due <= max(today, earliest) + LATEST_DUE


def _kept_if(field: ReadField[Value], holds: bool) -> ReadField[Value]:
    return field if holds else ReadField()


def _with_agreeing_sums(reading: DocumentReading) -> DocumentReading:
    """Lower the confidence of total, subtotal and tax where they do not add up."""
    total, subtotal, tax_total = reading.total, reading.subtotal, reading.tax_total
    retention = reading.retention_total.value or Decimal(0)
    amounts = [tax.amount for tax in reading.taxes if tax.amount is not None]
    bases = [tax.base for tax in reading.taxes if tax.base is not None]
    if amounts and len(amounts) == len(reading.taxes) and tax_total.value is not None:
        tax_total = _doubted(tax_total, tax_total.value != sum_of(amounts))
    if bases and len(bases) == len(reading.taxes) and subtotal.value is not None:
        subtotal = _doubted(subtotal, subtotal.value > sum_of(bases) and not amounts)
    if total.value is not None and subtotal.value is not None and tax_total.value is not None:
        differ = subtotal.value + tax_total.value - retention != total.value
        total, subtotal, tax_total = (_doubted(field, differ) for field in (total, subtotal, tax_total))
    elif total.value is not None and bases and len(bases) == len(amounts) == len(reading.taxes):
        total = _doubted(total, sum_of([*bases, *amounts]) - retention != total.value)
    return replace(reading, total=total, subtotal=subtotal, tax_total=tax_total)


def _doubted(field: ReadField[Decimal], doubtful: bool) -> ReadField[Decimal]:
    return replace(field, confidence=min(field.confidence, DOUBTFUL)) if doubtful else field

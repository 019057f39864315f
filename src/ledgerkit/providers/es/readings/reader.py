"""Spain's reader of receipts and invoices: rows of text to a reading, nothing invented."""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from ledgerkit.providers.api import DocumentReading, ReadField, ReadingKind, ReadLine, TextLine
from ledgerkit.providers.es.readings import labels
from ledgerkit.providers.es.readings.amounts import amounts_in, sum_of
from ledgerkit.providers.es.readings.checking import checked
from ledgerkit.providers.es.readings.dates import due_date, issue_date
from ledgerkit.providers.es.readings.identifiers import CUSTOMER, account_number, vendor_tax_id
from ledgerkit.providers.es.readings.parties import vendor_address, vendor_email, vendor_name, vendor_phone
from ledgerkit.providers.es.readings.rows import Row, rows_of
from ledgerkit.providers.es.readings.taxes import Taxes, taxes_of
from ledgerkit.providers.es.readings.totals import is_total, line_amounts, total_of

_LEAST_TEXT = 12
MOST_READ_LINES = 200

_NUMBER = re.compile(
    r"(?<!TOTAL )(?:FACTURA|FRA\.?|TICKET|TIQUE|RECIBO|DOCUMENTO|SIMPLIFICADA)\s*"
    r"(?:SIMPL[A-Z]*\.?|RECTIFICATIVA)?\s*(?:N[O0.]{0,2}|NUM[A-Z]*\.?)?\s*"
    r"[:#.]?\s*((?=[A-Z0-9/.-]*\d)[A-Z0-9]{1,6}(?:[/.-]?[A-Z0-9]{1,12}){0,3})(?![/A-Z0-9]|[.,]\d)"
)
_BARE_NUMBER = re.compile(
    r"(?:^|\s)(?:N[O.]{1,2}|NUM[A-Z]*\.?(?: DE)?(?: FACTURA)?|NO FACTURA)\s*(?:FACTURA|DE FACTURA|TICKET)?\s*[:#.]?\s*"
    r"((?=[A-Z0-9/.-]*\d)[A-Z0-9]{1,6}(?:[/.-]?[A-Z0-9]{1,12}){0,3})(?![/A-Z0-9]|[.,]\d)"
)
_DATE_LIKE = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}")
_SIMPLIFIED = re.compile(r"SIMPLIFICADA|SIMPL\.|TICKET|TIQUE|\bRECIBO\b|IVA INCLU|ARTICULOS")
_FULL = re.compile(r"\bFACTURA\b")
_QUANTITY = re.compile(r"(?:^|\s)(\d{1,4})(?:\s?[Xx]\s|\s|$)")


class SpanishReader:
    """Rules for Spanish tickets, simplified invoices and full invoices; see docs/receipts.md."""

    def read(self, lines: Sequence[TextLine], today: date) -> DocumentReading:
        """Return what the lines say; a document with hardly any text has no fields at all."""
        rows = rows_of(lines)
        if sum(len(row.plain) for row in rows) < _LEAST_TEXT:
            return DocumentReading()
        taxes = taxes_of(rows)
        issued = issue_date(rows, today)
        total = total_of(rows, taxes)
        reading = DocumentReading(
            kind=_kind(rows),
            vendor_name=vendor_name(rows),
            vendor_tax_id=vendor_tax_id(rows),
            vendor_address=vendor_address(rows),
            vendor_email=vendor_email(rows),
            vendor_phone=vendor_phone(rows),
            document_number=_document_number(rows),
            issue_date=issued,
            due_date=due_date(rows, issued.value, today),
            currency=_currency(rows),
            total=total,
            subtotal=_subtotal(rows, taxes),
            tax_total=_tax_total(rows, taxes),
            retention_total=ReadField()
            if taxes.retention is None
            else ReadField(value=taxes.retention, confidence=0.95),
            taxes=taxes.by_rate,
            lines=_lines(rows),
            iban=account_number(rows),
            payment_method=_payment_method(rows),
        )
        return checked(reading, today)

    def checked(self, reading: DocumentReading, today: date) -> DocumentReading:
        """Return the reading without what arithmetic, check characters or the calendar disprove."""
        return checked(reading, today)


def _kind(rows: Sequence[Row]) -> ReadingKind:
    texts = [row.plain for row in rows]
    if any(CUSTOMER.search(text) for text in texts) and any(_FULL.search(text) for text in texts):
        return ReadingKind.INVOICE
    if any(_SIMPLIFIED.search(text) for text in texts) or any(labels.CHANGE.search(text) for text in texts):
        return ReadingKind.RECEIPT
    return ReadingKind.INVOICE if any(_FULL.search(text) for text in texts) else ReadingKind.UNKNOWN


def _document_number(rows: Sequence[Row]) -> ReadField[str]:
    for pattern, confidence in ((_NUMBER, 0.8), (_BARE_NUMBER, 0.7)):
        for row in rows:
            match = pattern.search(row.plain)
            if match and not _DATE_LIKE.fullmatch(match[1]):
                return ReadField(value=match[1].strip(".-/"), confidence=confidence)
    return ReadField()


def _currency(rows: Sequence[Row]) -> ReadField[str]:
    """Return the euro where it is named and no other currency is; None where another one is."""
    if any(labels.OTHER_CURRENCY.search(row.plain) for row in rows):
        return ReadField()
    named = any(labels.EURO.search(row.plain) for row in rows)
    return ReadField(value="EUR", confidence=0.95 if named else 0.6)


def _printed(rows: Sequence[Row]) -> set[Decimal]:
    return {abs(amount.value) for row in rows for amount in amounts_in(row)}


def _subtotal(rows: Sequence[Row], taxes: Taxes) -> ReadField[Decimal]:
    bases = [tax.base for tax in taxes.by_rate if tax.base is not None]
    return _stated(sum_of(bases), rows) if taxes.complete else ReadField()


def _tax_total(rows: Sequence[Row], taxes: Taxes) -> ReadField[Decimal]:
    amounts = [tax.amount for tax in taxes.by_rate if tax.amount is not None]
    return _stated(sum_of(amounts), rows) if taxes.complete else ReadField()


def _stated(value: Decimal, rows: Sequence[Row]) -> ReadField[Decimal]:
    """Return a sum that the document prints too; None where it does not."""
    return ReadField(value=value, confidence=0.95) if abs(value) in _printed(rows) else ReadField()


def _payment_method(rows: Sequence[Row]) -> ReadField[str]:
    methods = {
        "cash": (labels.CASH, labels.CHANGE),
        "card": (labels.CARD,),
        "transfer": (labels.TRANSFER,),
        "direct_debit": (labels.DIRECT_DEBIT,),
    }
    named = {
        method: count
        for method, patterns in methods.items()
        if (count := sum(any(pattern.search(row.plain) for row in rows) for pattern in patterns))
    }
    if len(named) != 1:
        return ReadField()
    method, count = named.popitem()
    return ReadField(value=method, confidence=0.9 if count > 1 or method != "cash" else 0.7)


def _lines(rows: Sequence[Row]) -> tuple[ReadLine, ...]:
    """Return the lines of goods and services above the first sum, with figures that stand in them."""
    end = next((row.place for row in rows if is_total(row) or labels.BASE.search(row.plain)), 0)
    return tuple(line for amount in line_amounts(rows[:end]) if (line := _line(amount.row)) is not None)[
        :MOST_READ_LINES
    ]


def _line(row: Row) -> ReadLine | None:
    figures = [amount.value for amount in amounts_in(row)]
    words = [piece.text.strip() for piece in row.pieces if sum(mark.isalpha() for mark in piece.text) >= 3]
    if not words:
        return None
    total = figures[-1]
    prices = [
        price for price in figures[:-1] for match in _QUANTITY.finditer(row.text) if price * Decimal(match[1]) == total
    ]
    price = prices[0] if prices else None
    quantity = total / price if price else None
    return ReadLine(description=words[0][:200], quantity=quantity, unit_price=price, total=total)

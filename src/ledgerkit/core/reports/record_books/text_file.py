"""A record book as a text file, in the form that its authority imports."""

import csv
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from io import StringIO

from ledgerkit.core.catalog.files.exports import FORMULA_STARTS
from ledgerkit.core.reports.record_books import headings
from ledgerkit.providers.api import BookColumn, Cell, Ledger, RecordBook, TaxProfile, TextFile


def text_file(book: RecordBook, ledger: Ledger, profile: TaxProfile) -> bytes:
    """Return the book of the ledger's span: two heading lines, then its rows; CRLF.

    Texts that a spreadsheet would take for a formula begin with an apostrophe.
    """
    columns, form = book.columns(ledger.span.last.year), book.text_file
    content = StringIO()
    writer = csv.writer(content, delimiter=form.separator, lineterminator="\r\n")
    writer.writerows(headings.lines(columns))
    writer.writerows(_line(row, columns, form) for row in book.rows(ledger, profile))
    return content.getvalue().encode(form.encoding)


def _line(row: Sequence[Cell], columns: Sequence[BookColumn], form: TextFile) -> list[str]:
    return [_cell(value, column, form) for value, column in zip(row, columns, strict=True)]


def _cell(value: Cell, column: BookColumn, form: TextFile) -> str:
    match value:
        case None:
            return ""
        case Decimal():
            return f"{value:.{column.decimals}f}".replace(".", form.decimal_mark)
        case date():
            return value.strftime(form.date)
        case str():
            return f"'{value}" if value.startswith(FORMULA_STARTS) else value
    return str(value)

"""Record books of any country as files: a workbook of all books, or a text file of one.

Both take time in proportion to the rows and belong in a thread.
"""

import csv
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from io import BytesIO, StringIO

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from ledgerkit.core.catalog.files.exports import FORMULA_STARTS
from ledgerkit.money import to_number
from ledgerkit.providers.api import BookColumn, Cell, ColumnKind, Ledger, RecordBook, TaxProfile, TextFile

_LINES = 2
"""Heading lines of an official form."""

_WIDEST = 40


def text_file(book: RecordBook, ledger: Ledger, profile: TaxProfile) -> bytes:
    """Return the book of the ledger's span: two heading lines, then its rows; CRLF.

    Texts that a spreadsheet would take for a formula begin with an apostrophe.
    """
    columns, form = book.columns(ledger.span.last.year), book.text_file
    content = StringIO()
    writer = csv.writer(content, delimiter=form.separator, lineterminator="\r\n")
    writer.writerows(_heading_lines(columns))
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


def _heading_lines(columns: Sequence[BookColumn]) -> tuple[list[str], list[str]]:
    """Return the first and the second line of the headings; neighbours' shared text stands above the first of them."""
    first, second, before = list[str](), list[str](), ""
    for column in columns:
        shared = column.heading[0] if len(column.heading) == _LINES else ""
        first.append("" if shared and shared == before else column.heading[0])
        second.append(column.heading[-1] if len(column.heading) == _LINES else "")
        before = shared
    return first, second


def workbook(books: Sequence[RecordBook], ledger: Ledger, profile: TaxProfile) -> bytes:
    """Return a workbook of the ledger's span; its memory grows with the file, and not with the rows.

    The same rows give the same bytes. Texts are written as texts, so that none is a formula or a link.
    """
    content = BytesIO()
    created = datetime.combine(ledger.span.last, time(), UTC).replace(tzinfo=None)
    with Workbook(content, {"constant_memory": True}) as file:
        file.set_properties({"created": created})
        formats = _Formats(file)
        for book in books:
            columns = book.columns(ledger.span.last.year)
            sheet = file.add_worksheet(book.sheet)
            _write_headings(sheet, columns, formats)
            for number, row in enumerate(book.rows(ledger, profile), _LINES):
                for place, value in enumerate(row):
                    _write(sheet, number, place, value, formats.of(columns[place]))
    return content.getvalue()


class _Formats:
    """Formats of a workbook's cells, by the kind of column."""

    def __init__(self, file: Workbook) -> None:
        self.heading = file.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        self._date = file.add_format({"num_format": "dd/mm/yyyy"})
        self._decimal = {places: file.add_format({"num_format": f"0.{'0' * places}"}) for places in range(1, 5)}

    def of(self, column: BookColumn) -> Format | None:
        if column.kind is ColumnKind.DATE:
            return self._date
        return self._decimal.get(column.decimals)


def _write_headings(sheet: Worksheet, columns: Sequence[BookColumn], formats: _Formats) -> None:
    for place, column in enumerate(columns):
        sheet.set_column(place, place, min(column.width, _WIDEST) + 2)
    for number, line in enumerate(_heading_lines(columns)):
        for place, heading in enumerate(line):
            sheet.write_string(number, place, heading, formats.heading)
    sheet.freeze_panes(_LINES, 0)


def _write(sheet: Worksheet, row: int, place: int, value: Cell, form: Format | None) -> None:
    match value:
        case Decimal():
            sheet.write_number(row, place, to_number(value), form)
        case int():
            sheet.write_number(row, place, value)
        case date():
            sheet.write_datetime(row, place, datetime.combine(value, time()), form)
        case str():
            sheet.write_string(row, place, value)

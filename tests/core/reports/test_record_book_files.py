"""Record books as files: what a country's rows look like in a workbook and in a text file."""

import csv
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from io import BytesIO, StringIO
from typing import Any
from zipfile import ZipFile

import pytest
from lxml import etree

from ledgerkit.core.reports.record_books.files import text_file, workbook
from ledgerkit.providers.api import (
    BookColumn,
    Cell,
    ColumnKind,
    DateSpan,
    Ledger,
    Party,
    RecordBook,
    TaxProfile,
    TextFile,
)
from ledgerkit.texts import FixedText

YEAR = DateSpan(first=date(2026, 1, 1), last=date(2026, 12, 31))
OWNER = Party(name="Ana", tax_id="1", country="XX")
LEDGER = Ledger(span=YEAR, currency="EUR", owner=OWNER, sales=[], purchases=[])
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


class Tiny(RecordBook):
    """Book of a country that is none."""

    key = "issued"
    name = FixedText("Sales")
    sheet = "SALES"

    def __init__(self, *rows: tuple[Cell, ...], form: TextFile | None = None, sheet: str = "SALES") -> None:
        self._rows, self.text_file, self.sheet = rows, form or TextFile(), sheet

    def columns(self, year: int) -> Sequence[BookColumn]:
        assert year == 2026
        return (
            BookColumn(heading=("Return", "Year"), kind=ColumnKind.INTEGER, width=4),
            BookColumn(heading=("Return", "Day"), kind=ColumnKind.DATE, width=10),
            BookColumn(heading=("Name",), width=40),
            BookColumn(heading=("Amount", "Net"), kind=ColumnKind.DECIMAL, width=12, decimals=2),
        )

    def rows(self, ledger: Ledger, profile: TaxProfile) -> Iterator[tuple[Cell, ...]]:
        assert (ledger, profile) == (LEDGER, TaxProfile())
        yield from self._rows

    def file_name(self, owner: Party, year: int) -> str:
        return f"{year}-{owner.name}"


ROW = (2026, date(2026, 5, 4), "Núñez; «S.L.»", Decimal("-1200.5"))
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "http://example.com"]


def lines(book: RecordBook, encoding: str = "utf-8", separator: str = ";") -> list[list[str]]:
    content = text_file(book, LEDGER, TaxProfile()).decode(encoding)
    return list(csv.reader(StringIO(content, newline=""), delimiter=separator))


def sheets(*books: RecordBook) -> dict[str, list[list[tuple[str, Any]]]]:
    """Kind and value of each cell, by the sheet's name."""
    with ZipFile(BytesIO(workbook(books, LEDGER, TaxProfile()))) as parts:
        names = [one.get("name") for one in etree.fromstring(parts.read("xl/workbook.xml")).iter(f"{MAIN}sheet")]
        trees = [etree.fromstring(parts.read(f"xl/worksheets/sheet{n}.xml")) for n in range(1, len(names) + 1)]
    return {
        name: [[read(cell) for cell in row] for row in tree.iter(f"{MAIN}row")]
        for name, tree in zip(names, trees, strict=True)
    }


def read(cell: etree._Element) -> tuple[str, Any]:
    if cell.get("t") == "inlineStr":
        return "text", "".join(cell.itertext())
    return ("formula" if cell.find(f"{MAIN}f") is not None else "number"), cell.findtext(f"{MAIN}v")


def test_a_text_file_has_two_heading_lines_and_the_countrys_marks():
    form = TextFile(encoding="iso-8859-1", separator=";", decimal_mark=",", date="%d/%m/%Y")

    found = lines(Tiny(ROW, (2026, None, None, None), form=form), "iso-8859-1")

    assert found == [
        ["Return", "", "Name", "Amount"],
        ["Year", "Day", "", "Net"],
        ["2026", "04/05/2026", "Núñez; «S.L.»", "-1200,50"],
        ["2026", "", "", ""],
    ]


@pytest.mark.parametrize("name", FORMULAS[:-1])
def test_what_a_spreadsheet_would_compute_is_text(name):
    row = (2026, None, name, Decimal("-1.00"))

    text, book = lines(Tiny(row))[2], sheets(Tiny(row))["SALES"][2]

    assert text == ["2026", "", f"'{name}", "-1,00"]
    assert [cell for cell in book if cell[0] == "text"] == [("text", name)]


def test_a_workbook_has_a_sheet_for_each_book_and_cells_of_the_columns_kinds():
    found = sheets(Tiny(ROW), Tiny(sheet="BOUGHT"))

    assert [*found] == ["SALES", "BOUGHT"]
    assert found["SALES"][2:] == [
        [("number", "2026"), ("number", "46146"), ("text", "Núñez; «S.L.»"), ("number", "-1200.5")]
    ]
    assert [value for _, value in found["SALES"][0] if value] == ["Return", "Name", "Amount"]
    assert [value for _, value in found["SALES"][1] if value] == ["Year", "Day", "Net"]
    assert len(found["BOUGHT"]) == 2


def test_no_text_is_a_formula_or_a_link():
    content = workbook([Tiny(*((2026, None, text, None) for text in FORMULAS))], LEDGER, TaxProfile())

    with ZipFile(BytesIO(content)) as parts:
        sheet = parts.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet


def test_the_same_rows_are_the_same_bytes():
    first, second = (workbook([Tiny(ROW)], LEDGER, TaxProfile()) for _ in range(2))

    assert first == second

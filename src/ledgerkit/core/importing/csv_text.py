"""Rows of a CSV text: semicolons, commas or tabs; UTF-8 with or without a BOM, or Latin-1 as Windows writes it."""

import csv
from collections.abc import Iterator
from itertools import islice

from ledgerkit.core.importing.messages import ImportMsg
from ledgerkit.texts.refusals import refusal

MAX_ROWS = 5_000
MAX_COLUMNS = 100

_DELIMITERS = ";,\t"


def rows_of(content: bytes) -> list[dict[str, str | None]]:
    """Return each row as an object of its cells by the header's names; empty rows are left out.

    Cells beyond the header are under the empty name. Raises PydanticCustomError for a text that is no CSV, for more
    than 5,000 rows or 100 columns.
    """
    content_text = _decoded(content)
    header_line = content_text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header_line.count)
    try:
        return list(
            islice(_rows(csv.reader(content_text.splitlines(keepends=True), delimiter=delimiter)), MAX_ROWS + 1)
        )
    except csv.Error:
        raise refusal("csv_invalid", ImportMsg.FILE_UNREADABLE) from None


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _rows(reader: Iterator[list[str]]) -> Iterator[dict[str, str | None]]:
    header = next(reader, [])
    if len(header) > MAX_COLUMNS:
        raise refusal("too_many_columns", ImportMsg.TOO_MANY_COLUMNS, most=MAX_COLUMNS)
    for place, cells in enumerate(row for row in reader if any(cell.strip() for cell in row)):
        if place == MAX_ROWS:
            raise refusal("too_long", ImportMsg.TOO_MANY_ROWS, most=MAX_ROWS)
        row: dict[str, str | None] = dict(zip(header, cells, strict=False))
        beyond = [cell for cell in cells[len(header) :] if cell.strip()]
        yield row | {"": beyond[0]} if beyond else row

"""Rows of a CSV text: semicolons, commas or tabs; UTF-8 with or without a BOM, or Latin-1 as Windows writes it.

Reading 4 MiB takes tens of milliseconds of Python, so a thread reads the text line by line, and the interpreter can
change threads between lines. A line with more separators than MAX_SIGNS is refused, and no line after the last
permitted row is read.
"""

import asyncio
import csv
from collections.abc import Iterator
from io import StringIO

from pydantic_core import PydanticCustomError

from ledgerkit.core.platform.imports.texts import ImportMsg
from ledgerkit.texts.refusals import refusal

MAX_ROWS = 5_000
MAX_COLUMNS = 100
MAX_SIGNS = 10_000
"""Most separators in one line, those within quoted cells too."""

_DELIMITERS = ";,\t"
_UNUSED_BY_WINDOWS = bytes.maketrans(b"\x81\x8d\x8f\x90\x9d", b"?????")
"""Bytes that are no letter in Windows' Latin-1; replacing each while decoding takes seconds of a hostile file."""

CsvRow = dict[str, str | None]


class CsvText(bytes):
    """CSV text of a request, whose rows are read, or refused, before the request is validated."""

    _outcome: list[CsvRow] | PydanticCustomError

    @classmethod
    async def read(cls, content: bytes) -> "CsvText":
        """Return `content` with its rows, read in a thread."""
        csv_text = cls(content)
        csv_text._outcome = await asyncio.to_thread(_outcome, content)
        return csv_text

    def rows(self) -> list[CsvRow]:
        """Return the rows as `rows_of` does. Raises PydanticCustomError."""
        if isinstance(self._outcome, PydanticCustomError):
            raise self._outcome
        return self._outcome


def rows_of(content: bytes) -> list[CsvRow]:
    """Return each row as an object of its cells by the header's names; empty rows are left out.

    A line ends with LF, CR or both, and with nothing else that Unicode calls one. Cells beyond the header are under the
    empty name. Raises PydanticCustomError for a text that is no CSV, for more than 5,000 rows, empty ones counted, or
    100 columns.
    """
    content_text = _decoded(content)
    header_line = content_text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header_line.count)
    try:
        return list(_rows(csv.reader(_lines(content_text, delimiter), delimiter=delimiter)))
    except csv.Error:
        raise refusal("csv_invalid", ImportMsg.FILE_UNREADABLE) from None


def _outcome(content: bytes) -> list[CsvRow] | PydanticCustomError:
    try:
        return rows_of(content)
    except PydanticCustomError as error:
        return error


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.translate(_UNUSED_BY_WINDOWS).decode("cp1252")


def _lines(content_text: str, delimiter: str) -> Iterator[str]:
    for line in StringIO(content_text, newline=""):
        if line.count(delimiter) > MAX_SIGNS:
            raise _too_many_columns()
        yield line


def _rows(reader: Iterator[list[str]]) -> Iterator[CsvRow]:
    header = next(reader, [])
    if len(header) > MAX_COLUMNS:
        raise _too_many_columns()
    for place, cells in enumerate(reader):
        if place == MAX_ROWS:
            raise refusal("too_long", ImportMsg.TOO_MANY_ROWS, most=MAX_ROWS)
        if not any(cell.strip() for cell in cells):
            continue
        row: CsvRow = dict(zip(header, cells, strict=False))
        beyond = [cell for cell in cells[len(header) :] if cell.strip()]
        yield row | {"": beyond[0]} if beyond else row


def _too_many_columns() -> PydanticCustomError:
    return refusal("too_many_columns", ImportMsg.TOO_MANY_COLUMNS, most=MAX_COLUMNS)

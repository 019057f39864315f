"""Text of CSV files: lines, cells, and bounds that a hostile file reaches early."""

import pytest
from pydantic_core import PydanticCustomError

from ledgerkit.core.platform.imports.csv_text import MAX_ROWS, MAX_SIGNS, rows_of


def refused(content: bytes) -> str:
    with pytest.raises(PydanticCustomError) as caught:
        rows_of(content)
    return caught.value.type


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e"])
def test_only_line_feeds_and_carriage_returns_end_a_row(sign):
    rows = rows_of(f"number;notes\nA-1;uno{sign}dos\r\nA-2;tres\rA-3;cuatro".encode())

    assert rows == [
        {"number": "A-1", "notes": f"uno{sign}dos"},
        {"number": "A-2", "notes": "tres"},
        {"number": "A-3", "notes": "cuatro"},
    ]


def test_a_quoted_cell_keeps_its_line_ends():
    assert rows_of(b'number;notes\nA-1;"uno\r\ndos"\n') == [{"number": "A-1", "notes": "uno\r\ndos"}]


def test_empty_lines_make_no_rows_and_count_as_rows():
    assert rows_of(b"number\n\nA-1\n;\n\n") == [{"number": "A-1"}]
    assert len(rows_of(b"number\n" + b"A\n" * MAX_ROWS)) == MAX_ROWS
    assert refused(b"number\n" + b"\n" * (MAX_ROWS + 1)) == "too_long"
    assert refused(b"number\n" + b"A\n" * (MAX_ROWS - 1) + b"\n\n") == "too_long"


@pytest.mark.parametrize("line_end", [b"\n", b"\r", b"\r\n"])
def test_reading_ends_with_the_row_that_is_too_many(line_end):
    """The last bytes are no CSV, which nobody gets to see."""
    assert refused(b"number" + line_end * (MAX_ROWS + 2) + b'"\x00') == "too_long"


def test_a_line_of_separators_is_refused_before_its_cells_are_made():
    assert refused(b"number;notes\n" + b";" * (MAX_SIGNS + 1)) == "too_many_columns"
    assert rows_of(b'number;notes\nA-1;"' + b";" * 200 + b'"') == [{"number": "A-1", "notes": ";" * 200}]


def test_bytes_that_windows_does_not_use_become_question_marks():
    assert rows_of(b"number;notes\nA-1;caf\xe9 \x81\x8d") == [{"number": "A-1", "notes": "caf\u00e9 ??"}]

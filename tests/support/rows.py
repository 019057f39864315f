"""Rows that no database gave, for tests of pure functions."""

from functools import cache
from typing import TypeVar, get_type_hints

from ledgerkit.core.platform.database.row_types import Row

RowT = TypeVar("RowT", bound=Row)


def row(of: type[RowT], **columns: object) -> RowT:
    """A row with these columns; reading another one raises AttributeError."""
    assert columns.keys() <= _columns(of), "no such column"
    made = object.__new__(of)  # whatever a row type that is also a dataclass asks of its constructor
    vars(made).update(columns)
    return made


@cache
def _columns(of: type[Row]) -> frozenset[str]:
    return frozenset(get_type_hints(of))

"""Headings of a record book, in the two lines of its official form."""

from collections.abc import Sequence

from ledgerkit.providers.api import BookColumn

LINES = 2


def lines(columns: Sequence[BookColumn]) -> tuple[list[str], list[str]]:
    """Return the first and the second line; what neighbours share stands above the first of them only."""
    first, second, before = list[str](), list[str](), ""
    for column in columns:
        shared = column.heading[0] if len(column.heading) == LINES else ""
        first.append("" if shared and shared == before else column.heading[0])
        second.append(column.heading[-1] if len(column.heading) == LINES else "")
        before = shared
    return first, second

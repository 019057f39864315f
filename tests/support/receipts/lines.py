"""Lines of text as a recogniser gives them, from a drawing: one row a line, columns parted by two spaces or more."""

import re
from datetime import date

from ledgerkit.providers.api import TextBox, TextLine

TODAY = date(2026, 11, 22)
_HEIGHT, _WIDTH = 30, 14
_COLUMN = re.compile(r"\S+(?: \S+)*")


def lines_of(drawing: str, page: int = 0) -> list[TextLine]:
    """Return the pieces of a drawing, each at the place where it stands."""
    return [
        TextLine(text=match[0], box=_box(place, match.start(), match.end()), confidence=0.98, page=page)
        for place, row in enumerate(drawing.strip("\n").splitlines())
        for match in _COLUMN.finditer(row)
    ]


def _box(place: int, start: int, end: int) -> TextBox:
    return TextBox(left=start * _WIDTH, top=place * 45, right=end * _WIDTH, bottom=place * 45 + _HEIGHT)

"""Rows of a document: pieces of text that stand at one height, from left to right."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from ledgerkit.providers.api import TextLine

MOST_LINES = 600
"""Pieces of text that are read; a receipt has some dozens."""
LONGEST_TEXT, LONGEST_ROW = 200, 600
MOST_PIECES = 24
"""Pieces of a row that are read; with the lengths above this bounds the time that a hostile page takes."""

_SPACES = re.compile(r"\s+")
_MARKS = str.maketrans({"º": "o", "ª": "a", "°": "o", "\u2013": "-", "\u2014": "-", "\u2212": "-"})


def plain(text: str) -> str:
    """Return a text in capitals, without accents, with single spaces."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_MARKS))
    return _SPACES.sub(" ", "".join(mark for mark in decomposed if not unicodedata.combining(mark))).strip().upper()


@dataclass(frozen=True)
class Row:
    """One row of the document; `place` counts rows from the top of the first page."""

    place: int
    pieces: tuple[TextLine, ...]

    @cached_property
    def text(self) -> str:
        return _SPACES.sub(" ", " ".join(piece.text for piece in self.pieces[:MOST_PIECES])).strip()[:LONGEST_ROW]

    @cached_property
    def plain(self) -> str:
        return plain(self.text)


def rows_of(lines: Sequence[TextLine]) -> list[Row]:
    """Return the rows of a document, whose lines may come in any order."""
    cut = [_shortened(line) for line in lines if line.text.strip()]
    ordered = sorted(cut, key=lambda line: (line.page, _middle(line), line.box.left, line.text))[:MOST_LINES]
    groups: list[list[TextLine]] = []
    for line in ordered:
        if groups and _together(groups[-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    by_place = lambda piece: (piece.box.left, piece.text)  # noqa: E731 - the order within a row, used once
    return [Row(place, tuple(sorted(group, key=by_place))) for place, group in enumerate(groups)]


def _shortened(line: TextLine) -> TextLine:
    if len(line.text) <= LONGEST_TEXT:
        return line
    return TextLine(text=line.text[:LONGEST_TEXT], box=line.box, confidence=line.confidence, page=line.page)


def _together(group: Sequence[TextLine], line: TextLine) -> bool:
    """Return True when a piece stands at the height of a group, and beside its pieces."""
    if group[0].page != line.page:
        return False
    height = median(piece.box.bottom - piece.box.top for piece in (*group, line))
    level = median(_middle(piece) for piece in group)
    beside = all(
        piece.box.right <= line.box.left + height or line.box.right <= piece.box.left + height for piece in group
    )
    return beside and abs(_middle(line) - level) <= height * 0.55


def _middle(line: TextLine) -> float:
    return (line.box.top + line.box.bottom) / 2

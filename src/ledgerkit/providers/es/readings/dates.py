"""Dates by Spanish habit, day before month, and only plausible ones."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from ledgerkit.providers.api import ReadField
from ledgerkit.providers.es.readings.rows import Row

OLDEST = timedelta(days=3653)
"""Ten years: an older document is not entered any more (Ley 58/2003, art. 66 bis)."""
LATEST_DUE = timedelta(days=400)

_MONTHS = ("ENE", "FEB", "MAR", "ABR", "MAY", "JUN", "JUL", "AGO", "SEP", "OCT", "NOV", "DIC")
_NUMERIC = re.compile(
    r"(?<![\d/.-])([0-3O]?[\dOIL])\s?([/.-])\s?([01O]?[\dOIL])\s?\2\s?((?:20)?[\dOIL]{2})(?![\d/]|[.-]\d)"
)
_ISO = re.compile(r"(?<![\d/.-])(20\d{2})-([01]\d)-([0-3]\d)(?!\d)")
_WORDED = re.compile(
    r"(?<!\d)([0-3]?\d)\s?(?:DE)?[\s/.-]?("
    + "|".join(_MONTHS)
    + r")[A-Z]*\.?\s?(?:DE|DEL)?[\s/.-]?(20\d{2}|\d{2})(?!\d)"
)
_DIGITS = str.maketrans({"O": "0", "I": "1", "L": "1"})

_DUE = re.compile(r"VENCIM|\bVTO|FECHA DE CARGO|FECHA LIMITE|PAGAR ANTES")
_OTHER = re.compile(
    r"PERIODO|DESDE|HASTA|ENTRADA|SALIDA|CADUC|VALID|NACIM|PEDIDO|ALBARAN|LLEGADA|PROXIM|LECTURA|INICIO|FIN\b|ENTREGA|"
    r"DEVOLUC|CONTRATO|GARANTIA"
)
_ISSUED = re.compile(r"FECHA|EMISION|EXPEDI|\bDATA\b|\bDIA\b")


@dataclass(frozen=True)
class _Dated:
    day: date
    row: Row
    label: str


def issue_date(rows: Sequence[Row], today: date) -> ReadField[date]:
    """Return the date of issue: the labelled one, else the only one; None when several could be it."""
    plausible = [dated for dated in _dates(rows) if is_plausible(dated.day, today)]
    usual = [dated for dated in plausible if not _DUE.search(dated.label) and not _OTHER.search(dated.label)]
    labelled = [dated for dated in usual if _ISSUED.search(dated.label)]
    for candidates, confidence in ((labelled, 0.95), (usual, 0.85)):
        days = {dated.day for dated in candidates}
        if len(days) == 1:
            return ReadField(value=days.pop(), confidence=confidence)
        if days:
            return ReadField()
    days = {dated.day for dated in plausible if not _DUE.search(dated.label)}
    return ReadField(value=days.pop(), confidence=0.6) if len(days) == 1 else ReadField()


def due_date(rows: Sequence[Row], issued: date | None, today: date) -> ReadField[date]:
    """Return the due date, where a label names it; None when it is before the day of issue."""
    earliest = issued or today - OLDEST
    days = {dated.day for dated in _dates(rows) if _DUE.search(dated.label)}
    days = {day for day in days if earliest <= day <= max(today, earliest) + LATEST_DUE}
    return ReadField(value=days.pop(), confidence=0.9) if len(days) == 1 else ReadField()


def is_plausible(day: date, today: date) -> bool:
    """Return True for a date of issue of the last ten years; tomorrow may be a document of another time zone."""
    return today - OLDEST <= day <= today + timedelta(days=1)


def _dates(rows: Sequence[Row]) -> Iterator[_Dated]:
    for row in rows:
        matches = [(match.start(), day) for match, day in _matches(row.plain)]
        start = 0
        for place, day in sorted(matches):
            label = row.plain[start:place].strip()
            yield _Dated(day, row, label or _label_above(rows, row))
            start = start if _OTHER.search(label) else place + 6


def _label_above(rows: Sequence[Row], row: Row) -> str:
    """Return the row above where it is nothing but the label of a date in a column."""
    above = rows[row.place - 1].plain if row.place else ""
    return (
        above
        if len(above) < 60 and (_DUE.search(above) or _ISSUED.search(above)) and not re.search(r"\d", above)
        else ""
    )


def _matches(text: str) -> Iterator[tuple[re.Match[str], date]]:
    for match in _NUMERIC.finditer(text):
        day, month, year = (match[group].translate(_DIGITS) for group in (1, 3, 4))
        yield from _valid(match, day, month, year)
    for match in _WORDED.finditer(text):
        yield from _valid(match, match[1], str(_MONTHS.index(match[2]) + 1), match[3])
    for match in _ISO.finditer(text):
        yield from _valid(match, match[3], match[2], match[1])


def _valid(match: re.Match[str], day: str, month: str, year: str) -> Iterator[tuple[re.Match[str], date]]:
    try:
        yield match, date(int(year) if len(year) == 4 else 2000 + int(year), int(month), int(day))
    except ValueError:
        return

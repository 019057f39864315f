"""Periods in a question: quarters, months and years."""

import re
from datetime import date, timedelta

from ledgerkit.core.messaging.language.dates import MONTHS, Direction, day_at, last_of, month_after
from ledgerkit.core.messaging.language.message import Message

_ORDINALS = {
    **dict.fromkeys(("primer", "primero", "1er", "1º", "1o", "first", "1st", "1", "uno"), 1),
    **dict.fromkeys(("segundo", "2do", "2º", "2o", "second", "2nd", "2", "dos"), 2),
    **dict.fromkeys(("tercer", "tercero", "3er", "3º", "3o", "third", "3rd", "3", "tres"), 3),
    **dict.fromkeys(("cuarto", "4to", "4º", "4o", "fourth", "4th", "4", "cuatro", "ultimo del ano"), 4),
}
_ORDINAL = "|".join(sorted(map(re.escape, _ORDINALS), key=len, reverse=True))
_QUARTER = re.compile(
    rf"(?<!\S)(?:(?P<before>{_ORDINAL})(?: º| er| °)? (?:trimestre|trim|t|quarter)|(?:trimestre|quarter|t|q) ?(?P<after>[1-4])"
    r"|(?P<joined>[1-4]) ?t|t ?(?P<t>[1-4])|q ?(?P<q>[1-4]))(?!\S)"
)
_YEAR = re.compile(r"(?<!\S)(20\d\d)(?!\S)")
_LAST = re.compile(r"(?<!\S)(?:pasado|pasada|anterior|ultimo|last|previous)(?!\S)")
_MONTH_NAMES = "|".join(name for name in MONTHS if name not in {"mar", "dec", "sept"})
_MONTH_NAME = re.compile(rf"(?<!\S)({_MONTH_NAMES})(?!\S)")


def quarter(message: Message, today: date) -> tuple[date, date]:
    """Return the first and last day of the quarter that is asked about, by default the present one."""
    line = message.line
    found = _QUARTER.search(line)
    named_year = _YEAR.search(line)
    year = int(named_year[1]) if named_year else today.year
    if re.search(r"(?<!\S)(?:ano pasado|last year)(?!\S)", line):
        year = today.year - 1
    if found is not None:
        number = next(
            _ORDINALS[value] if value in _ORDINALS else int(value) for value in found.groups() if value is not None
        )
        if named_year is None and year == today.year and 3 * number - 2 > today.month:
            year -= 1
        return _quarter(year, number)
    month = _MONTH_NAME.search(line)
    if month is not None:
        return _quarter(year, (MONTHS[month[1]] + 2) // 3)
    present = (today.month + 2) // 3
    if _LAST.search(line):
        return _quarter(today.year - (present == 1), present - 1 or 4)
    return _quarter(today.year, present)


def _quarter(year: int, number: int) -> tuple[date, date]:
    return date(year, 3 * number - 2, 1), last_of(year, 3 * number)


def _between(message: Message, today: date) -> tuple[date, date] | None:
    """Return the days of `del 1 de enero al 28 de febrero` and `from 1 March to 15 March`."""
    days = []
    place = 0
    while place < len(message.words):
        day = day_at(message.words, place, message.language)
        if day is None:
            place += 1
            continue
        days.append(day.on(today, Direction.BEHIND))
        place = day.end
    first, last = days if len(days) == 2 else (None, None)  # noqa: PLR2004
    return (first, last) if first is not None and last is not None and first <= last else None


def period(message: Message, today: date) -> tuple[date, date]:
    """Return the first and last day of the period that is asked about, by default the present month."""
    line = message.line
    named_year = _YEAR.search(line)
    month = _MONTH_NAME.search(line)
    between = _between(message, today)
    if between is not None:
        return between
    if re.search(r"(?<!\S)(?:trimestre|trim|quarter|q ?[1-4]|t ?[1-4]|[1-4] ?t)(?!\S)", line):
        return quarter(message, today)
    months = [MONTHS[name] for name in _MONTH_NAME.findall(line)]
    if len(months) == 2 and months[0] < months[1]:  # noqa: PLR2004
        year = int(named_year[1]) if named_year else today.year - (months[1] > today.month)
        return date(year, months[0], 1), last_of(year, months[1])
    if month is not None:
        number = MONTHS[month[1]]
        year = int(named_year[1]) if named_year else today.year - (number > today.month)
        return date(year, number, 1), last_of(year, number)
    if re.search(
        r"(?<!\S)(?:so far|hasta (?:hoy|ahora|la fecha)|en lo que va|lo que llevamos|to date|llevo|llevamos)(?!\S)",
        line,
    ):
        is_month = re.search(r"(?<!\S)(?:mes|month)(?!\S)", line)
        return (today.replace(day=1) if is_month else date(today.year, 1, 1)), today
    if re.search(r"(?<!\S)(?:ano|year|anual|annual)(?!\S)", line) or named_year:
        year = int(named_year[1]) if named_year else today.year - bool(_LAST.search(line))
        return date(year, 1, 1), date(year, 12, 31)
    if re.search(r"(?<!\S)(?:semana|week)(?!\S)", line):
        monday = today - timedelta(days=today.weekday() + 7 * bool(_LAST.search(line)))
        return monday, monday + timedelta(days=6)
    if re.search(r"(?<!\S)(?:hoy|today)(?!\S)", line):
        return today, today
    if re.search(r"(?<!\S)(?:ayer|yesterday)(?!\S)", line):
        return today - timedelta(days=1), today - timedelta(days=1)
    first = today.replace(day=1)
    if re.search(r"(?<!\S)(?:mes|month)(?!\S)", line) and _LAST.search(line):
        first = month_after(first, -1)
    return first, last_of(first.year, first.month)

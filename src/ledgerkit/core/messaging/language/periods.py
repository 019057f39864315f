"""Periods in a question: quarters, months and years."""

from datetime import date, timedelta

from ledgerkit.core.messaging.language.calendar import MONTHS_OF_A_YEAR, Direction, last_of, month_after
from ledgerkit.core.messaging.language.dates import MONTHS, days_in
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("books")
_QUARTERS = _VOCABULARY.numbers("quarters")
_QUARTER_WORDS = _VOCABULARY.phrases("quarter_words")
_MONTH_WORDS = _VOCABULARY.phrases("month_words")
_YEAR_WORDS = _VOCABULARY.phrases("year_words")
_WEEK_WORDS = _VOCABULARY.phrases("week_words")
_LAST = _VOCABULARY.phrases("last_period")
_COMPARED = _VOCABULARY.phrases("compared")
_LAST_YEAR = _VOCABULARY.phrases("last_year")
_HALF_YEAR = _VOCABULARY.phrases("half_year")
_SINCE = _VOCABULARY.phrases("since")
_SO_FAR = _VOCABULARY.phrases("so_far")
_SHORT_MONTHS = frozenset({"mar", "dec", "sept", "may"})
"""Names of months that are words, unless they stand behind another one of a period."""

_BEFORE_A_MONTH = frozenset(
    {"de", "en", "in", "for", "of", "during", "del", "a", "y", "and", "to", "from", "desde", "hasta"}
)
_UNTIL = frozenset({"hasta", "until", "till", "to"})
_SIGNS = frozenset({"º", "er", "°", "o", "de", "del", "the", "of"})
_FIRST_YEAR, _LAST_OF_YEARS = 2000, 2099

Period = tuple[date, date]
"""First and last day."""


def quarter(message: ChatMessage, today: date) -> Period:
    """Return the quarter that is asked about, by default the present one."""
    named_year = _year(message)
    year = today.year - 1 if named_year is None and message.says(_LAST_YEAR) else named_year or today.year
    number = _quarter_number(message)
    if number is not None:
        is_ahead = named_year is None and year == today.year and 3 * number - 2 > today.month
        return _of_quarter(year - is_ahead, number)
    months = _months(message)
    if months:
        return _of_quarter(year, (months[0] + 2) // 3)
    present = (today.month + 2) // 3
    if _is_last(message):
        if named_year is not None:
            return _of_quarter(named_year, 4)
        return _of_quarter(today.year - (present == 1), present - 1 or 4)
    return _of_quarter(year, present)


def _is_last(message: ChatMessage) -> bool:
    """Return True for `el mes pasado`, unless another period is only compared with it."""
    return message.says(_LAST) and not message.says(_COMPARED)


def _of_quarter(year: int, number: int) -> Period:
    return date(year, 3 * number - 2, 1), last_of(year, 3 * number)


def _quarter_number(message: ChatMessage) -> int | None:
    """Return the number in `primer trimestre`, `Q1`, `1T`, `quarter 3` and `último trimestre de 2025`."""
    line = message.line
    for place, word in enumerate(line):
        if word in {"q", "t"} or _QUARTER_WORDS.end_at(line, place):
            before = place - 1
            while before > 0 and line[before] in _SIGNS:
                before -= 1
            after = line[place + 1] if place + 1 < len(line) else ""
            if after in {"1", "2", "3", "4"}:
                return int(after)
            if before >= 0 and line[before] in _QUARTERS:
                return _QUARTERS[line[before]]
    return None


def _year(message: ChatMessage) -> int | None:
    years = (int(word) for word in message.line if len(word) == 4 and word.isascii() and word.isdigit())
    return next((year for year in years if _FIRST_YEAR <= year <= _LAST_OF_YEARS), None)


def _months(message: ChatMessage) -> list[int]:
    """Return the months that are named."""
    line = message.line
    return [
        MONTHS[word]
        for place, word in enumerate(line)
        if word in MONTHS and (word not in _SHORT_MONTHS or (place and line[place - 1] in _BEFORE_A_MONTH))
    ]


def period(message: ChatMessage, today: date) -> Period:
    """Return the period that is asked about, by default the present month."""
    for reading in (
        _between,
        _of_half_a_year,
        _of_a_quarter,
        _since,
        _of_months,
        _until_today,
        _of_a_year,
        _of_a_week,
        _of_a_day,
    ):
        days = reading(message, today)
        if days is not None:
            return days
    first = today.replace(day=1)
    if message.says(_MONTH_WORDS) and _is_last(message):
        first = month_after(first, -1)
    return first, last_of(first.year, first.month)


def _between(message: ChatMessage, today: date) -> Period | None:
    """Return the days of `del 1 de enero al 28 de febrero` and `from 1 March to 15 March`."""
    days = [day.on(today, Direction.BEHIND) for day in days_in(message.words, message.language)]
    if len(days) != 2:
        return None
    first, last = days
    return (first, last) if first is not None and last is not None and first <= last else None


def _of_a_quarter(message: ChatMessage, today: date) -> Period | None:
    is_quarter = message.says(_QUARTER_WORDS) or _quarter_number(message) is not None
    return quarter(message, today) if is_quarter else None


def _of_half_a_year(message: ChatMessage, today: date) -> Period | None:
    """Return the days of `primer semestre` and `second half of 2025`."""
    span = next(iter(message.spans(_HALF_YEAR)), None)
    half = None if span is None else _QUARTERS.get(message.line[span.start - 1])
    if half not in {1, 2}:
        return None
    year = _year(message) or today.year - message.says(_LAST_YEAR)
    return date(year, 6 * half - 5, 1), last_of(year, 6 * half)


def _since(message: ChatMessage, today: date) -> Period | None:
    """Return the days of `desde enero` until today."""
    months = _months(message)
    if len(months) != 1 or not message.says(_SINCE):
        return None
    year = _year(message) or today.year - (months[0] > today.month)
    return date(year, months[0], 1), today


def _of_months(message: ChatMessage, today: date) -> Period | None:
    """Return the days of one month, or from the first of several to the last."""
    months = _months(message)
    if not months or months[0] > months[-1]:
        return None
    year = _year(message) or today.year - (months[-1] > today.month or message.says(_LAST_YEAR))
    return date(year, months[0], 1), last_of(year, months[-1])


def _until_today(message: ChatMessage, today: date) -> Period | None:
    """Return the days of `este año hasta hoy` and `llevo este mes`."""
    if not message.says(_SO_FAR):
        return None
    if message.says(_WEEK_WORDS):
        return today - timedelta(days=today.weekday()), today
    if _says_only_today(message, today):
        return today, today
    is_month = message.says(_MONTH_WORDS) and not message.says(_YEAR_WORDS)
    return (today.replace(day=1) if is_month else date(today.year, 1, 1)), today


def _says_only_today(message: ChatMessage, today: date) -> bool:
    """Return True for `cuánto llevo hoy`, and False for `hasta hoy`."""
    if message.says(_MONTH_WORDS) or message.says(_YEAR_WORDS):
        return False
    days = days_in(message.words, message.language)
    is_today = len(days) == 1 and days[0].on(today, Direction.BEHIND) == today
    return (
        is_today and message.line[max(0, days[0].start - 1)] not in _UNTIL and message.line[days[0].start] not in _UNTIL
    )


def _of_a_year(message: ChatMessage, today: date) -> Period | None:
    year = _year(message)
    if year is None and not message.says(_YEAR_WORDS):
        return None
    year = year or today.year - _is_last(message)
    return date(year, 1, 1), date(year, MONTHS_OF_A_YEAR, 31)


def _of_a_week(message: ChatMessage, today: date) -> Period | None:
    if not message.says(_WEEK_WORDS):
        return None
    monday = today - timedelta(days=today.weekday() + 7 * _is_last(message))
    return monday, monday + timedelta(days=6)


def _of_a_day(message: ChatMessage, today: date) -> Period | None:
    if message.says(_MONTH_WORDS):
        return None
    days = [day.on(today, Direction.BEHIND) for day in days_in(message.words, message.language)]
    return (days[0], days[0]) if days and days[0] is not None and days[0] <= today else None

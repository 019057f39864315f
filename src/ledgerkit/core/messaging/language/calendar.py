"""Days that words mean, seen from today."""

from collections.abc import Callable
from datetime import date, timedelta
from enum import Enum

MONTHS_OF_A_YEAR = 12


class Direction(Enum):
    """Side of today on which a day without year or week lies."""

    AHEAD = 1
    BEHIND = -1


DayFromToday = Callable[[date, Direction], date | None]
"""A day as it was said: it returns the date, seen from today; None for a day that there is not, as 31 April."""


def valid_date(year: int, month: int, day: int) -> date | None:
    """Return a date, or None where there is no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def last_of(year: int, month: int) -> date:
    """Return the last day of a month."""
    return date(year + month // MONTHS_OF_A_YEAR, month % MONTHS_OF_A_YEAR + 1, 1) - timedelta(days=1)


def month_after(day: date, months: int) -> date:
    """Return the same day so many months later, or the last of that month."""
    year, month = divmod(day.year * MONTHS_OF_A_YEAR + day.month - 1 + months, MONTHS_OF_A_YEAR)
    return date(year, month + 1, min(day.day, last_of(year, month + 1).day))


def distant(days: int) -> DayFromToday:
    """Return the day that lies so many days after today."""
    return lambda today, _: today + timedelta(days=days)


def fixed(day: date) -> DayFromToday:
    """Return a day of the calendar, whatever today is."""
    return lambda *_: day


def nearest(day: int, month: int | None, year: int | None) -> DayFromToday:
    """Return the nearest day of this number and month on the side that is asked for; today counts for both."""

    def on(today: date, direction: Direction) -> date | None:
        if year is not None:
            return valid_date(year, month or today.month, day)
        for step in range(MONTHS_OF_A_YEAR + 1):
            if month is None:
                base = month_after(today.replace(day=1), step * direction.value)
                candidate = valid_date(base.year, base.month, day)
            else:
                candidate = valid_date(today.year + step * direction.value, month, day)
            if candidate is not None and (candidate - today).days * direction.value >= 0:
                return candidate
        return None

    return on


class Week(Enum):
    """Week of a weekday, as it was said."""

    UNSAID = "unsaid"
    COMING = "coming"
    LAST = "last"
    AFTER_THIS = "after this"
    """The one after this week, as in `next Monday`."""


def weekday_date(weekday: int, week: Week) -> DayFromToday:
    """Return the day of a weekday, Monday being 0; today's own is a week away."""

    def on(today: date, direction: Direction) -> date:
        if week is Week.LAST or (week is Week.UNSAID and direction is Direction.BEHIND):
            return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
        if week is Week.AFTER_THIS:
            return today + timedelta(days=7 - today.weekday() + weekday)
        return today + timedelta(days=(weekday - today.weekday()) % 7 or 7)

    return on


class PartOfMonth(Enum):
    """Part of a month."""

    BEGINNING = "beginning"
    MIDDLE = "middle"
    END = "end"


def part_of_month(part: PartOfMonth, month: int | None, months_ahead: int) -> DayFromToday:
    """Return the first day, the 15th or the last day of a month: of a named one, or so many months ahead."""

    def on(today: date, direction: Direction) -> date | None:
        first = month_after(today.replace(day=1), months_ahead)
        if month is not None:
            first = nearest(1, month, None)(today.replace(day=1), direction) or first
        if part is PartOfMonth.END:
            return last_of(first.year, first.month)
        return first.replace(day=1 if part is PartOfMonth.BEGINNING else 15)

    return on

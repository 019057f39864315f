"""Periods of reports: ranges of days, and quarters."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.reports.texts import ReportsMsg
from ledgerkit.problems import Invalid


@dataclass(frozen=True)
class DateRange:
    """Days from `first` to `last`, both included."""

    first: date
    last: date

    def months(self) -> list[str]:
        """Return all months that the range touches, as `2026-11`."""
        begin, end = _number(self.first), _number(self.last)
        return [f"{number // 12:04d}-{number % 12 + 1:02d}" for number in range(begin, end + 1)]


@dataclass(frozen=True)
class Quarter:
    """Quarter of a year; `number` from 1 to 4."""

    year: int
    number: int

    @property
    def span(self) -> DateRange:
        begin = 3 * self.number - 2
        return DateRange(date(self.year, begin, 1), _end_of_month(self.year, begin + 2))


def month(day: date) -> str:
    return f"{day.year:04d}-{day.month:02d}"


def year_of(day: date) -> DateRange:
    return DateRange(date(day.year, 1, 1), date(day.year, 12, 31))


def quarter_of(day: date) -> Quarter:
    return Quarter(day.year, (day.month + 2) // 3)


def twelve_months(today: date) -> DateRange:
    """Return the days from the first of the eleventh month before this one until today."""
    first = _number(today) - 11
    return DateRange(date(first // 12, first % 12 + 1, 1), today)


def requested(ctx: Context, first: date | None, last: date | None) -> DateRange:
    """Return the requested days; by default the current year.

    Without a first day the range begins with the year of the last one. Without a last day it ends with the current
    year, or with that of the first day if it lies ahead. Raises Invalid when it would end before it begins.
    """
    today = ctx.account.today()
    begin = first or date((last or today).year, 1, 1)
    end = last or date(max(begin.year, today.year), 12, 31)
    if end < begin:
        raise Invalid.field("to", ReportsMsg.TO_BEFORE_FROM, begin=begin)
    return DateRange(begin, end)


def requested_quarter(ctx: Context, year: int | None, number: int | None) -> Quarter:
    """Return the quarter of the year and number given; each is by default that of today."""
    current = quarter_of(ctx.account.today())
    return Quarter(year or current.year, number or current.number)


def days_ahead(today: date, days: int) -> date:
    return today + timedelta(days=days)


def _number(day: date) -> int:
    """Return the number of the day's month, counted from January of the year 0."""
    return day.year * 12 + day.month - 1


def _end_of_month(year: int, number: int) -> date:
    return date(year, number, monthrange(year, number)[1])

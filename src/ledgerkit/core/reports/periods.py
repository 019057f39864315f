"""Spans of days that reports are made for."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from ledgerkit.core.reports.messages import ReportsMsg
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Invalid


@dataclass(frozen=True)
class DateRange:
    """From `first` to `last`, both included."""

    first: date
    last: date

    def months(self) -> list[str]:
        """All months that it touches, as `2026-11`."""
        begin, end = _number(self.first), _number(self.last)
        return [f"{number // 12:04d}-{number % 12 + 1:02d}" for number in range(begin, end + 1)]


@dataclass(frozen=True)
class Quarter:
    """`number` from 1 to 4."""

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
    """From the first day of the eleventh month before this one until today."""
    first = _number(today) - 11
    return DateRange(date(first // 12, first % 12 + 1, 1), today)


def asked(ctx: Context, first: date | None, last: date | None) -> DateRange:
    """What a caller asks for: the current year unless they say otherwise.

    Without a first day it begins with the last one's year, without a last one it ends with the year, the current one
    or that of the first day if it lies ahead. Raises Invalid when it would end before it begins.
    """
    today = ctx.account.today()
    begin = first or date((last or today).year, 1, 1)
    end = last or date(max(begin.year, today.year), 12, 31)
    if end < begin:
        raise Invalid.field("to", ReportsMsg.TO_BEFORE_FROM, begin=begin)
    return DateRange(begin, end)


def asked_quarter(ctx: Context, year: int | None, number: int | None) -> Quarter:
    """The current quarter, or that of the year or number given."""
    now = quarter_of(ctx.account.today())
    return Quarter(year or now.year, number or now.number)


def ahead(today: date, days: int) -> date:
    return today + timedelta(days=days)


def _number(day: date) -> int:
    """Of its month, counted from the year nought."""
    return day.year * 12 + day.month - 1


def _end_of_month(year: int, number: int) -> date:
    return date(year, number, monthrange(year, number)[1])

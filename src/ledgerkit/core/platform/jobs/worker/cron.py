"""Due times of recurring jobs: the five fields of crontab(5), in UTC."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day of month", 1, 31), ("month", 1, 12), ("day of week", 0, 7))
_DAYS_AHEAD = 8 * 366 + 1
"""Days searched for the next date: 29 February comes again after eight years at the latest (1896-1904, 2096-2104)."""


@dataclass(frozen=True)
class Cron:
    """`expression`: minute, hour, day of month, month, day of week (0 and 7 are Sunday).

    Each is written as `*`, `5`, `1-5`, `*/10` or `1,15`. Where both days are restricted, either suffices (POSIX
    crontab). Raises ValueError for anything else, and for a date that never comes.
    """

    expression: str

    def __post_init__(self) -> None:
        if len(self.expression.split()) != len(_FIELDS):
            msg = f"{self.expression!r}: five fields are expected: minute, hour, day of month, month, day of week"
            raise ValueError(msg)
        self.next_after(datetime(2000, 1, 1, tzinfo=UTC))

    def next_after(self, instant: datetime) -> datetime:
        """Return the first due minute that begins after `instant`, in UTC."""
        start = instant.astimezone(UTC)
        minutes, hours, days, months, weekdays = self._fields()
        times = [time(hour, minute, tzinfo=UTC) for hour in sorted(hours) for minute in sorted(minutes)]
        for ahead in range(_DAYS_AHEAD):
            day = start.date() + timedelta(days=ahead)
            if day.month not in months or not self._falls_on(day, days, weekdays):
                continue
            for moment in times:
                if (due := datetime.combine(day, moment)) > start:
                    return due
        msg = f"{self.expression!r}: this date never comes"
        raise ValueError(msg)

    def _falls_on(self, day: date, days: frozenset[int], weekdays: frozenset[int]) -> bool:
        _, _, month_day, _, week_day = self.expression.split()
        in_month, in_week = day.day in days, day.isoweekday() % 7 in {number % 7 for number in weekdays}
        either_suffices = not month_day.startswith("*") and not week_day.startswith("*")
        return in_month or in_week if either_suffices else in_month and in_week

    def _fields(self) -> Iterator[frozenset[int]]:
        for field, (name, low, high) in zip(self.expression.split(), _FIELDS, strict=True):
            numbers = frozenset(number for part in field.split(",") for number in _part(part, low, high))
            if not numbers or min(numbers) < low or max(numbers) > high:
                msg = f"{self.expression!r}: {name} must lie between {low} and {high}"
                raise ValueError(msg)
            yield numbers


def _part(part: str, low: int, high: int) -> range:
    """Return the numbers of `*`, `a` or `a-b`, each with an optional `/step`."""
    span, _, step = part.partition("/")
    if span == "*":
        lowest, highest = low, high
    else:
        begin, dash, end = span.partition("-")
        lowest = int(begin)
        highest = int(end) if dash else (high if step else lowest)
    return range(lowest, highest + 1, int(step) if step else 1)

"""The one place that asks what time it is."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def local_now(time_zone: str) -> datetime:
    """Return the present moment with the offset of `time_zone` (an IANA name)."""
    return now().astimezone(ZoneInfo(time_zone))


def today(time_zone: str) -> date:
    """Return the present calendar date in `time_zone` (an IANA name)."""
    return local_now(time_zone).date()

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.core.platform.jobs.worker.cron import Cron


def at(written: str) -> datetime:
    return datetime.fromisoformat(written).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "after", "due"),
    [
        ("0 3 * * *", "2026-11-21 02:59:59", "2026-11-21 03:00"),
        ("0 3 * * *", "2026-11-21 03:00", "2026-11-22 03:00"),
        ("*/15 * * * *", "2026-12-31 23:46", "2027-01-01 00:00"),
        ("5-59/20 8,20 * * *", "2026-11-21 08:26", "2026-11-21 08:45"),
        ("30 6 * * 1-5", "2026-11-20 07:00", "2026-11-23 06:30"),
        ("0 0 * * 7", "2026-11-21 00:00", "2026-11-22 00:00"),
        ("0 0 * * 0", "2026-11-21 00:00", "2026-11-22 00:00"),
        ("0 0 1 * 1", "2026-11-24 00:00", "2026-11-30 00:00"),
        ("0 0 */31 * 1", "2026-11-24 00:00", "2027-02-01 00:00"),
        ("0 0 31 * *", "2026-11-21 00:00", "2026-12-31 00:00"),
        ("0 0 29 2 *", "2096-03-01 00:00", "2104-02-29 00:00"),
    ],
)
def test_the_next_due_minute(expression, after, due):
    assert at(due) == Cron(expression).next_after(at(after))


def test_the_clock_is_utc_whatever_the_instants_offset():
    madrid = datetime(2026, 7, 1, 4, 30, tzinfo=timezone(timedelta(hours=2)))

    assert at("2026-07-01 03:00") == Cron("0 3 * * *").next_after(madrid)


@pytest.mark.parametrize(
    "expression",
    ["", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *",
     "5-1 * * * *", "a * * * *", "-1 * * * *", "0 0 31 2 *", "@daily"],
)  # fmt: skip
def test_an_invalid_expression_is_refused_at_once(expression):
    with pytest.raises(ValueError, match=r".+"):
        Cron(expression)


@given(
    instant=st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2090, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - hypothesis wants bounds without a zone
    minute=st.integers(0, 59),
    hour=st.integers(0, 23),
    weekday=st.integers(0, 6),
)
def test_the_due_minute_fits_the_fields_and_is_the_first_to_do_so(instant, minute, hour, weekday):
    due = Cron(f"{minute} {hour} * * {weekday}").next_after(instant)

    assert (due.minute, due.hour, due.isoweekday() % 7) == (minute, hour, weekday)
    assert timedelta() < due - instant <= timedelta(days=7)

from datetime import date, timedelta
from decimal import Decimal

import pytest

from ledgerkit.providers.es import rates


def percents(on: date) -> list[str]:
    return [f"{rate.percent:f}" for rate in rates.in_force(on)]


@pytest.mark.parametrize(
    ("on", "expected"),
    [
        (date(2012, 8, 31), []),
        (date(2012, 9, 1), ["21", "10", "4", "0"]),
        (date(2022, 6, 30), ["21", "10", "4", "0"]),
        (date(2022, 7, 1), ["21", "10", "4", "5", "0"]),
        (date(2024, 9, 30), ["21", "10", "4", "5", "0"]),
        (date(2024, 10, 1), ["21", "10", "4", "7.5", "2", "0"]),
        (date(2024, 12, 31), ["21", "10", "4", "7.5", "2", "0"]),
        (date(2025, 1, 1), ["21", "10", "4", "0"]),
        (date(2026, 11, 20), ["21", "10", "4", "0"]),
    ],
)
def test_rates_follow_the_decrees(on, expected):
    assert percents(on) == expected


@pytest.mark.parametrize(
    ("on", "percent", "surcharges"),
    [
        (date(2026, 1, 1), "21", {"5.2", "1.75"}),
        (date(2026, 1, 1), "10", {"1.4"}),
        (date(2026, 1, 1), "4", {"0.5"}),
        (date(2022, 12, 31), "5", {"0.5"}),
        (date(2023, 1, 1), "5", {"0.62"}),
        (date(2024, 11, 1), "7.5", {"1"}),
        (date(2024, 11, 1), "2", {"0.26"}),
        (date(2022, 12, 31), "0", set()),
        (date(2023, 1, 1), "0", {"0"}),
        (date(2024, 10, 1), "0", set()),
    ],
)
def test_surcharges_go_with_rate_and_day(on, percent, surcharges):
    (rate,) = [rate for rate in rates.in_force(on) if rate.percent == Decimal(percent)]

    assert {f"{surcharge:f}" for surcharge in rate.surcharges} == surcharges


def test_no_rate_is_in_force_twice_on_any_day():
    day = date(2012, 9, 1)
    while day < date(2027, 1, 1):
        listed = percents(day)
        assert len(listed) == len(set(listed)), day
        day += timedelta(days=1)


def test_every_row_names_its_source():
    assert all(rate.source for rate in rates.RATES)

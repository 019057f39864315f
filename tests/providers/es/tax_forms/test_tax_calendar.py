"""Working days and last days to file, against published calendars. Every row names its source."""

from contextlib import suppress
from datetime import date, timedelta

import pytest

from ledgerkit.providers.api import TaxPeriod
from ledgerkit.providers.es.tax_forms import calendar

AEAT_CALENDAR = "AEAT, calendar of the taxpayer"
AEAT_2025 = AEAT_CALENDAR + " 2025, terms with direct debit"

EASTER = [
    (2000, date(2000, 4, 23)),
    (2008, date(2008, 3, 23)),
    (2011, date(2011, 4, 24)),
    (2019, date(2019, 4, 21)),
    (2023, date(2023, 4, 9)),
    (2024, date(2024, 3, 31)),
    (2025, date(2025, 4, 20)),
    (2026, date(2026, 4, 5)),
    (2027, date(2027, 3, 28)),
    (2038, date(2038, 4, 25)),
    (2100, date(2100, 3, 28)),
]
"""Published Easter Sundays (US Naval Observatory); 23 March and 25 April are close to the earliest and the latest."""

COMMON_HOLIDAYS = [
    (
        2023,
        "0106 0407 0501 0815 1012 1101 1206 1208 1225",
        "BOE 14/10/2022, resolution of 7 October 2022; 1 January is a Sunday",
    ),
    (2025, "0101 0106 0418 0501 0815 1101 1206 1208 1225", "BOE-A-2024-21316; 12 October is a Sunday"),
    (2026, "0101 0106 0403 0501 0815 1012 1208 1225", "BOE 28/10/2025; 1 November and 6 December are Sundays"),
]

DUE = [
    ("303", 2025, "Q1", date(2025, 4, 21), "20 April is Easter Sunday; " + AEAT_2025),
    ("303", 2025, "Q2", date(2025, 7, 21), "20 July is a Sunday; " + AEAT_2025),
    ("303", 2025, "Q3", date(2025, 10, 20), AEAT_2025),
    ("303", 2024, "Q4", date(2025, 1, 30), "RIVA, art. 71.4"),
    ("303", 2021, "Q4", date(2022, 1, 31), "30 January 2022 is a Sunday"),
    ("303", 2025, "M01", date(2025, 2, 28), "RIVA, art. 71.4: the last of February"),
    ("303", 2024, "M01", date(2024, 2, 29), "leap year"),
    ("303", 2025, "M10", date(2025, 12, 1), "30 November is a Sunday"),
    ("303", 2025, "M12", date(2026, 1, 30), "RIVA, art. 71.4"),
    ("130", 2025, "Q1", date(2025, 4, 21), "as the 303"),
    ("130", 2025, "Q4", date(2026, 1, 30), "RIRPF, art. 111.1"),
    ("111", 2024, "Q4", date(2025, 1, 20), AEAT_2025),
    ("111", 2025, "Q1", date(2025, 4, 21), AEAT_2025),
    ("115", 2025, "Q2", date(2025, 7, 21), AEAT_2025),
    ("115", 2025, "M08", date(2025, 9, 22), "20 September is a Saturday; RIRPF, art. 108.1"),
    ("349", 2025, "Q3", date(2025, 10, 20), AEAT_CALENDAR),
    ("349", 2025, "Q4", date(2026, 1, 30), AEAT_CALENDAR),
    ("349", 2026, "M06", date(2026, 7, 20), AEAT_CALENDAR),
    ("349", 2026, "M07", date(2026, 9, 21), "July until 20 September, a Sunday in 2026; " + AEAT_CALENDAR),
    ("349", 2025, "M12", date(2026, 1, 30), AEAT_CALENDAR),
    ("390", 2025, "Y", date(2026, 1, 30), "RIVA, art. 71.7; " + AEAT_CALENDAR),
    ("190", 2024, "Y", date(2025, 1, 31), "RIRPF, art. 108.2"),
    ("180", 2025, "Y", date(2026, 2, 2), "31 January 2026 is a Saturday; RIRPF, art. 108.2"),
    ("347", 2024, "Y", date(2025, 2, 28), AEAT_CALENDAR),
    ("347", 2023, "Y", date(2024, 2, 29), "leap year"),
    ("347", 2025, "Y", date(2026, 3, 2), "28 February 2026 is a Saturday"),
]

DEBIT = [
    ("111", 2024, "Q4", date(2025, 1, 15), AEAT_2025),
    ("111", 2025, "Q1", date(2025, 4, 15), AEAT_2025),
    ("111", 2025, "Q2", date(2025, 7, 16), AEAT_2025),
    ("111", 2025, "Q3", date(2025, 10, 15), AEAT_2025),
    ("111", 2025, "M01", date(2025, 2, 17), AEAT_2025),
    ("111", 2025, "M02", date(2025, 3, 17), AEAT_2025),
    ("111", 2025, "M04", date(2025, 5, 15), AEAT_2025),
    ("111", 2025, "M05", date(2025, 6, 17), AEAT_2025),
    ("111", 2025, "M06", date(2025, 7, 16), AEAT_2025),
    ("111", 2025, "M07", date(2025, 8, 15), AEAT_2025 + ": not among the exceptions, though a holiday"),
    ("111", 2025, "M08", date(2025, 9, 17), AEAT_2025),
    ("111", 2025, "M09", date(2025, 10, 15), AEAT_2025),
    ("111", 2025, "M10", date(2025, 11, 17), AEAT_2025),
    ("115", 2025, "M11", date(2025, 12, 17), AEAT_2025),
    ("303", 2024, "Q4", date(2025, 1, 27), AEAT_CALENDAR + ": 25 to 27 January"),
    ("130", 2022, "Q4", date(2023, 1, 25), "AEAT, terms with direct debit 2023: 1 to 25 January"),
    ("303", 2026, "Q2", date(2026, 7, 15), AEAT_CALENDAR + ": until day 15; 20 July 2026 is a Monday"),
]


@pytest.mark.parametrize(("year", "expected"), EASTER)
def test_easter_sunday_is_the_published_one(year, expected):
    assert expected == calendar.easter_sunday(year)


@pytest.mark.parametrize(("year", "days", "source"), COMMON_HOLIDAYS)
def test_weekday_holidays_are_those_of_the_yearly_resolution(year, days, source):
    published = {date(year, int(day[:2]), int(day[2:])) for day in days.split()}

    holidays = {day for day in calendar.national_holidays(year) if day.weekday() != 6}

    assert published == holidays, source


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2025, 4, 18), date(2025, 4, 21)),
        (date(2025, 4, 17), date(2025, 4, 17)),
        (date(2026, 5, 1), date(2026, 5, 4)),
        (date(2026, 12, 5), date(2026, 12, 7)),
        (date(2025, 12, 6), date(2025, 12, 9)),
        (date(2021, 12, 31), date(2021, 12, 31)),
        (date(2022, 1, 1), date(2022, 1, 3)),
    ],
)
def test_next_working_day_skips_weekends_and_holidays(day, expected):
    assert expected == calendar.next_working_day(day)


@pytest.mark.parametrize(("form", "year", "code", "expected", "source"), DUE)
def test_form_is_due_on_the_published_day(form, year, code, expected, source):
    assert expected == calendar.due_date(form, TaxPeriod(year, code)), source


@pytest.mark.parametrize(("form", "year", "code", "expected", "source"), DEBIT)
def test_direct_debit_closes_on_the_published_day(form, year, code, expected, source):
    assert expected == calendar.direct_debit_date(form, TaxPeriod(year, code)), source


@pytest.mark.parametrize("form", ["347", "349", "390", "180", "190"])
def test_informative_forms_have_no_direct_debit(form):
    code = "Q1" if form == "349" else "Y"

    assert calendar.direct_debit_date(form, TaxPeriod(2025, code)) is None


@pytest.mark.parametrize(
    ("form", "year", "code"),
    [("130", 2025, "M01"), ("390", 2025, "Q4"), ("303", 2025, "Y"), ("999", 2025, "Q1")],
)
def test_period_that_a_form_does_not_have_is_refused(form, year, code):
    with pytest.raises(ValueError, match=form):
        calendar.due_date(form, TaxPeriod(year, code))


@pytest.mark.parametrize(("year", "code", "is_known"), [(2013, "Q1", False), (2014, "Q1", True), (2016, "M01", False)])
def test_a_year_before_the_sources_has_no_last_day(year, code, is_known):
    assert (calendar.due_date("303", TaxPeriod(year, code)) is not None) == is_known
    assert (calendar.direct_debit_date("303", TaxPeriod(year, code)) is not None) == is_known


@pytest.mark.parametrize("form", ["303", "130", "111", "115", "347", "349", "390", "180", "190"])
def test_due_dates_are_working_days_after_the_period_and_after_the_debit(form):
    periods = [period for year in range(2020, 2031) for period in _periods_of(form, year)]

    assert {period.year for period in periods} == set(range(2020, 2031))
    assert [period for period in periods if not _is_in_order(form, period)] == []


def _is_in_order(form, period):
    due = calendar.due_date(form, period)
    debit = calendar.direct_debit_date(form, period) or due - timedelta(days=1)
    return calendar.is_working_day(due) and period.span.last < debit < due


def _periods_of(form, year):
    for code in [*(f"Q{number}" for number in range(1, 5)), *(f"M{number:02d}" for number in range(1, 13)), "Y"]:
        with suppress(ValueError):
            calendar.due_date(form, TaxPeriod(year, code))
            yield TaxPeriod(year, code)

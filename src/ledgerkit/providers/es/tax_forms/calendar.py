"""Calendar of the tax agency: working days, and the last days to file each form with and without direct debit.

Sources: RD 2001/1983, art. 45.1, as amended by RD 1346/1989 (holidays, confirmed every year by a resolution of the
Directorate-General of Labour, for 2026 in the BOE of 28/10/2025, for 2025 BOE-A-2024-21316); Ley 39/2015, art. 30.2 and
30.5 (a term that ends on a Saturday, a Sunday or a holiday is extended to the next working day); AEAT, calendars of the
taxpayer 2025 and 2026. Holidays of regions and towns also extend a term, but the account's town is not known: they are
left out, so that a day here may be too early, never too late.
"""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from ledgerkit.providers.api import TaxPeriod

_DAY = timedelta(days=1)
_SATURDAY = 5


@dataclass(frozen=True, kw_only=True)
class FixedHoliday:
    """Holiday of all of Spain on the same day of every year."""

    month: int
    day: int
    name: str
    source: str


_NOT_REPLACEABLE = "RD 2001/1983, art. 45.1.a to c: no region may replace it"
_CHOSEN_BY_ALL = "RD 2001/1983, art. 45.1.d: every region has chosen it in the resolutions for 2022 to 2026"

FIXED_HOLIDAYS = (
    FixedHoliday(month=1, day=1, name="Año Nuevo", source=_NOT_REPLACEABLE),
    FixedHoliday(month=1, day=6, name="Epifanía del Señor", source=_CHOSEN_BY_ALL),
    FixedHoliday(month=5, day=1, name="Fiesta del Trabajo", source=_NOT_REPLACEABLE),
    FixedHoliday(month=8, day=15, name="Asunción de la Virgen", source=_NOT_REPLACEABLE),
    FixedHoliday(month=10, day=12, name="Fiesta Nacional de España", source=_NOT_REPLACEABLE),
    FixedHoliday(month=11, day=1, name="Todos los Santos", source=_NOT_REPLACEABLE),
    FixedHoliday(month=12, day=6, name="Día de la Constitución Española", source=_NOT_REPLACEABLE),
    FixedHoliday(month=12, day=8, name="Inmaculada Concepción", source=_NOT_REPLACEABLE),
    FixedHoliday(month=12, day=25, name="Natividad del Señor", source=_NOT_REPLACEABLE),
)
"""National holidays beside Good Friday. One that falls on a Sunday is moved by some regions only, so it is not here."""

_QUARTERS_WITHIN_YEAR = frozenset({"Q1", "Q2", "Q3"})
_FOURTH_QUARTER = frozenset({"Q4"})
_QUARTERS = _QUARTERS_WITHIN_YEAR | _FOURTH_QUARTER
_MONTHS = frozenset(f"M{number:02d}" for number in range(1, 13))
_JULY, _DECEMBER = frozenset({"M07"}), frozenset({"M12"})
_YEAR = frozenset({"Y"})
_LAST_DAY = 31


@dataclass(frozen=True, kw_only=True)
class Deadline:
    """Last day to file for some forms and periods: that `day`, `months` after the period's last month.

    A day that the month does not have is its last one. `since_year` is the first year of periods that it holds for.
    """

    forms: frozenset[str]
    periods: frozenset[str]
    day: int
    source: str
    months: int = 1
    direct_debit: bool = False
    since_year: int = 2014


_VAT_TERM = "RD 1624/1992 (RIVA), art. 71.4; RD 439/2007 (RIRPF), art. 111; AEAT calendar 2025"
_WITHHOLDING_TERM = "RD 439/2007 (RIRPF), art. 108.1; AEAT calendar 2025"
_RECAPITULATIVE_TERM = "Orden EHA/769/2010, as amended by Orden HAC/174/2020; tax calendar of the AEAT"

DEADLINES = (
    Deadline(
        forms=frozenset({"303", "130"}), periods=_QUARTERS_WITHIN_YEAR, day=20, direct_debit=True, source=_VAT_TERM
    ),
    Deadline(forms=frozenset({"303", "130"}), periods=_FOURTH_QUARTER, day=30, direct_debit=True, source=_VAT_TERM),
    Deadline(forms=frozenset({"303"}), periods=_MONTHS, day=30, direct_debit=True, source=_VAT_TERM, since_year=2017),
    Deadline(
        forms=frozenset({"111", "115"}),
        periods=_QUARTERS | _MONTHS,
        day=20,
        direct_debit=True,
        source=_WITHHOLDING_TERM,
    ),
    Deadline(
        forms=frozenset({"349"}),
        periods=_QUARTERS_WITHIN_YEAR | _MONTHS - _JULY - _DECEMBER,
        day=20,
        source=_RECAPITULATIVE_TERM,
    ),
    Deadline(forms=frozenset({"349"}), periods=_JULY, day=20, months=2, source=_RECAPITULATIVE_TERM),
    Deadline(forms=frozenset({"349"}), periods=_FOURTH_QUARTER | _DECEMBER, day=30, source=_RECAPITULATIVE_TERM),
    Deadline(
        forms=frozenset({"390"}), periods=_YEAR, day=30, source="RD 1624/1992 (RIVA), art. 71.7; Orden EHA/3111/2009"
    ),
    Deadline(forms=frozenset({"180", "190"}), periods=_YEAR, day=_LAST_DAY, source="RD 439/2007 (RIRPF), art. 108.2"),
    Deadline(
        forms=frozenset({"347"}),
        periods=_YEAR,
        day=_LAST_DAY,
        months=2,
        source="Orden EHA/3012/2008, as amended by Orden HAP/1732/2014: February, for the year before",
    ),
)

_DEBIT_DAYS_BEFORE = 5
"""Direct debit closes on the 15th where the term ends on the 20th, and so on (Orden EHA/1658/2009, annex II)."""

_DEBIT_WORKING_DAYS_BEFORE = 3


@cache
def easter_sunday(year: int) -> date:
    """Compute Easter Sunday of the Gregorian calendar by Butcher's algorithm (Meeus, Astronomical Algorithms, 8)."""
    golden = year % 19
    century, year_of_century = divmod(year, 100)
    leap_centuries, century_rest = divmod(century, 4)
    correction = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leap_centuries - correction + 15) % 30
    leap_years, year_rest = divmod(year_of_century, 4)
    weekday = (32 + 2 * century_rest + 2 * leap_years - epact - year_rest) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


@cache
def national_holidays(year: int) -> frozenset[date]:
    """Return the holidays of all of Spain: the fixed ones and Good Friday."""
    fixed = {date(year, holiday.month, holiday.day) for holiday in FIXED_HOLIDAYS}
    return frozenset(fixed | {easter_sunday(year) - 2 * _DAY})


def is_working_day(day: date) -> bool:
    """Return False on Saturdays, Sundays and national holidays."""
    return day.weekday() < _SATURDAY and day not in national_holidays(day.year)


def next_working_day(day: date) -> date:
    """Return the day itself when it is a working day, else the first one after it."""
    while not is_working_day(day):
        day += _DAY
    return day


def due_date(form: str, period: TaxPeriod) -> date | None:
    """Return the last day to file, moved to a working day; None for a year whose term is not known.

    Raises ValueError where the form has no such period.
    """
    deadline = _deadline(form, period)
    return None if deadline is None else next_working_day(_nominal_date(deadline, period))


def direct_debit_date(form: str, period: TaxPeriod) -> date | None:
    """Return the last day to file with direct debit; None without that choice, and for a year that is not known.

    Five days before the nominal term. It is later where three working days still lie between it and the due date,
    the due date among them: so the agency moves it when the days of the term are no working days (AEAT, terms with
    direct debit, calendars of 2025 and 2026). Raises ValueError where the form has no such period.
    """
    deadline = _deadline(form, period)
    if deadline is None or not deadline.direct_debit:
        return None
    nominal = _nominal_date(deadline, period)
    early = nominal - _DEBIT_DAYS_BEFORE * _DAY
    return max(early, _working_days_before(next_working_day(nominal), _DEBIT_WORKING_DAYS_BEFORE))


def _deadline(form: str, period: TaxPeriod) -> Deadline | None:
    of_period = [deadline for deadline in DEADLINES if form in deadline.forms and period.code in deadline.periods]
    if not of_period:
        raise ValueError(f"{form} {period.year} {period.code}")
    return next((deadline for deadline in of_period if period.year >= deadline.since_year), None)


def _nominal_date(deadline: Deadline, period: TaxPeriod) -> date:
    last = period.span.last
    year, month = divmod(last.year * 12 + last.month - 1 + deadline.months, 12)
    return date(year, month + 1, min(deadline.day, monthrange(year, month + 1)[1]))


def _working_days_before(day: date, count: int) -> date:
    while count:
        day -= _DAY
        count -= is_working_day(day)
    return day

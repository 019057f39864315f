"""Calendar of the declarations that an account has to file."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import date, timedelta
from uuid import UUID

from sqlalchemy import Text, bindparam, select

from ledgerkit.core.declarations.calendar.api import CalendarEntry
from ledgerkit.core.declarations.computation import books
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import COUNTRY_ERRORS, FormPeriod
from ledgerkit.core.declarations.table import tax_declaration
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity.accounts import profiles
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.reports import ledger as ledgers
from ledgerkit.providers.api import BooksOutline, CountryProvider, DateSpan, TaxForm, TaxPeriod, TaxProfile

DAYS_AHEAD = timedelta(days=90)
"""Days that the calendar looks ahead if no year is stated."""


class DeclaredRow(Row):
    id: UUID
    form: str
    year: int
    period: str
    status: str


_of = tax_declaration.c
_DECLARED = Prepared(
    select(_of.id, _of.form, _of.year, _of.period, _of.status)
    .where(_of.country == bindparam("country", type_=Text))
    .order_by(_of.amendment),
    DeclaredRow,
)


@operation(Permission.DECLARATIONS_READ, unit=Unit.READING, errors=COUNTRY_ERRORS)
async def calendar(ctx: Context, year: int | None = None, country: str | None = None) -> list[CalendarEntry]:
    """List the declarations that are due in a year, in order of their days.

    Without a year they are those of this one and of the next 90 days, without periods that ended before the account
    began: by its profile, else by its first document or the day on which it was made. They are the declarations of a
    country, default the account's, as far as its tax profile and its documents show, without those for other
    authorities. The declarations of a year's last period are due in the next year. Raises
    Invalid DECLARATION_UNSUPPORTED for a country that is not installed.
    """
    provider = forms.country_of(ctx, country)
    profile = await books.profile(ctx, provider)
    rows = await _DECLARED.rows(ctx.db, country=provider.code)
    declared = {(row.form, row.year, row.period): row for row in rows}
    days = (
        _shown_days(ctx.account.today()) if year is None else DateSpan(first=date(year, 1, 1), last=date(year, 12, 31))
    )
    began = date.min if year is not None else profile.started or await _beginning(ctx)
    outline = await _outline(ctx, days.last.year, declared)
    entries = [
        _entry(ctx, of, due_date, declared)
        for of, due_date in _due(provider, profile, days)
        if _name(of) in declared or (of.period.span.last >= began and of.form.is_indicated(of.period, outline))
    ]
    return sorted(entries, key=lambda entry: (entry.due_date, entry.form))


def _shown_days(today: date) -> DateSpan:
    """Return this year until its end, and at least the days ahead."""
    return DateSpan(first=date(today.year, 1, 1), last=max(date(today.year, 12, 31), today + DAYS_AHEAD))


async def _beginning(ctx: Context) -> date:
    """Return the day since which the account is known to exist: of its first document, or on which it was made."""
    made_on, first_day = await profiles.made_on(ctx), await ledgers.first_day(ctx)
    return made_on if first_day is None else min(made_on, first_day)


async def _outline(ctx: Context, year: int, declared: Collection[tuple[str, int, str]]) -> BooksOutline:
    """Return the outline of the books from two years before until the end of a year, with the forms declared in it."""
    first = min(year, ctx.account.today().year) - 2
    outline = await ledgers.outline(ctx, DateSpan(first=date(first, 1, 1), last=date(year, 12, 31)))
    return replace(outline, declared=frozenset(form for form, of_year, _ in declared if first < of_year <= year))


def _name(of: FormPeriod) -> tuple[str, int, str]:
    return of.form.code, of.period.year, of.period.code


def _due(country: CountryProvider, profile: TaxProfile, days: DateSpan) -> Iterator[tuple[FormPeriod, date]]:
    years = range(days.first.year - 1, days.last.year + 1)
    for form in country.declarations:
        for period in (TaxPeriod(year, code) for year in years for code in form.periods(year)):
            due_date = form.due_date(period)
            if due_date is not None and due_date in days and _is_due(form, profile, period):
                yield FormPeriod(country, form, period), due_date


def _is_due(form: TaxForm, profile: TaxProfile, period: TaxPeriod) -> bool:
    """Return True for a form that the account has to file with its own authority."""
    if not form.is_due(profile, period):
        return False
    notice = form.filing_notice(profile, period)
    return notice is None or notice.is_due_here


def _entry(
    ctx: Context, of: FormPeriod, due_date: date, declared: dict[tuple[str, int, str], DeclaredRow]
) -> CalendarEntry:
    row = declared.get(_name(of))
    return CalendarEntry(
        country=of.provider.code,
        form=of.form.code,
        name=of.form.name.in_language(ctx.request_metadata.language),
        year=of.period.year,
        period=of.period.code,
        period_start=of.period.span.first,
        period_end=of.period.span.last,
        due_date=due_date,
        direct_debit_date=of.form.direct_debit_date(of.period),
        only_if=None if of.form.only_if is None else of.form.only_if.in_language(ctx.request_metadata.language),
        status="missing" if row is None else row.status,
        declaration_id=None if row is None else str(row.id),
    )

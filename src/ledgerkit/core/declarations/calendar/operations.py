"""Calendar of the declarations that an account has to file."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import date
from uuid import UUID

from sqlalchemy import Text, bindparam, select

from ledgerkit.core.declarations.calendar.api import CalendarEntry
from ledgerkit.core.declarations.computation import books
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import COUNTRY_ERRORS, FormPeriod
from ledgerkit.core.declarations.table import tax_declaration
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.reports import ledger as ledgers
from ledgerkit.providers.api import BooksOutline, CountryProvider, DateSpan, TaxForm, TaxPeriod, TaxProfile


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
    """List the declarations that are due in a year, default this one, in order of their days.

    They are the declarations of a country, default the account's, as far as its tax profile and its documents show,
    without those for other authorities. The declarations of a year's last period are due in the next year. Raises
    Invalid DECLARATION_UNSUPPORTED for a country that is not installed.
    """
    provider = forms.country_of(ctx, country)
    profile = await books.profile(ctx, provider)
    rows = await _DECLARED.rows(ctx.db, country=provider.code)
    declared = {(row.form, row.year, row.period): row for row in rows}
    of_year = year or ctx.account.today().year
    outline = await _outline(ctx, of_year, declared)
    entries = [
        _entry(ctx, of, due_date, declared)
        for of, due_date in _due(provider, profile, of_year)
        if _name(of) in declared or of.form.is_indicated(of.period, outline)
    ]
    return sorted(entries, key=lambda entry: (entry.due_date, entry.form))


async def _outline(ctx: Context, year: int, declared: Collection[tuple[str, int, str]]) -> BooksOutline:
    """Return the outline of the books from two years before until the end of a year, with the forms declared in it."""
    first = min(year, ctx.account.today().year) - 2
    outline = await ledgers.outline(ctx, DateSpan(first=date(first, 1, 1), last=date(year, 12, 31)))
    return replace(outline, declared=frozenset(form for form, of_year, _ in declared if first < of_year <= year))


def _name(of: FormPeriod) -> tuple[str, int, str]:
    return of.form.code, of.period.year, of.period.code


def _due(country: CountryProvider, profile: TaxProfile, year: int) -> Iterator[tuple[FormPeriod, date]]:
    for form in country.declarations:
        for period in (TaxPeriod(of_year, code) for of_year in (year - 1, year) for code in form.periods(of_year)):
            due_date = form.due_date(period)
            if due_date is not None and due_date.year == year and _is_due(form, profile, period):
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

"""Cross-checks of a year: its declarations compared with each other and with the books. They block nothing."""

import asyncio
from uuid import UUID

from sqlalchemy import ARRAY, Integer, Text, any_, bindparam, select
from sqlalchemy.dialects.postgresql import distinct_on

from ledgerkit.core.declarations.calendar.api import CrossCheckResult, CrossCheckSide, CrossCheckTerm
from ledgerkit.core.declarations.computation import books
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import COUNTRY_ERRORS, FormPeriod
from ledgerkit.core.declarations.table import (
    BOXES,
    RECORDS,
    Boxes,
    StoredRecord,
    as_given,
    tax_declaration,
    tax_declaration_content,
)
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.reports import ledger as ledgers
from ledgerkit.providers.api import (
    CheckInput,
    CheckSide,
    CheckState,
    CheckTerm,
    Comparison,
    CountryProvider,
    CrossCheck,
    PreviousDeclaration,
    TaxPeriod,
    YearDeclaration,
)
from ledgerkit.texts import Joined, text


class CheckedRow(Row):
    id: UUID
    form: str
    period: str
    status: str
    effective_boxes: StoredJson[Boxes]
    declaration_type: str | None
    records: StoredJson[tuple[StoredRecord, ...]] | None


_of, _content = tax_declaration.c, tax_declaration_content.c
_NEWEST = Prepared(
    select(_of.id, _of.form, _of.period, _of.status, _of.effective_boxes, _of.declaration_type, _content.records)
    .ext(distinct_on(_of.form, _of.period))
    .select_from(tax_declaration.outerjoin(tax_declaration_content, _content.declaration_id == _of.id))
    .where(
        _of.country == bindparam("country", type_=Text),
        _of.year == bindparam("year", type_=Integer),
        _of.form == any_(bindparam("forms", type_=ARRAY(Text))),
    )
    .order_by(_of.form, _of.period, _of.amendment.desc()),
    CheckedRow,
)


@operation(Permission.DECLARATIONS_READ, unit=Unit.OWN, errors=COUNTRY_ERRORS, effects=Effect.READ_ONLY)
async def cross_checks(ctx: Context, year: int | None = None, country: str | None = None) -> list[CrossCheckResult]:
    """Compare the declarations of a year, default this one, with each other and with the books.

    The last declaration of each form and period counts, draft or submitted. Empty for a country without checks. Raises
    Invalid DECLARATION_UNSUPPORTED for a country that is not installed.
    """
    provider, of_year = forms.country_of(ctx, country), year or ctx.account.today().year
    year_input = await ctx.read_snapshot(lambda inner: _read(inner, provider, of_year))
    compared = await asyncio.to_thread(lambda: [(check, check.compare(year_input)) for check in provider.cross_checks])
    return [_shown(check, comparison, ctx.request_metadata.language) for check, comparison in compared]


async def _read(ctx: Context, provider: CountryProvider, year: int) -> CheckInput:
    codes = sorted({code for check in provider.cross_checks for code in check.forms})
    rows = await _NEWEST.rows(ctx.db, country=provider.code, year=year, forms=codes)
    declared = {row.form for row in rows}
    reads_ledger = any(declared & {*check.ledger_for} for check in provider.cross_checks)
    return CheckInput(
        year=year,
        declarations=[declaration for row in rows if (declaration := _declaration(provider, year, row)) is not None],
        profile=await books.profile(ctx, provider),
        ledger=await ledgers.read(ctx, TaxPeriod(year, "Y").span) if reads_ledger else None,
    )


def _declaration(provider: CountryProvider, year: int, row: CheckedRow) -> YearDeclaration | None:
    """Return a declaration as checks see it; None where its form is not installed any more."""
    form = next((form for form in provider.declarations if form.code == row.form), None)
    if form is None or row.period not in form.periods(year):
        return None
    period = TaxPeriod(year, row.period)
    declared = PreviousDeclaration(
        form=row.form,
        period=period,
        boxes=FormPeriod(provider, form, period).exact(BOXES.decode(row.effective_boxes)),
        declaration_type=row.declaration_type,
        submitted=row.status == "submitted",
        records=tuple(as_given(record) for record in RECORDS.decode(row.records) or ()),
    )
    return YearDeclaration(declaration_id=str(row.id), declared=declared)


def _shown(check: CrossCheck, comparison: Comparison, language: str) -> CrossCheckResult:
    return CrossCheckResult(
        code=check.code,
        title=check.title.in_language(language),
        source=check.source,
        state=comparison.state,
        left=_side(comparison.left, language),
        right=_side(comparison.right, language),
        difference=comparison.difference,
        tolerance=comparison.tolerance,
        note=_note(check, comparison, language),
    )


def _note(check: CrossCheck, comparison: Comparison, language: str) -> str | None:
    if comparison.state is CheckState.DIFFERENT:
        return check.remedy.in_language(language)
    if comparison.state is not CheckState.INCOMPLETE:
        return None
    listed = Joined(_unknown(comparison), separator="; ")
    return text(DeclarationsMsg.CHECK_INCOMPLETE, listed=listed).in_language(language)


def _unknown(comparison: Comparison) -> list[str]:
    """Return `303: Q1, Q2` for each form of which a declaration or its amount is missing."""
    periods: dict[str | None, list[str]] = {}
    for term in comparison.unknown:
        if term.period.code not in periods.setdefault(term.form, []):
            periods[term.form].append(term.period.code)
    return [f"{form}: {', '.join(codes)}" for form, codes in periods.items()]


def _side(side: CheckSide, language: str) -> CrossCheckSide:
    return CrossCheckSide(
        name=side.name.in_language(language), amount=side.amount, terms=[_term(term, language) for term in side.terms]
    )


def _term(term: CheckTerm, language: str) -> CrossCheckTerm:
    declaration = term.declaration
    status = None if term.form is None else "missing"
    if declaration is not None:
        status = "submitted" if declaration.declared.submitted else "draft"
    return CrossCheckTerm(
        form=term.form,
        period=term.period.code,
        name=None if term.name is None else term.name.in_language(language),
        boxes=list(term.boxes),
        amount=term.amount,
        status=status,
        declaration_id=None if declaration is None else declaration.declaration_id,
    )

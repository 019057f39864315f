"""Tax declarations: generate, list, read, change and delete them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from uuid import UUID

from sqlalchemy import ColumnElement, Integer, Text, Uuid, bindparam, func, select

from ledgerkit.core.declarations import acts, output, queries
from ledgerkit.core.declarations.api import (
    DeclarationChange,
    DeclarationOverview,
    GenerateInput,
    SupportedCountries,
    SupportedForm,
    TaxDeclaration,
)
from ledgerkit.core.declarations.computation import books, generation
from ledgerkit.core.declarations.computation import columns as computation_columns
from ledgerkit.core.declarations.computation.books import Books
from ledgerkit.core.declarations.computation.columns import ComputedDeclaration, Decisions
from ledgerkit.core.declarations.computation.generation import Revision
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms import places
from ledgerkit.core.declarations.forms import warnings as form_warnings
from ledgerkit.core.declarations.forms.installed import COUNTRY_ERRORS
from ledgerkit.core.declarations.output import Findings
from ledgerkit.core.declarations.proposals import earlier_periods
from ledgerkit.core.declarations.proposals import operations as proposals
from ledgerkit.core.declarations.queries import ContentRow
from ledgerkit.core.declarations.table import (
    BOXES,
    DeclarationRow,
    StoredWarning,
    tax_declaration,
    tax_declaration_content,
)
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import LIMIT, OFFSET, Page, PageRequest
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents import filed_declarations
from ledgerkit.core.platform.records.texts import RecordsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Errors, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.money import dumps_exact
from ledgerkit.problems import Code, Invalid, PreconditionFailed
from ledgerkit.providers.api import CountryProvider
from ledgerkit.texts import text

DRAFT_ERRORS: Errors = [(Invalid, {Code.DECLARATION_SUBMITTED})]


class DeclarationCountRow(Row):
    count: int


class AmendingRow(Row):
    id: UUID


_of = tax_declaration.c
_FILTERS: dict[str, ColumnElement[bool]] = {
    "country": _of.country == bindparam("country", type_=Text),
    "year": _of.year == bindparam("year", type_=Integer),
    "form": _of.form == bindparam("form", type_=Text),
    "period": _of.period == bindparam("period", type_=Text),
    "status": _of.status == bindparam("status", type_=Text),
}
_ORDER = (_of.year.desc(), _of.period.desc(), _of.form, _of.country, _of.amendment.desc())
_AMENDING = Prepared(select(_of.id).where(_of.complementary_of == bindparam("declaration_id", type_=Uuid)), AmendingRow)
_DELETE_CONTENT = Prepared(
    tax_declaration_content.delete().where(
        tax_declaration_content.c.declaration_id == bindparam("declaration_id", type_=Uuid)
    )
)
_DELETE = Prepared(tax_declaration.delete().where(_of.id == bindparam("declaration_id", type_=Uuid)))


filed_declarations.register_filed_declarations(queries.filed_on)


@operation(Permission.DECLARATIONS_READ, unit=Unit.READING)
async def supported(ctx: Context) -> SupportedCountries:
    """Return the countries whose declarations can be made here, and their forms with the periods of this year."""
    countries = forms.with_forms(ctx)
    return SupportedCountries(
        countries=[country.code for country in countries],
        forms=[form for country in countries for form in await _supported(ctx, country)],
    )


async def _supported(ctx: Context, country: CountryProvider) -> list[SupportedForm]:
    language, today = ctx.request_metadata.language, ctx.account.today()
    profile = await books.readable_profile(ctx, country.code)
    return [
        SupportedForm(
            country=country.code,
            form=form.code,
            name=form.name.in_language(language),
            periods=list(form.periods(today.year)),
            filing=places.advice(form, profile, today, language),
        )
        for form in country.declarations
    ]


@operation(
    Permission.DECLARATIONS_WRITE,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.DECLARATION_SUBMITTED, Code.DECLARATION_UNSUPPORTED, Code.DECLARATION_ELSEWHERE})],
    effects=Effect.IDEMPOTENT,
    act=acts.COMPUTATION,
)
async def generate(ctx: Context, data: GenerateInput) -> TaxDeclaration:
    """Compute the declaration of a period from the books; an existing draft is computed again.

    A draft keeps its overrides, notes and choice, and shows the changes. Raises Invalid for an unknown country, form,
    year or period, DECLARATION_SUBMITTED, and DECLARATION_ELSEWHERE for a form of another authority.
    """
    of = forms.target(ctx, data.country, data.form, data.year, data.period)
    declaration_id = await generation.settle(ctx, of, lambda last: generation.generation(of, last, data.amends))
    return await proposals.shown(ctx, str(declaration_id))


@operation(Permission.DECLARATIONS_READ, unit=Unit.READING, errors=COUNTRY_ERRORS)
async def listing(ctx: Context, page: PageRequest, filters: Mapping[str, str | int]) -> Page:
    """List declarations without evidence and records, those of the latest year and period first.

    `filters` by name: country, year, form, period, status. Raises Invalid for a country without declarations.
    """
    if "country" in filters:
        forms.provider_of(ctx, str(filters["country"]))
    listed, counted = _listed(frozenset(filters))
    rows = await listed.rows(ctx.db, offset=page.offset, limit=page.size, **filters)
    shown = [overview.model_dump(mode="json", by_alias=True) for overview in await _overviews(ctx, rows)]
    total = (await counted.one(ctx.db, **filters)).count
    return Page(body=dumps_exact(shown).encode(), total=total, number=page.number, size=page.size)


async def _overviews(ctx: Context, rows: Sequence[DeclarationRow]) -> list[DeclarationOverview]:
    """Show rows as lists do, drafts with the warning that another authority takes their form by now."""
    profiles = {code: await books.readable_profile(ctx, code) for code in {row.country for row in rows}}
    return [
        output.overview(ctx, row, places.warnings_now(forms.installed(ctx, row), row, profiles[row.country]))
        for row in rows
    ]


@cache
def _listed(filters: frozenset[str]) -> tuple[Prepared[DeclarationRow], Prepared[DeclarationCountRow]]:
    conditions = [_FILTERS[name] for name in sorted(filters)]
    rows = select(tax_declaration).where(*conditions).order_by(*_ORDER).offset(OFFSET).limit(LIMIT)
    total = select(func.count().label("count")).select_from(tax_declaration).where(*conditions)
    return Prepared(rows, DeclarationRow), Prepared(total, DeclarationCountRow)


@operation(Permission.DECLARATIONS_READ, unit=Unit.OWN, effects=Effect.READ_ONLY)
async def get(ctx: Context, declaration_id: str) -> TaxDeclaration:
    """Return one declaration, compared with the present books. Raises NotFound."""
    row, content, books_now = await ctx.read_snapshot(lambda inner: _with_books(inner, declaration_id))
    of = forms.installed(ctx, row)
    if isinstance(books_now, StoredWarning):
        return output.whole(ctx, row, content, Findings(warnings=(books_now,)))
    if of is None or books_now is None:
        return output.whole(ctx, row, content)
    computed = await computation_columns.compute(of, books_now, Decisions.of(of, row))
    pending = computation_columns.changes(of.exact(BOXES.decode(row.effective_boxes)), computed.effective)
    documents = await earlier_periods.documents_changed(ctx, row, computed)
    proposed = await proposals.proposed(ctx, row)
    warnings = (
        *places.warnings_now(of, row, books_now.profile),
        *form_warnings.of_other_issuers_now(row, computed.warnings),
        *((_outdated(row),) if pending or documents else ()),
        *proposed.warnings,
    )
    findings = replace(proposed, pending=pending, warnings=warnings, documents=documents)
    return output.whole(ctx, row, content, findings)


async def _with_books(
    ctx: Context, declaration_id: str
) -> tuple[DeclarationRow, ContentRow, Books | StoredWarning | None]:
    """Return a declaration with today's books; None for one that is not compared with them, a warning if it cannot be.

    Neither what was typed in nor what has been amended since is compared.
    """
    row = await records.fetch(ctx, tax_declaration, declaration_id, queries.WHAT)
    content, of = await queries.content(ctx, row), forms.installed(ctx, row)
    if of is None or row.origin == "external":
        return row, content, None
    newest = await queries.newest(ctx, of)
    if newest is None or newest.id != row.id:
        return row, content, None
    try:
        return row, content, await books.read(ctx, of, row.amendment)
    except Invalid as problem:
        return row, content, forms.warning("not_compared", problem.text.message)


def _outdated(row: DeclarationRow) -> StoredWarning:
    if row.status == "submitted":
        return forms.warning("submitted_differs", text(DeclarationsMsg.SUBMITTED_DIFFERS))
    return forms.warning("books_changed", text(DeclarationsMsg.BOOKS_CHANGED))


@operation(
    Permission.DECLARATIONS_WRITE,
    unit=Unit.OWN,
    errors=[(Invalid, {Code.DECLARATION_SUBMITTED, Code.DECLARATION_ELSEWHERE})],
    effects=Effect.IDEMPOTENT,
    act=acts.CHANGE,
)
async def update(ctx: Context, declaration_id: str, data: DeclarationChange) -> TaxDeclaration:
    """Change a draft, and compute it again from the present books.

    Raises NotFound; Invalid for an unknown box or a type that the result does not allow, DECLARATION_SUBMITTED, and
    DECLARATION_ELSEWHERE.
    """
    row, is_expected = await _draft(ctx, declaration_id)
    of = forms.target_of(ctx, row)
    if "manual_overrides" in data.model_fields_set:
        forms.check_boxes(of, data.manual_overrides, "manualOverrides")

    def revise(last: DeclarationRow | None) -> Revision:
        if last is None or last.id != row.id or (is_expected and last.version != row.version):
            raise PreconditionFailed(DeclarationsMsg.CHANGED_MEANWHILE, form=of.label)
        queries.check_draft(last)
        columns = Values.copied(DeclarationRow, data, data.model_fields_set & {"notes"})
        decisions = Decisions.of(of, last).changed(data)
        return Revision(decisions=decisions, columns=columns, action="updated", decides=True)

    def check(computed: ComputedDeclaration) -> None:
        letter = data.declaration_type
        if letter is not None and letter not in computed.types:
            listed = ", ".join(computed.types) or "-"
            raise Invalid.field("declarationType", DeclarationsMsg.TYPE_UNKNOWN, letter=letter, listed=listed)

    await generation.settle(ctx, of, revise, check)
    return await proposals.shown(ctx, declaration_id)


async def _draft(ctx: Context, declaration_id: str) -> tuple[DeclarationRow, bool]:
    """Return the draft, and True when the caller expects it at just this version."""
    is_expected = ctx.request_metadata.if_match is not None  # `expects` forgets the tag
    row = await ctx.read(lambda inner: records.fetch(inner, tax_declaration, declaration_id, queries.WHAT))
    if not ctx.request_metadata.expects(row.version):
        raise PreconditionFailed(RecordsMsg.VERSION_CHANGED, what=queries.WHAT, version=row.version)
    queries.check_draft(row)
    return row, is_expected


@operation(
    Permission.DECLARATIONS_WRITE,
    errors=DRAFT_ERRORS,
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
    act=acts.DELETION,
)
async def delete(ctx: Context, declaration_id: str) -> None:
    """Delete a draft, or a declaration that was typed in. Raises NotFound, Invalid DECLARATION_SUBMITTED."""
    row = await records.fetch_locked(ctx, tax_declaration, declaration_id, queries.WHAT)
    if row.origin != "external":
        queries.check_draft(row)
    if await _AMENDING.row(ctx.db, declaration_id=row.id) is not None:
        raise Invalid(DeclarationsMsg.AMENDED, form=row.form, year=row.year, period=row.period)
    await _DELETE_CONTENT.run(ctx.db, declaration_id=row.id)
    await _DELETE.run(ctx.db, declaration_id=row.id)
    await activity.record(ctx, "deleted", ("tax_declaration", row.id), f"{row.form} {row.year} {row.period}")

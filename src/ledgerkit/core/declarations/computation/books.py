"""Everything that a form needs for its computation, read in one snapshot: ledger, earlier declarations, profile."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError
from sqlalchemy import ARRAY, Date, Text, any_, bindparam, func, select

from ledgerkit.core.declarations.filed import amounts
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.table import (
    BOXES,
    PROFILE,
    RECORDS,
    TYPES,
    Boxes,
    StoredRecord,
    as_given,
    tax_declaration,
    tax_declaration_content,
    tax_profile,
)
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.reports import ledger as ledgers
from ledgerkit.problems import Invalid
from ledgerkit.providers.api import CountryProvider, FiledDocument, Ledger, PreviousDeclaration, TaxPeriod, TaxProfile


@dataclass(frozen=True, kw_only=True)
class Books:
    """Content of the account's books for one form and period at the moment `read_at`."""

    ledger: Ledger
    previous: tuple[PreviousDeclaration, ...]
    profile: TaxProfile
    filed: tuple[FiledDocument, ...]
    read_at: datetime


class MomentRow(Row):
    at: datetime


class EarlierRow(Row):
    form: str
    year: int
    period: str
    amendment: int
    status: str
    effective_boxes: StoredJson[Boxes]
    declaration_type: str | None
    declaration_types: StoredJson[dict[str, dict[str, str]]]
    records: StoredJson[tuple[StoredRecord, ...]] | None


class StoredProfileRow(Row):
    profile: StoredJson[dict[str, object]]


_of, _content = tax_declaration.c, tax_declaration_content.c
_MOMENT = Prepared(select(func.clock_timestamp().label("at")), MomentRow)
_PROFILE = Prepared(
    select(tax_profile.c.profile).where(tax_profile.c.country == bindparam("country", type_=Text)), StoredProfileRow
)
_EARLIER = Prepared(
    select(
        _of.form,
        _of.year,
        _of.period,
        _of.amendment,
        _of.status,
        _of.effective_boxes,
        _of.declaration_type,
        _of.declaration_types,
        _content.records,
    )
    .select_from(tax_declaration.outerjoin(tax_declaration_content, _content.declaration_id == _of.id))
    .where(
        _of.country == bindparam("country", type_=Text),
        _of.form == any_(bindparam("forms", type_=ARRAY(Text))),
        _of.period_end <= bindparam("last", type_=Date),
    )
    .order_by(_of.period_end, _of.period_start, _of.form, _of.amendment),
    EarlierRow,
)


async def read(ctx: Context, of: FormPeriod, amendment: int) -> Books:
    """Read the books for a form, a period and the number of the `amendment`, 0 for the first declaration.

    `ctx` reads in one snapshot already.
    """
    moment = await _MOMENT.one(ctx.db)
    ledger = await ledgers.read(ctx, of.form.ledger_span(of.period))
    return Books(
        ledger=ledger,
        previous=await _previous(ctx, of, amendment),
        profile=await profile(ctx, of.provider),
        filed=await amounts.of_documents(ctx, of, amendment, (purchase.document_id for purchase in ledger.purchases)),
        read_at=moment.at,
    )


async def profile(ctx: Context, country: CountryProvider) -> TaxProfile:
    """Return the profile by which forms compute: the stored one, completed from the address. Raises Invalid."""
    return (await stored_profile(ctx, country)).at(ctx.account.party())


async def readable_profile(ctx: Context, code: str) -> TaxProfile | None:
    """Return the profile by which forms compute; None if its country is not installed or no longer accepts it."""
    country = ctx.kernel.countries.get(code)
    try:
        return None if country is None else await profile(ctx, country)
    except Invalid:
        return None


async def stored_profile(ctx: Context, country: CountryProvider) -> TaxProfile:
    """Return the account's tax profile for a country, or its defaults if none was stored. Raises Invalid."""
    row = await _PROFILE.row(ctx.db, country=country.code)
    try:
        return country.tax_profile() if row is None else country.tax_profile.model_validate(PROFILE.decode(row.profile))
    except ValidationError:
        raise Invalid(DeclarationsMsg.PROFILE_OUTDATED, country=country.code) from None


async def _previous(ctx: Context, of: FormPeriod, amendment: int) -> tuple[PreviousDeclaration, ...]:
    """Return of each earlier period the last submitted declaration, else the draft, of this form and those it reads.

    A form that reads another one gets that of the same days too, as a yearly form those of its quarters. An amendment
    gets all that were filed for its own period before it.
    """
    installed = {form.code for form in of.provider.declarations}
    forms = sorted(installed & {of.form.code, *of.form.reads})
    rows = await _EARLIER.rows(ctx.db, country=of.provider.code, forms=forms, last=of.period.span.last)
    declared = of.form.code, of.period.year, of.period.code
    last = {_name(row): row.amendment for row in rows}
    last |= {_name(row): row.amendment for row in rows if row.status == "submitted"}
    return tuple(
        _earlier(of, row)
        for row in rows
        if (row.amendment < amendment if _name(row) == declared else row.amendment == last[_name(row)])
    )


def _name(row: EarlierRow) -> tuple[str, int, str]:
    return row.form, row.year, row.period


def _earlier(of: FormPeriod, row: EarlierRow) -> PreviousDeclaration:
    usual = next(iter(TYPES.decode(row.declaration_types)), None)
    period = TaxPeriod(row.year, row.period)
    form = next(form for form in of.provider.declarations if form.code == row.form)
    return PreviousDeclaration(
        form=row.form,
        period=period,
        boxes=FormPeriod(of.provider, form, period).exact(BOXES.decode(row.effective_boxes)),
        declaration_type=row.declaration_type or usual,
        submitted=row.status == "submitted",
        records=tuple(as_given(record) for record in RECORDS.decode(row.records) or ()),
    )

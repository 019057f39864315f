"""Rows of tax declarations: by form and period, locked, with their content; and the filed ones of a day."""

from collections.abc import Mapping, Sequence
from datetime import date
from uuid import UUID

from sqlalchemy import Date, Integer, LargeBinary, Text, Uuid, bindparam, cast, select, update
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.table import (
    CHANGES,
    DeclarationRow,
    Evidence,
    StoredDocumentRef,
    StoredRecord,
    tax_declaration,
    tax_declaration_content,
)
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.database.tables import JSON
from ledgerkit.core.platform.documents.filed_declarations import FiledDeclaration
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Code, Invalid

WHAT = "tax declaration"
NO_CONTENT: Mapping[str, str] = {"documents": "[]", "evidence": "{}", "records": "[]"}


class ContentRow(Row):
    """Content of a declaration without the details of its documents; the evidence is megabytes of JSON, as a text."""

    evidence: str
    records: StoredJson[tuple[StoredRecord, ...]]
    file: bytes | None


class EvidenceRow(Row):
    """Documents behind a declaration, and the amounts that each brings to its boxes."""

    documents: StoredJson[tuple[StoredDocumentRef, ...]]
    evidence: StoredJson[Evidence]


_of, _content = tax_declaration.c, tax_declaration_content.c
_DECLARED = (
    select(tax_declaration)
    .where(
        _of.country == bindparam("country", type_=Text),
        _of.form == bindparam("form", type_=Text),
        _of.year == bindparam("year", type_=Integer),
        _of.period == bindparam("period", type_=Text),
    )
    .order_by(_of.amendment.desc())
    .limit(1)
)
_NEWEST = Prepared(_DECLARED, DeclarationRow)
_NEWEST_LOCKED = Prepared(_DECLARED.with_for_update(), DeclarationRow)
_IS_OF_DECLARATION = _content.declaration_id == bindparam("declaration_id", type_=Uuid)
_CONTENT = Prepared(
    select(cast(_content.evidence, Text).label("evidence"), _content.records, _content.file).where(_IS_OF_DECLARATION),
    ContentRow,
)
_EVIDENCE = Prepared(select(_content.documents, _content.evidence).where(_IS_OF_DECLARATION), EvidenceRow)
_TEXTS = {name: cast(bindparam(name, type_=Text), JSON) for name in ("documents", "evidence", "records")}
_GIVEN = {**_TEXTS, "file": bindparam("file", type_=LargeBinary)}
_KEEP_CONTENT = Prepared(
    insert(tax_declaration_content)
    .values({"declaration_id": bindparam("declaration_id", type_=Uuid), **_GIVEN})
    .on_conflict_do_update(index_elements=["account_id", "declaration_id"], set_=_GIVEN)
)

_KEEP_FILE = Prepared(
    update(tax_declaration_content).values(file=bindparam("file", type_=LargeBinary)).where(_IS_OF_DECLARATION)
)


async def newest(ctx: Context, of: FormPeriod, *, lock: bool = False) -> DeclarationRow | None:
    """Return the last declaration of a form and period, which may be an amendment; None without any."""
    names = {"country": of.provider.code, "form": of.form.code, "year": of.period.year, "period": of.period.code}
    return await (_NEWEST_LOCKED if lock else _NEWEST).row(ctx.db, **names)


def heading(of: FormPeriod) -> Values[DeclarationRow]:
    """Return the columns of a new declaration that never change, and its empty list of changes."""
    return Values(
        DeclarationRow,
        id=new_id(),
        country=of.provider.code,
        form=of.form.code,
        year=of.period.year,
        period=of.period.code,
        period_start=of.period.span.first,
        period_end=of.period.span.last,
        layout_version=of.form.layout(of.period),
        due_date=of.form.due_date(of.period),
        changes=CHANGES.encode(()),
    )


async def content(ctx: Context, row: DeclarationRow) -> ContentRow:
    return await _CONTENT.one(ctx.db, declaration_id=row.id)


async def evidence(ctx: Context, row: DeclarationRow) -> EvidenceRow:
    return await _EVIDENCE.one(ctx.db, declaration_id=row.id)


async def keep_content(ctx: Context, declaration_id: UUID, texts: Mapping[str, str] = NO_CONTENT) -> None:
    """Store the content of a draft, as JSON texts by column, and replace the earlier content."""
    await _KEEP_CONTENT.run(ctx.db, declaration_id=declaration_id, file=None, **texts)


async def keep_file(ctx: Context, declaration_id: UUID, file: bytes) -> None:
    """Freeze the bytes of a declaration's file."""
    await _KEEP_FILE.run(ctx.db, declaration_id=declaration_id, file=file)


def check_draft(row: DeclarationRow) -> None:
    """Raise Invalid DECLARATION_SUBMITTED."""
    if row.status == "submitted":
        raise Invalid(
            DeclarationsMsg.SUBMITTED,
            code=Code.DECLARATION_SUBMITTED,
            form=row.form,
            year=row.year,
            period=row.period,
        )


async def filed_on(ctx: Context, day: date) -> Sequence[FiledDeclaration]:
    """Return the submitted declarations of periods with a day, the last one of each form and period.

    Each says what its form counts: one that is not installed any more may count anything.
    """
    newest = {(row.country, row.form, row.year, row.period): row for row in await _SUBMITTED.rows(ctx.db, day=day)}
    return [declaration for row in newest.values() if (declaration := _filed(ctx, row)) is not None]


def _filed(ctx: Context, row: DeclarationRow) -> FiledDeclaration | None:
    if row.submitted_at is None:
        return None
    of = forms.installed(ctx, row)
    label = f"{row.form} {row.year} {row.period}"
    if of is None:
        return FiledDeclaration(label, row.submitted_at)
    return FiledDeclaration(label, row.submitted_at, of.form.counts_sales, of.form.purchase_days)


_SUBMITTED = Prepared(
    select(tax_declaration)
    .where(
        _of.status == "submitted",
        bindparam("day", type_=Date).between(_of.period_start, _of.period_end),
    )
    .order_by(_of.year, _of.period, _of.form, _of.amendment),
    DeclarationRow,
)

"""Submission: a declaration is recorded as filed, and frozen with the bytes of its file."""

import asyncio
import hashlib
from collections.abc import Sequence

from ledgerkit import clock
from ledgerkit.core.declarations import acts
from ledgerkit.core.declarations import output as declaration_output
from ledgerkit.core.declarations import queries as declaration_queries
from ledgerkit.core.declarations.api import TaxDeclaration
from ledgerkit.core.declarations.computation import columns
from ledgerkit.core.declarations.computation.books import profile
from ledgerkit.core.declarations.filed import amounts
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms import places
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.queries import ContentRow
from ledgerkit.core.declarations.table import (
    AMENDS,
    BOXES,
    RECORDS,
    TYPES,
    WARNINGS,
    DeclarationRow,
    StoredWarning,
    as_given,
    tax_declaration,
)
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Errors, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import FieldProblem, FileInput, FormFile, IncompleteDeclarationError
from ledgerkit.texts import Joined, Text, text

_FILE_ERRORS: Errors = [(Invalid, {Code.DECLARATION_FILE_INCOMPLETE})]


@operation(
    Permission.DECLARATIONS_SUBMIT,
    errors=[
        (Invalid, {Code.DECLARATION_SUBMITTED, Code.DECLARATION_ELSEWHERE}),
    ],
    effects=Effect.DESTRUCTIVE,
    act=acts.SUBMISSION,
)
async def submit(ctx: Context, declaration_id: str) -> TaxDeclaration:
    """Record a draft as filed, as it stands, with the bytes of its file and their SHA-256; nothing is sent anywhere.

    If data that the authority demands are missing, there is no file, and a warning names the data. Raises NotFound;
    Invalid DECLARATION_SUBMITTED; Invalid for a type that the result does not allow, for a first declaration of a form
    that is not filed without records, when it has none, and DECLARATION_ELSEWHERE for a form that the account files
    with another authority by now.
    """
    row = await records.fetch_locked(ctx, tax_declaration, declaration_id, declaration_queries.WHAT)
    declaration_queries.check_draft(row)
    of = forms.target_of(ctx, row)
    places.check(of, await profile(ctx, of.provider))
    content = await declaration_queries.content(ctx, row)
    _check_records(ctx, row, content)
    filed = Values(DeclarationRow, status="submitted", submitted_at=clock.now(), submitted_by=ctx.actor.user_id)
    frozen = await _file_columns(ctx, row, content)
    submitted = await records.change(ctx, tax_declaration, row.id, filed | frozen)
    await amounts.keep(ctx, row.id)
    await activity.record(ctx, "submitted", ("tax_declaration", row.id), of.label, {"status": ("draft", "submitted")})
    return declaration_output.whole(ctx, submitted, content)


@operation(Permission.DECLARATIONS_READ, unit=Unit.READING, errors=_FILE_ERRORS)
async def file(ctx: Context, declaration_id: str) -> FormFile:
    """Return the file that the authority imports: the frozen one, or that of the present draft.

    Raises NotFound; Invalid DECLARATION_FILE_INCOMPLETE, also for what was recorded as filed without a file; Invalid
    for a declaration that was typed in.
    """
    row = await records.fetch(ctx, tax_declaration, declaration_id, declaration_queries.WHAT)
    content = await declaration_queries.content(ctx, row)
    if row.origin == "external":
        raise Invalid(DeclarationsMsg.EXTERNAL_HAS_NO_FILE)
    if content.file is not None and row.file_name is not None and row.file_media_type is not None:
        return FormFile(name=row.file_name, media_type=row.file_media_type, content=bytes(content.file))
    try:
        rendered = await _rendered(ctx, row, content)
    except IncompleteDeclarationError as incomplete:
        raise _incomplete(forms.target_of(ctx, row), incomplete.problems) from None
    if row.status == "submitted":
        label = forms.target_of(ctx, row).label
        raise Invalid(DeclarationsMsg.FILED_WITHOUT_FILE, code=Code.DECLARATION_FILE_INCOMPLETE, form=label)
    return rendered


async def _file_columns(ctx: Context, row: DeclarationRow, content: ContentRow) -> Values[DeclarationRow]:
    """Keep the bytes of the file, and return what the declaration says of it: a warning where it is incomplete."""
    try:
        file = await _rendered(ctx, row, content)
    except IncompleteDeclarationError as incomplete:
        return Values(
            DeclarationRow,
            warnings=WARNINGS.encode((*WARNINGS.decode(row.warnings), _without_file(incomplete.problems))),
        )
    await declaration_queries.keep_file(ctx, row.id, file.content)
    return Values(
        DeclarationRow,
        file_name=file.name,
        file_media_type=file.media_type,
        file_sha256=hashlib.sha256(file.content).hexdigest(),
    )


def _without_file(problems: Sequence[FieldProblem]) -> StoredWarning:
    missing = Joined([Joined((problem.field, problem.text.message), " ") for problem in problems], "; ")
    words = text(DeclarationsMsg.SUBMITTED_INCOMPLETE, missing=missing)
    return forms.warning("submitted_without_file", words)


def _check_records(ctx: Context, row: DeclarationRow, content: ContentRow) -> None:
    """Refuse a list without records; one that amends may be empty, for it takes back what was declared."""
    of = forms.target_of(ctx, row)
    if of.form.needs_records and AMENDS.decode(row.amends) is None and not RECORDS.decode(content.records):
        raise Invalid(DeclarationsMsg.NOTHING_TO_DECLARE, form=of.label)


async def _rendered(ctx: Context, row: DeclarationRow, content: ContentRow) -> FormFile:
    of = forms.target_of(ctx, row)
    letter, possible = declaration_output.effective_type(row), TYPES.decode(row.declaration_types)
    if letter is not None and possible and letter not in possible:
        listed = ", ".join(possible)
        raise Invalid.field("declarationType", DeclarationsMsg.TYPE_UNKNOWN, letter=letter, listed=listed)
    file_input = await _file_input(ctx, of, row, content)
    return await asyncio.to_thread(of.form.render_file, file_input)


async def _file_input(ctx: Context, of: FormPeriod, row: DeclarationRow, content: ContentRow) -> FileInput:
    return FileInput(
        period=of.period,
        owner=ctx.account.party(),
        boxes=of.exact(BOXES.decode(row.effective_boxes)),
        records=[as_given(record) for record in RECORDS.decode(content.records)],
        declaration_type=declaration_output.effective_type(row),
        iban=row.iban,
        profile=await profile(ctx, of.provider),
        amends=columns.amendment(AMENDS.decode(row.amends)),
        phone=ctx.account.phone,
    )


def _incomplete(of: FormPeriod, problems: Sequence[FieldProblem]) -> Invalid:
    """Return Invalid DECLARATION_FILE_INCOMPLETE with one error for each missing datum, and the remedies of all."""
    errors = [FieldError(field=problem.field, code=problem.code, text=problem.text) for problem in problems]
    remedies: list[Text] = []
    for error in errors:
        if error.text.remedy is not None and error.text.remedy not in remedies:
            remedies.append(error.text.remedy)
    return Invalid(
        DeclarationsMsg.FILE_INCOMPLETE,
        code=Code.DECLARATION_FILE_INCOMPLETE,
        errors=errors,
        remedy=Joined(remedies, " "),
        form=of.label,
        listed=", ".join(error.field for error in errors),
    )

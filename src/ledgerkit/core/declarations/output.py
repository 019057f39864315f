"""Tax declarations as callers see them, in their language."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ledgerkit.core.declarations.api import (
    Amends,
    BoxChange,
    DeclarationOverview,
    DeclarationTotals,
    DocumentChange,
    FiledFile,
    FormLine,
    FormSection,
    Proposal,
    RecordFieldOnWire,
    RecordOnWire,
    TaxDeclaration,
    WarningOnWire,
)
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms import warnings as form_warnings
from ledgerkit.core.declarations.queries import ContentRow
from ledgerkit.core.declarations.table import (
    AMENDS,
    BOXES,
    CHANGES,
    EVIDENCE_IDS,
    RECORDS,
    TYPES,
    WARNINGS,
    DeclarationRow,
    StoredBoxChange,
    StoredDocumentRef,
    StoredWarning,
)
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import Box, RecordField


@dataclass(frozen=True, kw_only=True)
class Findings:
    """Result of comparing a declaration with the books."""

    pending: Sequence[StoredBoxChange] = ()
    warnings: Sequence[StoredWarning] = ()
    documents: Sequence[DocumentChange] = ()
    proposals: Sequence[Proposal] = ()


NOTHING_FOUND = Findings()


def whole(
    ctx: Context,
    row: DeclarationRow,
    content: ContentRow,
    findings: Findings = NOTHING_FOUND,
) -> TaxDeclaration:
    """Show one declaration, with the findings of its reading."""
    of, language = forms.installed(ctx, row), ctx.request_metadata.language
    return TaxDeclaration(
        **_fields(ctx, row, findings.warnings),
        form_name="" if of is None else of.form.name.in_language(language),
        box_names={} if of is None else {key: box.name.in_language(language) for key, box in of.boxes.items()},
        sections=[] if of is None else _sections(of.boxes.values(), language),
        evidence={box: list(amounts) for box, amounts in EVIDENCE_IDS.decode_text(content.evidence).items()},
        records=[
            RecordOnWire(fields=record.fields, document_ids=list(record.document_ids))
            for record in RECORDS.decode(content.records)
        ],
        record_fields={} if of is None else _record_fields(of.form.record_fields, language),
        pending_changes=_changes(findings.pending),
        document_changes=list(findings.documents),
        proposals=list(findings.proposals),
    )


def _record_fields(fields: Mapping[str, RecordField], language: str) -> dict[str, RecordFieldOnWire]:
    return {
        key: RecordFieldOnWire(
            name=field.name.in_language(language),
            kind=field.kind,
            values={value: words.in_language(language) for value, words in field.values.items()},
        )
        for key, field in fields.items()
    }


def _sections(boxes: Iterable[Box], language: str) -> list[FormSection]:
    """Group a form's boxes, in its order, by section and line."""
    sections: list[FormSection] = []
    for title, in_section in groupby(boxes, lambda box: box.section.in_language(language) if box.section else ""):
        lines = groupby(in_section, lambda box: (box.row or box.name).in_language(language))
        shown = [FormLine(name=name, boxes=[box.key for box in on_line]) for name, on_line in lines]
        sections.append(FormSection(title=title, lines=shown))
    return sections


def document(stored: StoredDocumentRef) -> dict[str, object]:
    """Return the fields of a document as `DeclaredDocument` has them."""
    return {
        "document_id": stored.id,
        "origin": stored.origin,
        "number": stored.number,
        "date": stored.date,
        "party": stored.party,
        "party_tax_id": stored.tax_id,
    }


def overview(ctx: Context, row: DeclarationRow, warnings: Sequence[StoredWarning] = ()) -> DeclarationOverview:
    """Show a declaration as lists do, with present warnings."""
    return DeclarationOverview(**_fields(ctx, row, warnings))


def effective_type(row: DeclarationRow) -> str | None:
    """Return the official letter of a declaration: the one chosen, else the usual one for its result."""
    return row.declaration_type or next(iter(TYPES.decode(row.declaration_types)), None)


def _fields(ctx: Context, row: DeclarationRow, warnings: Sequence[StoredWarning] = ()) -> dict[str, object]:
    language = ctx.request_metadata.language
    types = TYPES.decode(row.declaration_types)
    amends = AMENDS.decode(row.amends)
    shown = [*WARNINGS.decode(row.warnings), *form_warnings.of_day(ctx, row), *warnings]
    plain = (name for name in DeclarationOverview.model_fields if name in DeclarationRow.__annotations__)
    return {
        **{name: getattr(row, name) for name in plain},
        "id": str(row.id),
        "complementary_of": row.complementary_of and str(row.complementary_of),
        "boxes": BOXES.decode(row.boxes),
        "manual_overrides": BOXES.decode(row.manual_overrides),
        "effective_boxes": BOXES.decode(row.effective_boxes),
        "totals": DeclarationTotals(output_vat=row.output_vat, input_vat=row.input_vat, result=row.result),
        "declaration_types": {letter: forms.named(names, language) for letter, names in types.items()},
        "declaration_type": effective_type(row),
        "amends": amends and Amends(receipt_number=amends.receipt_number, reason=amends.reason),
        "warnings": [_warning(warning, language) for warning in shown],
        "changes": _changes(CHANGES.decode(row.changes)),
        "submitted_by": row.submitted_by and str(row.submitted_by),
        "file": _file(row),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "version": row.version,
    }


def _warning(warning: StoredWarning, language: str) -> WarningOnWire:
    message = forms.named(warning.message, language)
    return WarningOnWire(code=warning.code, message=message, document_ids=list(warning.document_ids))


def _changes(changes: Sequence[StoredBoxChange]) -> list[BoxChange]:
    return [BoxChange(box=change.box, before=change.before, after=change.after) for change in changes]


def _file(row: DeclarationRow) -> FiledFile | None:
    if row.file_name is None or row.file_media_type is None or row.file_sha256 is None:
        return None
    return FiledFile(name=row.file_name, media_type=row.file_media_type, sha256=row.file_sha256)

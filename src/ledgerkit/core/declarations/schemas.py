"""Request and response schemas of tax declarations (interface decisions I)."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, PlainSerializer, StringConstraints

from ledgerkit.core.platform.api_types.fields import (
    PRINTABLE,
    CountryCode,
    Day,
    Iban,
    LongText,
    ShortText,
    WholeNumber,
    few,
)
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.money import Sum, with_numbers
from ledgerkit.providers.api import CheckState, FieldKind, FilingPlace

MAX_BOXES = 500

FormCode = Annotated[
    str, StringConstraints(strip_whitespace=True, to_upper=True, min_length=1, max_length=20), PRINTABLE
]
PeriodCode = Annotated[
    str,
    StringConstraints(strip_whitespace=True, to_upper=True, min_length=1, max_length=10),
    PRINTABLE,
    Field(description="`Q1` to `Q4`, `M01` to `M12` or `Y`, as the form has them", examples=["Q3"]),
]
DeclarationYear = Annotated[WholeNumber, Field(ge=2000, le=2100, examples=[2026])]
TypeLetter = Annotated[
    str, StringConstraints(strip_whitespace=True, to_upper=True, min_length=1, max_length=5), PRINTABLE
]
ReasonCode = Annotated[str, StringConstraints(strip_whitespace=True, max_length=60), PRINTABLE]
BoxKey = Annotated[str, StringConstraints(min_length=1, max_length=20), PRINTABLE]
BoxValues = dict[BoxKey, Sum]
GivenBoxes = Annotated[dict[BoxKey, Sum], few(MAX_BOXES)]


class DeclarationStatus(StrEnum):
    DRAFT = "draft"
    SUBMITTED = "submitted"


class Amends(Wire):
    """Declaration at the authority that this one amends."""

    receipt_number: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=60),
        PRINTABLE,
        Field(description="Receipt that the authority gave for it"),
    ]
    reason: Annotated[ReasonCode | None, Field(description="Code of the reason, as the form has them")] = None


class GenerateInput(Wire):
    """Period to declare. With `amends` a new declaration begins, where the period's last one is submitted."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"country": "ES", "year": 2026, "period": "Q3"}]})

    country: CountryCode
    year: DeclarationYear
    period: PeriodCode
    form: Annotated[FormCode | None, Field(description="Default the country's first form")] = None
    amends: Amends | None = None


class DeclarationChange(Wire):
    """Fields that are absent keep their value; `manualOverrides` replaces all that were there."""

    manual_overrides: Annotated[
        GivenBoxes, Field(description="Values that replace computed ones, before the boxes that follow from them")
    ] = Field(default_factory=dict)
    notes: LongText | None = None
    declaration_type: Annotated[
        TypeLetter | None, Field(description="One of declarationTypes; null: the usual one for the result")
    ] = None
    iban: Iban | None = None
    amends: Amends | None = None


class PreviousInput(Wire):
    """Declaration that was filed elsewhere, typed in: later ones take its boxes into account."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"year": 2025, "period": "Q4", "boxes": {"71": -120.5}, "declarationType": "C"}]
        }
    )

    country: Annotated[CountryCode | None, Field(description="Default the account's")] = None
    form: Annotated[FormCode | None, Field(description="Default the country's first form")] = None
    year: DeclarationYear
    period: PeriodCode
    boxes: GivenBoxes
    declaration_type: Annotated[TypeLetter | None, Field(description="Official letter with which it was filed")] = None
    submitted: Annotated[Day | None, Field(description="Day on which it was filed, default the last of its period")] = (
        None
    )
    notes: LongText | None = None


class DeclarationTotals(Wire):
    output_vat: Sum
    input_vat: Sum
    result: Sum


class WarningOnWire(Wire):
    code: str
    message: str
    document_ids: list[str]


class BoxChange(Wire):
    """Effective value of a box before and after; null where the box was not there."""

    box: str
    before: Sum | None
    after: Sum | None


class FiledFile(Wire):
    """File that was frozen when the declaration was submitted."""

    name: str
    media_type: str
    sha256: str


class DeclarationOverview(Wire):
    """A declaration without what grows with its documents, as lists have it."""

    id: str
    country: str
    form: str
    year: int
    period: str
    period_start: date
    period_end: date
    status: DeclarationStatus
    origin: Annotated[Literal["generated", "external"], Field(description="`external`: typed in, filed elsewhere")]
    complementary_of: Annotated[str | None, Field(description="Declaration of the same period that this one amends")]
    boxes: Annotated[BoxValues, Field(description="Computed, without overrides, by official number")]
    manual_overrides: BoxValues
    effective_boxes: Annotated[BoxValues, Field(description="With overrides and what follows from them")]
    totals: DeclarationTotals
    result_kind: Literal["pay", "compensate", "refund", "none"]
    declaration_types: Annotated[
        dict[str, str], Field(description="Official letters that the result allows, the usual one first, by name")
    ]
    declaration_type: Annotated[str | None, Field(description="Letter chosen, else the usual one")]
    iban: str | None
    amends: Amends | None
    invoice_count: int
    expense_count: int
    notes: str | None
    warnings: list[WarningOnWire]
    changes: Annotated[list[BoxChange], Field(description="What the last computation changed in effectiveBoxes")]
    layout_version: str
    due_date: date | None
    generated_at: Timestamp
    submitted_at: Timestamp | None
    submitted_by: str | None
    file: FiledFile | None
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


RecordFields = Annotated[
    dict[str, object], PlainSerializer(with_numbers, return_type=dict[str, object], when_used="json")
]


class RecordOnWire(Wire):
    """Line of a declaration that is a list, by the names of the official design."""

    fields: RecordFields
    document_ids: list[str]


class RecordFieldOnWire(Wire):
    name: str
    kind: Annotated[FieldKind, Field(description="Amounts and percents are texts of a number, flags booleans")]
    values: Annotated[dict[str, str], Field(description="Words for the values that are codes")]


class FormLine(Wire):
    """Line of a form: one box, or several that share it, whose names begin with that of the line."""

    name: str
    boxes: Annotated[list[str], Field(description="Official numbers, in the order of the form")]


class FormSection(Wire):
    """Part of a form; `title` is empty where the form is in one part."""

    title: str
    lines: list[FormLine]


class DeclaredDocument(Wire):
    """Document behind a declaration, as it was when that was computed."""

    document_id: str
    origin: Annotated[Literal["invoice", "expense", "supplier_invoice"], Field(description="Kind of its record")]
    number: str | None
    date: date
    party: str | None
    party_tax_id: str | None


class DocumentChange(DeclaredDocument):
    """Document that reaches boxes with other amounts than it was filed with; null where it did, or does, not at all."""

    boxes: list[BoxChange]


class ProposalKind(StrEnum):
    DEDUCT_NOW = "deduct_now"
    COMPLETE = "complete"
    RECTIFY = "rectify"


class Proposal(Wire):
    """Way to settle documents that a filed declaration of an earlier period does not have as the books have them."""

    id: Annotated[str, Field(description="Of this proposal as it stands: other amounts make another one")]
    kind: Annotated[
        ProposalKind,
        Field(
            description="`deduct_now`: claim it in the draft's period; `complete`, `rectify`: amend the filed "
            "declaration, by which more, or not more, is to be paid"
        ),
    ]
    message: str
    declaration_id: Annotated[str, Field(description="The filed declaration")]
    form: str
    year: int
    period: str
    amendment_id: Annotated[str | None, Field(description="Draft that amends it already")]
    documents: list[DocumentChange]


class ProposalAcceptance(Wire):
    """Proposal of a draft to accept, by the id that it was read with."""

    proposal_id: ShortText
    amends: Annotated[
        Amends | None, Field(description="Needed to begin a declaration that amends the filed one; not to deduct now")
    ] = None


class TaxDeclaration(DeclarationOverview):
    form_name: str
    box_names: Annotated[dict[str, str], Field(description="Names of the form's boxes, in its order")]
    sections: Annotated[list[FormSection], Field(description="The form's boxes as they stand on it")]
    evidence: Annotated[dict[str, list[str]], Field(description="Ids of the documents behind each box")]
    records: list[RecordOnWire]
    record_fields: Annotated[
        dict[str, RecordFieldOnWire], Field(description="Fields of the records as people read them")
    ]
    pending_changes: Annotated[
        list[BoxChange],
        Field(description="What computing it now would change; filled where one declaration is read"),
    ]
    document_changes: Annotated[
        list[DocumentChange],
        Field(description="Of a submitted one: documents that the books have otherwise by now, where it is read"),
    ]
    proposals: Annotated[
        list[Proposal],
        Field(description="Of a draft: what to do about documents that filed earlier periods lack or have otherwise"),
    ]


class DeclarationAnswer(Wire):
    declaration: TaxDeclaration


class GeneratedDeclaration(Wire):
    declaration: TaxDeclaration
    invoice_count: int
    expense_count: int


class DeclarationList(Wire):
    declarations: list[DeclarationOverview]


class FilingAdvice(Wire):
    """Place at which the account files a form: `elsewhere` is refused here, the others are computed with a warning."""

    place: FilingPlace
    message: Annotated[str, Field(description="Names the authority")]
    remedy: str | None


class SupportedForm(Wire):
    country: str
    form: str
    name: str
    periods: Annotated[list[str], Field(description="Of the current year")]
    filing: Annotated[FilingAdvice | None, Field(description="Other authorities, by where the account is taxed today")]


class SupportedCountries(Wire):
    countries: list[str]
    forms: list[SupportedForm]


class EvidenceDocument(DeclaredDocument):
    """Document behind a box, as it was when the declaration was computed."""

    amount: Sum


class CalendarEntry(Wire):
    """Declaration that is due on a day of the year, as far as the account's tax profile and its documents tell."""

    country: str
    form: str
    name: str
    year: int
    period: str
    period_start: date
    period_end: date
    due_date: Annotated[
        date, Field(description="Moved to a working day by national holidays; regional ones may extend it")
    ]
    direct_debit_date: Annotated[date | None, Field(description="Last day to file with direct debit")]
    only_if: Annotated[str | None, Field(description="Who files it, where the profile does not tell: due only then")]
    status: Annotated[Literal["missing", "draft", "submitted"], Field(description="Of its declaration here")]
    declaration_id: str | None


class CrossCheckTerm(Wire):
    """Part of a side: boxes of a declaration, or a sum of the record books."""

    form: Annotated[str | None, Field(description="null: the record books, of which `name` says what")]
    period: str
    name: str | None
    boxes: Annotated[list[str], Field(description="Official numbers, or keys of a list's records")]
    amount: Annotated[Sum | None, Field(description="null where the declaration is missing or does not tell it")]
    status: Literal["missing", "draft", "submitted"] | None
    declaration_id: str | None


class CrossCheckSide(Wire):
    name: str
    amount: Annotated[Sum | None, Field(description="Sum of the terms that are known")]
    terms: list[CrossCheckTerm]


class CrossCheckResult(Wire):
    """Two sides that have to agree, from declarations of a year or its books; it blocks nothing."""

    code: str
    title: str
    source: Annotated[str, Field(description="Law or instruction by which both say the same")]
    state: Annotated[CheckState, Field(description="`different` by more than the tolerance")]
    left: CrossCheckSide
    right: CrossCheckSide
    difference: Annotated[Sum | None, Field(description="Left less right, as far as both are known")]
    tolerance: Sum
    note: Annotated[str | None, Field(description="What to do; null where nothing is")]

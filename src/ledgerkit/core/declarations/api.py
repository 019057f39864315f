"""Request and response schemas of tax declarations (interface decisions I)."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, PlainSerializer, StringConstraints

from ledgerkit.core.declarations.table import DeclarationRow
from ledgerkit.core.platform.api_types.fields import (
    ONE_LINE,
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
from ledgerkit.providers.api import FieldKind, FilingPlace

MAX_BOXES = 500

FormCode = Annotated[
    str, StringConstraints(strip_whitespace=True, to_upper=True, min_length=1, max_length=20), PRINTABLE
]
PeriodCode = Annotated[
    str,
    StringConstraints(strip_whitespace=True, to_upper=True, min_length=1, max_length=10),
    PRINTABLE,
    Field(description="Period: `Q1` to `Q4`, `M01` to `M12` or `Y`, as the form has them", examples=["Q3"]),
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
        ONE_LINE,
        Field(description="Receipt that the authority gave for it"),
    ]
    reason: Annotated[ReasonCode | None, Field(description="Code of the reason, as the form has them")] = None


class GenerateInput(Wire, row=DeclarationRow):
    """Period to declare. With `amends` a new declaration begins, where the period's last one is submitted."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"country": "ES", "year": 2026, "period": "Q3"}]})

    country: CountryCode
    year: DeclarationYear
    period: PeriodCode
    form: Annotated[
        FormCode | None, Field(description="Official code of the form; default the country's first one")
    ] = None
    amends: Amends | None = None
    """Declaration at the authority that the new one amends; null for none."""


class DeclarationChange(Wire, row=DeclarationRow):
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


class PreviousInput(Wire, row=DeclarationRow):
    """Declaration that was filed elsewhere, typed in: later ones take its boxes into account."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"year": 2025, "period": "Q4", "boxes": {"71": -120.5}, "declarationType": "C"}]
        }
    )

    country: Annotated[CountryCode | None, Field(description="Country of the form; default the account's")] = None
    form: Annotated[
        FormCode | None, Field(description="Official code of the form; default the country's first one")
    ] = None
    year: DeclarationYear
    period: PeriodCode
    boxes: GivenBoxes
    """Values by official box number, as they were filed."""
    declaration_type: Annotated[TypeLetter | None, Field(description="Official letter with which it was filed")] = None
    submitted: Annotated[Day | None, Field(description="Day on which it was filed, default the last of its period")] = (
        None
    )
    notes: LongText | None = None


class DeclarationTotals(Wire, row=DeclarationRow):
    output_vat: Sum
    input_vat: Sum
    result: Sum


class WarningOnWire(Wire):
    code: str
    """Stable code of what there is to look at."""
    message: str
    """Sentence that says what to look at."""
    document_ids: list[str]
    """Ids of the documents that it is about; empty for none."""


class BoxChange(Wire):
    """Effective value of a box before and after; null where the box was not there."""

    box: str
    """Official number of the box."""
    before: Sum | None
    """Value before; null where the box was not there."""
    after: Sum | None
    """Value after; null where the box is not there any more."""


class FiledFile(Wire):
    """File that was frozen when the declaration was submitted."""

    name: str
    """Name of the file."""
    media_type: str
    """Media type of the file."""
    sha256: str
    """SHA-256 of the file, in hexadecimal."""


class DeclarationOverview(Wire, row=DeclarationRow):
    """A declaration without what grows with its documents, as lists have it."""

    id: str
    country: str
    form: str
    year: int
    period: str
    period_start: date
    period_end: date
    status: DeclarationStatus
    origin: Literal["generated", "external"]
    complementary_of: str | None
    boxes: BoxValues
    manual_overrides: BoxValues
    effective_boxes: BoxValues
    totals: DeclarationTotals
    """Sums of the form, in euros."""
    result_kind: Literal["pay", "compensate", "refund", "none"]
    declaration_types: Annotated[
        dict[str, str], Field(description="Official letters that the result allows, the usual one first, by name")
    ]
    declaration_type: Annotated[
        str | None, Field(description="Official letter chosen, else the usual one; null where there is none")
    ]
    iban: str | None
    amends: Amends | None
    invoice_count: int
    expense_count: int
    notes: str | None
    warnings: list[WarningOnWire]
    changes: list[BoxChange]
    layout_version: str
    due_date: date | None
    generated_at: Timestamp
    submitted_at: Timestamp | None
    submitted_by: str | None
    file: FiledFile | None
    """File that was frozen at the submission; null for a draft, one typed in, or where data were missing."""
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


RecordFields = Annotated[
    dict[str, object], PlainSerializer(with_numbers, return_type=dict[str, object], when_used="json")
]


class RecordOnWire(Wire):
    """Line of a declaration that is a list, by the names of the official design."""

    fields: RecordFields
    """Values of the line, by the official names of its fields."""
    document_ids: list[str]
    """Ids of the documents behind it."""


class RecordFieldOnWire(Wire):
    name: str
    """Name of the field for people."""
    kind: Annotated[FieldKind, Field(description="Amounts and percents are texts of a number, flags booleans")]
    values: Annotated[dict[str, str], Field(description="Words for the values that are codes")]


class FormLine(Wire):
    """Line of a form: one box, or several that share it, whose names begin with that of the line."""

    name: str
    """Text of the line."""
    boxes: Annotated[list[str], Field(description="Official numbers, in the order of the form")]


class FormSection(Wire):
    """Part of a form; `title` is empty where the form is in one part."""

    title: str
    """Heading of the part; empty where the form is in one part."""
    lines: list[FormLine]
    """Lines of the part, in the order of the form."""


class DeclaredDocument(Wire):
    """Document behind a declaration, as it was when that was computed."""

    document_id: str
    """Id of the invoice, expense or supplier invoice."""
    origin: Annotated[Literal["invoice", "expense", "supplier_invoice"], Field(description="Kind of its record")]
    number: str | None
    """Number of the document; null where it has none."""
    date: date
    """Date of the document."""
    party: str | None
    """Name of the client or vendor; null where nobody is named."""
    party_tax_id: str | None
    """Tax identifier of the client or vendor; null where not known."""


class DocumentChange(DeclaredDocument):
    """Document that reaches boxes with other amounts than it was filed with; null where it did, or does, not at all."""

    boxes: list[BoxChange]
    """Amounts of the document in each box, as filed and as the books have it now."""


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
    """Proposal and its reason, in words."""
    declaration_id: Annotated[str, Field(description="The filed declaration")]
    form: str
    """Official code of the form."""
    year: int
    """Year of the filed declaration's period."""
    period: str
    """Period of the filed declaration, as Q1 or M01."""
    amendment_id: Annotated[str | None, Field(description="Draft that amends it already")]
    documents: list[DocumentChange]
    """The documents that it is about."""


class ProposalAcceptance(Wire):
    """Proposal of a draft to accept, by the id that it was read with."""

    proposal_id: ShortText
    """Id of the proposal."""
    amends: Annotated[
        Amends | None, Field(description="Needed to begin a declaration that amends the filed one; not to deduct now")
    ] = None


class TaxDeclaration(DeclarationOverview):
    form_name: str
    """Name of the form; empty where its country is not installed."""
    box_names: Annotated[dict[str, str], Field(description="Names of the form's boxes, in its order")]
    sections: Annotated[list[FormSection], Field(description="The form's boxes as they stand on it")]
    evidence: Annotated[dict[str, list[str]], Field(description="Ids of the documents behind each box")]
    records: list[RecordOnWire]
    """Lines of a declaration that is a list; empty for one with boxes only."""
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
    """The declaration as it stands now."""


class GeneratedDeclaration(Wire, row=DeclarationRow):
    declaration: TaxDeclaration
    """The declaration as it was computed."""
    invoice_count: int
    expense_count: int


class DeclarationList(Wire):
    declarations: list[DeclarationOverview]
    """Declarations of the year, without what grows with their documents."""


class FilingAdvice(Wire):
    """Place at which the account files a form: `elsewhere` is refused here, the others are computed with a warning."""

    place: FilingPlace
    """Place at which the account files the form."""
    message: Annotated[str, Field(description="Names the authority")]
    remedy: str | None
    """Remedy, in words; null where nothing is to be done."""


class SupportedForm(Wire):
    country: str
    """Country of the form, two capital letters (ISO 3166)."""
    form: str
    """Official code of the form, as 303."""
    name: str
    """Name of the form."""
    periods: Annotated[list[str], Field(description="Of the current year")]
    filing: Annotated[FilingAdvice | None, Field(description="Other authorities, by where the account is taxed today")]


class SupportedCountries(Wire):
    countries: list[str]
    """Countries with forms here, two capital letters each (ISO 3166)."""
    forms: list[SupportedForm]
    """Their forms."""


class EvidenceDocument(DeclaredDocument):
    """Document behind a box, as it was when the declaration was computed."""

    amount: Sum
    """Amount that the document brought to the box, in euros unless the box counts something else."""

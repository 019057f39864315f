"""Forms of periodic tax declarations: what they compute from the ledger, and the files that the authority imports.

Every method is pure and deterministic: the order of the ledger's documents changes nothing.
"""

from abc import ABC, abstractmethod
from calendar import monthrange
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Self

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic.alias_generators import to_camel

from ledgerkit.providers.api.documents import Party
from ledgerkit.providers.api.ledger import DateSpan, Ledger, Purchase, PurchaseFacts, RetentionKind
from ledgerkit.providers.api.records import FieldProblem
from ledgerkit.texts import FixedText, ProblemText, Text

_QUARTERS = ("Q1", "Q2", "Q3", "Q4")
_MONTHS = tuple(f"M{number:02d}" for number in range(1, 13))
YEAR = "Y"


@dataclass(frozen=True, order=True)
class TaxPeriod:
    """Period of a declaration: a year with `Q1` to `Q4`, `M01` to `M12` or `Y`."""

    year: int
    code: str

    @property
    def span(self) -> DateSpan:
        """Days of the period. Raises ValueError for a code that does not exist."""
        if self.code in _QUARTERS:
            last_month = 3 * int(self.code[1])
            return self._months(last_month - 2, last_month)
        if self.code in _MONTHS:
            return self._months(int(self.code[1:]), int(self.code[1:]))
        if self.code == YEAR:
            return self._months(1, 12)
        raise ValueError(self.code)

    @property
    def is_last_of_year(self) -> bool:
        return self.code in {_QUARTERS[-1], _MONTHS[-1], YEAR}

    def before(self) -> Self:
        """Return the period of the same length before this one."""
        series = _QUARTERS if self.code in _QUARTERS else _MONTHS if self.code in _MONTHS else (YEAR,)
        place = series.index(self.code)
        return type(self)(self.year, series[place - 1]) if place else type(self)(self.year - 1, series[-1])

    def _months(self, first: int, last: int) -> DateSpan:
        return DateSpan(first=date(self.year, first, 1), last=date(self.year, last, monthrange(self.year, last)[1]))


class TaxProfile(BaseModel):
    """Facts of an account that the forms of a country ask for beside its documents; a country derives its own."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
    )

    def at(self, owner: Party) -> Self:  # noqa: ARG002 - countries override it
        """Return the profile, completed from the account's address where the profile states nothing."""
        return self

    @property
    def started(self) -> date | None:
        """First day of the account's activity; None where the profile does not tell."""
        return None


@dataclass(frozen=True, kw_only=True)
class Box:
    """Box of a form: its official number, its name, and how it comes about.

    A box that is `summed` adds up amounts of documents, which its evidence names; any other follows from other boxes,
    the profile or earlier declarations. `signed` boxes may be below zero. `decimals` is 0 for counts of payees.
    `section` is the part of the form that it stands in, `row` the line that it shares with other boxes; its name then
    begins with that of its row.
    """

    key: str
    name: Text
    section: Text | None = None
    row: Text | None = None
    summed: bool = False
    signed: bool = False
    decimals: int = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """Part of a box that comes from one document."""

    document_id: str
    amount: Decimal


@dataclass(frozen=True, kw_only=True)
class DeclarationWarning:
    """Warning for the taxpayer; `document_ids` are the documents that it is about."""

    code: str
    message: Text
    document_ids: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DeclaredRecord:
    """Line of a declaration that is a list: its fields by name, and the documents behind it."""

    fields: Mapping[str, JsonValue]
    document_ids: tuple[str, ...]


class FieldKind(StrEnum):
    """Meaning of the value of a record's field: amounts and percents are texts of a number, flags booleans."""

    TEXT = "text"
    AMOUNT = "amount"
    PERCENT = "percent"
    FLAG = "flag"


@dataclass(frozen=True, kw_only=True)
class RecordField:
    """Field of the records of a list as people read it: its name, and words for those values that are codes."""

    name: Text
    kind: FieldKind = FieldKind.TEXT
    values: Mapping[str, Text] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PreviousDeclaration:
    """Earlier declaration of the account, computed here or typed in: its boxes after overrides and its choice.

    `records` are the fields of its `DeclaredRecord`s; none where it was typed in.
    """

    form: str
    period: TaxPeriod
    boxes: Mapping[str, Decimal]
    declaration_type: str | None
    submitted: bool
    records: Sequence[Mapping[str, JsonValue]] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class FiledDocument:
    """Boxes that a document reached in a declaration that was submitted."""

    form: str
    period: TaxPeriod
    document_id: str
    boxes: frozenset[str]


class ResultKind(StrEnum):
    PAY = "pay"
    COMPENSATE = "compensate"
    REFUND = "refund"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Decision of the taxpayer on the result: the official letter of the declaration's type, and the account for it.

    None leaves the usual one: the first of `Computation.declaration_types`.
    """

    declaration_type: str | None = None
    iban: str | None = None


@dataclass(frozen=True, kw_only=True)
class Amendment:
    """Declaration that this one amends: its receipt number at the authority, and the reason's code of the form."""

    receipt_number: str
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class FormInput:
    """Input of a form. `overrides` replace computed boxes, before the boxes that follow from them are computed.

    `filed` are the purchases of the ledger in submitted declarations, of this form and of those that it reads. What was
    declared in one period belongs to no other, even if its date has changed since.
    """

    period: TaxPeriod
    ledger: Ledger
    previous: Sequence[PreviousDeclaration]
    profile: TaxProfile
    filed: Sequence[FiledDocument] = ()
    overrides: Mapping[str, Decimal] = field(default_factory=dict)
    choice: Choice = field(default_factory=Choice)
    amends: Amendment | None = None


@dataclass(frozen=True, kw_only=True)
class Computation:
    """Result of a form.

    `computed` holds every box without overrides, `effective` with them; boxes are rounded once, half up, to their
    decimals. `output_tax`, `input_tax` and `result` are the totals of the effective boxes; the first two are zero
    for a form that has none. `declaration_types` are the official letters that the result allows, by name, the usual
    one first. `counted` are the ids of the documents that reached a box or a record.
    """

    computed: Mapping[str, Decimal]
    effective: Mapping[str, Decimal]
    evidence: Mapping[str, tuple[Evidence, ...]]
    output_tax: Decimal
    input_tax: Decimal
    result: Decimal
    result_kind: ResultKind
    declaration_types: Mapping[str, Text]
    warnings: tuple[DeclarationWarning, ...]
    counted: frozenset[str]
    records: tuple[DeclaredRecord, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FileInput:
    """All that stands in the authority's file. `phone` is the account's telephone, as it was typed."""

    period: TaxPeriod
    owner: Party
    boxes: Mapping[str, Decimal]
    records: Sequence[Mapping[str, JsonValue]]
    declaration_type: str | None
    iban: str | None
    profile: TaxProfile
    amends: Amendment | None = None
    phone: str | None = None


@dataclass(frozen=True, kw_only=True)
class FormFile:
    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, kw_only=True)
class ReadFile:
    """Content of a file that the authority would import: the values of `FileInput` that the file has."""

    period: TaxPeriod
    tax_id: str
    boxes: Mapping[str, Decimal]
    records: Sequence[Mapping[str, JsonValue]]
    declaration_type: str | None


@dataclass(frozen=True, kw_only=True)
class WithheldPurchases:
    """Purchases with a retention in a month, named by its first day. `kind`: None where documents do not state it."""

    month: date
    kind: RetentionKind | None
    category: str


@dataclass(frozen=True, kw_only=True)
class BooksOutline:
    """Outline of an account's documents: what they are about, by months named by their first days; `today` is now.

    `sold_abroad` has months with the countries of clients (ISO 3166); `declared` the codes of forms of which there is a
    declaration of this year or the one before.
    """

    today: date
    withheld: frozenset[WithheldPurchases] = frozenset()
    sold_abroad: frozenset[tuple[date, str]] = frozenset()
    acquired_in_eu: frozenset[date] = frozenset()
    declared: frozenset[str] = frozenset()


class FilingPlace(StrEnum):
    """Place where an account files a form, other than simply with the authority whose form it is.

    ELSEWHERE: only with another authority, so the form is not computed. MOSTLY_ELSEWHERE: here for a part that the
    books do not distinguish; the form is computed, but is in no calendar. ALSO_ELSEWHERE: here, and another form with
    another authority. UNKNOWN: it is not known where the account is taxed; it is assumed to file here.
    """

    ELSEWHERE = "elsewhere"
    MOSTLY_ELSEWHERE = "mostly_elsewhere"
    ALSO_ELSEWHERE = "also_elsewhere"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class FilingNotice:
    """Notice to an account about where it files a form. `text` is a whole sentence, and its remedy is what to do."""

    place: FilingPlace
    text: ProblemText

    @property
    def is_due_here(self) -> bool:
        """True where the form belongs into the account's calendar."""
        return self.place in {FilingPlace.ALSO_ELSEWHERE, FilingPlace.UNKNOWN}


class IncompleteDeclarationError(Exception):
    """Error of a file without data that the authority demands; `problems` has one for each."""

    def __init__(self, problems: Sequence[FieldProblem]) -> None:
        super().__init__(", ".join(problem.field for problem in problems))
        self.problems = tuple(problems)


class UnreadableFileError(Exception):
    """Error of bytes that are no file of this form."""


class TaxForm(ABC):
    """Form of a periodic declaration. `reads` are the codes of forms whose earlier declarations it needs.

    `only_if` describes who has to file it, where no tax profile tells: it is due only then. `needs_records`: nothing is
    filed where there is no record to list. `record_fields` are the fields of its records, by the names in
    `DeclaredRecord`. `counts_sales` is False for a form that sales never change. `is_cumulative`: all periods begin in
    January. The amounts of a purchase in the boxes `claimable_later` may be claimed in a later period, as long as
    `is_claimable` is True.
    """

    code: str
    name: Text
    reads: tuple[str, ...] = ()
    only_if: Text | None = None
    needs_records: bool = False
    record_fields: Mapping[str, RecordField] = MappingProxyType({})
    counts_sales: bool = True
    is_cumulative: bool = False
    claimable_later: frozenset[str] = frozenset()

    @abstractmethod
    def periods(self, year: int) -> tuple[str, ...]:
        """Return the codes of the periods of a year, in order; empty where the form is not known for that year."""

    def period_name(self, period: TaxPeriod) -> Text:
        """Return period and year, as the form writes them."""
        return FixedText(f"{period.code} {period.year}")

    @abstractmethod
    def layout(self, period: TaxPeriod) -> str:
        """Return the official design in force for the period, as `2026`; the nearest one where it is not known."""

    def knows_layout(self, period: TaxPeriod) -> bool:  # noqa: ARG002 - as of forms that know all of their years
        """Return False where the design of the period is unknown: there is no file, and the draft has a warning."""
        return True

    @abstractmethod
    def boxes(self, period: TaxPeriod) -> Mapping[str, Box]:
        """Return the boxes of the form in force, in its order."""

    @abstractmethod
    def is_due(self, profile: TaxProfile, period: TaxPeriod) -> bool:
        """Return True when an account with this profile has to file the form, judged by the profile alone."""

    def is_indicated(self, period: TaxPeriod, outline: BooksOutline) -> bool:  # noqa: ARG002 - countries override it
        """Return False where the books show that the condition `only_if` does not hold for the period."""
        return True

    def filing_notice(self, profile: TaxProfile, period: TaxPeriod) -> FilingNotice | None:  # noqa: ARG002 - as above
        """Return the notice about other authorities for an account with this profile, as `TaxProfile.at` returns it."""
        return None

    def is_claimable(self, purchase: Purchase, profile: TaxProfile, period: TaxPeriod) -> bool:  # noqa: ARG002 - as above
        """Return True when a purchase that is in no declaration may be claimed in a period, by moving its deduction."""
        return False

    def purchase_days(self, purchase: PurchaseFacts) -> Collection[date]:
        """Return the days in whose periods the form counts a purchase; none where it never does."""
        return purchase.days

    @abstractmethod
    def due_date(self, period: TaxPeriod) -> date | None:
        """Return the last day to file, moved to a working day; None for a year whose term is not known."""

    @abstractmethod
    def direct_debit_date(self, period: TaxPeriod) -> date | None:
        """Return the last day to file with direct debit; None where the form has no such payment."""

    @abstractmethod
    def ledger_span(self, period: TaxPeriod) -> DateSpan:
        """Return the days of which the form reads documents."""

    @abstractmethod
    def compute(self, form_input: FormInput) -> Computation:
        """Compute the boxes. Raises ValueError for an override of a box that the form does not have."""

    @abstractmethod
    def render_file(self, content: FileInput) -> FormFile:
        """Return the file that the authority imports. Raises IncompleteDeclarationError."""

    @abstractmethod
    def read_file(self, content: bytes) -> ReadFile:
        """Read a file of the form. Raises UnreadableFileError."""

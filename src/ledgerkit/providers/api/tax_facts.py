"""Facts of a country's taxes that forms offer to people: rates, exemptions, reasons of corrections, names, hints.

A label, name or hint is in words, or a message id of the country's catalogues, which speaks each caller's language.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType

from ledgerkit.providers.api.documents import Document, DocumentKind


@dataclass(frozen=True, kw_only=True)
class TaxRate:
    """One rate in percent and the days (inclusive) it is in force; `source` names law, article and version read.

    `name` is its label. `surcharges` are the equivalence surcharges that go with it, the usual one first.
    """

    percent: Decimal
    since: date
    until: date | None
    name: str
    source: str
    surcharges: tuple[Decimal, ...] = ()

    def is_in_force(self, on: date) -> bool:
        return self.since <= on and (self.until is None or on <= self.until)


@dataclass(frozen=True, kw_only=True)
class TaxExemption:
    """Code that a line without tax may carry, and the days (inclusive) on which it may; None: without that bound."""

    code: str
    label: str
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, kw_only=True)
class CorrectedDocuments:
    """Documents of one kind that a reason corrects: those with the detail `with_detail`, without `without_detail`.

    Details are keys of `TaxRules.document_details`; None demands nothing.
    """

    kind: DocumentKind
    with_detail: str | None = None
    without_detail: str | None = None

    def includes(self, document: Document) -> bool:
        details = document.details
        return (
            document.kind is self.kind
            and (self.with_detail is None or bool(details.get(self.with_detail)))
            and (self.without_detail is None or not details.get(self.without_detail))
        )


@dataclass(frozen=True, kw_only=True)
class CorrectionReason:
    """Reason for correcting an issued document: the code that its correction carries, and what it may correct."""

    code: str
    label: str
    documents: tuple[CorrectedDocuments, ...]


@dataclass(frozen=True, kw_only=True)
class TaxWords:
    """Names of the general tax, of the tax on income, and of the retention that an invoice states.

    They are written as in the middle of a sentence; forms begin a label with a capital letter.
    """

    tax: str
    income_tax: str
    retention: str


class HintedField(StrEnum):
    """Field of a form that a country may explain with its rates, amounts and forms; named as in the interface.

    The hint of `docType` is shown where the form makes a simplified invoice.
    """

    DOC_TYPE = "docType"
    RETENTION_RATE = "retentionRate"
    DEFAULT_RETENTION_RATE = "defaultRetentionRate"
    RETENTION_KIND = "retentionKind"
    DEDUCTIBLE_PERCENT = "deductiblePercent"
    INVESTMENT_GOOD = "investmentGood"
    HIGHER_SIMPLIFIED_LIMIT = "higherSimplifiedLimit"


@dataclass(frozen=True, kw_only=True)
class TaxFacts:
    """Facts of a country's general tax. What is empty is not offered; without rates a form takes any rate.

    `rates` has the general rate first, in all periods that are known; past ones are for documents of their days.
    `exemptions` and `corrections` have the usual one first. Without `words` forms speak of taxes in general; a field
    that `hints` leaves out has no hint.
    """

    rates: tuple[TaxRate, ...] = ()
    exemptions: tuple[TaxExemption, ...] = ()
    corrections: tuple[CorrectionReason, ...] = ()
    words: TaxWords | None = None
    hints: Mapping[HintedField, str] = field(default_factory=lambda: MappingProxyType({}))

    def rates_in_force(self, on: date) -> Sequence[TaxRate]:
        """Return the rates of a day, in their order."""
        return [rate for rate in self.rates if rate.is_in_force(on)]

    def reasons_for(self, document: Document) -> Mapping[str, str]:
        """Return the labels of the reasons for correcting a document, by code, the usual one first."""
        return {
            reason.code: reason.label
            for reason in self.corrections
            if any(documents.includes(document) for documents in reason.documents)
        }

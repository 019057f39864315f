"""Ledger of an account as tax forms read it: issued and received documents, with what decides where they count.

Amounts are in the account's currency, two decimals, as the documents hold them: nothing is computed again from rates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType

from ledgerkit.providers.api.documents import DocumentKind, DocumentRef, Party, TaxLine


@dataclass(frozen=True, kw_only=True)
class DateSpan:
    """Days from `first` to `last`, both included."""

    first: date
    last: date

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerPayment:
    """Payment of a part of a document; below zero for money that was given back. `in_cash`: in coins and notes."""

    day: date
    amount: Decimal
    in_cash: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Sale:
    """Issued document that counts: neither a draft nor voided nor annulled.

    `taxes` of a credit note by substitution are followed by those that it replaces, with amounts below zero, so that
    their sums are its effect; `retention` and `gross_total` are its effect likewise. `gross_total` is with tax and
    surcharge, before retention; `retention_rate` is in percent. `client` is None where a simplified invoice names
    nobody. `triangular` as in `Document`; `triangular_exempt`: it was issued as an exempt supply by an earlier version,
    and its record and print say so. `issuer_tax_id` is that of a document of another tax identifier than the ledger's
    owner has today, as after a change of it; None for all others.
    """

    document_id: str
    kind: DocumentKind
    number: str
    issue_date: date
    operation_date: date | None
    client: Party | None
    taxes: tuple[TaxLine, ...]
    retention: Decimal
    gross_total: Decimal
    corrects: tuple[DocumentRef, ...] = ()
    correction_reason: str | None = None
    place_of_supply: str | None = None
    details: Mapping[str, str | bool] = field(default_factory=lambda: MappingProxyType({}))
    triangular: bool = False
    triangular_exempt: bool = False
    payments: tuple[LedgerPayment, ...] = ()
    retention_rate: Decimal | None = None
    issuer_tax_id: str | None = None


class PurchaseKind(StrEnum):
    """Kind of a received document; NO_INVOICE is what needs none: payroll, fees, taxes."""

    INVOICE = "invoice"
    SIMPLIFIED = "simplified"
    CREDIT_NOTE = "credit_note"
    IMPORT = "import"
    NO_INVOICE = "no_invoice"


class PurchaseOrigin(StrEnum):
    """Place where the account keeps the document."""

    EXPENSE = "expense"
    SUPPLIER_INVOICE = "supplier_invoice"


class Assessment(StrEnum):
    """Debtor of the tax: the vendor, or the buyer for one of three reasons."""

    VENDOR = "vendor"
    REVERSE_CHARGE = "reverse_charge"
    INTRA_EU_GOODS = "intra_eu_goods"
    INTRA_EU_SERVICES = "intra_eu_services"


class RetentionKind(StrEnum):
    """Reason why the buyer withheld income tax from the vendor."""

    EMPLOYMENT = "employment"
    EMPLOYMENT_IN_KIND = "employment_in_kind"
    PROFESSIONAL = "professional"
    RENT = "rent"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True, slots=True)
class PurchaseTax:
    """All lines of a received document that share a rate. Rates in percent; the base is whole, deductible or not.

    `tax` is what the vendor charges, or what the buyer assesses; `deductible_tax` is its deductible share, without
    surcharge, and `deductible_base` the base in the same proportion. `investment_good` is one by the law of the VAT; an
    asset of income tax has `useful_life_years`, even if it is no investment good.
    """

    rate: Decimal
    base: Decimal
    tax: Decimal
    deductible_base: Decimal
    deductible_tax: Decimal
    surcharge_amount: Decimal = Decimal("0.00")
    investment_good: bool = False
    useful_life_years: int | None = None
    surcharge_rate: Decimal | None = None

    @property
    def is_asset(self) -> bool:
        """True for an asset that is depreciated: it has a useful life, or lacks it as an investment good of the VAT."""
        return self.investment_good or self.useful_life_years is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Purchase:
    """Received document that counts: neither deleted nor cancelled.

    `cost` is the net amount with surcharge and with the tax that is not deductible; `income_tax_percent` is its share
    that is deductible in income tax. `reception_date` is the day of the expense for income tax, `deduction_date` the
    day of the deduction of VAT. `gross_total` is what the vendor charges, before retention. `retention` is withheld of
    `retention_base` at `retention_rate` percent, for the reason `retention_kind` where the document says it;
    `leased_property` is the cadastral reference of what is leased. `triangular` goods go from the vendor to a customer
    in a third country of the EU. `corrected_paid_on` is the day of the first payment of what a credit note corrects.
    `description` says what was bought, in the account's words. `import_document` is the number of the customs document
    of an import.
    """

    document_id: str
    origin: PurchaseOrigin
    kind: PurchaseKind
    number: str | None
    issue_date: date
    operation_date: date | None
    reception_date: date
    deduction_date: date
    vendor: Party
    assessment: Assessment
    taxes: tuple[PurchaseTax, ...]
    cost: Decimal
    income_tax_percent: Decimal
    retention: Decimal
    retention_base: Decimal
    gross_total: Decimal
    category: str
    regime_key: str | None = None
    retention_kind: RetentionKind | None = None
    leased_property: str | None = None
    triangular: bool = False
    corrects: tuple[DocumentRef, ...] = ()
    corrected_paid_on: date | None = None
    payments: tuple[LedgerPayment, ...] = ()
    retention_rate: Decimal | None = None
    description: str = ""
    import_document: str | None = None


@dataclass(frozen=True, kw_only=True)
class PurchaseFacts:
    """Facts of a received document by which it is judged while it is written; each as in `Purchase`.

    Amounts are in the document's currency. `paid_on` is the day of payment, where the document states it.
    """

    buyer: Party
    vendor: Party
    kind: PurchaseKind
    assessment: Assessment
    taxes: Sequence[PurchaseTax]
    issue_date: date
    operation_date: date | None
    reception_date: date
    deduction_date: date
    retention: Decimal
    income_tax_percent: Decimal
    category: str
    regime_key: str | None = None
    retention_kind: RetentionKind | None = None
    paid_on: date | None = None

    @property
    def days(self) -> frozenset[date]:
        """Days on which it may count in a declaration."""
        days = (self.issue_date, self.reception_date, self.deduction_date, self.paid_on)
        return frozenset(day for day in days if day is not None)


class Omission(StrEnum):
    """Reason why a document of the period is not in the ledger."""

    FOREIGN_CURRENCY = "foreign_currency"


@dataclass(frozen=True, kw_only=True, slots=True)
class OmittedDocument:
    """Document of the span that the ledger cannot count, with its number for people, and its date where it is known."""

    document_id: str
    number: str | None
    reason: Omission
    issue_date: date | None = None


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """Documents of which any date lies in the span, each once, in the order of their dates and ids.

    Credit notes of purchases are in it by the payments of what they correct, too.

    `owner` is the account as it would stand on a document today. `earlier_investments` are purchases received before
    the span that hold an investment good or another asset.
    """

    span: DateSpan
    currency: str
    owner: Party
    sales: Sequence[Sale]
    purchases: Sequence[Purchase]
    omitted: Sequence[OmittedDocument] = ()
    earlier_investments: Sequence[Purchase] = ()

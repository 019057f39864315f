"""A country: its tax facts, dated and with sources, and the channels to its authorities."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from ledgerkit.money import RoundingPolicy
from ledgerkit.providers.api.books import RecordBook
from ledgerkit.providers.api.channels import FiscalChannel
from ledgerkit.providers.api.cross_checks import CrossCheck
from ledgerkit.providers.api.documents import Document, DocumentKind, Party, TaxCategory, TaxLine
from ledgerkit.providers.api.ledger import PurchaseFacts
from ledgerkit.providers.api.readings import DocumentReader, PurchaseWords
from ledgerkit.providers.api.tax_facts import TaxFacts, TaxRate
from ledgerkit.providers.api.tax_forms import TaxForm, TaxProfile
from ledgerkit.texts import ENGLISH, Catalogue, Text

API_VERSION = 1
"""Version of this interface. A provider states the version that it was written for; with another it is not loaded."""

ENGLISH_WORDS = Catalogue(Path(__file__).parent / "words", ENGLISH, prefix="words.")
"""Fixed words of documents, of their public pages and of the mails that bring them: by key, in English.

A country gives the same keys in further languages (`CountryProvider.words`); what it leaves out is said in English.
The keys `tax.X` name the country's other taxes X; they are its own, and without one the tax is called by its key.
`locale` is the CLDR locale of numbers, dates and the names of countries, `date` a CLDR pattern of days. What stands
in braces is filled in.
"""


@dataclass(frozen=True, kw_only=True)
class TaxIdCheck:
    """Verdict on a tax identifier: its normal form when valid, otherwise why not.

    `of_person`: its form shows that it is a natural person's.
    """

    valid: bool
    normalised: str
    reason: Text | None = None
    of_person: bool = False


@dataclass(frozen=True, kw_only=True)
class NumberingRules:
    """Numbering of documents: default series per kind, the number's form, its bounds and their source."""

    series: Mapping[DocumentKind, str]
    max_length: int
    forbidden: str
    source: str

    def number(self, series: str, year: int, ordinal: int) -> str:
        """`F2026-0001`: series, year of issue, ordinal of at least four digits, gapless within series and year."""
        return f"{series}{year:04d}-{ordinal:04d}"


@dataclass(frozen=True, kw_only=True)
class Legend:
    """Text that the law wants on the printed document."""

    text: Text
    source: str


@dataclass(frozen=True)
class TaxDoubt:
    """Doubt about the form or taxes of a document that may be right all the same: a stable code, and a way out.

    `text` begins with the code and names fields of the interface. `words` says the same to a person at a screen, with
    neither, in at most 285 characters, so that a summary shows it whole.
    """

    code: str
    text: Text
    words: Text


@dataclass(frozen=True, kw_only=True)
class DraftFacts:
    """Facts of a draft from which a country derives its doubts. `gross_total` is in `currency`, with taxes.

    `gross_total` is before retention. `recipient` is None where nobody is named. `higher_simplified_limit`: the account
    states that it may issue simplified invoices of higher amounts than usual. `day` is the day whose rates apply, None
    where it is not known; `retention_rate` is in percent. `place_of_supply` is an ISO 3166 code, or free text.
    `recipient_is_company` is what the card of the client says: False for a private person; None where there is no card,
    or where the card cannot matter, because the client is at home and nothing is retained. `is_business_stated`:
    somebody has stated on the card that the client is a business, so that it is not only the usual value.
    """

    kind: DocumentKind
    issuer: Party
    recipient: Party | None
    taxes: Sequence[TaxLine]
    currency: str
    gross_total: Decimal
    retention: Decimal
    details: Mapping[str, str | bool] = field(default_factory=lambda: MappingProxyType({}))
    higher_simplified_limit: bool = False
    day: date | None = None
    retention_rate: Decimal = Decimal(0)
    place_of_supply: str | None = None
    recipient_is_company: bool | None = None
    is_business_stated: bool = False


TaxDoubts = Callable[[DraftFacts], Sequence[TaxDoubt]]
"""Doubts about a draft; a pure function."""


def no_doubts(_facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return no doubt, for a country without such rules."""
    return ()


PurchaseDoubts = Callable[[PurchaseFacts], Sequence[TaxDoubt]]
"""Doubts about the tax of a received document; a pure function."""


def no_purchase_doubts(_facts: PurchaseFacts) -> Sequence[TaxDoubt]:
    """Return no doubt, for a country without such rules."""
    return ()


@dataclass(frozen=True, kw_only=True)
class ServiceFacts:
    """Facts of lines that are services for certain, and state neither a rate nor a category.

    `recipient_is_company` and `place_of_supply` are as in `DraftFacts`.
    """

    issuer: Party
    recipient: Party
    place_of_supply: str | None = None
    recipient_is_company: bool | None = None


@dataclass(frozen=True, kw_only=True)
class TaxProposal:
    """Category that a line takes because it states none, and why, with the law and the way to say otherwise."""

    category: TaxCategory
    text: Text


TaxProposals = Callable[[ServiceFacts], TaxProposal | None]
"""Proposal for services that state no tax; None where the usual rate holds. A pure function."""


def no_proposal(_facts: ServiceFacts) -> TaxProposal | None:
    """Return no proposal, for a country without such rules."""
    return None


class TaxRules(Protocol):
    """Tax rules of a country, dated and with sources. All functions are pure.

    A code is explained by words, or by a message id of the country's catalogues, in each caller's language.
    """

    rounding: RoundingPolicy
    numbering: NumberingRules
    exemption_codes: Mapping[str, str]
    regime_keys: Mapping[str, str]
    taxes: Mapping[str, str]
    """Taxes that a line may carry instead of the general one, by key; empty where there is only one."""
    tax_id_kinds: Mapping[str, str]
    """Identifiers of a party that are no tax number, by key: a passport, for one."""
    document_details: Mapping[str, str]
    """Flags and references that a document may carry for the authority, by key, each explained."""

    def rates(self, on: date, tax: str | None = None) -> Sequence[TaxRate]:
        """Return the rates of a tax in force on a day, the general one first; empty if any rate may be used."""
        ...

    def check_tax_id(self, value: str, country: str) -> TaxIdCheck:
        """Judge and normalise the tax identifier of a party of `country` (ISO 3166 alpha-2)."""
        ...

    def corrections(self, document: Document) -> Mapping[str, str]:
        """Reasons for correcting an issued document, by the code that its correction carries, the usual one first."""
        ...

    def legends(self, document: Document) -> Sequence[Legend]:
        """Return the texts that the law wants printed on this document."""
        ...


@dataclass(frozen=True, kw_only=True)
class InvoicingRegime:
    """Regime under which an issuer reports its invoices; `source` names law and article.

    `is_recorded`: each numbered document gets a fiscal record through the country's channel. Otherwise ledgerkit makes
    none, and the issuer has to do elsewhere what `InvoicingRegimes.duty` describes.
    """

    key: str
    name: Text
    explanation: Text
    is_recorded: bool
    source: str


@dataclass(frozen=True, kw_only=True)
class RegimeProposal:
    """Regime `key` that an issuer seems to be under, and why, with what to do about it."""

    key: str
    text: Text


class InvoicingRegimes(Protocol):
    """Regimes of a country. Pure."""

    @property
    def regimes(self) -> Sequence[InvoicingRegime]:
        """Regimes; the first one applies to issuers that have stated none."""
        ...

    def duty(self, key: str, issuer: Party) -> Text | None:
        """Describe what an issuer has to do elsewhere under a regime without records; None under any other regime."""
        ...

    def proposal(self, issuer: Party) -> RegimeProposal | None:
        """Propose another regime than the first one for an issuer; None where nothing suggests one."""
        ...


@dataclass(frozen=True, kw_only=True)
class CountryProvider:
    """One country. A capability that it lacks is an empty collection or None, never a method that does nothing.

    `languages`, the usual one first, are those of its legends and of its documents. `words` are the fixed words of
    documents and their mails by language: the keys of `ENGLISH_WORDS`, as many as there are; English needs none.
    `sandbox` is `"package.module:function"`, imported only when the sandbox is wanted; the function takes the
    directory for its state and returns a `Sandbox`. `not_subject_reasons` are why a line may be not subject to the
    tax, by the key that the line gives, each explained. `margin_regimes` are the keys of regimes under which only the
    margin of the seller is taxed. `declarations` are the forms of periodic tax declarations, the usual one first;
    `tax_profile` is what they ask of an account beside its documents, with defaults for every field. `books` are the
    record books, in the order of the workbook that holds them. `cross_checks` compare the declarations of a year with
    each other and with the books. `readings` reads receipts and invoices of suppliers; `tax_doubts` tells of taxes of a
    draft that are hardly meant so, and `purchase_doubts` of those of an expense or supplier invoice; `tax_proposals`
    proposes the category of services that state no tax.
    `purchase_words` help where an account has no expenses to learn from. `invoicing_regimes` are None where all issuers
    report alike. `tax_facts` are what forms offer: rates, exemptions, reasons of corrections, names of taxes, hints.
    `example_clients` are invented clients for the examples of the first run; each has an address, and a valid tax id
    that is nobody's.
    """

    code: str
    name: str
    currency: str
    time_zone: str
    languages: tuple[str, ...]
    api_version: int
    tax: TaxRules
    channels: Sequence[FiscalChannel] = ()
    sandbox: str | None = None
    settings_help: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    not_subject_reasons: Mapping[str, str] = field(default_factory=dict)
    margin_regimes: frozenset[str] = frozenset()
    declarations: Sequence[TaxForm] = ()
    tax_profile: type[TaxProfile] = TaxProfile
    books: Sequence[RecordBook] = ()
    cross_checks: Sequence[CrossCheck] = ()
    readings: DocumentReader | None = None
    tax_doubts: TaxDoubts = no_doubts
    purchase_doubts: PurchaseDoubts = no_purchase_doubts
    tax_proposals: TaxProposals = no_proposal
    invoicing_regimes: InvoicingRegimes | None = None
    purchase_words: PurchaseWords = field(default_factory=PurchaseWords)
    tax_facts: TaxFacts = field(default_factory=TaxFacts)
    example_clients: Sequence[Party] = ()

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
from ledgerkit.providers.api.documents import Document, DocumentKind, Party, TaxLine
from ledgerkit.providers.api.readings import DocumentReader, PurchaseWords
from ledgerkit.providers.api.tax_facts import TaxFacts, TaxRate
from ledgerkit.providers.api.tax_forms import TaxForm, TaxProfile
from ledgerkit.texts import ENGLISH, Catalogue, Text

API_VERSION = 1
"""A provider states the version it was written for; another one is listed as broken, not loaded."""

ENGLISH_WORDS = Catalogue(Path(__file__).parent / "words", ENGLISH, prefix="words.")
"""Fixed words of documents, of their public pages and of the mails that bring them: by key, in English.

A country gives the same keys in further languages (`CountryProvider.words`); what it leaves out is said in English.
The keys `tax.X` name the country's other taxes X; they are its own, and without one the tax is called by its key.
`locale` is the CLDR locale of numbers, dates and the names of countries, `date` a CLDR pattern of days. What stands
in braces is filled in.
"""


@dataclass(frozen=True, kw_only=True)
class TaxIdCheck:
    """Verdict on a tax identifier: its normal form when valid, otherwise why not."""

    valid: bool
    normalised: str
    reason: Text | None = None


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
    """A text the law wants on the printed document."""

    text: Text
    source: str


@dataclass(frozen=True)
class TaxDoubt:
    """Doubt about the form or taxes of a document that may be right all the same: a stable code, and a way out."""

    code: str
    text: Text


@dataclass(frozen=True, kw_only=True)
class DraftFacts:
    """Statements of a draft from which a country draws its doubts. `gross_total` is in `currency`, with taxes.

    It is before retention. `recipient` is None where nobody is named. `higher_simplified_limit`: the account says that
    what it sells may be invoiced in simplified form at higher amounts than usual.
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


TaxDoubts = Callable[[DraftFacts], Sequence[TaxDoubt]]
"""Doubts about a draft; a pure function."""


def no_doubts(_facts: DraftFacts) -> Sequence[TaxDoubt]:
    """Return none: of a country that has no such rule."""
    return ()


class TaxRules(Protocol):
    """A country's tax facts, dated and with sources. All functions are pure.

    Codes are explained in words, or by a message id of the country's catalogues, which speaks each caller's language.
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
        """The rates of a tax in force on a day, the general one first; empty: any rate may be used."""
        ...

    def check_tax_id(self, value: str, country: str) -> TaxIdCheck:
        """Judge and normalise the tax identifier of a party of `country` (ISO 3166 alpha-2)."""
        ...

    def corrections(self, document: Document) -> Mapping[str, str]:
        """Reasons for correcting an issued document, by the code that its correction carries, the usual one first."""
        ...

    def legends(self, document: Document) -> Sequence[Legend]:
        """The texts the law wants printed on this document."""
        ...


@dataclass(frozen=True, kw_only=True)
class InvoicingRegime:
    """A regime under which an issuer reports what it invoices; `source` names law and article.

    `is_recorded`: what is numbered gets a fiscal record through the country's channel. Where it is False ledgerkit
    makes none, and the issuer does elsewhere what `InvoicingRegimes.duty` says.
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
        """The regimes; the first one is that of issuers who have stated none."""
        ...

    def duty(self, key: str, issuer: Party) -> Text | None:
        """Say what an issuer has to do elsewhere under a regime without records; None under another one."""
        ...

    def proposal(self, issuer: Party) -> RegimeProposal | None:
        """Propose another regime than the first one for an issuer; None where nothing speaks for one."""
        ...


@dataclass(frozen=True, kw_only=True)
class CountryProvider:
    """One country. The absence of a capability is an empty collection, not a method that lies.

    `languages`, the usual one first, are those of its legends and of its documents. `words` are the fixed words of
    documents and their mails by language: the keys of `ENGLISH_WORDS`, as many as there are; English needs none.
    `sandbox` is `"package.module:function"`, imported only when the sandbox is wanted; the function takes the
    directory for its state and returns a `Sandbox`. `not_subject_reasons` are why a line may be not subject to the
    tax, by the key that the line gives, each explained. `margin_regimes` are the keys of regimes under which only the
    margin of the seller is taxed. `declarations` are the forms of periodic tax declarations, the usual one first;
    `tax_profile` is what they ask of an account beside its documents, with defaults for every field. `books` are the
    record books, in the order of the workbook that holds them. `cross_checks` compare the declarations of a year with
    each other and with the books. `readings` reads receipts and invoices of suppliers; `tax_doubts` tells of taxes of a
    draft that are hardly meant so. `purchase_words` help where an account has no expenses to learn from.
    `invoicing_regimes` are None where all issuers report alike. `tax_facts` are what forms offer: rates, exemptions,
    reasons of corrections, names of taxes, hints. `example_clients` are invented clients for the examples of the first
    run; each has an address, and a valid tax id that is nobody's.
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
    invoicing_regimes: InvoicingRegimes | None = None
    purchase_words: PurchaseWords = field(default_factory=PurchaseWords)
    tax_facts: TaxFacts = field(default_factory=TaxFacts)
    example_clients: Sequence[Party] = ()

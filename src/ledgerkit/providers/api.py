"""What a country offers: frozen values and small capabilities, never the database.

A country is a `CountryProvider` found by the entry-point group `ledgerkit.countries`. Everything it is given and
everything it returns is a frozen value, so a provider cannot corrupt what core stores. Core owns order, storage,
retries and audit; the provider owns content, checks before numbering, and the one act of delivery.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol

from ledgerkit.money import RoundingPolicy

API_VERSION = 1
"""A provider states the version it was written for; another one is listed as broken, not loaded."""


class TaxCategory(StrEnum):
    """Why a line carries the tax it carries; country-neutral, on the wire as in interface decisions B1."""

    STANDARD = "standard"
    EXEMPT = "exempt"
    NOT_SUBJECT = "not_subject"
    REVERSE_CHARGE = "reverse_charge"
    EXPORT = "export"
    INTRA_EU_GOODS = "intra_eu_goods"
    INTRA_EU_SERVICES = "intra_eu_services"


class DocumentKind(StrEnum):
    INVOICE = "invoice"
    SIMPLIFIED = "simplified"
    CREDIT_NOTE = "credit_note"


class Environment(StrEnum):
    """Where records go: our own loopback authority, the authority's test service, or the real one."""

    SANDBOX = "sandbox"
    TEST = "test"
    PRODUCTION = "production"


@dataclass(frozen=True, kw_only=True)
class TaxRate:
    """One rate in percent and the days (inclusive) it is in force; `source` names law, article and version read."""

    percent: Decimal
    since: date
    until: date | None
    name: str
    source: str
    surcharges: tuple[Decimal, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TaxIdCheck:
    """Verdict on a tax identifier: its normal form when valid, otherwise why not."""

    valid: bool
    normalised: str
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class NumberingRules:
    """How documents are numbered: default series per kind, the number's form, its bounds and their source."""

    series: Mapping[DocumentKind, str]
    max_length: int
    forbidden: str
    source: str

    def number(self, series: str, year: int, ordinal: int) -> str:
        """`F2026-0001`: series, year of issue, ordinal of at least four digits, gapless within series and year."""
        return f"{series}{year:04d}-{ordinal:04d}"


@dataclass(frozen=True, kw_only=True)
class Party:
    """One side of a document, as frozen on it."""

    name: str
    tax_id: str | None
    country: str
    address: str | None = None
    postal_code: str | None = None
    city: str | None = None
    province: str | None = None
    email: str | None = None


@dataclass(frozen=True, kw_only=True)
class TaxLine:
    """All lines of a document that share category, rate, surcharge, exemption and regime. Rates in percent."""

    category: TaxCategory
    rate: Decimal
    base: Decimal
    amount: Decimal
    surcharge_rate: Decimal | None = None
    surcharge_amount: Decimal = Decimal("0.00")
    exemption_code: str | None = None
    regime_key: str | None = None


@dataclass(frozen=True, kw_only=True)
class DocumentRef:
    """A document as other documents name it."""

    number: str
    issue_date: date


@dataclass(frozen=True, kw_only=True)
class Correction:
    """What a credit note corrects, how (`differences` or `substitution`), and the country's reason code."""

    documents: tuple[DocumentRef, ...]
    method: Literal["differences", "substitution"] = "differences"
    reason: str | None = None
    replaced_base: Decimal | None = None
    replaced_tax: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class Document:
    """An issued document, whole, as a channel sees it. Amounts in its currency, two decimals.

    `gross_total` is bases plus taxes plus surcharges, before retention; `payable` is after retention.
    """

    kind: DocumentKind
    number: str
    issue_date: date
    operation_date: date | None
    issuer: Party
    recipient: Party | None
    currency: str
    description: str
    taxes: tuple[TaxLine, ...]
    tax_total: Decimal
    gross_total: Decimal
    retention: Decimal
    payable: Decimal
    correction: Correction | None = None


@dataclass(frozen=True, kw_only=True)
class Installation:
    """One issuer's use of this software: its number never repeats for an issuer, past or future."""

    number: str
    several_issuers: bool


@dataclass(frozen=True, kw_only=True)
class ChainLink:
    """The record before this one in the same chain."""

    issuer_tax_id: str
    number: str
    issue_date: date
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class SealedRecord:
    """A fiscal record, made once: `content` are the bytes that are stored, sent and hashed.

    `qr_url` and `fingerprint` share the literals of `content`. `fiscal_id` is stable before the authority answers.
    """

    channel: str
    channel_version: str
    kind: Literal["issue", "annul"]
    fiscal_id: str
    number: str
    issue_date: date
    issuer_tax_id: str
    content: bytes
    media_type: str
    fingerprint: str
    generated_at: datetime
    qr_url: str | None


class State(StrEnum):
    """Where a record stands with its authority (interface decisions L)."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    ACCEPTED_WITH_ERRORS = "accepted_with_errors"
    REJECTED = "rejected"
    ANNULLED = "annulled"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the authority said of one record. PENDING: try again later; UNKNOWN: the answer was lost or unreadable.

    `duplicate`: it holds a record of this identity already, in this state; ours only if an earlier answer was lost.
    """

    state: State
    code: str | None = None
    message: str | None = None
    duplicate: bool = False


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What the authority said of one message: an outcome per record, in the batch's order.

    `reference` is the authority's own receipt (Spain: CSV), never obtainable again. `wait_seconds` is the pause it
    asks for before the next message, None to keep the last one. `fault` is set when the message as a whole was
    refused and nothing was stored.
    """

    outcomes: tuple[Outcome, ...]
    reference: str | None = None
    wait_seconds: int | None = None
    fault: str | None = None


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """The raw result of one attempt: the HTTP status and body, or why there is none.

    `sent` is False only when the message certainly did not reach the authority (no connection, no TLS), so that
    nothing can have been stored.
    """

    status: int | None
    body: bytes
    error: str | None = None
    sent: bool = True


@dataclass(frozen=True, kw_only=True)
class FieldProblem:
    """A rule of the country that a document breaks, before anything is numbered.

    `field` is the wire path (`items[0].taxRate`, `issuer.taxId`), `code` the authority's code where it has one.
    """

    field: str
    code: str
    message: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class Legend:
    """A text the law wants on the printed document, by language."""

    text: Mapping[str, str]
    source: str

    def in_language(self, language: str) -> str:
        return self.text.get(language) or self.text["es"]


@dataclass(frozen=True, kw_only=True)
class QrBlock:
    """How the fiscal QR is printed. Sizes in millimetres; `captions` above and below, in the law's own words."""

    above: str
    below: str | None
    size_mm: int = 35
    margin_mm: int = 6
    error_level: Literal["L", "M", "Q", "H"] = "M"


@dataclass(frozen=True, kw_only=True)
class SandboxAccess:
    """How to reach a running sandbox authority: what a channel's own settings would otherwise say."""

    url: str
    ca_file: Path
    certificate_file: Path


class Sandbox(Protocol):
    """A stand-in for a national authority, on loopback, speaking its real protocol."""

    access: SandboxAccess

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class FiscalChannel(Protocol):
    """One way to report documents to one authority. Everything but `deliver` is pure.

    `preflight` is called before numbering; `seal` inside the transaction that numbers the document, under the lock of
    the issuer's chain, and must not do I/O; `deliver` is the only I/O and runs outside any transaction.
    """

    id: str
    version: str
    title: str
    max_batch: int
    chained: bool

    def ready(self, environment: Environment) -> Sequence[FieldProblem]:
        """What the operator still has to configure before this channel can be used in `environment`."""
        ...

    def connect_sandbox(self, access: SandboxAccess) -> "FiscalChannel":
        """The same channel, speaking to the sandbox authority at `access`."""
        ...

    def preflight(self, document: Document, today: date) -> Sequence[FieldProblem]:
        """Every rule that can be checked before the document has a number (its `number` may be a placeholder)."""
        ...

    def seal(
        self,
        document: Document,
        previous: ChainLink | None,
        installation: Installation,
        at: datetime,
        environment: Environment,
    ) -> SealedRecord:
        """The record of `document`, linked to `previous`. `at` is aware and in the issuer's time zone."""
        ...

    def message(self, issuer: Party, contents: Sequence[bytes], *, late: bool) -> bytes:
        """One message carrying the stored `contents`, byte for byte, in chain order."""
        ...

    async def deliver(self, message: bytes, environment: Environment, *, timeout_seconds: float) -> Delivery:
        """Send and read the raw answer. Never raises for what happens on the network: that is a `Delivery` too."""
        ...

    def read(self, delivery: Delivery, records: Sequence[tuple[str, date]]) -> Receipt:
        """What `delivery` says of the records (number, issue date), in order. An unreadable answer is UNKNOWN."""
        ...

    def qr_block(self) -> QrBlock:
        """How the QR of a sealed record is printed."""
        ...


class TaxRules(Protocol):
    """A country's tax facts, dated and with sources. All functions are pure."""

    rounding: RoundingPolicy
    numbering: NumberingRules
    exemption_codes: Mapping[str, str]
    regime_keys: Mapping[str, str]

    def rates(self, on: date) -> Sequence[TaxRate]:
        """The rates in force on a day, the general one first."""
        ...

    def check_tax_id(self, value: str, country: str) -> TaxIdCheck:
        """Judge and normalise the tax identifier of a party of `country` (ISO 3166 alpha-2)."""
        ...

    def legends(self, document: Document) -> Sequence[Legend]:
        """The texts the law wants printed on this document."""
        ...


@dataclass(frozen=True, kw_only=True)
class CountryProvider:
    """One country. The absence of a capability is an empty collection, not a method that lies.

    `sandbox` is `"package.module:function"`, imported only when the sandbox is wanted; the function takes the
    directory for its state and returns a `Sandbox`.
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

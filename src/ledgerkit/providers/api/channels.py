"""Channels: the ways to report documents to one authority, and what else a channel may be able to do."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol

from ledgerkit.providers.api.credentials import Access, Certificate, ConnectionTest
from ledgerkit.providers.api.documents import Document, Party
from ledgerkit.providers.api.events import AuditedEvent, Event, EventLink, SealedEvent
from ledgerkit.providers.api.records import (
    Annulment,
    Anomaly,
    Answer,
    AuditedRecord,
    ChainLink,
    Delivery,
    Explanation,
    FieldProblem,
    Installation,
    PastRecord,
    Question,
    Receipt,
    RecordAmounts,
    SealedRecord,
    Signer,
)


@dataclass(frozen=True, kw_only=True)
class DeclarationItem:
    """One item in the law's order: its key there (`1.a`), the text that describes it, and what is declared."""

    key: str
    text: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """Declaration of this software's producer for one version, in the country's official language.

    `notice` says why it is not a declaration yet (a producer for trying out); None for a real one.
    """

    title: str
    version: str
    language: str
    items: Sequence[DeclarationItem]
    annex: Sequence[DeclarationItem]
    notice: str | None = None


@dataclass(frozen=True, kw_only=True)
class FormerDate:
    """A day that was once the law, and what named it."""

    since: date
    source: str


@dataclass(frozen=True, kw_only=True)
class Announcement:
    """Change of the day that somebody has announced and no law has made: it is `enacted` never, and binds nobody.

    `since`: the new day as far as it is known, ISO 8601: a day, or only its month (`2028-10`); None where `text` says
    it. `announced_on`: the day of the announcement by `source`; None where it is not known.
    """

    text: str
    source: str
    since: str | None = None
    announced_on: date | None = None
    enacted: Literal[False] = False


@dataclass(frozen=True, kw_only=True)
class Obligation:
    """Duty to report: who has it, from which day on, by which source; `former` days, oldest first.

    The day `since` is the law in force. `announced` stands beside it and changes nothing.
    """

    who: str
    since: date
    source: str
    former: Sequence[FormerDate] = ()
    announced: Announcement | None = None


class Environment(StrEnum):
    """Destination of records: our own loopback authority, the authority's test service, or the real one."""

    SANDBOX = "sandbox"
    TEST = "test"
    PRODUCTION = "production"


class Mode(StrEnum):
    """Mode of an issuer: records are sent at once, or signed, kept, and shown to the authority on request."""

    REPORTING = "reporting"
    SIGNING = "keeping"


@dataclass(frozen=True, kw_only=True)
class QrBlock:
    """Layout of the fiscal QR. Sizes in millimetres; `captions` above and below, in the law's own words."""

    above: str
    below: str | None
    size_mm: int = 35
    margin_mm: int = 6
    error_level: Literal["L", "M", "Q", "H"] = "M"


@dataclass(frozen=True, kw_only=True)
class SandboxAccess:
    """Address and certificates of a running sandbox authority, in place of the channel's own settings.

    `signer_file` holds a key and certificate with which records can be signed there.
    """

    url: str
    ca_file: Path
    certificate_file: Path
    signer_file: Path | None = None


class Sandbox(Protocol):
    """A stand-in for a national authority, on loopback, speaking its real protocol."""

    access: SandboxAccess

    def reach(self) -> SandboxAccess | None:
        """The way to the one that another process runs on the same directory; None where none has ever run."""
        ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Place:
    """Place of a record in its chain, and its time: `at` is aware and in the issuer's time zone."""

    previous: ChainLink | None
    installation: Installation
    at: datetime
    environment: Environment


@dataclass(frozen=True, kw_only=True)
class EventPlace:
    """Place of an event in its log, its issuer, and its time: `at` is aware and in the issuer's time zone."""

    previous: EventLink | None
    installation: Installation
    issuer: Party
    at: datetime
    environment: Environment


@dataclass(frozen=True, kw_only=True)
class AuthorityRequest:
    """The authority's demand to see records that were kept: its reference, and whether this message is the last."""

    reference: str
    last: bool


@dataclass(frozen=True, kw_only=True)
class Heading:
    """Heading of a message: everything before its records.

    `late`: an incident delayed them. `representative` sends in the issuer's name. `until`: the day on which
    voluntary reporting ends. `request`: the records answer a demand.
    """

    issuer: Party
    late: bool = False
    representative: Party | None = None
    until: date | None = None
    request: AuthorityRequest | None = None


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
    mere_notices: frozenset[str]
    """Codes of records that were accepted with errors and ask for no correction."""

    @property
    def annuls(self) -> "Annulling | None": ...

    @property
    def audits(self) -> "Auditing | None": ...

    @property
    def asks(self) -> "Asking | None": ...

    @property
    def signs(self) -> "Signing | None": ...

    @property
    def certifies(self) -> "Certifying | None": ...

    @property
    def declares(self) -> "Declaring | None": ...

    def ready(self, environment: Environment, *, own_certificate: bool = False) -> Sequence[FieldProblem]:
        """List the settings that the operator still lacks before this channel can be used in `environment`.

        `own_certificate`: the issuer has one, so that the operator needs none. In production the list names what the
        producer's declaration lacks too, where the law demands one before anything real is issued. A variable that is
        not set has the code `SETTING_MISSING`; one whose value cannot be read `SETTING_WRONG`, in every environment.
        """
        ...

    def connect_sandbox(self, access: SandboxAccess) -> "FiscalChannel":
        """Return this channel with the sandbox authority at `access` as its authority."""
        ...

    def preflight(self, document: Document, today: date) -> Sequence[FieldProblem]:
        """Every rule that can be checked before the document has a number (its `number` may be a placeholder)."""
        ...

    def seal(self, document: Document, place: Place, earlier_records: Sequence[PastRecord] = ()) -> SealedRecord:
        """The record of `document` at its place in the chain.

        `earlier_records` are the document's records so far, oldest first: with any, this one corrects what they said.
        """
        ...

    def message(self, heading: Heading, contents: Sequence[bytes]) -> bytes:
        """One message carrying the stored `contents`, byte for byte, in chain order."""
        ...

    async def deliver(
        self, message: bytes, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> Delivery:
        """Send and read the raw answer. Never raises for what happens on the network: that is a `Delivery` too.

        `access` is the issuer's own way in; None the operator's.
        """
        ...

    def read(self, delivery: Delivery, records: Sequence[tuple[str, date]]) -> Receipt:
        """Read the outcomes of records (number, issue date) in order. An unreadable answer is UNKNOWN."""
        ...

    def explain(self, code: str) -> Explanation | None:
        """Explain a code of the authority and how it is mended; None for a code that it does not have."""
        ...

    def qr_block(self, qr_url: str | None = None) -> QrBlock:
        """Lay out the QR of the sealed record with this address."""
        ...


class Annulling(Protocol):
    """Records that strike out a document. Both functions are pure."""

    def preflight(
        self, annulment: Annulment, earlier_records: Sequence[PastRecord], today: date
    ) -> Sequence[FieldProblem]:
        """Every rule that can be checked before; among them that there is something to strike out."""
        ...

    def seal(self, annulment: Annulment, place: Place, earlier_records: Sequence[PastRecord]) -> SealedRecord:
        """The record at its place in the chain. `earlier_records` are the document's records so far, oldest first."""
        ...


class Auditing(Protocol):
    """Checking what is stored. Pure."""

    def audit(
        self, records: Iterable[AuditedRecord], before: ChainLink | None, now: datetime, head: ChainLink | None = None
    ) -> Iterator[Anomaly]:
        """Walk a contiguous stretch of a chain, oldest first, holding no more than one record at a time.

        `before` is the record in front of the stretch, None when it begins the chain. `head` is the record with which
        the stretch must end, None when nothing is known of its end. The first anomaly names the first break.
        """
        ...

    def amounts(self, content: bytes) -> RecordAmounts:
        """Read the amounts of a stored record. Raises ValueError when it cannot be read."""
        ...

    def continues(self, link: ChainLink, today: date) -> Sequence[FieldProblem]:
        """List why no chain can continue from `link`, the last record of other software, by fields of it."""
        ...


class Asking(Protocol):
    """Asking the authority what it holds; the message is sent with `FiscalChannel.deliver`."""

    def message(self, heading: Heading, question: Question) -> bytes: ...

    def read(self, delivery: Delivery) -> Answer:
        """Never raises: what cannot be read is a failure."""
        ...


class Signing(Protocol):
    """Signing of records that are kept instead of being reported at once.

    Pure, but for `signer` and `submit_on_request`.

    With a signer in its `Installation`, a channel signs the record that it seals.
    """

    names: Mapping[Mode, str]
    """Names of the two modes on the wire."""

    def ready(self, environment: Environment, access: Access | None = None) -> Sequence[FieldProblem]:
        """List obstacles to keeping records here: the mode is not offered, or no key can sign."""
        ...

    def signer(self, environment: Environment, access: Access | None = None) -> Signer:
        """The key that signs, the operator's unless there is `access`. Raises Internal when `ready` names problems."""
        ...

    def leaves_reporting(self, today: date) -> date:
        """The last day of reporting for an issuer who has begun to report and decides today to stop."""
        ...

    def check(self, position: int, content: bytes) -> Anomaly | None:
        """Return the anomaly of a stored record whose signature is missing or does not hold; None when it holds."""
        ...

    def log(self, event: Event, place: EventPlace) -> SealedEvent:
        """The event at its place in the chain of events, signed."""
        ...

    def audit(
        self, events: Iterable[AuditedEvent], before: EventLink | None, now: datetime, head: AuditedEvent | None = None
    ) -> Iterator[Anomaly]:
        """Walk a contiguous stretch of a chain of events, oldest first; `before` is the event in front of it.

        `head` is the event with which the stretch must end, None when nothing is known of its end.
        """
        ...

    async def submit_on_request(
        self, message: bytes, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> Delivery:
        """Send a message that answers the authority's demand (`Heading.request`); as `FiscalChannel.deliver`."""
        ...


class Certifying(Protocol):
    """Client certificates: reading them, and trying whether they are let in. Everything but `test` is pure."""

    def read(self, access: Access, at: datetime) -> Certificate:
        """Read a certificate. Raises UnusableCertificateError for one that cannot be used at the instant `at`."""
        ...

    def operators(self, environment: Environment) -> Certificate | None:
        """Read the operator's own certificate, in force or not; None without a readable one."""
        ...

    def representative(self) -> Party | None:
        """Name the holder of the operator's certificate, when it reports in the name of others."""
        ...

    def of_another(self, environment: Environment, issuer_tax_id: str) -> FieldProblem | None:
        """Explain why the operator's certificate may not report for this issuer; None where it may."""
        ...

    def self_signed(self, environment: Environment, access: Access | None = None) -> FieldProblem | None:
        """Explain that nobody but its holder vouches for a certificate, so that the authority never lets it in.

        It is `access`, or the operator's for that environment. None for any other, and for one that cannot be read.
        """
        ...

    async def test(
        self, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> ConnectionTest:
        """Connect as `FiscalChannel.deliver` would, and report nothing. Never raises for what happens on the way."""
        ...


class Declaring(Protocol):
    """ProducerFacts about this software and this law. Pure."""

    def declaration(self, environment: Environment) -> Declaration | Sequence[FieldProblem]:
        """The declaration for this version, or the settings that it lacks."""
        ...

    def obligations(self) -> Sequence[Obligation]:
        """List who must report and from which day on, as the operator has it configured."""
        ...

    def obligation_of(self, issuer: Party) -> Obligation | None:
        """Return the one of `obligations` that is this issuer's; None for who is not obliged, or not known yet."""
        ...

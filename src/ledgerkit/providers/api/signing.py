"""Signing and keeping: what a channel can do for issuers who report only on request. Frozen values and one protocol."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from ledgerkit.providers.api.channels import Access, Environment
from ledgerkit.providers.api.documents import Party
from ledgerkit.providers.api.records import Anomaly, ChainLink, Delivery, FieldProblem, Installation, Signer


class Mode(StrEnum):
    """Whether an issuer's records are sent at once, or signed, kept, and shown to the authority on request."""

    REPORTING = "reporting"
    KEEPING = "keeping"


class EventKind(StrEnum):
    """What can happen to a system that keeps records."""

    STARTED = "started"
    STOPPED = "stopped"
    RECORDS_CHECKED = "records_checked"
    RECORD_FLAWED = "record_flawed"
    EVENTS_CHECKED = "events_checked"
    EVENT_FLAWED = "event_flawed"
    RESTORED = "restored"
    RECORDS_EXPORTED = "records_exported"
    EVENTS_EXPORTED = "events_exported"
    SUMMARY = "summary"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class EventLink:
    """An event as others name it; `code` is the authority's own for its kind."""

    code: str
    generated_at: datetime
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Records of a stretch of time: how many of each kind, the sums of what was issued, the first and the last."""

    issued: int = 0
    annulled: int = 0
    tax: Decimal = Decimal("0.00")
    gross: Decimal = Decimal("0.00")
    first: ChainLink | None = None
    last: ChainLink | None = None


@dataclass(frozen=True, kw_only=True)
class Happening:
    """An event that says no more than its kind and, if at all, a note of at most 100 characters."""

    kind: EventKind
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check was made, of records or of events: how many were held against what; None where it was not."""

    kind: EventKind
    fingerprints: int | None
    signatures: int | None
    links: int | None
    dates: int | None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A check found a flaw, in a record or in an event."""

    kind: EventKind
    anomaly: Anomaly
    record: ChainLink | None = None
    event: EventLink | None = None


@dataclass(frozen=True, kw_only=True)
class RecordsExport:
    """The records made between two instants were exported; `removed` when they are no longer kept."""

    since: datetime
    until: datetime
    totals: Totals
    removed: bool = False
    kind: EventKind = EventKind.RECORDS_EXPORTED


@dataclass(frozen=True, kw_only=True)
class EventsExport:
    """The events logged between two instants were exported."""

    since: datetime
    until: datetime
    first: EventLink
    last: EventLink
    count: int
    removed: bool = False
    kind: EventKind = EventKind.EVENTS_EXPORTED


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What happened since the last summary: events by their code, and records."""

    events: Mapping[str, int]
    totals: Totals
    kind: EventKind = EventKind.SUMMARY


Event = Happening | Check | Finding | RecordsExport | EventsExport | Summary


@dataclass(frozen=True, kw_only=True)
class EventPlace:
    """Where in its chain an event is logged, of whom, and when: `at` is aware and in the issuer's time zone."""

    previous: EventLink | None
    installation: Installation
    issuer: Party
    at: datetime
    environment: Environment


@dataclass(frozen=True, kw_only=True)
class SealedEvent:
    """An event, made once: `content` are the bytes that are stored."""

    kind: EventKind
    code: str
    content: bytes
    fingerprint: str
    generated_at: datetime


@dataclass(frozen=True, kw_only=True)
class KeptEvent:
    """An event as it lies in the store."""

    position: int
    code: str
    content: bytes
    fingerprint: str
    generated_at: datetime


class Signing(Protocol):
    """Records that are signed and kept instead of being reported at once. Pure, but for `signer` and `hand_over`.

    With a signer in its `Installation`, a channel signs the record that it seals.
    """

    names: Mapping[Mode, str]
    """What the two modes are called on the wire."""

    def ready(self, environment: Environment, access: Access | None = None) -> Sequence[FieldProblem]:
        """What stands against keeping here: it is not offered, or no key can sign."""
        ...

    def signer(self, environment: Environment, access: Access | None = None) -> Signer:
        """The key that signs, the operator's unless there is `access`. Raises Internal when `ready` names problems."""
        ...

    def leaves_reporting(self, today: date) -> date:
        """The last day of reporting for an issuer who has begun to report and decides today to stop."""
        ...

    def check(self, content: bytes) -> str | None:
        """Why the signature of a stored record does not hold; None when it does."""
        ...

    def amounts(self, content: bytes) -> tuple[Decimal, Decimal]:
        """Tax and gross total that the record of an issued document states."""
        ...

    def log(self, event: Event, place: EventPlace) -> SealedEvent:
        """The event at its place in the chain of events, signed."""
        ...

    def audit(self, events: Iterable[KeptEvent], before: EventLink | None, now: datetime) -> Iterator[Anomaly]:
        """Walk a contiguous stretch of a chain of events, oldest first; `before` is the event in front of it."""
        ...

    async def hand_over(
        self, message: bytes, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> Delivery:
        """Send a message that answers the authority's demand (`Heading.request`); as `FiscalChannel.deliver`."""
        ...

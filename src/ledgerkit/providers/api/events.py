"""Events of a system that keeps records, for its log. Frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from ledgerkit.providers.api.records import Anomaly, ChainLink


class EventKind(StrEnum):
    """Kinds of events of a system that keeps records."""

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
    """Event as other events name it; `code` is the authority's code for its kind."""

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
    """Event of which only the kind is known and, at most, a note of up to 100 characters."""

    kind: EventKind
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Check:
    """Check that was made, of records or of events: how many of each were checked; None for what was not checked."""

    kind: EventKind
    fingerprints: int | None
    signatures: int | None
    links: int | None
    dates: int | None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Flaw that a check has found, in a record or in an event."""

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
    """Summary of the time since the last one: events by their code, and records."""

    events: Mapping[str, int]
    totals: Totals
    kind: EventKind = EventKind.SUMMARY


Event = Happening | Check | Finding | RecordsExport | EventsExport | Summary


@dataclass(frozen=True, kw_only=True)
class SealedEvent:
    """An event, made once: `content` are the bytes that are stored."""

    kind: EventKind
    code: str
    content: bytes
    fingerprint: str
    generated_at: datetime


@dataclass(frozen=True, kw_only=True)
class AuditedEvent:
    """Event as it is stored."""

    position: int
    code: str
    content: bytes
    fingerprint: str
    generated_at: datetime

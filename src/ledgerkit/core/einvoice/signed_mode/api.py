"""Schemas of modes, the event log, checks, and answers to requests of the authority."""

from datetime import date
from typing import Annotated

from pydantic import ConfigDict, Field

from ledgerkit.core.einvoice.signed_mode.table import EventRow, RecordsRequestMessageRow, RecordsRequestRow
from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire

ModeName = Annotated[
    str, Field(description="Spain: `verifactu` (reported at once) or `no_verifactu` (signed and stored)")
]


class Scheduled(Wire):
    """The mode to come, and its first day."""

    mode: ModeName
    first_day: date
    """First day of that mode."""


class IssuerMode(Wire):
    """The mode of an issuer: records are reported at once, or signed and stored."""

    mode: Annotated[ModeName | None, Field(description="Null for an account that reports nothing")]
    since: Annotated[
        Timestamp | None, Field(description="When it was chosen; null for the mode that applies without a choice")
    ]
    scheduled: Scheduled | None
    """Mode to come; null for none."""
    choices: Annotated[list[str], Field(description="The modes that this server offers")]
    issuer_tax_id: str | None
    """Tax identifier of the issuer; null where the account has none."""
    environment: str
    """Authority that this server reports to: sandbox, test or production."""


class ModeInput(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"mode": "verifactu"}]})

    mode: ShortText
    """Name of the mode, one of `choices`."""


class FiscalEvent(Wire, row=EventRow):
    """An event of the system in the signed mode, as it was signed and logged."""

    installation_number: str
    """Number of the installation whose log it is in, 32 hexadecimal digits."""
    position: int
    kind: str
    code: str
    hash: str
    """SHA-256 of the event's values and the hash before it, 64 upper-case hex digits."""
    at: Timestamp
    """Time (UTC) at which the event was made."""


class Flaw(Wire):
    """An anomaly of the records or of the event log."""

    position: int | None
    """Position of the record or event, from 1; null for the whole."""
    kind: str
    """Kind of flaw: content, fingerprint, signature, link, order, date, or gap (in the positions)."""
    code: Annotated[str, Field(description="The authority's code of the anomaly (Spain: TipoAnomalia)")]
    message: str
    """Fault, in words."""


class Scan(Wire):
    """Result of a check of a whole chain, its signatures and its event log."""

    installation_number: str
    """Number of the installation whose chain it is, 32 hexadecimal digits."""
    records: int
    """Number of records that were checked."""
    signatures: int
    """Number of signatures that were checked."""
    record_flaws: list[Flaw]
    """Anomalies of the records; empty for none."""
    events: int
    """Number of events that were checked."""
    event_flaws: list[Flaw]
    """Anomalies of the event log; empty for none."""
    logged: Annotated[bool, Field(description="True when the check itself is in the event log, as in the signed mode")]


class DemandInput(Wire, row=RecordsRequestRow):
    """A request of the authority: its reference, and the days (inclusive) whose records it demands."""

    reference: ShortText
    since: date
    until: date


class DemandMessage(Wire, row=RecordsRequestMessageRow):
    ordinal: int
    records: int
    """Number of records in the message."""
    delivered: bool
    """True where the authority has given a final answer for every record in it."""
    csv: str | None
    """The authority's receipt; null without one."""
    problem: str | None
    """Reason for which it is not delivered, in words; null for none."""


class DemandAnswer(Wire):
    """Progress of the answer to a request of the authority."""

    reference: str
    """The authority's own reference of the request."""
    records: int
    """Number of records that it demands."""
    messages: list[DemandMessage]
    """Messages that answer it, in their order."""
    complete: bool
    """True once every message is delivered."""

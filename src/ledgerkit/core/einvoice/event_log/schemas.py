"""Shapes of modes, the log of events, checks, and answers to demands."""

from datetime import date
from typing import Annotated

from pydantic import ConfigDict, Field

from ledgerkit.core.api_types.fields import ShortText
from ledgerkit.core.api_types.wire import Timestamp, Wire

ModeName = Annotated[
    str, Field(description="Spain: `verifactu` (reported at once) or `no_verifactu` (signed and kept)")
]


class Scheduled(Wire):
    """The mode to come, and its first day."""

    mode: ModeName
    first_day: date


class IssuerMode(Wire):
    """How an issuer's records reach the authority."""

    mode: Annotated[ModeName | None, Field(description="Null for an account that reports nothing")]
    since: Annotated[Timestamp | None, Field(description="When it was chosen; null for the mode from the beginning")]
    scheduled: Scheduled | None
    choices: Annotated[list[str], Field(description="The modes that this server offers")]
    issuer_tax_id: str | None
    environment: str


class ModeInput(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"mode": "verifactu"}]})

    mode: ShortText


class FiscalEvent(Wire):
    """Something that happened to the system while it kept records, as it was signed and logged."""

    installation_number: str
    position: int
    kind: Annotated[
        str,
        Field(
            description="started, stopped, records_checked, record_flawed, events_checked, event_flawed, restored, "
            "records_exported, events_exported, summary or other"
        ),
    ]
    code: Annotated[str, Field(description="The authority's code of the kind (Spain: TipoEvento)")]
    hash: str
    at: Timestamp


class Flaw(Wire):
    """One thing that does not hold, in the records or in the log."""

    position: int | None
    kind: str
    code: Annotated[str, Field(description="The authority's code of the anomaly (Spain: TipoAnomalia)")]
    message: str


class Scan(Wire):
    """What a check of a whole chain, its signatures and its log has found."""

    installation_number: str
    records: int
    signatures: int
    record_flaws: list[Flaw]
    events: int
    event_flaws: list[Flaw]
    logged: Annotated[bool, Field(description="Whether the check itself is in the log: only where records are kept")]


class DemandInput(Wire):
    """The authority's demand: its reference, and the days (inclusive) whose records it wants to see."""

    reference: ShortText
    since: date
    until: date


class DemandMessage(Wire):
    ordinal: int
    records: int
    delivered: bool
    csv: str | None
    problem: str | None


class DemandAnswer(Wire):
    """How far a demand has been answered."""

    reference: str
    records: int
    messages: list[DemandMessage]
    complete: bool

"""Schemas of modes, the event log, checks, and answers to requests of the authority."""

from datetime import date
from typing import Annotated

from pydantic import ConfigDict, Field

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire

ModeName = Annotated[
    str, Field(description="Spain: `verifactu` (reported at once) or `no_verifactu` (signed and stored)")
]


class Scheduled(Wire):
    """The mode to come, and its first day."""

    mode: ModeName
    first_day: date


class IssuerMode(Wire):
    """The mode of an issuer: records are reported at once, or signed and stored."""

    mode: Annotated[ModeName | None, Field(description="Null for an account that reports nothing")]
    since: Annotated[
        Timestamp | None, Field(description="When it was chosen; null for the mode that applies without a choice")
    ]
    scheduled: Scheduled | None
    choices: Annotated[list[str], Field(description="The modes that this server offers")]
    issuer_tax_id: str | None
    environment: str


class ModeInput(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"mode": "verifactu"}]})

    mode: ShortText


class FiscalEvent(Wire):
    """An event of the system in the signed mode, as it was signed and logged."""

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
    """An anomaly of the records or of the event log."""

    position: int | None
    kind: str
    code: Annotated[str, Field(description="The authority's code of the anomaly (Spain: TipoAnomalia)")]
    message: str


class Scan(Wire):
    """Result of a check of a whole chain, its signatures and its event log."""

    installation_number: str
    records: int
    signatures: int
    record_flaws: list[Flaw]
    events: int
    event_flaws: list[Flaw]
    logged: Annotated[bool, Field(description="True when the check itself is in the event log, as in the signed mode")]


class DemandInput(Wire):
    """A request of the authority: its reference, and the days (inclusive) whose records it demands."""

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
    """Progress of the answer to a request of the authority."""

    reference: str
    records: int
    messages: list[DemandMessage]
    complete: bool

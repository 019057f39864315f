"""Result of checking a stretch of a chain: sent to callers, and stored with the chain's head."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer, WithJsonSchema

from ledgerkit.core.platform.api_types.wire import Wire, utc_text

StoredTimestamp = Annotated[
    datetime,
    PlainSerializer(utc_text, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""An instant that is stored as callers see it."""


class Break(Wire):
    """A position at which a chain does not hold, and the reason."""

    position: int | None
    kind: Literal["content", "fingerprint", "signature", "link", "order", "date", "gap"]
    code: Annotated[str, Field(description="The authority's code of the anomaly (Spain: TipoAnomalia)")]
    message: str


class ChainCheck(Wire):
    """Result of checking a stretch of a chain, record by record."""

    installation_number: str
    first_position: int
    last_position: int
    records: int
    anomalies: int
    first_break: Break | None
    ok: Annotated[bool, Field(description="The chain holds, and no numbered document lacks the record that it owes")]
    checked_at: StoredTimestamp

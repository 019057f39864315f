"""Values about chains: the result of a check, which is sent to callers and stored, and a range of positions."""

from dataclasses import dataclass
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
    """Position of the record, from 1; null for the whole chain."""
    kind: Literal["content", "fingerprint", "signature", "link", "order", "date", "gap"]
    """Kind of flaw: content, fingerprint, signature, link, order, date, or gap (in the positions)."""
    code: Annotated[str, Field(description="The authority's code of the anomaly (Spain: TipoAnomalia)")]
    message: str
    """Fault, in words."""


class ChainCheck(Wire):
    """Result of checking a stretch of a chain, record by record."""

    installation_number: str
    """Number of the installation whose chain it is, 32 hexadecimal digits."""
    first_position: int
    """Position of the first record that was checked."""
    last_position: int
    """Position of the last record that was checked."""
    records: int
    """Number of records that were checked."""
    anomalies: int
    """Number of anomalies found."""
    first_break: Break | None
    """First position that does not hold; null where all do."""
    ok: Annotated[bool, Field(description="The chain holds, and no numbered document lacks the record that it owes")]
    checked_at: StoredTimestamp
    """Moment in UTC of the check."""


@dataclass(frozen=True, kw_only=True)
class PositionRange:
    """Positions in a chain, both included."""

    first: int
    last: int

    @property
    def count(self) -> int:
        return self.last - self.first + 1

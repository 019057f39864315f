"""Schemas of records without an answer from the authority, and of the incidents that keep them from it."""

from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Timestamp, Wire


class SendingTrouble(Wire):
    """An incident that keeps records from the authority, or makes their time or their chain doubtful."""

    kind: Literal["delayed", "refused", "stopped", "clock", "chain"]
    """Kind of trouble: answers are delayed, refused or stopped, the clock is wrong, or the chain has a flaw."""
    since: Timestamp
    """Moment in UTC at which it began."""
    message: Annotated[
        str | None,
        Field(description="The authority's words, the clock's deviation, or the place where the chain breaks"),
    ]
    remedy: str
    """Remedy, in words."""


class Unsent(Wire):
    """Records of the account without a final answer from the authority."""

    count: int
    """Number of those records."""
    oldest_at: Annotated[Timestamp | None, Field(description="Time at which the oldest of them was made")]
    troubles: list[SendingTrouble]
    """Troubles that keep them from the authority; empty for none."""

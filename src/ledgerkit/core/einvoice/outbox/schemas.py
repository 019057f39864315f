"""Shapes of records that the authority has not answered yet, and of what keeps them from it."""

from typing import Annotated, Literal

from pydantic import Field

from ledgerkit.core.api_types.wire import Timestamp, Wire


class SendingTrouble(Wire):
    """What keeps records from the authority, or makes their time or their chain doubtful."""

    kind: Literal["delayed", "refused", "stopped", "clock", "chain"]
    since: Timestamp
    message: Annotated[
        str | None,
        Field(description="What the authority said, by how much the clock is wrong, or where the chain breaks"),
    ]
    remedy: str


class Unsent(Wire):
    """Records of the account that the authority has not answered yet."""

    count: int
    oldest_at: Annotated[Timestamp | None, Field(description="When the oldest of them was made")]
    troubles: list[SendingTrouble]

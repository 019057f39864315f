"""Shapes of the balance of AI actions, where -1 means unlimited, and of their use."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.ai.table import AiActionRow, AiPackRow
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire


class TokenBalance(Wire):
    monthly_limit: int
    """Free actions of a month; -1 for any number."""
    monthly_used: int
    """Free actions taken this month."""
    monthly_remaining: int
    """Free actions left this month; -1 for any number."""
    purchased: int
    """Actions left of all packs."""
    total: int
    """Actions left, free and bought; -1 for any number."""
    resets_at: Timestamp
    """Moment in UTC at which the next month begins, by the account's time zone."""


class AiPack(Wire, row=AiPackRow):
    id: str
    actions: int
    reference: str | None
    created_at: Timestamp


class AiAction(Wire, row=AiActionRow):
    id: str
    kind: str
    status: str
    paid_by: str
    month: Annotated[str, Field(description="Month that it counts in, by the account's time zone, as `2026-11`")]
    user_id: str | None
    channel: str
    engine: str | None
    created_at: Timestamp
    ended_at: Timestamp | None


class AiUsage(Wire):
    balance: TokenBalance
    """Actions that are left."""
    month: Annotated[str, Field(description="The present month in the account's time zone, `2026-11`")]
    month_by_kind: Annotated[dict[str, int], Field(description="Actions of this month that are charged or reserved")]
    packs: Annotated[list[AiPack], Field(description="The last hundred, newest first")]
    actions: Annotated[list[AiAction], Field(description="Newest first, by pages")]
    action_count: Annotated[int, Field(description="On all pages")]


class ModelProblem(Wire):
    code: str
    """Stable code of the problem."""
    message: str
    """Fault, in words."""
    remedy: str | None
    """Remedy, in words; null where the message says it."""


class ModelTried(Wire):
    """A question to the model server: what came of it, and how long it took."""

    ok: bool
    """True where the model has answered."""
    model: Annotated[str | None, Field(description="Null where no model server is configured")]
    reads_images: Annotated[
        bool | None, Field(description="The model has read an amount in a picture; null without an answer")
    ]
    milliseconds: int
    """Time that the answer took, in milliseconds."""
    problem: ModelProblem | None
    """Problem that was met; null for none."""

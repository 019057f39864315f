"""Shapes of the balance of AI actions, where -1 means unlimited, and of their use."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Timestamp, Wire


class TokenBalance(Wire):
    monthly_limit: int
    monthly_used: int
    monthly_remaining: int
    purchased: int
    total: int
    resets_at: Timestamp


class AiPack(Wire):
    id: str
    actions: int
    reference: str | None
    created_at: Timestamp


class AiAction(Wire):
    id: str
    kind: Annotated[str, Field(description="`scan-receipt`, `categorize` or `import-invoice`")]
    status: Annotated[str, Field(description="`reserved` while it is worked on, then `charged` or `released`")]
    paid_by: Annotated[str, Field(description="`free` or `pack`")]
    month: Annotated[str, Field(description="In the account's time zone, `2026-11`")]
    user_id: str | None
    channel: str
    engine: Annotated[str | None, Field(description="Name of what gave the result; null while there is none")]
    created_at: Timestamp
    ended_at: Timestamp | None


class AiUsage(Wire):
    balance: TokenBalance
    month: Annotated[str, Field(description="The present month in the account's time zone, `2026-11`")]
    month_by_kind: Annotated[dict[str, int], Field(description="Actions of this month that are charged or reserved")]
    packs: Annotated[list[AiPack], Field(description="The last hundred, newest first")]
    actions: Annotated[list[AiAction], Field(description="Newest first, by pages")]
    action_count: Annotated[int, Field(description="On all pages")]


class ModelProblem(Wire):
    code: str
    message: str
    remedy: str | None


class ModelTried(Wire):
    """A question to the model server: what came of it, and how long it took."""

    ok: bool
    model: Annotated[str | None, Field(description="Null where no model server is configured")]
    reads_images: Annotated[
        bool | None, Field(description="The model has read an amount in a picture; null without an answer")
    ]
    milliseconds: int
    problem: ModelProblem | None

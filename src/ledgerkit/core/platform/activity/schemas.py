"""Schema of an entry of the activity log (interface decisions M)."""

from typing import Annotated, Any

from pydantic import Field, PlainSerializer

from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.money import with_numbers

Changed = Annotated[dict[str, Any], PlainSerializer(with_numbers, return_type=dict[str, Any], when_used="json")]


class ActivityLog(Wire):
    id: str
    team_id: str
    user_id: str | None
    user_name: str
    action: str
    entity_type: str
    entity_id: str
    entity_label: str | None
    changes: Changed
    channel: str
    key_prefix: str | None
    client: str | None = Field(description="Name of the key or of the connected application; null for a person's login")
    tool: str | None = Field(description="Tool of MCP that was called; null on other channels")
    source_message_id: str | None
    created_at: Timestamp

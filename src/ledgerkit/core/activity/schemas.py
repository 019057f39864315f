"""Schema of an entry of the activity log (interface decisions M)."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field, PlainSerializer

from ledgerkit.core.api_types.wire import Timestamp, Wire
from ledgerkit.money import to_number


def _with_numbers(value: object) -> object:
    """Return a value of a change with its amounts as JSON numbers."""
    if isinstance(value, dict):
        return {name: _with_numbers(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_numbers(member) for member in value]
    return to_number(value) if isinstance(value, Decimal) else value


Changed = Annotated[dict[str, Any], PlainSerializer(_with_numbers, return_type=dict[str, Any], when_used="json")]


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

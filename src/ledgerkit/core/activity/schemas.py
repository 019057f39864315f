"""Shape of an entry of the activity log (interface decisions M)."""

from typing import Any

from ledgerkit.core.wire import Timestamp, Wire


class ActivityLog(Wire):
    id: str
    team_id: str
    user_id: str | None
    user_name: str
    action: str
    entity_type: str
    entity_id: str
    entity_label: str | None
    changes: dict[str, Any]
    channel: str
    key_prefix: str | None
    source_message_id: str | None
    created_at: Timestamp

"""Schema of an entry of the activity log (interface decisions M)."""

from ledgerkit.core.platform.activity.table import ActivityRow
from ledgerkit.core.platform.api_types.wire import StoredResult, Timestamp, Wire


class ActivityLog(Wire, row=ActivityRow):
    id: str
    team_id: str
    """Id of the account in which it was done."""
    user_id: str | None
    user_name: str
    action: str
    entity_type: str
    entity_id: str
    entity_label: str | None
    changes: StoredResult
    channel: str
    key_prefix: str | None
    client: str | None
    tool: str | None
    source_message_id: str | None
    created_at: Timestamp

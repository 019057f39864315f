"""Shapes of taking back writes."""

from typing import Annotated

from pydantic import ConfigDict, Field

from ledgerkit.core.platform.activity.table import ActivityRow
from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire

MOST_CALLS = 20
"""Calls that are taken back at once at most."""


class UndoInput(Wire):
    """Choice of writes to take back: the last calls, those that wrote to one record, or those of some entries."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"count": 1}]})

    count: Annotated[int, Field(ge=1, le=MOST_CALLS)] = 1
    """Number of your last calls to take back, the newest first; 1 by default."""
    entry_ids: Annotated[list[ShortText], Field(min_length=1, max_length=MOST_CALLS)] | None = None
    """Entries of the activity log whose calls are taken back, instead of the last ones."""
    type: ShortText | None = None
    """Kind of the record whose last calls are taken back, as `client`; together with `id`."""
    id: ShortText | None = None
    """Id of the record whose last calls are taken back; together with `type`."""


class UndoneWrite(Wire, row=ActivityRow):
    """One write of a call, and whether it was taken back."""

    entry_id: str
    """Id of its entry in the activity log."""
    action: str
    type: str
    """Kind of the record that was written, as invoice or client."""
    id: str
    """Id of the record that was written."""
    label: str | None
    """Number or name of the record, as it was then."""
    created_at: Timestamp
    undone: bool
    """True when it was taken back."""
    reason: str | None
    """Reason for which it was not taken back; null when it was."""
    remedy: str | None
    """Step to take instead; null when it was taken back, or nothing can be done."""


class Undone(Wire):
    """Answer to an undo: all writes of the calls that were asked for, the newest first."""

    calls: int
    """Number of calls that were taken back, each whole."""
    entries: list[UndoneWrite]
    """Writes of the calls, the newest first; empty where there is nothing of yours to take back."""
    note: str | None
    """Reason for which there is nothing of yours to take back; null where there is."""

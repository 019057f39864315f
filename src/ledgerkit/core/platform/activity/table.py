"""The append-only log of what was done, by whom, through which channel."""

from collections.abc import Mapping
from typing import TypedDict
from uuid import UUID

from sqlalchemy import Index, text

from ledgerkit.core.platform.database.row_types import AppendOnlyRow, column
from ledgerkit.core.platform.database.tables import JSONB, account_table

FieldChange = TypedDict("FieldChange", {"from": object, "to": object})
"""Value of one field before and after a change: any JSON value."""


class ActivityRow(AppendOnlyRow):
    """One entry of the log of what was done, by whom and through which channel; it is never changed."""

    user_id: UUID | None = column(
        "Id of the user who acted; null where a team's API key, a visitor of a public link or the server itself did.",
    )
    user_name: str = column(
        "Name of whoever acted, as it was then: the user, the team of a key, or ledgerkit for the server itself.",
    )
    action: str = column("Word for what was done, as created, updated, issued, paid or deleted.")
    entity_type: str = column("Kind of the record that it was done to, as invoice, client or team.")
    entity_id: UUID = column("Id of the record that it was done to.")
    entity_label: str | None = column(
        "Number or name by which people recognise the record, as it was then; null where it has none.",
    )
    changes: Mapping[str, FieldChange] = column(
        "Fields changed, each with its value before (from) and after (to); empty where none is told.",
        JSONB,
        server_default=text("'{}'"),
    )
    channel: str = column("Way by which it was done: api, web, mcp, messaging, or system for the server itself.")
    key_prefix: str | None = column(
        "Beginning of the API key that was used; null for a login, a connected application and the server itself.",
    )
    client: str | None = column(
        "Name of the key with scopes or of the connected application; null for a login and for a key without scopes.",
    )
    tool: str | None = column("Name of the MCP tool that was called; null on other channels.")
    source_message_id: str | None = column(
        "Messenger and number of the message or tap that caused it, as telegram:815; null on other channels.",
    )


activity = account_table(
    "activity",
    ActivityRow,
    Index("ix_activity_entity", "account_id", "entity_type", "entity_id", "id"),
    Index("ix_activity_undone", "account_id", "entity_id", postgresql_where=text("action = 'undone'")),
    erasable=True,
)

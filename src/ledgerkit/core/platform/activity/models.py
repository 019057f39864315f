"""The append-only log of what was done, by whom, through which channel."""

from collections.abc import Mapping
from uuid import UUID

from pydantic import Field
from sqlalchemy import Column, Index, Text, Uuid, text

from ledgerkit.core.platform.database.row_types import AppendOnlyRow
from ledgerkit.core.platform.database.stored_json import StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSONB, account_table


class FieldChange(StoredObject):
    """Value of one field before and after a change: any JSON value."""

    before: object = Field(alias="from")
    after: object = Field(alias="to")


class ActivityRow(AppendOnlyRow):
    user_id: UUID | None
    user_name: str
    action: str
    entity_type: str
    entity_id: UUID
    entity_label: str | None
    changes: StoredJson[Mapping[str, FieldChange]]
    channel: str
    key_prefix: str | None
    client: str | None
    tool: str | None
    source_message_id: str | None


activity = account_table(
    "activity",
    ActivityRow,
    Column("user_id", Uuid),
    Column("user_name", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("entity_type", Text, nullable=False),
    Column("entity_id", Uuid, nullable=False),
    Column("entity_label", Text),
    Column("changes", JSONB, nullable=False, server_default=text("'{}'")),
    Column("channel", Text, nullable=False),
    Column("key_prefix", Text),
    Column("client", Text),
    Column("tool", Text),
    Column("source_message_id", Text),
    Index("ix_activity_entity", "account_id", "entity_type", "entity_id", "id"),
    append_only=True,
    erasable=True,
)

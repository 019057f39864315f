"""Exports that are being made or are ready to be downloaded, at most one for each person."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Column, DateTime, ForeignKey, Integer, Text, Uuid, func, text

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSONB, reference_table


class ExportPosition(StoredObject):
    """Position at which an export continues; `after` is the last year or invoice of the section that was written."""

    account: str
    section: str
    after: str | None = None


class DataExportRow(Row):
    id: UUID
    user_id: UUID
    state: str
    place: StoredJson[ExportPosition] | None
    parts: int
    size: int | None
    created_at: datetime
    ready_at: datetime | None
    expires_at: datetime


data_export = reference_table(
    "data_export",
    DataExportRow,
    Column("id", Uuid, primary_key=True),
    Column("user_id", Uuid, ForeignKey("app_user.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("place", JSONB),
    Column("parts", Integer, nullable=False, server_default=text("0")),
    Column("size", BigInteger),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("ready_at", DateTime(timezone=True)),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    CheckConstraint("state in ('making', 'ready', 'failed')", name="state"),
)
"""`place` is the position of the next part, `parts` the number of parts on the disk. Removed with its user."""

POSITION = JsonCodec(ExportPosition)

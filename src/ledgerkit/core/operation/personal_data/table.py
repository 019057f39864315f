"""Exports that are being made or are ready to be downloaded, at most one for each person."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, func, text

from ledgerkit.core.platform.database.row_types import Row, column
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSONB, reference_table


class ExportPosition(StoredObject):
    """Position at which an export continues; `after` is the last year or invoice of the section that was written."""

    account: str
    section: str
    after: str | None = None


class DataExportRow(Row):
    """A person's export of their own data, one at most; made part by part and removed when it expires."""

    id: UUID = column("Id of the export, which names its files on the server.", primary_key=True)
    user_id: UUID = column(
        "Id of the person (app_user); one export each.",
        ForeignKey("app_user.id", ondelete="CASCADE"),
        unique=True,
    )
    state: str = column("State: making, ready to be downloaded, or failed for lack of disk space.")
    place: StoredJson[ExportPosition] | None = column(
        "Where the next part begins: account, section and the last year or invoice written; null before the "
        "first and after the last.",
        JSONB,
    )
    parts: int = column("Number of parts written so far.", server_default=text("0"))
    size: int | None = column("Size of the finished ZIP file in bytes; null until it is ready.", BigInteger)
    created_at: datetime = column("Time (UTC) at which the export was asked for.", server_default=func.now())
    ready_at: datetime | None = column("Time (UTC) at which the file was ready; null before.")
    expires_at: datetime = column(
        "Time (UTC) at which it is removed: 24 hours after it was begun or got ready, an hour after it failed.",
    )


data_export = reference_table(
    "data_export",
    DataExportRow,
    CheckConstraint("state in ('making', 'ready', 'failed')", name="state"),
)

POSITION = JsonCodec(ExportPosition)

"""Tables of attachments, and of the bytes that they take.

A row joins one document and one content; `document_kind` and `document_id` are null until it is attached. The document
is a row of one of several tables, so there is no foreign key: attaching locks it. `deleted_at` is set where the law
requires the content to be kept until `kept_until`; other attachments are really deleted.
"""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Index,
    PrimaryKeyConstraint,
    Text,
    Uuid,
    text,
)

from ledgerkit.core.platform.database.row_types import AccountRow, VersionedRow
from ledgerkit.core.platform.database.tables import account_table


class AttachmentRow(AccountRow):
    document_kind: str | None
    document_id: UUID | None
    name: str
    media_type: str
    size: int
    sha256: str
    created_by: UUID | None
    channel: str
    deleted_at: datetime | None
    kept_until: date | None


attachment = account_table(
    "attachment",
    AttachmentRow,
    Column("document_kind", Text),
    Column("document_id", Uuid),
    Column("name", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    Column("deleted_at", DateTime(timezone=True)),
    Column("kept_until", Date),
    CheckConstraint("(document_kind is null) = (document_id is null)", name="document"),
    CheckConstraint("(deleted_at is null) = (kept_until is null)", name="kept_when_deleted"),
    CheckConstraint("size > 0", name="size"),
    CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name="sha256"),
    Index("ix_attachment_document", "account_id", "document_kind", "document_id", "id"),
    Index("ix_attachment_content", "account_id", "sha256"),
    Index(
        "ix_attachment_unattached",
        "account_id",
        "created_at",
        postgresql_where=text("document_id is null"),
    ),
    Index("ix_attachment_kept", "account_id", "kept_until", postgresql_where=text("deleted_at is not null")),
)


class AttachmentUsageRow(VersionedRow):
    bytes: int


attachment_usage = account_table(
    "attachment_usage",
    AttachmentUsageRow,
    Column("bytes", BigInteger, nullable=False),
    PrimaryKeyConstraint("account_id"),
    keyed=False,
)
"""Bytes of all attachments of the account. The row's lock is held while one is added or a content is removed."""


class AttachmentRemovalRow(VersionedRow):
    sha256: str
    begun_at: datetime
    done_at: datetime | None


attachment_removal = account_table(
    "attachment_removal",
    AttachmentRemovalRow,
    Column("sha256", Text, nullable=False),
    Column("begun_at", DateTime(timezone=True), nullable=False),
    Column("done_at", DateTime(timezone=True)),
    PrimaryKeyConstraint("account_id", "sha256"),
    keyed=False,
)
"""Contents whose removal from the store was begun (`done_at` null) or done within a day, by the database's clock.

The store is asked between two transactions. Whoever adds a row looks here whether what they stored may be gone.
"""

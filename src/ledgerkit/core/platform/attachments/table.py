"""Tables of attachments, and of the bytes that they take.

A row joins one document and one content; `document_kind` and `document_id` are null until it is attached. The document
is a row of one of several tables, so there is no foreign key: attaching locks it. `deleted_at` is set where the law
requires the content to be kept until `kept_until`; other attachments are really deleted.
"""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Index, PrimaryKeyConstraint, text

from ledgerkit.core.platform.database.row_types import AccountRow, AuthoredRow, VersionedRow, column
from ledgerkit.core.platform.database.tables import account_table


class AttachmentRow(AccountRow, AuthoredRow):
    """One file, joined to one document; files of equal content share what is stored of it."""

    document_kind: str | None = column(
        "Kind of the document: expense, supplier_invoice, supplier_payment, invoice or task; null until it is "
        "attached.",
    )
    document_id: UUID | None = column(
        "Id of the document; null until it is attached, and unattached files go after a day.",
    )
    name: str = column(
        "Name of the file, cleaned of folders and control characters, up to 120 characters, with the ending of its "
        "type.",
    )
    media_type: str = column("Media type found by the content and not by the name, as application/pdf or image/jpeg.")
    size: int = column("Size of the content in bytes, above zero.", BigInteger)
    sha256: str = column("SHA-256 of the content, 64 hexadecimal digits, under which it is stored.")
    deleted_at: datetime | None = column(
        "Moment in UTC at which it was hidden because the law wants its content kept; null for all others, which are "
        "really deleted.",
    )
    kept_until: date | None = column(
        "Last day on which the law wants a hidden file, end of the sixth year (Código de Comercio, art. 30.1); null "
        "unless deleted_at is set.",
    )


attachment = account_table(
    "attachment",
    AttachmentRow,
    CheckConstraint("(document_kind is null) = (document_id is null)", name="document"),
    CheckConstraint("(deleted_at is null) = (kept_until is null)", name="kept_when_deleted"),
    CheckConstraint("size > 0", name="size"),
    CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name="sha256"),
    Index("ix_attachment_document", "account_id", "document_kind", "document_id", "id"),
    Index("ix_attachment_content", "account_id", "sha256"),
    Index("ix_attachment_unattached", "account_id", "created_at", postgresql_where=text("document_id is null")),
    Index("ix_attachment_kept", "account_id", "kept_until", postgresql_where=text("deleted_at is not null")),
)


class AttachmentUsageRow(VersionedRow):
    """Space that the account's attachments take; the row is locked while one is added."""

    bytes: int = column("Sum of the sizes of all attachments, hidden ones too, in bytes.", BigInteger)


attachment_usage = account_table("attachment_usage", AttachmentUsageRow, PrimaryKeyConstraint("account_id"))


class AttachmentRemovalRow(VersionedRow):
    """One content whose removal from the store was begun, or was done within the last day.

    The store is asked between two transactions. Whoever adds a row looks here whether what they stored may be gone.
    """

    sha256: str = column("SHA-256 of the content that is removed, 64 hexadecimal digits.")
    begun_at: datetime = column(
        "Moment, by the database's clock, at which the removal began; after ten minutes it counts as abandoned.",
    )
    done_at: datetime | None = column(
        "Moment, by the database's clock, at which the content was gone; null while the removal is open.",
    )


attachment_removal = account_table(
    "attachment_removal",
    AttachmentRemovalRow,
    PrimaryKeyConstraint("account_id", "sha256"),
)

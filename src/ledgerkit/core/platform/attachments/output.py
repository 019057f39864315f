"""Attachments as callers see them."""

from sqlalchemy import ColumnElement, String, Text, Uuid, bindparam, cast, literal_column

from ledgerkit.core.platform.attachments.api import DocumentAttachment
from ledgerkit.core.platform.attachments.documents.kinds import LINK, link_of
from ledgerkit.core.platform.attachments.table import AttachmentRow, attachment
from ledgerkit.core.platform.records.listing import Listing


def _text(part: str) -> ColumnElement[str]:
    """Return a fixed part of a path as SQL has it."""
    assert "'" not in part  # noqa: S101 - ours, never a caller's
    return literal_column(f"'{part}'", String)


_BEFORE_ID, _AFTER_ID = LINK.split("{id}")

ATTACHMENTS = Listing(
    attachment,
    DocumentAttachment,
    order=[attachment.c.id],
    computed={
        "document_type": attachment.c.document_kind,
        "url": _text(_BEFORE_ID) + cast(attachment.c.id, String) + _text(_AFTER_ID),
    },
    filters={
        "kind": attachment.c.document_kind == bindparam("kind", type_=Text),
        "document_id": attachment.c.document_id == bindparam("document_id", type_=Uuid),
    },
)


def shape(row: AttachmentRow) -> DocumentAttachment:
    return ATTACHMENTS.shape(row, document_type=row.document_kind, url=link_of(row.id))

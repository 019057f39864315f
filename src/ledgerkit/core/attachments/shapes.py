"""Attachments as callers see them."""

from sqlalchemy import String, Text, Uuid, bindparam, cast

from ledgerkit.core.attachments.documents import LINK, link_of
from ledgerkit.core.attachments.models import AttachmentRow, attachment
from ledgerkit.core.attachments.schemas import Attachment
from ledgerkit.core.database.statements import constant
from ledgerkit.core.records.listing import Listing

_BEFORE_ID, _AFTER_ID = LINK.split("{id}")

ATTACHMENTS = Listing(
    attachment,
    Attachment,
    order=[attachment.c.id],
    computed={
        "document_type": attachment.c.document_kind,
        "url": constant(_BEFORE_ID) + cast(attachment.c.id, String) + constant(_AFTER_ID),
    },
    filters={
        "kind": attachment.c.document_kind == bindparam("kind", type_=Text),
        "document_id": attachment.c.document_id == bindparam("document_id", type_=Uuid),
    },
)


def shape(row: AttachmentRow) -> Attachment:
    return ATTACHMENTS.shape(row, document_type=row.document_kind, url=link_of(row.id))

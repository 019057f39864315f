"""Attachments for other domains: those that have the same content."""

from uuid import UUID

from sqlalchemy import Text, bindparam, select

from ledgerkit.core.platform.attachments.table import attachment
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context

MAX_SAME = 5


class SameContentRow(Row):
    id: UUID
    document_kind: str | None
    document_id: UUID | None
    created_by: UUID | None


async def same_content(ctx: Context, sha256: str) -> list[SameContentRow]:
    """Return the newest attachments with this content: those of documents, and the caller's own not attached yet."""
    rows = await _SAME_CONTENT.rows(ctx.db, sha256=sha256)
    return [row for row in rows if row.document_id is not None or row.created_by == ctx.actor.user_id]


_SAME_CONTENT = Prepared(
    select(attachment.c.id, attachment.c.document_kind, attachment.c.document_id, attachment.c.created_by)
    .where(attachment.c.sha256 == bindparam("sha256", type_=Text), attachment.c.deleted_at.is_(None))
    .order_by(attachment.c.id.desc())
    .limit(MAX_SAME),
    SameContentRow,
)

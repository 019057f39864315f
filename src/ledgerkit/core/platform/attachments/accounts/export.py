"""Attachments of an account for an export of everything it has."""

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from sqlalchemy import Integer, Uuid, bindparam, select

from ledgerkit.core.platform.attachments.store.contents import ContentAddress
from ledgerkit.core.platform.attachments.store.current import store_of, store_problems
from ledgerkit.core.platform.attachments.table import AttachmentRow, attachment
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context

_AFTER = Prepared(
    select(attachment)
    .where(attachment.c.id > bindparam("after", type_=Uuid))
    .order_by(attachment.c.id)
    .limit(bindparam("most", type_=Integer)),
    AttachmentRow,
)


async def following(ctx: Context, after: UUID, most: int) -> Sequence[AttachmentRow]:
    """Return the next attachments of the account by id, with those that are only kept for the law."""

    async def read() -> Sequence[AttachmentRow]:
        async with ctx.reading() as inner:
            return await _AFTER.rows(inner.db, after=after, most=most)

    return await retry_on_conflict(read)


def file_name(row: AttachmentRow) -> str:
    """Return the name of an attachment's file in an export: the kind of its document is its folder."""
    return f"{row.document_kind or 'unattached'}/{row.id}-{row.name}"


async def pieces(ctx: Context, row: AttachmentRow) -> AsyncIterator[bytes]:
    """Return the content of an attachment in pieces. Raises NotFound when it is not in the store, Unavailable."""
    with store_problems():
        return await store_of(ctx.kernel).read(ContentAddress(ctx.account.id, row.sha256))

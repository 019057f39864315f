"""All attachments of one account: the bytes that they take, their export, and their transfer to another account."""

from collections.abc import AsyncIterator, Collection, Sequence
from uuid import UUID

from sqlalchemy import BigInteger, Integer, Text, Uuid, any_, bindparam, func, select
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.attachments.store.contents import ContentAddress, ContentMissingError
from ledgerkit.core.platform.attachments.store.current import store_of, store_problems
from ledgerkit.core.platform.attachments.table import AttachmentRow, attachment, attachment_usage
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import enter, retry_on_conflict
from ledgerkit.core.platform.request.context import Context, Kernel


class BytesRow(Row):
    bytes: int


_new = insert(attachment_usage).values(bytes=bindparam("change", type_=BigInteger))
_CHANGE = Prepared(
    _new.on_conflict_do_update(
        index_elements=[attachment_usage.c.account_id],
        set_={
            "bytes": attachment_usage.c.bytes + _new.excluded.bytes,
            "version": attachment_usage.c.version + 1,
            "updated_at": func.now(),
        },
    ).returning(attachment_usage.c.bytes),
    BytesRow,
)


class _ContentRow(Row):
    sha256: str


class _SizeRow(Row):
    size: int


_of_kinds = attachment.c.document_kind == any_(bindparam("kinds", type_=ARRAY(Text)))
_CONTENTS = Prepared(select(attachment.c.sha256).where(_of_kinds).distinct(), _ContentRow)
_SIZE = Prepared(select(func.coalesce(func.sum(attachment.c.size), 0).label("size")), _SizeRow)
_AFTER = Prepared(
    select(attachment)
    .where(attachment.c.id > bindparam("after", type_=Uuid))
    .order_by(attachment.c.id)
    .limit(bindparam("most", type_=Integer)),
    AttachmentRow,
)


async def count_bytes(db: AsyncConnection, difference: int) -> int:
    """Add `difference` to the account's bytes and return the sum. No other transaction adds an attachment meanwhile."""
    return (await _CHANGE.one(db, change=difference)).bytes


async def contents(ctx: Context, kinds: Sequence[DocumentType]) -> set[str]:
    """Return the SHA-256 of all contents of documents of these kinds, also of those that are only kept for the law."""
    return {row.sha256 for row in await _CONTENTS.rows(ctx.db, kinds=[kind.value for kind in kinds])}


async def copy(kernel: Kernel, old: UUID, new: UUID, hashes: Collection[str]) -> None:
    """Copy contents from the account `old` to `new`; one that is not in the store is left out.

    Call it outside a transaction. Raises StorageFull, Unavailable.
    """
    store = store_of(kernel)
    with store_problems():
        for sha256 in sorted(hashes):
            try:
                pieces = await store.read(ContentAddress(old, sha256))
            except ContentMissingError:
                continue  # the nightly sweep has said so
            await store.put(ContentAddress(new, sha256), b"".join([piece async for piece in pieces]))


async def recount(ctx: Context, other: UUID) -> None:
    """Count the bytes of the attachments of this account and of `other` anew, after rows went from one to the other."""
    for account_id in (other, ctx.account.id):  # the transaction ends where it began
        await enter(ctx.db, account_id)
        counted = await count_bytes(ctx.db, 0)
        await count_bytes(ctx.db, int((await _SIZE.one(ctx.db)).size) - counted)


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

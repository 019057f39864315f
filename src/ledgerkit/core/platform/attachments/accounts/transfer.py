"""Attachments of documents that go to another account with their contents."""

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import Text, any_, bindparam, func, select
from sqlalchemy.dialects.postgresql import ARRAY

from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.attachments.store import usage
from ledgerkit.core.platform.attachments.store.contents import ContentAddress, ContentMissingError
from ledgerkit.core.platform.attachments.store.current import store_of, store_problems
from ledgerkit.core.platform.attachments.table import attachment
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import enter
from ledgerkit.core.platform.request.context import Context, Kernel


class _ContentRow(Row):
    sha256: str


class _SizeRow(Row):
    size: int


_of_kinds = attachment.c.document_kind == any_(bindparam("kinds", type_=ARRAY(Text)))
_CONTENTS = Prepared(select(attachment.c.sha256).where(_of_kinds).distinct(), _ContentRow)
_SIZE = Prepared(select(func.coalesce(func.sum(attachment.c.size), 0).label("size")), _SizeRow)


async def contents(ctx: Context, kinds: Sequence[DocumentType]) -> set[str]:
    """Return the SHA-256 of all contents of documents of these kinds, also of those that are only kept for the law."""
    return {row.sha256 for row in await _CONTENTS.rows(ctx.db, kinds=[kind.value for kind in kinds])}


async def copy(kernel: Kernel, old: UUID, new: UUID, hashes: Collection[str]) -> None:
    """Copy contents from the account `old` to `new`; call it outside a transaction. One that is lost stays lost.

    Raises StorageFull, Unavailable.
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
    """Count the bytes of the account's attachments, and of the other account's, after rows have changed hands."""
    for account_id in (other, ctx.account.id):  # the transaction ends where it began
        await enter(ctx.db, account_id)
        counted = await usage.change(ctx.db, 0)
        await usage.change(ctx.db, int((await _SIZE.one(ctx.db)).size) - counted)

"""Removal of attachments, and of contents that no attachment names any more.

The row is deleted first, in its transaction. After the commit a job removes the content: it looks for other rows under
the lock that adding an attachment takes, and asks the store when that lock is free again (`tombstones`). Every night a
sweep compares rows and contents both ways, because a crash may leave either behind.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from uuid import UUID

import structlog
from sqlalchemy import DateTime, Text, Uuid, and_, any_, bindparam, delete, literal, or_, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit import clock
from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.attachments.documents.kinds import DocumentKind
from ledgerkit.core.platform.attachments.removal import tombstones
from ledgerkit.core.platform.attachments.store import account
from ledgerkit.core.platform.attachments.store.contents import ContentAddress
from ledgerkit.core.platform.attachments.store.current import store_of
from ledgerkit.core.platform.attachments.table import AttachmentRow, attachment
from ledgerkit.core.platform.database.row_types import AppendOnlyRow, Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.jobs import Again
from ledgerkit.core.platform.jobs import operations as jobs
from ledgerkit.core.platform.request.context import Context, Kernel

log = structlog.get_logger()

REMOVE = "remove-attachment-content"
UNATTACHED_FOR = timedelta(days=1)
"""Time for which an unattached file is kept, and a content that no row names."""


class _RemovedRow(Row):
    sha256: str
    size: int


class _ContentRow(Row):
    sha256: str


_OF_DOCUMENT = Prepared(
    select(attachment)
    .where(
        attachment.c.document_kind == bindparam("kind", type_=Text),
        attachment.c.document_id == bindparam("document_id", type_=Uuid),
        attachment.c.deleted_at.is_(None),
    )
    .order_by(attachment.c.id)
    .with_for_update(),
    AttachmentRow,
)
_of_ids = attachment.c.id == any_(bindparam("ids", type_=ARRAY(Uuid)))
_HIDE = Prepared(
    update(attachment)
    .where(_of_ids)
    .values(
        deleted_at=bindparam("deleted_at", type_=attachment.c.deleted_at.type),
        kept_until=bindparam("kept_until", type_=attachment.c.kept_until.type),
        version=attachment.c.version + 1,
    )
)
_DELETE = Prepared(delete(attachment).where(_of_ids))
_EXPIRE = Prepared(
    delete(attachment)
    .where(
        or_(
            and_(
                attachment.c.document_id.is_(None),
                attachment.c.created_at < bindparam("unattached_before", type_=DateTime(timezone=True)),
            ),
            attachment.c.kept_until < bindparam("today", type_=attachment.c.kept_until.type),
        )
    )
    .returning(attachment.c.sha256, attachment.c.size),
    _RemovedRow,
)
_NAMED = Prepared(
    select(attachment.c.sha256).where(attachment.c.sha256 == bindparam("sha256", type_=Text)).limit(1), _ContentRow
)
_ALL_NAMED = Prepared(select(attachment.c.sha256).distinct(), _ContentRow)
_ERASE_UNRETAINED = Prepared(
    delete(attachment)
    .where(or_(attachment.c.document_id.is_(None), attachment.c.document_kind == literal(DocumentType.TASK.value)))
    .returning(attachment.c.sha256, attachment.c.size),
    _RemovedRow,
)


async def of_document(ctx: Context, kind: DocumentType, document_id: UUID) -> Sequence[AttachmentRow]:
    """Return the attachments of a document, oldest first, and lock them."""
    return await _OF_DOCUMENT.rows(ctx.db, kind=kind.value, document_id=document_id)


async def release(ctx: Context, kind: DocumentKind, row: AppendOnlyRow) -> Mapping[str, tuple[object, object]]:
    """Delete the attachments of a document that is being deleted. If the law requires them, hide them until their day.

    The domain of the document calls it in the transaction of the deletion, under the lock on the document. Returns what
    the activity log says of it: the number of files before and after; nothing for a document without any.
    """
    files = await of_document(ctx, kind.type, row.id)
    await withdraw(ctx, files, kind.kept_until(row))
    return {"files": (len(files), 0)} if files else {}


async def withdraw(ctx: Context, rows: Sequence[AttachmentRow], kept_until: date | None) -> None:
    """Delete attachments that the transaction has locked, or hide them if the law requires them until a later day."""
    if not rows:
        return
    ids = [row.id for row in rows]
    if kept_until is not None and kept_until >= clock.now().date():
        await _HIDE.run(ctx.db, ids=ids, deleted_at=clock.now(), kept_until=kept_until)
        return
    await _DELETE.run(ctx.db, ids=ids)
    await account.count_bytes(ctx.db, -sum(row.size for row in rows))
    for sha256 in sorted({row.sha256 for row in rows}):
        await jobs.enqueue(ctx, REMOVE, {"accountId": str(ctx.account.id), "sha256": sha256})


async def erase_unretained(db: AsyncConnection) -> None:
    """Delete the rows of a closed account that belong to no entry of its books."""
    removed = await _ERASE_UNRETAINED.rows(db)
    if removed:
        await account.count_bytes(db, -sum(row.size for row in removed))


async def remove_content(kernel: Kernel, payload: Mapping[str, object]) -> None:
    """Remove a content unless a row names it; the job may be repeated.

    Raises Again while another process removes it; that process may have died.
    """
    address = ContentAddress(UUID(str(payload["accountId"])), str(payload["sha256"]))
    if not await _remove_unless_named(kernel, address):
        raise Again(tombstones.ABANDONED)


async def sweep(kernel: Kernel) -> None:
    """Delete files that were never attached or need not be stored any longer, and compare rows and contents."""
    for account_id in await accounts.all_ids(kernel):
        await _expire(kernel, account_id)
        await finish_abandoned(kernel, account_id)
        await remove_unnamed(kernel, account_id, before=clock.now() - UNATTACHED_FOR)


async def remove_unnamed(kernel: Kernel, account_id: UUID, *, before: datetime) -> None:
    """Remove the contents of an account that were written before that moment and that no row names.

    Rows without a content are logged: only a backup can restore it.
    """
    store = store_of(kernel)
    named = await _named(kernel, account_id)
    stored = await store.contents(account_id)
    await store.clear_drafts(account_id, before)
    for content in stored:
        if content.sha256 not in named and content.written_at < before:
            await _remove_unless_named(kernel, ContentAddress(account_id, content.sha256))
    lost = named - {content.sha256 for content in stored}
    if lost:
        log.error("contents of attachments are missing", account=str(account_id), contents=sorted(lost))


async def _expire(kernel: Kernel, account_id: UUID) -> None:
    async def attempt() -> None:
        async with kernel.database.transaction(account_id) as db:
            now = clock.now()
            removed = await _EXPIRE.rows(db, unattached_before=now - UNATTACHED_FOR, today=now.date())
            if removed:
                await account.count_bytes(db, -sum(row.size for row in removed))
            await tombstones.forget(db)

    await retry_on_conflict(attempt)


async def _named(kernel: Kernel, account_id: UUID) -> set[str]:
    async def attempt() -> set[str]:
        async with kernel.database.reading(account_id) as db:
            return {row.sha256 for row in await _ALL_NAMED.rows(db)}

    return await retry_on_conflict(attempt)


async def finish_abandoned(kernel: Kernel, account_id: UUID) -> None:
    """Finish the removals of an account whose process died between their two transactions."""

    async def attempt() -> list[str]:
        async with kernel.database.reading(account_id) as db:
            return await tombstones.abandoned(db)

    for sha256 in await retry_on_conflict(attempt):
        await _remove_unless_named(kernel, ContentAddress(account_id, sha256))


async def _remove_unless_named(kernel: Kernel, address: ContentAddress) -> bool:
    """Remove a content that no row names. Return False while another removal of it is open."""

    async def opened() -> tuple[bool, datetime | None]:
        async with kernel.database.transaction(address.account_id) as db:
            await account.count_bytes(db, 0)  # the lock under which rows are added
            if await _NAMED.row(db, sha256=address.sha256) is not None:
                return True, None
            return False, await tombstones.open_removal(db, address.sha256)

    is_named, begun_at = await retry_on_conflict(opened)
    if begun_at is None:
        return is_named
    await store_of(kernel).remove(address)

    async def close() -> None:
        async with kernel.database.transaction(address.account_id) as db:
            await tombstones.close_removal(db, address.sha256, begun_at)

    await retry_on_conflict(close)
    return True

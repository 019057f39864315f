"""Documents that were read, stored as attachments until a record takes them."""

import asyncio
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

import structlog

from ledgerkit.core.platform.attachments import operations as attachments
from ledgerkit.core.platform.attachments.uploads import contents
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.reading.documents.uploads import SentDocument
from ledgerkit.problems import Problem

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class KeptDocument:
    """Attachment of no record yet, which goes after a day unless one takes it; `id` is None where none could be made.

    `sha256` is of the content.
    """

    id: UUID | None
    sha256: str


async def keep(ctx: Context, sent: SentDocument, name: str) -> KeptDocument:
    """Store a document as an attachment of the caller, in a separate transaction.

    The reading matters more than the image: without room, or without the right to attach, the image is not stored.
    """
    digest = await asyncio.to_thread(lambda: sha256(sent.content).hexdigest())
    try:
        attachment_id = await _stored(ctx, sent, name)
    except Problem as problem:
        log.warning("reading.not-kept", code=problem.code.value)
        attachment_id = None
    return KeptDocument(id=attachment_id, sha256=digest)


async def _stored(ctx: Context, sent: SentDocument, name: str) -> UUID:
    attachment = await contents.stored(
        ctx, sent.content, lambda inner, content: attachments.add(inner, content, name, None)
    )
    return UUID(attachment.id)

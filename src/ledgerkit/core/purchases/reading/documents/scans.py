"""Scan of a document: one AI action that reads it and stores it as an attachment until a record takes it."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

import structlog

from ledgerkit.core.platform.ai.balance import actions
from ledgerkit.core.platform.ai.balance.actions import METERING_ERRORS, ActionKind
from ledgerkit.core.platform.attachments import operations as attachments
from ledgerkit.core.platform.attachments import queries as attachment_queries
from ledgerkit.core.platform.attachments.queries import SameContentRow
from ledgerkit.core.platform.attachments.uploads import contents
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.core.purchases.reading.documents import uploads
from ledgerkit.core.purchases.reading.documents.uploads import DOCUMENT_ERRORS, SentDocument
from ledgerkit.core.purchases.reading.engines import choice as engines
from ledgerkit.core.purchases.reading.engines.choice import ENGINE_ERRORS
from ledgerkit.core.purchases.reading.engines.model import is_empty
from ledgerkit.core.purchases.reading.fields.receipt import amounts_agree
from ledgerkit.core.purchases.reading.texts import ReadingMsg
from ledgerkit.problems import Problem
from ledgerkit.providers.api import DocumentReading

SCAN_ERRORS: Errors = [*METERING_ERRORS, *ENGINE_ERRORS, *DOCUMENT_ERRORS]
"""Refusals of `scan`."""

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class ScannedDocument:
    """Reading of a document, the engine that made it, and the attachments that hold its content.

    `attachment_id` is None where the document could not be stored; `same_images` are those stored before.
    """

    reading: DocumentReading
    engine: str
    attachment_id: UUID | None
    same_images: list[SameContentRow]

    @property
    def shown_id(self) -> str | None:
        """Id of the attachment as answers contain it."""
        return None if self.attachment_id is None else str(self.attachment_id)

    def doubts(self) -> Mapping[ReadingMsg, bool]:
        """Return the warnings that any document may need, each with True where it applies."""
        return {
            ReadingMsg.NOTHING_READ: is_empty(self.reading),
            ReadingMsg.AMOUNTS_DISAGREE: not amounts_agree(self.reading),
            ReadingMsg.NOT_KEPT: self.attachment_id is None,
            ReadingMsg.SAME_IMAGE_READ: bool(self.same_images),
        }


@asynccontextmanager
async def scan(
    ctx: Context, image: str, media_types: Collection[str], action_kind: ActionKind
) -> AsyncIterator[ScannedDocument]:
    """Read the document of the data URL in the field `image`, and store it; the AI action is charged at the end.

    Raises Invalid for what is no readable image, TooLarge above 10 MiB, PaymentRequired OUT_OF_TOKENS, BadGateway
    AI_FAILED, Unavailable AI_BUSY or AI_NOT_CONFIGURED.
    """
    sent = await uploads.received("image", image, media_types)
    engines.require_engine(ctx)
    async with actions.metered(ctx, action_kind) as action:
        read = await engines.read_document(ctx, await uploads.drawn(ctx, sent))
        action.engine = read.engine
        attachment_id = await _attached(ctx, sent, _NAMES[action_kind])
        digest = await asyncio.to_thread(lambda: sha256(sent.content).hexdigest())
        async with ctx.reading() as inner:
            same_content = await attachment_queries.same_content(inner, digest)
        same_images = [row for row in same_content if row.id != attachment_id]
        yield ScannedDocument(
            reading=read.reading, engine=read.engine, attachment_id=attachment_id, same_images=same_images
        )


_NAMES = {ActionKind.SCAN_RECEIPT: "receipt", ActionKind.IMPORT_INVOICE: "supplier-invoice"}
"""Names of the attachments."""


async def _attached(ctx: Context, sent: SentDocument, name: str) -> UUID | None:
    """Store a document as an attachment of the caller, in a separate transaction, and return its id.

    The reading matters more than the image: without room, or without the right to attach, the image is not stored. An
    attachment that no record takes is removed after a day.
    """
    try:
        attachment = await contents.stored(
            ctx, sent.content, lambda inner, content: attachments.add(inner, content, name, None)
        )
    except Problem as problem:
        log.warning("reading.not-kept", code=problem.code.value)
        return None
    return UUID(attachment.id)

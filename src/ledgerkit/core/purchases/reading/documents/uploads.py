"""Documents as callers send them: received as data URLs and drawn as pages, with every refusal in words."""

import asyncio
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from ledgerkit.core.platform.confined.calls import ConfinedCalls
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.core.purchases.reading.documents import pages
from ledgerkit.core.purchases.reading.documents.pages import DocumentFault, DocumentRefusedError
from ledgerkit.core.purchases.reading.texts import IntakeMsg
from ledgerkit.problems import Code, Invalid, TooLarge

RECEIPT_KINDS = frozenset({"image/jpeg", "image/png", "image/webp", "application/pdf"})
INVOICE_KINDS = RECEIPT_KINDS | {"image/gif"}

DOCUMENT_ERRORS: Errors = [(TooLarge, {Code.BODY_TOO_LARGE})]
"""Refusals of a document beyond those of a wrong field."""

_MESSAGES: Mapping[DocumentFault, IntakeMsg] = {
    DocumentFault.TOO_MANY_PIXELS: IntakeMsg.TOO_MANY_PIXELS,
    DocumentFault.NOT_A_DATA_URL: IntakeMsg.NO_DATA_URL,
    DocumentFault.NOT_BASE64: IntakeMsg.NO_BASE64,
    DocumentFault.EMPTY: IntakeMsg.NO_BASE64,
    DocumentFault.MISMATCHED_TYPE: IntakeMsg.KIND_MISMATCHED,
    DocumentFault.ENCRYPTED: IntakeMsg.ENCRYPTED,
    DocumentFault.UNREADABLE: IntakeMsg.UNREADABLE,
}


@dataclass(frozen=True)
class SentDocument:
    """Bytes of a document, the media type that its data URL says, and the field of the request that it came in."""

    field: str
    kind: str
    content: bytes


async def received(field: str, data_url: str, kinds: Collection[str]) -> SentDocument:
    """Return the document of a data URL in base64, decoded outside of the event loop.

    Raises Invalid naming `field` for anything else and for other kinds than these, TooLarge above 10 MiB.
    """
    with _refusals(field, kinds):
        return SentDocument(field, *await asyncio.to_thread(pages.decoded, data_url, frozenset(kinds)))


async def drawn(ctx: Context, sent: SentDocument) -> list[bytes]:
    """Return the pages of a document as PNG, one of an image, the first ones of a PDF.

    Raises Invalid naming the field for what cannot be opened, Unavailable SERVER_BUSY when too many wait.
    """
    with _refusals(sent.field, [sent.kind]):
        return await pages.pages_of(ctx.kernel.service(ConfinedCalls), ctx.account.id, sent.kind, sent.content)


@contextmanager
def _refusals(field: str, kinds: Collection[str]) -> Iterator[None]:
    try:
        yield
    except DocumentRefusedError as refusal:
        if refusal.fault is DocumentFault.TOO_LARGE:
            raise TooLarge(IntakeMsg.IMAGE_TOO_LARGE, size=f"{pages.MAX_BYTES >> 20} MiB") from None
        if refusal.fault is DocumentFault.UNSUPPORTED_TYPE:
            raise Invalid.field(field, IntakeMsg.KIND_REFUSED, kinds=", ".join(sorted(kinds))) from None
        raise Invalid.field(field, _MESSAGES[refusal.fault]) from None

"""Documents as callers send them: decoded from data URLs and drawn as pages, in a process that can be killed."""

import asyncio
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ledgerkit.core.platform.confined.calls import CallFailedError, ConfinedCalls
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.core.purchases.reading.documents.pixels import (
    EncryptedPdfError,
    PixelLimitError,
    TypeMismatchError,
    drawn_pages,
    split_pages,
)
from ledgerkit.core.purchases.reading.texts import ReadingMsg
from ledgerkit.problems import Code, Invalid, TooLarge

MAX_BYTES = 10 * 1024**2
"""Size of a file at most: 10 MB in the interface, counted generously as MiB."""

RECEIPT_TYPES = frozenset({"image/jpeg", "image/png", "image/webp", "application/pdf"})
INVOICE_TYPES = RECEIPT_TYPES | {"image/gif"}

DOCUMENT_ERRORS: Errors = [(TooLarge, {Code.BODY_TOO_LARGE})]
"""Refusals of a document beyond those of a wrong field."""

_REFUSALS: Mapping[str, ReadingMsg] = {
    PixelLimitError.__name__: ReadingMsg.TOO_MANY_PIXELS,
    MemoryError.__name__: ReadingMsg.TOO_MANY_PIXELS,
    TypeMismatchError.__name__: ReadingMsg.KIND_MISMATCHED,
    EncryptedPdfError.__name__: ReadingMsg.ENCRYPTED,
}
"""Messages by the error with which the drawing ends; any other one means an unreadable file."""


@dataclass(frozen=True)
class SentDocument:
    """Bytes of a document, the media type that its data URL says, and the field of the request that it came in."""

    field: str
    media_type: str
    content: bytes


async def received(field: str, data_url: str, media_types: Collection[str]) -> SentDocument:
    """Return the document of a data URL in base64, decoded outside of the event loop.

    Raises Invalid naming `field` for anything else and for other types than these, TooLarge above 10 MiB.
    """
    return await asyncio.to_thread(_decoded, field, data_url, media_types)


async def drawn(ctx: Context, sent: SentDocument) -> list[bytes]:
    """Return the pages of a document as PNGs of at most 2000 pixels a side: one of an image, the first three of a PDF.

    Raises Invalid naming the field for what cannot be opened, Unavailable SERVER_BUSY when too many wait.
    """
    request = sent.media_type.encode() + b"\n" + sent.content
    try:
        answer = await ctx.kernel.service(ConfinedCalls).call(drawn_pages, ctx.account.id, request)
    except CallFailedError as error:
        raise Invalid.field(sent.field, _REFUSALS.get(str(error), ReadingMsg.UNREADABLE)) from None
    return await asyncio.to_thread(split_pages, answer)


def _decoded(field: str, data_url: str, media_types: Collection[str]) -> SentDocument:
    head, comma, body = data_url.strip().partition(",")
    scheme, _, specification = head.partition(":")
    media_type, *parameters = specification.lower().split(";")
    if scheme.lower() != "data" or not comma or "base64" not in parameters:
        raise Invalid.field(field, ReadingMsg.NO_DATA_URL)
    if media_type not in media_types:
        raise Invalid.field(field, ReadingMsg.KIND_REFUSED, kinds=", ".join(sorted(media_types)))
    _require_size(len(body) // 4 * 3 - 2)  # before it is decoded
    try:
        content = b64decode(body, validate=True)
    except (Base64Error, ValueError):
        raise Invalid.field(field, ReadingMsg.NO_BASE64) from None
    if not content:
        raise Invalid.field(field, ReadingMsg.NO_BASE64)
    _require_size(len(content))
    return SentDocument(field, media_type, content)


def _require_size(size: int) -> None:
    if size > MAX_BYTES:
        raise TooLarge(ReadingMsg.IMAGE_TOO_LARGE, size=f"{MAX_BYTES >> 20} MiB")

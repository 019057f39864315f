"""Pages of documents: a data URL or bytes in, bounded images out, all decoding in a process that can be killed."""

import asyncio
from base64 import b64decode
from binascii import Error as Base64Error
from enum import StrEnum
from uuid import UUID

from ledgerkit.core.platform.confined.calls import CallFailedError, ConfinedCalls
from ledgerkit.core.purchases.reading.documents.pixels import (
    FORMATS,
    PDF,
    EncryptedPdfError,
    PixelLimitError,
    TypeMismatchError,
    drawn_pages,
    split_pages,
)

MAX_BYTES = 10 * 1024**2
"""Size of a file at most: 10 MB in the interface, counted generously as MiB."""
MEDIA_TYPES = frozenset({*FORMATS.values(), PDF})


class DocumentFault(StrEnum):
    """Reason for which a document is refused. TOO_LARGE is a 413 on the wire, every other one a 400."""

    TOO_LARGE = "too_large"
    TOO_MANY_PIXELS = "too_many_pixels"
    NOT_A_DATA_URL = "not_a_data_url"
    NOT_BASE64 = "not_base64"
    UNSUPPORTED_TYPE = "unsupported_type"
    MISMATCHED_TYPE = "mismatched_type"
    ENCRYPTED = "encrypted"
    UNREADABLE = "unreadable"
    EMPTY = "empty"


class DocumentRefusedError(Exception):
    """Refusal of a document that a caller sent; `fault` says why, the caller's service in words."""

    def __init__(self, fault: DocumentFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


_FAULTS = {
    PixelLimitError.__name__: DocumentFault.TOO_MANY_PIXELS,
    MemoryError.__name__: DocumentFault.TOO_MANY_PIXELS,
    TypeMismatchError.__name__: DocumentFault.MISMATCHED_TYPE,
    EncryptedPdfError.__name__: DocumentFault.ENCRYPTED,
}


def decoded(data_url: str, accepted: frozenset[str] = MEDIA_TYPES) -> tuple[str, bytes]:
    """Return media type and bytes of a base64 data URL. Raises DocumentRefusedError, over MAX_BYTES before decoding."""
    head, comma, body = data_url.strip().partition(",")
    scheme, _, specification = head.partition(":")
    media_type, *parameters = specification.lower().split(";")
    if scheme.lower() != "data" or not comma or "base64" not in parameters:
        raise DocumentRefusedError(DocumentFault.NOT_A_DATA_URL)
    if media_type not in accepted:
        raise DocumentRefusedError(DocumentFault.UNSUPPORTED_TYPE)
    if len(body) > (MAX_BYTES + 2) // 3 * 4 + 4:
        raise DocumentRefusedError(DocumentFault.TOO_LARGE)
    try:
        content = b64decode(body, validate=True)
    except (Base64Error, ValueError):
        raise DocumentRefusedError(DocumentFault.NOT_BASE64) from None
    return media_type, _bounded(content)


async def pages_of(calls: ConfinedCalls, account_id: UUID, media_type: str, content: bytes) -> list[bytes]:
    """Return the pages of a document as PNGs of at most 2000 pixels a side: one of an image, the first three of a PDF.

    Raises DocumentRefusedError, and Unavailable when too many wait.
    """
    if media_type not in MEDIA_TYPES:
        raise DocumentRefusedError(DocumentFault.UNSUPPORTED_TYPE)
    request = media_type.encode() + b"\n" + _bounded(content)
    try:
        answer = await calls.call(drawn_pages, account_id, request)
    except CallFailedError as error:
        raise DocumentRefusedError(_FAULTS.get(str(error), DocumentFault.UNREADABLE)) from None
    return await asyncio.to_thread(split_pages, answer)


def _bounded(content: bytes) -> bytes:
    if not content:
        raise DocumentRefusedError(DocumentFault.EMPTY)
    if len(content) > MAX_BYTES:
        raise DocumentRefusedError(DocumentFault.TOO_LARGE)
    return content

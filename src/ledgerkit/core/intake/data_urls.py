"""Images and documents that callers send as data URLs (RFC 2397), within their bounds."""

import asyncio
import base64
import binascii
from collections.abc import Collection
from dataclasses import dataclass

from ledgerkit.core.intake.messages import IntakeMsg
from ledgerkit.core.request.operation import Errors
from ledgerkit.problems import Code, Invalid, TooLarge

MAX_BYTES = 10 << 20
"""Bytes of a document, as the interface bounds a supplier invoice's image."""

RECEIPT_KINDS = ("image/jpeg", "image/png", "image/webp", "application/pdf")
INVOICE_KINDS = ("image/jpeg", "image/png", "image/gif", "image/webp", "application/pdf")

DATA_URL_ERRORS: Errors = [(TooLarge, {Code.BODY_TOO_LARGE})]
"""Refusals of `decoded` beyond those of a wrong field."""

_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "application/x-pdf": "application/pdf"}
_LONGEST_HEAD = 200


@dataclass(frozen=True)
class SentDocument:
    """Bytes of a document and the kind that its data URL says, a media type."""

    kind: str
    content: bytes


async def decoded(field: str, url: str, kinds: Collection[str]) -> SentDocument:
    """Return the document of a data URL, decoded outside of the event loop.

    Raises Invalid naming `field` for anything but a data URL in base64 of one of these kinds, TooLarge above 10 MiB.
    """
    kind = _kind(field, url, kinds)
    encoded = url[url.index(",") + 1 :].strip()
    if len(encoded) > (MAX_BYTES + 2) // 3 * 4:
        raise _too_large()
    try:
        content = await asyncio.to_thread(base64.b64decode, encoded, validate=True)
    except (binascii.Error, ValueError):
        raise Invalid.field(field, IntakeMsg.NO_BASE64) from None
    if len(content) > MAX_BYTES:
        raise _too_large()
    if not content:
        raise Invalid.field(field, IntakeMsg.NO_BASE64)
    return SentDocument(kind, content)


def _kind(field: str, url: str, kinds: Collection[str]) -> str:
    head, comma, _ = url[:_LONGEST_HEAD].partition(",")
    scheme, _, parameters = head.strip().lower().partition(":")
    kind, *attributes = [part.strip() for part in parameters.split(";")]
    if not comma or scheme != "data" or "base64" not in attributes:
        raise Invalid.field(field, IntakeMsg.NO_DATA_URL)
    kind = _ALIASES.get(kind, kind)
    if kind not in kinds:
        raise Invalid.field(field, IntakeMsg.KIND_REFUSED, kind=kind or "text/plain", kinds=", ".join(kinds))
    return kind


def _too_large() -> TooLarge:
    return TooLarge(IntakeMsg.IMAGE_TOO_LARGE, size=f"{MAX_BYTES >> 20} MiB")

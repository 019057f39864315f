"""Uploaded contents: checked and stored outside of a transaction, before an attachment names them."""

import asyncio
import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TypeVar

from ledgerkit.core.platform.attachments.removal import contents as removal
from ledgerkit.core.platform.attachments.removal import tombstones
from ledgerkit.core.platform.attachments.store.contents import ContentAddress
from ledgerkit.core.platform.attachments.store.current import store_of, store_problems
from ledgerkit.core.platform.attachments.texts import AttachmentsMsg
from ledgerkit.core.platform.attachments.uploads.media_types import media_type
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Code, Invalid, TooLarge, Unavailable, UnsupportedMediaType

MIB = 1 << 20

_PAUSES = (0.05, 0.5, 2)
"""Seconds between attempts to store a content that is being removed; a removal takes one request to the store."""

_DATA_URL = re.compile(r"data:[\w.+-]{1,60}/[\w.+-]{1,100}(;[\w.+-]{1,60}=[\w.+-]{1,100}){0,4};base64,", re.ASCII)

Named = TypeVar("Named")


@dataclass(frozen=True)
class Content:
    """A stored content, its media type by its own bytes, and the moment at which storing it began."""

    sha256: str
    size: int
    media_type: str
    staged_at: datetime


async def stage(ctx: Context, content: bytes) -> Content:
    """Store a content that no attachment names yet; it is removed after a day unless one does.

    Raises Invalid for an empty one, TooLarge above LEDGERKIT_ATTACHMENT_MAX_MIB, UnsupportedMediaType, StorageFull,
    Unavailable.
    """
    check_size(ctx, len(content))
    kind, digest = await asyncio.to_thread(lambda: (media_type(content), sha256(content).hexdigest()))
    if kind is None:
        raise UnsupportedMediaType(AttachmentsMsg.TYPE_UNSUPPORTED)
    staged_at = await retry_on_conflict(lambda: _moment(ctx))
    with store_problems():
        await store_of(ctx.kernel).put(ContentAddress(ctx.account.id, digest), content)
    return Content(digest, len(content), kind, staged_at)


def check_size(ctx: Context, size: int) -> None:
    """Raise Invalid for an empty content, TooLarge for one above the limit."""
    if not size:
        raise Invalid.field("content", AttachmentsMsg.EMPTY)
    if size > ctx.settings.attachment_max_mib * MIB:
        raise TooLarge(AttachmentsMsg.TOO_LARGE, most=ctx.settings.attachment_max_mib)


async def decoded(ctx: Context, data_url: str) -> bytes:
    """Return the content of a data URL (RFC 2397, base64). Raises Invalid, TooLarge."""
    beginning = _DATA_URL.match(data_url)
    if beginning is None:
        raise Invalid.field("content", AttachmentsMsg.NOT_A_DATA_URL)
    check_size(ctx, max(1, (len(data_url) - beginning.end()) * 3 // 4 - 2))
    try:
        return await asyncio.to_thread(b64decode, data_url[beginning.end() :], validate=True)
    except (Base64Error, ValueError):
        raise Invalid.field("content", AttachmentsMsg.NOT_BASE64) from None


async def stored(ctx: Context, content: bytes, name: Callable[[Context, Content], Awaitable[Named]]) -> Named:
    """Store a content, let `name` add its attachment in a transaction, and return the result of `name`.

    A content that is removed at that moment, because no attachment named it, is stored again. Raises as `stage` and
    `name` do.
    """
    for pause in _PAUSES:
        try:
            return await _attempt(ctx, content, name)
        except Unavailable as problem:
            if problem.text != removed_meanwhile().text:
                raise
            await removal.finish_abandoned(ctx.kernel, ctx.account.id)
            await asyncio.sleep(pause)
    return await _attempt(ctx, content, name)


def removed_meanwhile() -> Unavailable:
    """Return the refusal of a content that may have been removed since its storing began."""
    return Unavailable(AttachmentsMsg.CONTENT_LEFT, code=Code.STORE_UNREACHABLE, headers={"Retry-After": "1"})


async def _moment(ctx: Context) -> datetime:
    async with ctx.reading() as inner:
        return await tombstones.now(inner.db)


async def _attempt(ctx: Context, content: bytes, name: Callable[[Context, Content], Awaitable[Named]]) -> Named:
    staged = await stage(ctx, content)

    async def attempt() -> Named:
        async with ctx.transaction() as inner:
            return await name(inner, staged)

    return await retry_on_conflict(attempt)

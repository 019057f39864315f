"""Attachments: list, read, upload, attach and delete them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ScalarResult, Text, Uuid, bindparam, func, select

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.paging import Page, PageRequest
from ledgerkit.core.attachments import documents, removal, usage
from ledgerkit.core.attachments.documents import Document, DocumentKind, kind_of, link_of
from ledgerkit.core.attachments.messages import AttachmentsMsg
from ledgerkit.core.attachments.models import AttachmentRow, attachment
from ledgerkit.core.attachments.names import cleaned
from ledgerkit.core.attachments.schemas import Attachment, AttachmentInput, AttachmentPlace
from ledgerkit.core.attachments.shapes import ATTACHMENTS, shape
from ledgerkit.core.attachments.staging import Content, decoded, stage
from ledgerkit.core.attachments.store import Address
from ledgerkit.core.attachments.stores import store_of, store_problems
from ledgerkit.core.database.ids import as_id, id_sought, missing, new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import (
    Code,
    Conflict,
    Invalid,
    NotFound,
    PaymentRequired,
    StorageFull,
    TooLarge,
    Unavailable,
    UnsupportedMediaType,
)

_ADDING = [
    (Invalid, {Code.ATTACHMENT_LIMIT}),
    (PaymentRequired, {Code.ATTACHMENT_SPACE}),
    (NotFound, {Code.NOT_FOUND}),
]


@dataclass(frozen=True)
class Download:
    """An attachment and its content in pieces."""

    attachment: Attachment
    pieces: AsyncIterator[bytes]


@operation(Permission.ATTACHMENTS_READ, unit=Unit.READING, errors=[(NotFound, {Code.NOT_FOUND})])
async def listing(ctx: Context, page: PageRequest, document: Document) -> Page:
    """List the attachments of one document, oldest first. Takes the right to read the document."""


@operation(Permission.ATTACHMENTS_READ, unit=Unit.READING)
async def get(ctx: Context, attachment_id: str) -> Attachment:
    """Return an attachment of a document that the caller may read, or one of the caller's own not attached yet."""


@operation(Permission.ATTACHMENTS_READ, unit=Unit.READING)
async def content(ctx: Context, attachment_id: str) -> Download:
    """Return an attachment with its content."""


@operation(Permission.ATTACHMENTS_WRITE, unit=Unit.OWN)
async def upload(ctx: Context, data: AttachmentInput) -> Attachment:
    """Store a file, attached to a document or not yet."""


@operation(Permission.ATTACHMENTS_WRITE, errors=_ADDING)
async def add(ctx: Context, content: Content, name: str, document: Document | None) -> Attachment:
    """Add an attachment of a content that `stage` has stored, in the transaction of `ctx`; outside of one, in its own.

    `content` comes from `await stage(ctx, some_bytes)`, called before the transaction. Attaching twice the same
    content to one document gives the attachment that is there.
    """


@operation(Permission.ATTACHMENTS_WRITE, errors=_ADDING, effects=Effect.IDEMPOTENT)
async def attach(ctx: Context, attachment_id: str, place: AttachmentPlace) -> Attachment:
    """Attach what was uploaded before to a document."""


@operation(Permission.ATTACHMENTS_WRITE, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def delete(ctx: Context, attachment_id: str) -> None:
    """Delete an attachment; what the law wants is hidden and kept until its day."""

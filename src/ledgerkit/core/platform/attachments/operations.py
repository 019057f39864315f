"""Attachments: list, read, upload, attach and delete them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.attachments import acts
from ledgerkit.core.platform.attachments.api import AttachmentInput, AttachmentPlace, DocumentAttachment, DocumentType
from ledgerkit.core.platform.attachments.documents import kinds as documents
from ledgerkit.core.platform.attachments.documents.kinds import Document, DocumentKind, kind_of, link_of
from ledgerkit.core.platform.attachments.output import ATTACHMENTS, shape
from ledgerkit.core.platform.attachments.removal import contents as removal
from ledgerkit.core.platform.attachments.removal import tombstones
from ledgerkit.core.platform.attachments.store import account
from ledgerkit.core.platform.attachments.store.contents import ContentAddress
from ledgerkit.core.platform.attachments.store.current import store_of, store_problems
from ledgerkit.core.platform.attachments.table import AttachmentRow, attachment
from ledgerkit.core.platform.attachments.texts import AttachmentsMsg
from ledgerkit.core.platform.attachments.uploads import contents
from ledgerkit.core.platform.attachments.uploads.contents import MIB, Content, decoded
from ledgerkit.core.platform.attachments.uploads.media_types import cleaned
from ledgerkit.core.platform.database.ids import id_sought, missing, new_id
from ledgerkit.core.platform.database.row_types import AppendOnlyRow, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import (
    Code,
    Conflict,
    Invalid,
    NotFound,
    PaymentRequired,
    TooLarge,
    Unavailable,
    UnsupportedMediaType,
)

_ADDING = [
    (Invalid, {Code.ATTACHMENT_LIMIT}),
    (PaymentRequired, {Code.ATTACHMENT_SPACE}),
    (NotFound, {Code.NOT_FOUND}),
    (Unavailable, {Code.STORE_UNREACHABLE}),
]


@dataclass(frozen=True)
class Download:
    """An attachment and its content in pieces; `pieces` is None if the caller has the content already."""

    attachment: DocumentAttachment
    pieces: AsyncIterator[bytes] | None


@operation(Permission.ATTACHMENTS_READ, unit=Unit.READING, errors=[(NotFound, {Code.NOT_FOUND})])
async def listing(ctx: Context, page: PageRequest, document: Document) -> Page:
    """List the attachments of one document, oldest first. The caller must be permitted to read the document."""
    kind = kind_of(document.type)
    ctx.require(kind.read)
    row = await records.fetch(ctx, kind.table, document.id, kind.what)
    return await ATTACHMENTS.page(ctx.db, page, kind=kind.type.value, document_id=row.id)


@operation(Permission.ATTACHMENTS_READ, unit=Unit.READING)
async def get(ctx: Context, attachment_id: str) -> DocumentAttachment:
    """Return an attachment of a document that the caller may read, or one of the caller's that is not attached yet."""
    return shape(await _readable(ctx, attachment_id))


@operation(
    Permission.ATTACHMENTS_READ,
    unit=Unit.OWN,
    errors=[(Unavailable, {Code.STORE_UNREACHABLE})],
    effects=Effect.READ_ONLY,
)
async def content(ctx: Context, attachment_id: str, tags_held: str | None = None) -> Download:
    """Return an attachment with its content, which is read while no connection to the database is held.

    `tags_held` is the list of entity tags in If-None-Match, of contents that the caller holds.
    """

    async def read() -> AttachmentRow:
        async with ctx.reading() as inner:
            return await _readable(inner, attachment_id)

    row = await retry_on_conflict(read)
    if tags_held is not None and f'"{row.sha256}"' in tags_held:
        return Download(shape(row), None)
    with store_problems():
        pieces = await store_of(ctx.kernel).read(ContentAddress(ctx.account.id, row.sha256))
    return Download(shape(row), pieces)


@operation(
    Permission.ATTACHMENTS_WRITE,
    unit=Unit.OWN,
    errors=[
        *_ADDING,
        (TooLarge, {Code.BODY_TOO_LARGE}),
        (UnsupportedMediaType, {Code.UNSUPPORTED_MEDIA_TYPE}),
    ],
    proposable=False,
)
async def upload(ctx: Context, data: AttachmentInput) -> DocumentAttachment:
    """Store a file, attached to a document or not yet. Raises as `stage` and `add` do."""
    document = _document(data)
    if document is not None:
        ctx.require(kind_of(document.type).write)
    content = await decoded(ctx, data.content)
    return await contents.stored(ctx, content, lambda inner, staged: add(inner, staged, data.name, document))


@operation(Permission.ATTACHMENTS_WRITE, errors=_ADDING, proposable=False)
async def add(ctx: Context, content: Content, name: str, document: Document | None) -> DocumentAttachment:
    """Add an attachment of a content that `stage` has stored before this transaction began.

    A content that the document has already is not added twice: its attachment is returned. Raises NotFound for an
    unknown document, Invalid ATTACHMENT_LIMIT, PaymentRequired ATTACHMENT_SPACE, Unavailable STORE_UNREACHABLE.
    """
    place = await _place(ctx, document, content.sha256)
    if place.same is not None:
        return shape(place.same)
    await _count(ctx, content)
    values = (
        Values(AttachmentRow, id=new_id())
        | place.columns()
        | Values(
            AttachmentRow,
            name=cleaned(name, content.media_type),
            media_type=content.media_type,
            size=content.size,
            sha256=content.sha256,
            created_by=ctx.actor.user_id,
            channel=ctx.actor.channel.value,
        )
    )
    row = await records.add(ctx, attachment, values)
    await _tell(ctx, row, place)
    return shape(row)


@operation(
    Permission.ATTACHMENTS_WRITE,
    errors=[*_ADDING, (Conflict, {Code.ATTACHED_ALREADY})],
    effects=Effect.IDEMPOTENT,
    act=acts.ATTACHING,
)
async def attach(ctx: Context, attachment_id: str, data: AttachmentPlace) -> DocumentAttachment:
    """Attach a file of the caller's that was uploaded before. Raises Conflict ATTACHED_ALREADY, else as `add` does."""
    before = await _readable(ctx, attachment_id)
    document = Document(data.document_type, data.document_id)
    place = await _place(ctx, document, before.sha256)
    old = await records.fetch_locked(ctx, attachment, attachment_id, "attachment")
    if old.document_id is not None:
        if dict(place.columns()) == {"document_kind": old.document_kind, "document_id": old.document_id}:
            return shape(old)
        raise Conflict(AttachmentsMsg.ATTACHED_ALREADY, code=Code.ATTACHED_ALREADY)
    row = await records.change(ctx, attachment, old.id, place.columns())
    await _tell(ctx, row, place)
    return shape(row)


@operation(Permission.ATTACHMENTS_WRITE, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT, act=acts.DELETION)
async def delete(ctx: Context, attachment_id: str) -> None:
    """Delete an attachment: its document shows the next one, if there is one.

    An attachment that the law requires is hidden until its day. The caller must be permitted to change the document.
    """
    before = await _readable(ctx, attachment_id)
    if before.document_kind is None:
        row = await records.fetch_locked(ctx, attachment, attachment_id, "attachment")
        await removal.withdraw(ctx, [row], None)
        return
    kind, document = await _changeable(ctx, Document(DocumentType(before.document_kind), str(before.document_id)))
    row = await records.fetch_locked(ctx, attachment, attachment_id, "attachment")
    await removal.withdraw(ctx, [row], kind.kept_until(document))
    others = await removal.of_document(ctx, kind.type, document.id)
    await documents.show_link(
        ctx, kind, document, link=link_of(others[0].id) if others else None, before=link_of(row.id)
    )
    await activity.record(ctx, "attachment_deleted", (kind.type.value, document.id), row.name)


async def adopt(ctx: Context, link: str | None, kind: DocumentKind, document_id: UUID) -> None:
    """Attach the file that the link of a document names, if the caller uploaded it before. Other links stay text.

    Raises Forbidden when the credentials do not cover attachments.
    """
    attachment_id = documents.id_in(link)
    if attachment_id is None:
        return
    uploaded = await _UPLOADED.row(ctx.db, id=id_sought(attachment_id))
    if uploaded is not None and uploaded.created_by == ctx.actor.user_id:
        await attach(ctx, attachment_id, AttachmentPlace(document_type=kind.type, document_id=str(document_id)))


_UPLOADED = Prepared(
    select(attachment)
    .where(attachment.c.id == bindparam("id", type_=Uuid), attachment.c.document_id.is_(None))
    .with_for_update(),
    AttachmentRow,
)


# ---------------------------------------------------------------- rights


async def _readable(ctx: Context, attachment_id: str) -> AttachmentRow:
    """Return an attachment that the caller may read.

    One that is not attached is its uploader's alone: for others it does not exist. Raises NotFound, Forbidden.
    """
    row = await records.fetch(ctx, attachment, attachment_id, "attachment")
    if row.document_kind is not None:
        ctx.require(kind_of(row.document_kind).read)
    elif row.created_by != ctx.actor.user_id:
        raise missing("attachment", attachment_id)
    return row


async def _changeable(ctx: Context, document: Document) -> tuple[DocumentKind, AppendOnlyRow]:
    """Return the kind and the locked row of a document that the caller may change. Raises NotFound, Forbidden."""
    kind = kind_of(document.type)
    ctx.require(kind.write)
    row = await documents.locked(ctx, kind, document.id)
    kind.check_change(ctx, row)
    return kind, row


def _document(data: AttachmentInput) -> Document | None:
    """Return the document that an input names. Raises Invalid when only half of its name is there."""
    if data.document_type is None and data.document_id is None:
        return None
    if data.document_type is None or data.document_id is None:
        absent = "documentType" if data.document_type is None else "documentId"
        raise Invalid.field(absent, AttachmentsMsg.TYPE_AND_ID)
    return Document(data.document_type, data.document_id)


# ---------------------------------------------------------------- adding


@dataclass(frozen=True)
class _Place:
    """Place of an attachment: a locked document, or none. `same` is its attachment of the same content."""

    kind: DocumentKind | None = None
    row: AppendOnlyRow | None = None
    same: AttachmentRow | None = None

    def columns(self) -> Values[AttachmentRow]:
        if self.kind is None or self.row is None:
            return Values(AttachmentRow, document_kind=None, document_id=None)
        return Values(AttachmentRow, document_kind=self.kind.type.value, document_id=self.row.id)


async def _place(ctx: Context, document: Document | None, sha256: str) -> _Place:
    """Lock the document, and check that it takes one more. Raises NotFound, Forbidden, Invalid ATTACHMENT_LIMIT."""
    if document is None:
        return _Place()
    kind, row = await _changeable(ctx, document)
    others = await removal.of_document(ctx, kind.type, row.id)
    same = next((other for other in others if other.sha256 == sha256), None)
    most = ctx.settings.attachments_per_document
    if same is None and len(others) >= most:
        raise Invalid(AttachmentsMsg.TOO_MANY, code=Code.ATTACHMENT_LIMIT, most=most)
    return _Place(kind, row, same)


async def _count(ctx: Context, content: Content) -> None:
    """Count the bytes, and check under that lock that the content was not removed after its storing began."""
    most = ctx.settings.attachment_space_mib
    total = await account.count_bytes(ctx.db, content.size)
    if most != -1 and total > most * MIB:
        raise PaymentRequired(AttachmentsMsg.NO_SPACE, code=Code.ATTACHMENT_SPACE, most=most)
    if await tombstones.may_be_gone(ctx.db, content.sha256, content.staged_at):
        raise contents.removed_meanwhile()


async def _tell(ctx: Context, row: AttachmentRow, place: _Place) -> None:
    """Show the attachment's path in the document if it shows none, and log the attachment."""
    if place.kind is None or place.row is None:
        return
    await documents.show_link(ctx, place.kind, place.row, link=link_of(row.id), before=None)
    await activity.record(ctx, "attachment_added", (place.kind.type.value, place.row.id), row.name)

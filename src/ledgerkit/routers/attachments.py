"""/api/attachments."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse

from ledgerkit.core.platform.attachments import operations as attachments
from ledgerkit.core.platform.attachments.api import (
    AttachmentInput,
    AttachmentPlace,
    DocumentAttachment,
    DocumentId,
    DocumentType,
)
from ledgerkit.core.platform.attachments.documents.kinds import Document
from ledgerkit.core.platform.attachments.uploads.media_types import SHOWN_INLINE, SUFFIXES
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, listed, paged, tagged
from ledgerkit.routers.routing import UPLOAD, Router

router = Router(
    prefix="/api/attachments",
    tags=["Attachments"],
    about="Files of documents: receipts, supplier invoices as they came, orders of clients, pictures of tasks.",
)

_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {name: {"schema": {"type": "string", "format": "binary"}} for name in SUFFIXES}}
}

_SEALED_OFF = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Policy for a file that a browser shows: no scripts, nothing loaded, no origin."""


@router.get("", operation=attachments.listing, operation_id="listAttachments", response_model=list[DocumentAttachment])
async def list_attachments(
    request: Request,
    ctx: Ctx,
    document_type: Annotated[DocumentType, Query(alias="documentType")],
    document_id: Annotated[DocumentId, Query(alias="documentId")],
    page: PageNumber = None,
    limit: Limit = None,
) -> Response:
    """List the attachments of one document, oldest first."""
    document = Document(document_type, document_id)
    return listed(request, await attachments.listing(ctx, paged(page, limit), document))


@router.post("", operation=attachments.upload, operation_id="uploadAttachment", max_body_size=UPLOAD, status_code=201)
async def upload_attachment(ctx: Ctx, data: AttachmentInput) -> DocumentAttachment:
    """Store a file of a document. A file without a document is deleted after a day unless it is attached."""
    return tagged(ctx, await attachments.upload(ctx, data))


@router.get("/{id}", operation=attachments.get, operation_id="getAttachment")
async def get_attachment(ctx: Ctx, id: str) -> DocumentAttachment:
    """Return an attachment without its content."""
    return tagged(ctx, await attachments.get(ctx, id))


@router.put("/{id}", operation=attachments.attach, operation_id="attachAttachment")
async def attach_attachment(ctx: Ctx, id: str, data: AttachmentPlace) -> DocumentAttachment:
    """Attach a file that was uploaded without a document."""
    return tagged(ctx, await attachments.attach(ctx, id, data))


@router.get(
    "/{id}/content",
    operation=attachments.content,
    operation_id="downloadAttachment",
    response_class=Response,
    responses=_FILE,
)
async def download_attachment(request: Request, ctx: Ctx, id: str) -> Response:
    """Return the file. A browser may show pictures and PDF, in a sandbox."""
    download = await attachments.content(ctx, id, request.headers.get("if-none-match"))
    file = download.attachment
    kind = "inline" if file.media_type in SHOWN_INLINE else "attachment"
    headers = {
        "Content-Disposition": f"{kind}; filename*=UTF-8''{quote(file.name, safe='')}",
        "Content-Security-Policy": _SEALED_OFF,
        "X-Content-Type-Options": "nosniff",
        "ETag": f'"{file.sha256}"',
    }
    if download.pieces is None:
        return Response(status_code=304, headers=headers)
    size = {"Content-Length": str(file.size)}
    return StreamingResponse(download.pieces, media_type=file.media_type, headers=headers | size)


@router.delete("/{id}", operation=attachments.delete, operation_id="deleteAttachment")
async def delete_attachment(ctx: Ctx, id: str) -> Ok:
    """Delete an attachment. A file that must be retained by law is only hidden."""
    await attachments.delete(ctx, id)
    return Ok()

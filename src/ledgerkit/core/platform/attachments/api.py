"""Shapes of attachments."""

from enum import StrEnum
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.attachments.table import AttachmentRow


class DocumentType(StrEnum):
    """Kinds of documents that files are attached to, as they are named on the wire and in the database."""

    EXPENSE = "expense"
    SUPPLIER_INVOICE = "supplier_invoice"
    SUPPLIER_PAYMENT = "supplier_payment"
    INVOICE = "invoice"
    TASK = "task"


FileName = Annotated[str, StringConstraints(max_length=1000)]
DocumentId = Annotated[str, StringConstraints(min_length=1, max_length=60)]


class AttachmentInput(Wire, row=AttachmentRow):
    """A file as data URL. The media type in it does not count: the content decides."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"name": "factura.pdf", "content": "data:application/pdf;base64,JVBERi0xLjQKJSVFT0YK"}]
        }
    )

    name: Annotated[FileName, Field(description="Name of the file; cleaned of folders and control characters")] = ""
    content: Annotated[str, Field(description="`data:<media type>;base64,<content>`")]
    document_type: DocumentType | None = None
    """Kind of the document to attach it to; null to attach it later."""
    document_id: DocumentId | None = None


class AttachmentPlace(Wire):
    """The document that an attachment belongs to from now on."""

    document_type: DocumentType
    """Kind of the document."""
    document_id: DocumentId
    """Id of the document."""


class DocumentAttachment(Wire, row=AttachmentRow):
    """`documentType` and `documentId` are null until it is attached; one that never is goes after a day."""

    id: str
    document_type: DocumentType | None
    """Kind of the document; null until it is attached."""
    document_id: str | None
    name: str
    media_type: str
    size: int
    sha256: Annotated[str, Field(description="SHA-256 of the content, hexadecimal; the ETag of the content")]
    url: Annotated[str, Field(description="Path of the content on this server")]
    created_by: str | None
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]

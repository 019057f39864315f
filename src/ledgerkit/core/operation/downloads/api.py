"""Schemas of links to documents."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Timestamp, Wire


class LinkedDocument(StrEnum):
    """Document behind a link. Tokens hold the place in this list: new ones go to the end."""

    INVOICE_PDF = "invoice_pdf"
    EINVOICE_XML = "einvoice_xml"
    DECLARATION_PDF = "declaration_pdf"
    DECLARATION_FILE = "declaration_file"
    CATALOG_CSV = "catalog_csv"


class DocumentLink(Wire):
    """Address of a document, good for whoever has it until it expires."""

    kind: LinkedDocument
    """Kind of the document."""
    url: str
    """The address."""
    expires_at: Timestamp
    """Moment in UTC until which it opens the document."""
    media_type: str
    """Media type of the document."""
    resource: Annotated[str | None, Field(description="The same document as an MCP resource")]


@dataclass(frozen=True)
class DocumentContent:
    """Bytes of a document, and how they are to be saved."""

    name: str
    content: bytes
    media_type: str

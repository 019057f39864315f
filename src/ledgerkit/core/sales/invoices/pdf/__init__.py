"""Rendering of documents: as PDF, and as their public page."""

from ledgerkit.core.sales.invoices.pdf.libraries import MissingRequirements, missing_requirements
from ledgerkit.core.sales.invoices.pdf.markup import CONTENT_SECURITY_POLICY, PAGE_HEADERS, not_found_page, share_page
from ledgerkit.core.sales.invoices.pdf.model import (
    Paper,
    PartyBlock,
    PrintedDocument,
    PrintedExchange,
    PrintedLine,
    PrintedTax,
    PrintedText,
    Qr,
    Status,
    Watermark,
    fingerprint,
)
from ledgerkit.core.sales.invoices.pdf.printer import PdfPrinter, PrintLimits, Reader, cache_key, requirement_names

__all__ = [
    "CONTENT_SECURITY_POLICY",
    "PAGE_HEADERS",
    "MissingRequirements",
    "Paper",
    "PartyBlock",
    "PdfPrinter",
    "PrintLimits",
    "PrintedDocument",
    "PrintedExchange",
    "PrintedLine",
    "PrintedTax",
    "PrintedText",
    "Qr",
    "Reader",
    "Status",
    "Watermark",
    "cache_key",
    "fingerprint",
    "missing_requirements",
    "not_found_page",
    "requirement_names",
    "share_page",
]

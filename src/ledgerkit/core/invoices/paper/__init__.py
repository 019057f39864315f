"""How a document looks on paper and on its public page."""

from ledgerkit.core.invoices.paper.libraries import MissingRequirements, missing_requirements
from ledgerkit.core.invoices.paper.model import (
    Block,
    Paper,
    PaperLine,
    Qr,
    Status,
    TaxRow,
    Watermark,
    fingerprint,
)
from ledgerkit.core.invoices.paper.page import (
    CONTENT_SECURITY_POLICY,
    PAGE_HEADERS,
    not_found_page,
    share_page,
)
from ledgerkit.core.invoices.paper.printer import PdfPrinter, PrintLimits, Reader, cache_key

__all__ = [
    "CONTENT_SECURITY_POLICY",
    "PAGE_HEADERS",
    "Block",
    "MissingRequirements",
    "Paper",
    "PaperLine",
    "PdfPrinter",
    "PrintLimits",
    "Qr",
    "Reader",
    "Status",
    "TaxRow",
    "Watermark",
    "cache_key",
    "fingerprint",
    "missing_requirements",
    "not_found_page",
    "share_page",
]

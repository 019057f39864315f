"""How a document looks on paper and on its public page."""

from ledgerkit.core.invoices.paper.model import (
    Block,
    Language,
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
from ledgerkit.core.invoices.paper.printer import PdfPrinter, cache_key

__all__ = [
    "CONTENT_SECURITY_POLICY",
    "PAGE_HEADERS",
    "Block",
    "Language",
    "Paper",
    "PaperLine",
    "PdfPrinter",
    "Qr",
    "Status",
    "TaxRow",
    "Watermark",
    "cache_key",
    "fingerprint",
    "not_found_page",
    "share_page",
]

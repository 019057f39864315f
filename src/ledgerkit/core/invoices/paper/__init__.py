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

__all__ = ["Block", "Language", "Paper", "PaperLine", "Qr", "Status", "TaxRow", "Watermark", "fingerprint"]

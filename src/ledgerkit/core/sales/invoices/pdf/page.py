"""Public page of a shared document: the data of the PDF, without script, closed to search engines."""

import base64
import hashlib
from collections.abc import Mapping
from decimal import Decimal

from markupsafe import Markup

from ledgerkit.core.platform.documents.languages import Words
from ledgerkit.core.platform.pages import TOKENS
from ledgerkit.core.sales.invoices.pdf.markup import ASSETS, render, words_and_values
from ledgerkit.core.sales.invoices.pdf.model import PrintedDocument, Status

_STYLE = TOKENS + (ASSETS / "page.css").read_text(encoding="utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Policy that admits the page's own stylesheet and the pictures inside it, and nothing else."""

PAGE_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
}
"""Headers of both pages: the address is the secret, so it is neither cached, indexed nor passed on."""


def share_page(document: PrintedDocument, pdf_url: str) -> str:
    """Return the HTML of the public page, with a link to the PDF at `pdf_url`. Serve it with `PAGE_HEADERS`."""
    values = {"style": Markup(_STYLE), "pdf_url": pdf_url, "amount_due": _amount_due(document)}  # noqa: S704 - our own file
    return render("page.html", {**words_and_values(document), **values})


def not_found_page(words: Words) -> str:
    """Return the HTML for an unknown or revoked link. It is the same for both, so it reveals nothing."""
    return render("not_found.html", {"w": words, "language": words.language, "style": Markup(_STYLE)})  # noqa: S704 - our own file


def _amount_due(document: PrintedDocument) -> Decimal | None:
    """Return the amount that the reader is asked to pay; None where they are not."""
    due = document.payable - document.amount_paid
    return due if document.status in {Status.SENT, Status.OVERDUE} and due > 0 else None

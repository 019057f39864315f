"""Printed document as HTML: one body for the PDF and the public page. All text is text, never markup."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ledgerkit.core.sales.invoices.pdf.formats import Formats, iban
from ledgerkit.core.sales.invoices.pdf.lines import columns, tax_name
from ledgerkit.core.sales.invoices.pdf.model import Paper, PrintedDocument
from ledgerkit.core.sales.invoices.pdf.qr import qr_data_url

ASSETS = Path(__file__).parent / "assets"

MOST_TAXES_BESIDE = 10
"""Most tax rows that are printed beside the totals; more are printed below them, where they may span pages."""

_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 does not admit, and the C1 controls, which no font draws."""

_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp|svg\+xml)[;,]", re.ASCII)


_TEMPLATES = {Paper.A4: "pdf.html", Paper.RECEIPT: "receipt.html"}


def document_html(document: PrintedDocument, paper: Paper = Paper.A4) -> str:
    """Return the page that the layout process prints on such paper."""
    return render(_TEMPLATES[paper], words_and_values(document))


def words_and_values(document: PrintedDocument) -> Mapping[str, object]:
    """Return the variables of the templates."""
    words = document.words
    formats = Formats(words, document.currency)
    reference = document.number or words["status.draft"]
    return {
        "document": document,
        "w": words,
        "f": formats,
        "account_f": Formats(words, document.exchange.currency) if document.exchange else formats,
        "iban": iban,
        "reference": reference,
        "title": document.title or f"{document.kind_name} {reference} · {document.sender.name}",
        "tax_name": tax_name(document),
        "logo": printable_logo(document.logo),
        "qr_picture": qr_data_url(document.qr) if document.qr else None,
        "columns": columns(document, formats),
        "long_breakdown": len(document.taxes) > MOST_TAXES_BESIDE,
        "with_surcharge": any(row.surcharge_rate is not None for row in document.taxes),
    }


def printable_logo(logo: str | None) -> str | None:
    """Return `logo` when it contains its picture; an address of a picture is neither printed nor fetched."""
    return logo if logo and _PICTURE.match(logo) else None


def render(template: str, values: Mapping[str, object]) -> str:
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        finalize=_as_text,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _as_text(value: object) -> object:
    return _NO_TEXT.sub("", value) if type(value) is str else value

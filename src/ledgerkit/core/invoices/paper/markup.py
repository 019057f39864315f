"""A paper as HTML: one body for the PDF and the public page. All text is text, never markup."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ledgerkit.core.invoices.paper.formats import Formats, iban
from ledgerkit.core.invoices.paper.lines import columns
from ledgerkit.core.invoices.paper.model import Paper, Watermark
from ledgerkit.core.invoices.paper.qr import qr_data_url
from ledgerkit.core.invoices.paper.words import WORDS

ASSETS = Path(__file__).parent / "assets"

_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What XML 1.0 does not admit, and the C1 controls, which no font draws."""

_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp|svg\+xml)[;,]", re.ASCII)


def document_html(paper: Paper) -> str:
    """The page that the layout process prints."""
    return render("paper.html", words_and_values(paper))


def words_and_values(paper: Paper) -> Mapping[str, object]:
    """What the templates may name."""
    words = WORDS[paper.language]
    formats = Formats(words.locale, paper.currency)
    reference = paper.number or words.watermarks[Watermark.DRAFT].capitalize()
    return {
        "paper": paper,
        "w": words,
        "f": formats,
        "iban": iban,
        "reference": reference,
        "title": paper.title or f"{words.kinds[paper.kind]} {reference} · {paper.sender.name}",
        "logo": printable_logo(paper.logo),
        "qr_picture": qr_data_url(paper.qr) if paper.qr else None,
        "columns": columns(paper, words, formats),
        "with_surcharge": any(row.surcharge_rate is not None for row in paper.taxes),
    }


def printable_logo(logo: str | None) -> str | None:
    """`logo` when it carries its picture in itself; an address to fetch one from is never printed nor asked for."""
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

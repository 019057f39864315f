"""Printed document as HTML: one body for the PDF and the public page. All text is text, never markup."""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

import segno
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ledgerkit.core.platform.documents.languages import Words
from ledgerkit.core.platform.pages import HEADERS, TOKENS
from ledgerkit.core.sales.invoices.pdf.formats import Formats, iban
from ledgerkit.core.sales.invoices.pdf.model import Paper, PrintedDocument, PrintedLine, Qr, Status
from ledgerkit.providers.api import TaxCategory

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


# ---------------------------------------------------------------- public page, closed to search engines

_STYLE = TOKENS + (ASSETS / "page.css").read_text(encoding="utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Policy that admits the page's own stylesheet and the pictures inside it, and nothing else."""

PAGE_HEADERS: Mapping[str, str] = {**HEADERS, "Content-Security-Policy": CONTENT_SECURITY_POLICY}
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


# ---------------------------------------------------------------- table of lines

_WIDE, _NARROW, _PERCENT, _GAP = Decimal("2.2"), Decimal("1.1"), Decimal(3), Decimal(3)
"""Millimetres of a digit or letter, of a point or space, of a percent sign, and between columns, at nine points."""

_WIDEST = Decimal(40)
"""A column of fifteen digits and a currency code fits; a long unit wraps instead of squeezing the description."""


@dataclass(frozen=True)
class Column:
    """One column after the description: its heading and its text in each line."""

    heading: str
    cells: Sequence[str]

    @property
    def width_mm(self) -> Decimal:
        """Width for the longest cell. Fixed, because laying a table out by its content costs seconds per page."""
        return min(max(_width(text) for text in (self.heading, *self.cells)), _WIDEST) + _GAP


def columns(document: PrintedDocument, formats: Formats) -> list[Column]:
    """Return the columns: quantity, price, discount and tax where any line has one, and amount."""
    words = document.words
    leading_columns = [
        Column(words["quantity"], [_quantity(line, formats) for line in document.lines]),
        Column(_as_priced(words["unit_price"], document), [formats.money(line.unit_price) for line in document.lines]),
    ]
    if any(line.discount for line in document.lines):
        discounts = [formats.percent(line.discount) if line.discount else "" for line in document.lines]
        leading_columns.append(Column(words["discount"], discounts))
    taxes = [_tax(line, words, formats) for line in document.lines]
    if any(taxes):
        leading_columns.append(Column(tax_name(document), taxes))
    amounts = [formats.money(line.total) for line in document.lines]
    return [*leading_columns, Column(_as_priced(words["amount"], document), amounts)]


def tax_name(document: PrintedDocument) -> str:
    """Return the name of the document's tax in its language."""
    return document.tax_name or document.words["vat"]


def _as_priced(label: str, document: PrintedDocument) -> str:
    """Return the label, with the tax's name where the prices contain it."""
    return (
        document.words["with_tax"].format(label=label, tax=tax_name(document)) if document.prices_include_tax else label
    )


def _tax(line: PrintedLine, words: Words, formats: Formats) -> str:
    """Return the rate, or the reason for which the line carries no tax."""
    if line.category is not TaxCategory.STANDARD:
        return words[f"line.{line.category}"]
    if line.tax_rate is None:
        return ""
    return " ".join(part for part in (line.tax_name, formats.percent(line.tax_rate)) if part)


def _quantity(line: PrintedLine, formats: Formats) -> str:
    quantity = formats.number(line.quantity)
    return f"{quantity} {line.unit}" if line.unit else quantity


def _width(text: str) -> Decimal:
    narrow = sum(character in ".,-' \N{NO-BREAK SPACE}" for character in text)
    percent = text.count("%")
    return _NARROW * narrow + _PERCENT * percent + _WIDE * (len(text) - narrow - percent)


# ---------------------------------------------------------------- fiscal QR


def qr_data_url(qr: Qr) -> str:
    """Return an SVG in a `data:` URL: the symbol `size_mm` wide, `margin_mm` of white on every side.

    No stylesheet can change its size and margin. The error level is exactly the requested one, because the authority
    fixes it (ISO/IEC 18004, level M).
    """
    matrix = segno.make_qr(qr.url, error=qr.error_level, boost_error=False).matrix
    svg = _svg([[bool(module) for module in row] for row in matrix], qr.size_mm, qr.margin_mm)
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _svg(matrix: list[list[bool]], size_mm: int, margin_mm: int) -> str:
    modules = len(matrix)
    margin = (Decimal(margin_mm) * modules / size_mm).quantize(Decimal("0.0001"))
    side, full = size_mm + 2 * margin_mm, modules + 2 * margin
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}mm" height="{side}mm" '
        f'viewBox="{-margin} {-margin} {full} {full}" shape-rendering="crispEdges">'
        f'<rect x="{-margin}" y="{-margin}" width="{full}" height="{full}" fill="#fff"/>'
        f'<path fill="#000" d="{_path(matrix)}"/></svg>'
    )


def _path(matrix: list[list[bool]]) -> str:
    """Return the SVG path: one rectangle per horizontal run of dark modules."""
    return "".join(f"M{x} {y}h{width}v1h-{width}z" for y, row in enumerate(matrix) for x, width in _runs(row))


def _runs(row: list[bool]) -> list[tuple[int, int]]:
    starts = [x for x, dark in enumerate(row) if dark and not (x and row[x - 1])]
    return [(x, next((w for w, dark in enumerate(row[x:]) if not dark), len(row) - x)) for x in starts]

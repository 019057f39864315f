"""Fiscal QR of a printed document: content, size, margin, place and the size of its words."""

import dataclasses
import io
from collections.abc import Iterator

import pypdf
import pypdfium2
import pypdfium2.raw as pdfium
import pytest
import zxingcpp
from PIL import Image, ImageOps

from ledgerkit.core.sales.invoices.pdf import PdfPrinter, PrintedDocument

DPI = 300
ABOVE, BELOW = "QR tributario:", "Factura verificable en la sede electrónica de la AEAT"


@pytest.fixture(scope="module")
async def pdf(printer: PdfPrinter, document: PrintedDocument) -> bytes:
    return await printer.print(dataclasses.replace(document, lines=document.lines * 12))


def pictures(pdf: bytes) -> list[Image.Image]:
    with pypdfium2.PdfDocument(pdf) as pages_of_pdf:
        return [page.render(scale=DPI / 72).to_pil().convert("L") for page in pages_of_pdf]


def millimetres(pixels: float) -> float:
    return pixels * 25.4 / DPI


def symbol_box(page: Image.Image) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the symbol's dark modules, in pixels."""
    (matches,) = zxingcpp.read_barcodes(page, formats=zxingcpp.BarcodeFormat.QRCode)
    corners = matches.position
    inside = (
        corners.top_left.x - 10,
        corners.top_left.y - 10,
        corners.bottom_right.x + 10,
        corners.bottom_right.y + 10,
    )
    box = ImageOps.invert(page.crop(inside)).point(lambda value: 255 * (value > 128)).getbbox()
    assert box is not None
    return inside[0] + box[0], inside[1] + box[1], inside[0] + box[2], inside[1] + box[3]


async def test_the_printed_symbol_decodes_to_the_url_at_level_m(pdf: bytes, document: PrintedDocument):
    first, *_ = pictures(pdf)

    (matches,) = zxingcpp.read_barcodes(first)

    assert document.qr is not None
    assert matches.text == document.qr.url
    assert matches.ec_level == "M"


async def test_the_symbol_is_35_mm_wide_with_6_mm_of_white_around_it(pdf: bytes):
    first, *_ = pictures(pdf)

    left, top, right, bottom = symbol_box(first)

    assert millimetres(right - left) == pytest.approx(35, abs=0.2)
    assert millimetres(bottom - top) == pytest.approx(35, abs=0.2)
    margin = int(5.9 * DPI / 25.4)
    around = first.crop((left - margin, top - margin, right + margin, bottom + margin))
    soft = 2  # the symbol's edge falls inside a pixel
    around.paste(255, (margin - soft, margin - soft, margin + right - left + soft, margin + bottom - top + soft))
    assert around.getextrema() == (255, 255)


async def test_the_symbol_is_centred_at_the_top_of_the_first_page_only(pdf: bytes):
    first, *others = pictures(pdf)

    left, top, right, _ = symbol_box(first)

    assert millimetres((left + right) / 2) == pytest.approx(105, abs=1)
    assert millimetres(top) < 30
    assert len(others) == 1
    assert all(zxingcpp.read_barcodes(page) == [] for page in others)


async def test_the_words_stand_above_and_below_and_only_once(pdf: bytes):
    with pypdfium2.PdfDocument(pdf) as pages_of_pdf:
        pages = [" ".join(page.get_textpage().get_text_range().split()) for page in pages_of_pdf]

    assert f"{ABOVE} {BELOW}" in pages[0]
    assert sum(page.count(ABOVE) + page.count(BELOW) for page in pages) == 2


async def test_the_words_are_no_smaller_than_any_data_but_the_headline(pdf: bytes, document: PrintedDocument):
    sizes = dict(rows(pdf))

    own_invoice = [sizes.pop(words) for words in (ABOVE, "Factura verificable en la sede", "electrónica de la AEAT")]
    headline = sizes.pop(str(document.number))
    assert headline > max(own_invoice)
    assert min(own_invoice) >= max(sizes.values())


async def test_without_a_qr_there_is_neither_symbol_nor_word(printer: PdfPrinter, document: PrintedDocument):
    pdf = await printer.print(dataclasses.replace(document, qr=None))

    assert zxingcpp.read_barcodes(pictures(pdf)[0]) == []
    assert "QR" not in pypdf.PdfReader(io.BytesIO(pdf)).pages[0].extract_text()


def rows(pdf: bytes) -> Iterator[tuple[str, float]]:
    """Each printed row of the first page and its font size in points."""
    with pypdfium2.PdfDocument(pdf) as pages_of_pdf:
        text = pages_of_pdf[0].get_textpage()
        row, size = "", 0.0
        for index in range(text.count_chars()):
            character = text.get_text_range(index, 1)
            if character in "\r\n":
                yield row.strip(), size
                row = ""
            else:
                row += character
                size = round(pdfium.FPDFText_GetFontSize(text.raw, index), 1)
        yield row.strip(), size

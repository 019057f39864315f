"""The paper of a till's printer: 80 mm wide, as long as the document, with all that stands on a sheet."""

import dataclasses
from decimal import Decimal
from uuid import uuid4

import pypdfium2
import pytest
import zxingcpp

from ledgerkit.core.sales.invoices.pdf import Paper, PdfPrinter, PrintedDocument, Reader, Watermark

POINTS_PER_MM = 72 / 25.4
READER = Reader(uuid4())


async def printed(printer: PdfPrinter, document: PrintedDocument) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(await printer.print(document, READER, Paper.RECEIPT))


def text_of(pdf: pypdfium2.PdfDocument) -> str:
    return " ".join("".join(page.get_textpage().get_text_range() for page in pdf).split())


async def test_it_is_one_page_of_80_mm_cut_below_the_text(printer, document):
    short = await printed(printer, dataclasses.replace(document, lines=document.lines[:1], terms=None, notes=None))
    long = await printed(printer, dataclasses.replace(document, lines=document.lines * 30))

    assert (len(short), len(long)) == (1, 1)
    for pdf in (short, long):
        assert pdf[0].get_width() / POINTS_PER_MM == pytest.approx(80, abs=0.1)
    heights = [pdf[0].get_height() / POINTS_PER_MM for pdf in (short, long)]
    assert 80 < heights[0] < 300
    assert heights[1] > 2 * heights[0]
    picture = long[0].render(scale=1).to_pil().convert("L")
    lowest = max(y for y in range(picture.height) if picture.crop((0, y, picture.width, y + 1)).getextrema()[0] < 128)
    assert picture.height - lowest < 10 * POINTS_PER_MM


async def test_it_says_all_that_a_simplified_invoice_must(printer, document):
    text = text_of(await printed(printer, dataclasses.replace(document, client=None)))

    for expected in (
        "Lucía Fernández Ortega",
        "NIF: 12345678Z",
        "F2026-0042",
        "21/11/2026",
        "Diseño de la identidad visual",
        "IVA 21 %",
        "Total factura 2.516,96 €",
        "QR tributario:",
    ):
        assert expected in text


async def test_the_qr_is_read_and_as_large_as_the_law_says(printer, document):
    pdf = await printed(printer, document)

    (barcode,) = zxingcpp.read_barcodes(pdf[0].render(scale=4).to_pil())
    assert barcode.text == document.qr.url
    corners = barcode.position
    width_mm = (corners.top_right.x - corners.top_left.x) / 4 / POINTS_PER_MM
    assert 30 <= width_mm <= 40


async def test_a_trial_says_so_and_a_long_word_wraps(printer, document):
    line = dataclasses.replace(document.lines[0], description="W" * 400, quantity=Decimal("123456.1234"))
    pdf = await printed(printer, dataclasses.replace(document, watermark=Watermark.SANDBOX, lines=(line,)))

    assert "SIMULACIÓN" in text_of(pdf).upper() or "PRUEBA" in text_of(pdf).upper()
    picture = pdf[0].render(scale=2).to_pil().convert("L")
    edge = picture.crop((picture.width - int(2 * 3 * POINTS_PER_MM), 0, picture.width, picture.height))
    assert edge.getextrema()[0] > 200


async def test_the_two_papers_of_a_document_are_not_mixed_up(tmp_path, document):
    printer = PdfPrinter(tmp_path)
    try:
        sheet, roll = await printer.print(document, READER), await printer.print(document, READER, Paper.RECEIPT)
        again = await printer.print(document, READER), await printer.print(document, READER, Paper.RECEIPT)
    finally:
        await printer.stop()

    assert (sheet, roll) == again
    assert pypdfium2.PdfDocument(sheet)[0].get_width() > 2 * pypdfium2.PdfDocument(roll)[0].get_width()


async def test_the_paper_is_chosen_by_the_request(ana):
    invoice = await ana.invoice()

    answer = await ana.request("GET", f"/api/invoices/{invoice['id']}/pdf?paper=receipt")
    problem = await ana.refused(400, "GET", f"/api/invoices/{invoice['id']}/pdf?paper=a5")

    assert pypdfium2.PdfDocument(answer.content)[0].get_width() / POINTS_PER_MM == pytest.approx(80, abs=0.1)
    assert [one["field"] for one in problem["errors"]] == ["paper"]

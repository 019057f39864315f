"""Content of the printed page."""

import dataclasses
import io
import re
from datetime import date
from decimal import Decimal

import pypdf
import pypdfium2
import pytest

from ledgerkit.core.sales.invoices.pdf import (
    PartyBlock,
    PdfPrinter,
    PrintedDocument,
    PrintedLine,
    PrintedTax,
    PrintedText,
    Watermark,
)
from ledgerkit.core.sales.invoices.pdf.libraries import missing_fonts
from ledgerkit.providers.api import DocumentKind, DocumentRef, TaxCategory
from support.printed import texts, words

SPANISH = """\
Lucía Fernández Ortega
NIF: 12345678Z
Calle del Olivar 14, 3.º B
28012 Madrid
hola@lucia.example
+34 600 000 000
QR tributario:
Factura verificable en la sede
electrónica de la AEAT
Factura
F2026-0042
Fecha de expedición 21/11/2026
Fecha de operación 15/11/2026
Vencimiento 21/12/2026
Pedido PO-7781
Cliente
Construcciones Pérez y Muñoz, S.L.
NIF: B12345674
Avenida de la Constitución 128
41001 Sevilla
Descripción Cantidad Precio Dto. IVA Importe
Diseño de la identidad visual 1 1.200,00 € 21 % 1.200,00 €
Consultoría 12,5 h 65,50 € 10 % 21 % 736,88 €
Manual impreso 20 8,3333 € 4 % 166,67 €
Desglose de impuestos
Tipo Base Cuota
IVA 21 % 1.936,88 € 406,74 €
IVA 4 % 166,67 € 6,67 €
Datos de pago
Forma de pago Transferencia bancaria
IBAN ES91 2100 0418 4502 0005 1332
Base imponible 2.103,55 €
IVA 413,41 €
Total factura 2.516,96 €
Retención IRPF 15 % -315,53 €
Total a pagar 2.201,43 €
Notas
Gracias por su confianza.
Presupuesto 118.
Condiciones
Pago a 30 días.
Factura F2026-0042 · Lucía Fernández Ortega Página 1 de 1"""

ENGLISH = """\
Lucía Fernández Ortega
Tax ID: 12345678Z
Calle del Olivar 14, 3.º B
28012 Madrid
hola@lucia.example
+34 600 000 000
Invoice
F2026-0042
Issue date 21 Nov 2026
Date of supply 15 Nov 2026
Due date 21 Dec 2026
Purchase order PO-7781
Billed to
Construcciones Pérez y Muñoz, S.L.
Tax ID: B12345674
Avenida de la Constitución 128
41001 Sevilla
Description Quantity Price Disc. VAT Amount
Diseño de la identidad visual 1 £1,200.00 21% £1,200.00
Consultoría 12.5 h £65.50 10% 21% £736.88
Manual impreso 20 £8.3333 4% £166.67
Tax breakdown
Rate Base Tax
VAT 21% £1,936.88 £406.74
VAT 4% £166.67 £6.67
Payment details
Payment method Bank transfer
IBAN ES91 2100 0418 4502 0005 1332
Taxable base £2,103.55
VAT £413.41
Invoice total £2,516.96
Income tax withheld 15% -£315.53
Amount payable £2,201.43
Notes
Gracias por su confianza.
Presupuesto 118.
Terms
Pago a 30 días.
Invoice F2026-0042 · Lucía Fernández Ortega Page 1 of 1"""


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


async def test_a_spanish_invoice_reads_as_expected(printer: PdfPrinter, document: PrintedDocument):
    assert "\n".join(texts(await printer.print(document))).splitlines() == SPANISH.splitlines()


async def test_an_english_invoice_reads_as_expected(printer: PdfPrinter, document: PrintedDocument):
    english = dataclasses.replace(document, words=words("en"), currency="GBP", qr=None)

    assert "\n".join(texts(await printer.print(english))).splitlines() == ENGLISH.splitlines()


async def test_without_retention_only_the_invoice_total_is_shown(printer: PdfPrinter, document: PrintedDocument):
    plain = dataclasses.replace(document, retention_amount=Decimal(0), payable=document.gross_total)

    (text,) = texts(await printer.print(plain))

    assert "Total factura 2.516,96 €" in text
    assert "Total a pagar" not in text
    assert "Retención" not in text


async def test_a_partial_payment_shows_what_is_outstanding(printer: PdfPrinter, document: PrintedDocument):
    (text,) = texts(await printer.print(dataclasses.replace(document, amount_paid=Decimal("1000.00"))))

    assert "Pagado 1.000,00 €\nPendiente de pago 1.201,43 €" in text


async def test_a_credit_note_names_what_it_corrects_and_why(printer: PdfPrinter, document: PrintedDocument):
    note = dataclasses.replace(
        document,
        kind=DocumentKind.CREDIT_NOTE,
        number="R2026-0003",
        corrects=(DocumentRef(number="F2026-0042", issue_date=date(2026, 11, 21)),),
        correction_reason="Devolución",
        gross_total=Decimal("-2516.96"),
        payable=Decimal("-2201.43"),
        retention_amount=Decimal("-315.53"),
    )

    (text,) = texts(await printer.print(note))

    assert "Factura rectificativa\nR2026-0003" in text
    assert "Rectifica a F2026-0042 (21/11/2026)\nMotivo Devolución" in text
    assert "Total factura -2.516,96 €\nRetención IRPF 15 % 315,53 €\nTotal a pagar -2.201,43 €" in text


async def test_taxes_of_every_category_and_the_surcharge_are_named(printer: PdfPrinter, document: PrintedDocument):
    rows = [PrintedTax(base=Decimal("1.00"), amount=Decimal("0.00"), category=each) for each in TaxCategory]
    rows[0] = dataclasses.replace(
        rows[0], rate=Decimal(21), surcharge_rate=Decimal("5.2"), surcharge_amount=Decimal("0.05")
    )
    rows.append(PrintedTax(base=Decimal("2.00"), amount=Decimal("0.14"), rate=Decimal(7), tax_name="IGIC"))
    mixed = dataclasses.replace(
        document,
        taxes=tuple(rows),
        legends=("Operación exenta, artículo 20.",),
        surcharge_amount=Decimal("0.05"),
    )

    text = "\n".join(texts(await printer.print(mixed)))

    assert "IVA 21 % + 5,2 % 1,00 € 0,00 € 0,05 €" in text
    assert "Recargo de equivalencia 0,05 €" in text
    assert "IGIC 7 % 2,00 € 0,14 € 0,00 €" in text
    assert "Menciones\nOperación exenta, artículo 20." in text
    for name in ("Exenta", "No sujeta", "Inversión del sujeto pasivo", "Exportación", "Entrega intracomunitaria"):
        assert squeezed(name) in squeezed(text)


@pytest.mark.parametrize(
    ("watermark", "language", "expected"),
    [
        (Watermark.SANDBOX, "es", "SIMULACIÓN · SIN VALIDEZ FISCAL"),
        (Watermark.SANDBOX, "en", "SIMULATION · NOT VALID FOR TAX"),
        (Watermark.DRAFT, "es", "BORRADOR"),
        (Watermark.VOID, "en", "VOID"),
    ],
)
async def test_a_watermark_stands_on_every_page(
    printer: PdfPrinter, document: PrintedDocument, watermark, language, expected
):
    marked = dataclasses.replace(document, watermark=watermark, words=words(language), lines=document.lines * 12)

    pages = texts(await printer.print(marked))

    assert len(pages) == 2
    assert all(squeezed(expected) in squeezed(page) for page in pages)


async def test_a_draft_has_no_number(printer: PdfPrinter, document: PrintedDocument):
    (text,) = texts(await printer.print(dataclasses.replace(document, number=None, qr=None)))

    assert "Factura\nBorrador\n" in text
    assert "None" not in text


async def test_a_simplified_invoice_needs_no_client(printer: PdfPrinter, document: PrintedDocument):
    ticket = dataclasses.replace(document, kind=DocumentKind.SIMPLIFIED, client=None)

    (text,) = texts(await printer.print(ticket))

    assert "Factura simplificada\nF2026-0042" in text
    assert "Cliente" not in text


async def test_many_lines_break_over_pages_with_header_and_footer_on_each(
    printer: PdfPrinter, document: PrintedDocument
):
    lines = tuple(dataclasses.replace(document.lines[0], description=f"Trabajo {n:03}") for n in range(300))

    pages = texts(await printer.print(dataclasses.replace(document, lines=lines)))

    matches = [re.findall(r"Trabajo \d{3}", page) for page in pages]
    assert [name for page in matches for name in page] == [f"Trabajo {n:03}" for n in range(300)]
    assert all("Descripción Cantidad Precio" in page for page, names in zip(pages, matches, strict=True) if names)
    assert all(f"Página {n} de {len(pages)}" in page for n, page in enumerate(pages, 1))
    assert all("Factura F2026-0042 · Lucía" in page for page in pages)
    assert max(len(names) for names in matches) <= 40  # what the printer's early estimate supposes


@pytest.mark.parametrize("count", [13, 16, 19, 22])
async def test_the_totals_are_never_alone_on_a_page(printer: PdfPrinter, document: PrintedDocument, count: int):
    lines = tuple(dataclasses.replace(document.lines[0], description=f"Trabajo {n:03}") for n in range(count))

    *_, last = texts(await printer.print(dataclasses.replace(document, lines=lines, notes=None, terms=None)))

    assert "Total a pagar" in last
    assert f"Trabajo {count - 1:03}" in last
    assert "Descripción Cantidad Precio" in last


async def test_a_tax_breakdown_longer_than_a_page_leaves_the_totals_with_the_lines(
    printer: PdfPrinter, document: PrintedDocument
):
    rows = tuple(PrintedTax(base=Decimal(1000 + n), amount=Decimal(n), rate=Decimal(n) / 4) for n in range(90))

    first, *others = texts(await printer.print(dataclasses.replace(document, taxes=rows)))

    assert "Manual impreso" in first
    assert "Total a pagar" in first
    assert all("Tipo Base Cuota" in page for page in others)
    printed = re.findall(r"1\.0\d\d,00 €", " ".join([first, *others]))
    assert printed == [f"1.{n:03},00 €" for n in range(90)]


async def test_a_line_longer_than_a_page_is_printed_whole(printer: PdfPrinter, document: PrintedDocument):
    words = " ".join(f"palabra{n}" for n in range(1500))
    line = dataclasses.replace(document.lines[0], description=words)

    pages = texts(await printer.print(dataclasses.replace(document, lines=(line,))))

    printed = set(re.findall(r"palabra\d+", " ".join(pages)))
    assert printed == set(words.split())


async def test_markup_in_every_text_stays_text(printer: PdfPrinter, document: PrintedDocument):
    spiced, markers = with_markup(document)

    printed = squeezed("".join(texts(await printer.print(spiced))))

    assert [marker for marker in markers if squeezed(marker) not in printed] == []
    assert len(markers) >= 25


async def test_forbidden_characters_leave_the_document_whole(printer: PdfPrinter, document: PrintedDocument):
    name = "Ana\x00\x0b \ud800Ru\ufffe\x1biz \u202eabc العربية"
    odd = dataclasses.replace(document, sender=PartyBlock(name=name, tax_id="12345678Z"), notes=name)

    (text,) = texts(await printer.print(odd))

    assert "Ana Ruiz" in text
    assert "Total factura 2.516,96 €" in text
    assert "NIF: 12345678Z" in text


@pytest.mark.skipif(
    bool(missing_fonts()), reason="this machine has no emoji font; `ledgerkit doctor` says how to get one"
)
async def test_emoji_and_symbols_come_from_the_systems_fonts(printer: PdfPrinter, document: PrintedDocument):
    festive = dataclasses.replace(document, logo=None, qr=None, notes="🎉 👩‍💻 ✓ ☎ ★ ⚠️ 🇪🇸")

    pdf = await printer.print(festive)

    with pypdfium2.PdfDocument(pdf) as pages_of_pdf:
        page = pages_of_pdf[0].render(scale=2).to_pil().convert("HSV")
    vivid = sum(1 for _, saturation, value in page.get_flattened_data() if saturation > 150 and value > 200)
    assert vivid > 100
    (text,) = texts(pdf)
    assert "✓ ☎ ★" in text
    assert "\N{WHITE SQUARE}" not in text


async def test_a_character_that_no_font_has_is_a_box_and_the_words_beside_it_stay(
    printer: PdfPrinter, document: PrintedDocument
):
    nowhere = "\U0010fffd"
    odd = dataclasses.replace(document, client=PartyBlock(name=f"Obras {nowhere}{nowhere} Norte"), notes=f"a{nowhere}b")

    for _ in range(2):  # the second time the layout process knows the character
        (text,) = texts(await printer.print(odd))

        assert "Obras □□ Norte" in text
        assert "Notas\na□b" in text


async def test_words_without_spaces_stay_inside_the_page(printer: PdfPrinter, document: PrintedDocument):
    long = "W" * 300
    wide = dataclasses.replace(
        document,
        number="N" * 60,
        sender=PartyBlock(name=long),
        client=PartyBlock(name=long),
        lines=(dataclasses.replace(document.lines[0], description=long),),
        notes=long,
    )

    with pypdfium2.PdfDocument(await printer.print(wide)) as pages:
        assert len(pages) <= 2
        for page in pages:
            text = page.get_textpage()
            drawn = [i for i in range(text.count_chars()) if text.get_text_range(i, 1).strip()]
            boxes = [text.get_charbox(i) for i in drawn]
            assert min(left for left, _, _, _ in boxes) >= 16 * 72 / 25.4 - 1
            assert max(right for _, _, right, _ in boxes) <= (210 - 16) * 72 / 25.4 + 1


async def test_amounts_are_printed_digit_for_digit(printer: PdfPrinter, document: PrintedDocument):
    line = PrintedLine(
        description="Grande",
        quantity=Decimal("9999999.9999"),
        unit_price=Decimal("99999999.9999"),
        total=Decimal("9999999999.99"),
    )
    big = dataclasses.replace(
        document, lines=(line,), gross_total=Decimal("9999999999.99"), subtotal=Decimal("0.00"), currency="JPY"
    )

    (text,) = texts(await printer.print(big))

    assert "Grande 9.999.999,9999 99.999.999,9999 JPY 9.999.999.999,99 JPY" in text
    assert "Base imponible 0,00 JPY" in text


async def test_the_pdf_names_title_author_and_language_and_is_tagged(printer: PdfPrinter, document: PrintedDocument):
    reader = pypdf.PdfReader(io.BytesIO(await printer.print(document)))

    assert reader.metadata is not None
    assert reader.metadata.title == "Factura F2026-0042 · Lucía Fernández Ortega"
    assert reader.metadata.author == "Lucía Fernández Ortega"
    root = reader.trailer["/Root"]
    assert root["/Lang"] == "es"
    assert root["/MarkInfo"]["/Marked"]
    assert "/StructTreeRoot" in root


async def test_only_packaged_fonts_are_used_for_european_text(printer: PdfPrinter, document: PrintedDocument):
    european = dataclasses.replace(document, logo=None, notes="Žluťoučký kůň, Łódź, Αθήνα, Київ, smørrebrød, 10 € £ ±")

    reader = pypdf.PdfReader(io.BytesIO(await printer.print(european)))

    fonts = {font.get_object()["/BaseFont"] for font in reader.pages[0]["/Resources"]["/Font"].values()}
    assert {str(font).partition("+")[2] for font in fonts} == {"Paper", "Paper-Semi-Bold"}


def with_markup(document: PrintedDocument) -> tuple[PrintedDocument, list[str]]:
    """`document` with `<i>…` in every free text, and the texts put there."""
    markers: list[str] = []

    def spice(value: object, name: str) -> object:
        if isinstance(value, str) and type(value) is str:
            markers.append(f'<i onload="x">{name}</i>&lt;{{{{7*7}}}}')
            return markers[-1]
        if isinstance(value, tuple):
            return tuple(spice(each, f"{name}{n}") for n, each in enumerate(value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            stored = {"words", "currency", "logo", "url", "error_level", "status", "title", "word"}
            return dataclasses.replace(
                value,
                **{
                    field.name: spice(getattr(value, field.name), name + field.name)
                    for field in dataclasses.fields(value)
                    if field.name not in stored
                },
            )
        return value

    full = dataclasses.replace(
        document,
        references=(PrintedText("buyer_reference", "r"),),
        legends=("l",),
        correction_reason="c",
        tax_name="t",
        corrects=(DocumentRef(number="F1", issue_date=date(2026, 1, 1)),),
        taxes=(dataclasses.replace(document.taxes[0], tax_name="x"), *document.taxes[1:]),
    )
    spiced = spice(full, "")
    assert isinstance(spiced, PrintedDocument)
    return spiced, markers

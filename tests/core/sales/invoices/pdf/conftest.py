import base64
from collections.abc import AsyncIterator
from datetime import date
from decimal import Decimal
from uuid import UUID

import pytest

from ledgerkit.core.sales.invoices.pdf import (
    Paper,
    PartyBlock,
    PdfPrinter,
    PrintedDocument,
    PrintedLine,
    PrintedTax,
    PrintedText,
    PrintLimits,
    Qr,
    Reader,
    Status,
)
from ledgerkit.providers.api import DocumentKind
from support.printed import words

QR_URL = (
    "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR"
    "?nif=12345678Z&numserie=F2026-0042&fecha=21-11-2026&importe=2516.96"
)
LOGO = (
    "data:image/svg+xml;base64,"
    + base64.b64encode(
        b'<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><rect width="24" height="24"/></svg>'
    ).decode()
)


@pytest.fixture(scope="session")
def document() -> PrintedDocument:
    """An invoice with two rates, a discount and a retention, as a freelancer in Madrid would send it."""
    return PrintedDocument(
        kind=DocumentKind.INVOICE,
        number="F2026-0042",
        words=words("es"),
        issue_date=date(2026, 11, 21),
        operation_date=date(2026, 11, 15),
        due_date=date(2026, 12, 21),
        sender=PartyBlock(
            name="Lucía Fernández Ortega",
            tax_id="12345678Z",
            address=("Calle del Olivar 14, 3.º B", "28012 Madrid"),
            email="hola@lucia.example",
            phone="+34 600 000 000",
        ),
        client=PartyBlock(
            name="Construcciones Pérez y Muñoz, S.L.",
            tax_id="B12345674",
            address=("Avenida de la Constitución 128", "41001 Sevilla"),
        ),
        lines=(
            PrintedLine(
                description="Diseño de la identidad visual",
                quantity=Decimal(1),
                unit_price=Decimal("1200.00"),
                total=Decimal("1200.00"),
                tax_rate=Decimal(21),
            ),
            PrintedLine(
                description="Consultoría",
                quantity=Decimal("12.5000"),
                unit="h",
                unit_price=Decimal("65.5000"),
                discount=Decimal(10),
                total=Decimal("736.88"),
                tax_rate=Decimal(21),
            ),
            PrintedLine(
                description="Manual impreso",
                quantity=Decimal(20),
                unit_price=Decimal("8.3333"),
                total=Decimal("166.67"),
                tax_rate=Decimal(4),
            ),
        ),
        taxes=(
            PrintedTax(base=Decimal("1936.88"), amount=Decimal("406.74"), rate=Decimal(21)),
            PrintedTax(base=Decimal("166.67"), amount=Decimal("6.67"), rate=Decimal(4)),
        ),
        subtotal=Decimal("2103.55"),
        tax_amount=Decimal("413.41"),
        gross_total=Decimal("2516.96"),
        retention_rate=Decimal(15),
        retention_amount=Decimal("315.53"),
        payable=Decimal("2201.43"),
        payment_method="transfer",
        iban="ES9121000418450200051332",
        notes="Gracias por su confianza.\nPresupuesto 118.",
        terms="Pago a 30 días.",
        references=(PrintedText("purchase_order", "PO-7781"),),
        logo=LOGO,
        qr=Qr(
            url=QR_URL,
            above="QR tributario:",
            below="Factura verificable en la sede electrónica de la AEAT",
        ),
        status=Status.SENT,
    )


ANA = Reader(UUID(int=1))


class OwnPrinter(PdfPrinter):
    """A printer that prints for one account unless a test says for whom."""

    async def print(self, document: PrintedDocument, reader: Reader = ANA, paper: Paper = Paper.A4) -> bytes:
        return await super().print(document, reader, paper)


@pytest.fixture(scope="session")
async def printer() -> AsyncIterator[PdfPrinter]:
    """One warm printer without a cache, for every test that asks only what is printed."""
    printer = OwnPrinter(limits=PrintLimits(light_seconds=60, seconds=60))
    yield printer
    await printer.stop()

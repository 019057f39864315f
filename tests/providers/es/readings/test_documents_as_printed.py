"""Whole documents in the layouts of everyday life, none of them the generator's."""

from datetime import date
from decimal import Decimal

import pytest

from ledgerkit.providers.api import ReadField, ReadingKind

SUPERMARKET = """
SUPERMERCADO X, S.A.   A-28746865
AVDA. DEL PUERTO 12
46001 VALENCIA
12/03/2026 18:45  OP: 123456
FACTURA SIMPLIFICADA: 2345-012-345678
Descripción     P. Unit   Importe
1 LECHE                      0,95
2 PAN            1,20        2,40
TOTAL (€)                    3,35
TARJETA BANCARIA             3,35
IVA   BASE IMPONIBLE (€)   CUOTA (€)
4%      3,22     0,13
TOTAL   3,22     0,13
"""
FUEL = """
ESTACION DE SERVICIO NORTE
C.I.F. B28746865
FACTURA SIMPLIFICADA
Num. Ticket: 00123/456
Fecha 12-03-26 10:22
PRODUCTO   LITROS   PRECIO   IMPORTE
DIESEL E+   35,21   1,459    51,37
Total sin IVA       42,45
IVA 21,00%           8,92
TOTAL EUROS         51,37
VISA ************1234
"""
TELEPHONE = """
Telefonía Ejemplo S.A.U.        Factura
CIF A28746865                   Nº de factura: CI0912345678
Gran Vía 28, 28013 Madrid       Fecha de emisión: 12 mar 2026
                                Periodo: 1 feb 2026 a 28 feb 2026
Titular: Ana Torres
NIF: 12345678Z
Consumos                32,00 €
Total (base imponible)  32,00 €
IVA (21%)                6,72 €
Total a pagar           38,72 €
Cargo en cuenta ES** **** 1234   Fecha de cargo: 20 mar 2026
"""
DISCOUNT = """
TIENDA ROPA S.L.
CIF B28746865
12/03/2026
CAMISA        29,95
DESCUENTO     -5,00
TOTAL         24,95
EFECTIVO      50,00
CAMBIO        25,05
IVA 21% INCLUIDO
"""
TIP = """
RESTAURANTE SOL S.L.
CIF B28746865
FECHA: 12/03/2026
MENU       15,00
SUBTOTAL   15,00
PROPINA     2,00
TOTAL      17,00
TARJETA    17,00
IVA 10% INCLUIDO
"""
CREDIT = """
Suministros Ebro S.L.         FACTURA RECTIFICATIVA R26-01
CIF: B28746865                Fecha: 12/03/2026
Base imponible   -100,00
IVA 21%           -21,00
TOTAL            -121,00
"""
EXEMPT = """
CLINICA DENTAL SOL S.L.     FACTURA 77
NIF: B28746865              Fecha: 12/03/2026
Empaste        60,00
Operación exenta de IVA art. 20
TOTAL          60,00
"""


@pytest.mark.parametrize(
    ("drawing", "vendor", "total", "traits"),
    [
        (SUPERMARKET, "SUPERMERCADO X, S.A.", "3.35", ({4}, ReadingKind.RECEIPT)),
        (FUEL, "ESTACION DE SERVICIO NORTE", "51.37", ({21}, ReadingKind.RECEIPT)),
        (TELEPHONE, "Telefonía Ejemplo S.A.U.", "38.72", ({21}, ReadingKind.INVOICE)),
        (DISCOUNT, "TIENDA ROPA S.L.", "24.95", ({21}, ReadingKind.RECEIPT)),
        (TIP, "RESTAURANTE SOL S.L.", "17.00", ({10}, ReadingKind.UNKNOWN)),
        (CREDIT, "Suministros Ebro S.L.", "-121.00", ({21}, ReadingKind.INVOICE)),
        (EXEMPT, "CLINICA DENTAL SOL S.L.", "60.00", (set(), ReadingKind.INVOICE)),
    ],
)
def test_a_document_is_read(read, drawing, vendor, total, traits):
    reading = read(drawing)

    assert reading.vendor_name.value == vendor
    assert reading.vendor_tax_id.value in {"A28746865", "B28746865"}
    assert reading.issue_date.value == date(2026, 3, 12)
    assert reading.total.value == Decimal(total)
    assert reading.total.confidence >= 0.95
    assert ({tax.rate for tax in reading.taxes}, reading.kind) == traits


def test_the_customer_printed_first_leaves_the_vendor_open(read):
    reading = read(
        """
Cliente: Estudio Rivas S.L.
CIF: B28746865
Emisor: Marta Gil Ortega
NIF: 12345678Z
FACTURA 12/2026     Fecha 05/04/2026
"""
    )

    assert reading.vendor_tax_id == reading.vendor_name == ReadField()


def test_another_currency_is_not_called_euro(read):
    assert read("Cloud Hosting Inc     Invoice 9912\nTotal USD     45,60\n").currency == ReadField()


def test_an_empty_page_has_no_fields(read):
    assert read("") == read("~ .") == read("Café")


def test_numbers_and_ways_of_paying(read):
    assert [read(drawing).document_number.value for drawing in (SUPERMARKET, FUEL, TELEPHONE, CREDIT, EXEMPT)] == [
        *("2345-012-345678", "00123/456", "CI0912345678", "R26-01", "77")
    ]
    assert [read(drawing).payment_method.value for drawing in (SUPERMARKET, DISCOUNT, CREDIT)] == ["card", "cash", None]
    assert read(TELEPHONE).due_date.value == date(2026, 3, 20)


@pytest.mark.parametrize(
    "sum_up", ["Total factura   1.597,20 €", "Total factura 1597,20", "Total factura 1.597", "Factura 1.597,20"]
)
def test_a_total_is_not_taken_for_the_number_that_stands_elsewhere(read, sum_up):
    drawing = f"Ana Ruiz Soler\nNIF: 12345678Z\nFactura\nF2026-0001\n24/11/2026\nBase imponible 1.320,00 €\n{sum_up}\n"

    assert read(drawing).document_number == ReadField()


def test_lines_have_the_figures_that_stand_in_them(read):
    bread = read(SUPERMARKET).lines[1]

    assert (bread.quantity, bread.unit_price, bread.total) == (Decimal(2), Decimal("1.20"), Decimal("2.40"))

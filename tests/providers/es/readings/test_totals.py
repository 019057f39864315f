"""The total: a printed figure with witnesses, or nothing."""

from decimal import Decimal

import pytest

from ledgerkit.providers.api import ReadField

HEAD = """
        BAR LA ESQUINA S.L.
        CIF: B28746865
Ticket 4411        12/03/2026
"""


def test_a_total_with_label_cash_and_change_is_confirmed(read):
    total = read(HEAD + "Menú          12,50\nTOTAL         12,50\nENTREGADO     20,00\nCAMBIO         7,50\n").total

    assert total.value == Decimal("12.50")
    assert total.confidence >= 0.95


def test_cash_is_not_the_total(read):
    total = read(HEAD + "Menú          12,50\nTOTAL\nEFECTIVO      20,00\nCAMBIO         7,50\n").total

    assert total.value != Decimal("20.00")


def test_a_total_is_never_a_sum_of_lines(read):
    assert read(HEAD + "Menú          12,50\nCafé           1,50\nGracias por su visita\n").total == ReadField()


def test_a_label_alone_gives_little_confidence(read):
    total = read(HEAD + "TOTAL         12,50\n").total

    assert total.value == Decimal("12.50")
    assert 0.5 <= total.confidence < 0.9


def test_two_labelled_amounts_that_disagree_give_none(read):
    assert read(HEAD + "TOTAL         12,50\nTOTAL A PAGAR 17,50\n").total == ReadField()


def test_a_total_that_base_and_tax_contradict_is_none(read):
    total = read(HEAD + "Base imponible   10,00\nIVA 21%           2,10\nTOTAL            12,40\n").total

    assert total == ReadField()


@pytest.mark.parametrize(
    "label", ["SUBTOTAL", "TOTAL ARTICULOS", "TOTAL IVA", "Propina sugerida TOTAL", "TOTAL DESCUENTO", "TOTAL PUNTOS"]
)
def test_other_sums_are_no_total(read, label):
    assert read(HEAD + f"{label}        12,50\n").total == ReadField()


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        *(
            ("1.234,56 €", "1234.56"),
            ("1,234.56 EUR", "1234.56"),
            ("1234,56", "1234.56"),
            ("12.345.678,90", "12345678.90"),
        ),
        *(("0,05", "0.05"), ("1O,50", "10.50"), ("I2,50", "12.50"), ("1 234,56", "1234.56")),
    ],
)
def test_amounts_are_read_as_spaniards_write_them(read, printed, value):
    assert read(HEAD + f"TOTAL         {printed}\n").total.value == Decimal(value)


@pytest.mark.parametrize("printed", ["1,234,56", "12,5", "12,345", "21,00%", "12:50", "1.234.5,60"])
def test_what_is_no_amount_is_not_read_as_one(read, printed):
    assert read(HEAD + f"TOTAL         {printed}\n").total == ReadField()


def test_retention_lowers_the_total(read):
    reading = read(
        """
Marta Gil Ortega                       FACTURA
NIF 12345678Z                          Fecha: 12/03/2026
Base imponible       1.000,00
IVA 21%                210,00
IRPF -15%             -150,00
TOTAL                1.060,00
"""
    )

    assert (reading.total.value, reading.retention_total.value) == (Decimal("1060.00"), Decimal("150.00"))
    assert reading.total.confidence >= 0.95


def test_a_misread_retention_leaves_no_confirmed_total(read):
    total = read(HEAD + "Base imponible  1.000,00\nIVA 21%  210,00\nIRPF 15%  -160,00\nTOTAL  1.060,00\n").total

    assert total.confidence < 0.9

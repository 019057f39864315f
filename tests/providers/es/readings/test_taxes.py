"""Taxes: figures that agree to the cent, or the rate alone."""

from decimal import Decimal

import pytest

HEAD = "PAPELERIA SOL S.L.\nNIF B28746865\nFecha 12/03/2026\n"


def taxes(reading) -> list[tuple[str, str | None, str | None]]:
    return [(str(tax.rate), tax.base and str(tax.base), tax.amount and str(tax.amount)) for tax in reading.taxes]


def test_a_table_of_several_rates(read):
    reading = read(
        HEAD
        + """
TOTAL              49,40
IVA     BASE      CUOTA
4%      10,00      0,40
10%     20,00      2,00
21%     14,05      2,95
"""
    )

    assert taxes(reading) == [("4", "10.00", "0.40"), ("10", "20.00", "2.00"), ("21", "14.05", "2.95")]
    assert reading.total.value == Decimal("49.40")
    assert reading.total.confidence >= 0.95


def test_a_column_of_rates_without_percent_signs(read):
    drawing = HEAD + "%IVA    B.Imp.    Cuota    Total\n10      20,00     2,00     22,00\nTOTAL A PAGAR    22,00\n"

    assert taxes(read(drawing)) == [("10", "20.00", "2.00")]


def test_an_included_rate_is_named_without_figures(read):
    assert taxes(read(HEAD + "TOTAL  12,50\nIVA incluido 10%\n")) == [("10", None, None)]


def test_figures_that_disagree_leave_the_rate_alone(read):
    assert taxes(read(HEAD + "Base imponible  100,00\nIVA 21%  28,00\n")) == [("21", None, None)]


@pytest.mark.parametrize(
    "line", ["Propina sugerida 10%  1,20", "IRPF 15%  15,00", "Recargo equivalencia 5,2%  5,20", "IVA 17%  17,00"]
)
def test_other_percentages_are_no_rates_of_the_iva(read, line):
    assert taxes(read(HEAD + f"Total 12,00\n{line}\n")) == []


def test_a_cent_of_rounding_is_allowed(read):
    assert taxes(read(HEAD + "Base  8,26\nIVA 21%  1,74\nTOTAL  10,00\n")) == [("21", "8.26", "1.74")]

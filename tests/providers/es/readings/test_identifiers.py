"""NIF and IBAN: only what passes the check, repaired only one way."""

import pytest

from ledgerkit.providers.api import ReadField
from ledgerkit.providers.es.readings.identifiers import repaired_iban, repaired_tax_id


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        *(
            ("B28746865", "B28746865"),
            ("B-28746865", "B28746865"),
            ("828746865", "B28746865"),
            ("B2874686S", "B28746865"),
        ),
        *(
            ("12345678Z", "12345678Z"),
            ("I2345678Z", "12345678Z"),
            ("12.345.678-Z", "12345678Z"),
            ("X1234567L", "X1234567L"),
        ),
        *(("B28746866", None), ("12345678A", None), ("BBBBBBBBB", None), ("", None), ("OOOOOOOOT", None)),
    ],
)
def test_a_tax_id_is_repaired_only_where_one_reading_passes(printed, value):
    assert repaired_tax_id(printed) == value


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("ES91 2100 0418 4502 0005 1332", "ES9121000418450200051332"),
        ("E591 21OO 0418 4502 0005 1332", "ES9121000418450200051332"),
        ("ES91 2100 0418 4502 0005 1333", None),
        ("ES91 2100 0418", None),
    ],
)
def test_an_iban_passes_its_check_or_is_none(printed, value):
    assert repaired_iban(printed) == value


def test_the_customers_tax_id_is_not_the_vendors(read):
    reading = read(
        """
Suministros Ebro S.L.                  FACTURA F26-0001
CIF: B28746865                         Fecha: 12/03/2026

Cliente:
Ana Torres
NIF: 12345678Z
TOTAL   12,10
"""
    )

    assert reading.vendor_tax_id.value == "B28746865"
    assert reading.vendor_name.value == "Suministros Ebro S.L."


def test_two_tax_ids_without_a_heading_give_none(read):
    reading = read("Suministros Ebro S.L.\nCIF: B28746865\nAna Torres\nNIF: 12345678Z\nTOTAL   12,10\n")

    assert reading.vendor_tax_id == ReadField()


def test_a_misread_tax_id_is_none(read):
    assert read("Bar Paco\nNIF: 12345679Z\nTOTAL   12,10\n").vendor_tax_id == ReadField()

"""Columns: whether prices contain the tax, and what stands in the cell of a tax."""

from dataclasses import replace
from decimal import Decimal

import pytest

from ledgerkit.core.sales.invoices.pdf.formats import Formats
from ledgerkit.core.sales.invoices.pdf.markup import columns
from ledgerkit.providers.api import TaxCategory
from support.printed import words

HEADINGS = [
    ("es", False, ["Precio", "Importe"]),
    ("es", True, ["Precio (IVA incl.)", "Importe (IVA incl.)"]),
    ("en", True, ["Price (VAT incl.)", "Amount (VAT incl.)"]),
]


@pytest.mark.parametrize(("language", "included", "expected"), HEADINGS)
def test_prices_that_contain_the_tax_say_so(document, language, included, expected):
    spoken = words(language)
    shown = columns(replace(document, words=spoken, prices_include_tax=included), Formats(spoken, document.currency))

    assert [one.heading for one in (shown[1], shown[-1])] == expected


def test_a_tax_of_another_name_is_called_by_it(document):
    island = replace(document, prices_include_tax=True, tax_name="IGIC")

    assert columns(island, Formats(document.words, "EUR"))[1].heading == "Precio (IGIC incl.)"


CELLS = [
    ("es", {"tax_rate": Decimal(21)}, "21 %"),
    ("en", {"tax_rate": Decimal(0)}, "0%"),
    ("es", {"tax_rate": Decimal(7), "tax_name": "IGIC"}, "IGIC 7 %"),
    ("es", {"category": TaxCategory.EXEMPT}, "Exenta"),
    ("es", {"category": TaxCategory.NOT_SUBJECT}, "No sujeta"),
    ("es", {"category": TaxCategory.REVERSE_CHARGE}, "Inv. suj. pasivo"),
    ("en", {"category": TaxCategory.EXPORT}, "Exempt"),
    ("en", {"category": TaxCategory.REVERSE_CHARGE}, "Reverse charge"),
]


@pytest.mark.parametrize(("language", "line", "cell"), CELLS)
def test_the_cell_of_the_tax_is_a_rate_or_a_word(document, language, line, cell):
    only = replace(document.lines[0], **{"tax_rate": None, **line})
    spoken = words(language)

    shown = columns(replace(document, words=spoken, lines=(only,)), Formats(spoken, "EUR"))

    assert shown[-2].heading == spoken["vat"]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in shown[-2].cells] == [cell]


def test_where_no_line_says_anything_of_taxes_there_is_no_column_for_them(document):
    bare = tuple(replace(line, tax_rate=None) for line in document.lines)

    shown = columns(replace(document, lines=bare), Formats(document.words, "EUR"))

    assert "IVA" not in [one.heading for one in shown]

"""Columns that say whether their prices contain the tax."""

from dataclasses import replace

import pytest

from ledgerkit.core.invoices.paper.formats import Formats
from ledgerkit.core.invoices.paper.lines import columns
from ledgerkit.core.invoices.paper.words import WORDS

HEADINGS = [
    ("es", False, ["Precio", "Importe"]),
    ("es", True, ["Precio (IVA incl.)", "Importe (IVA incl.)"]),
    ("en", True, ["Price (VAT incl.)", "Amount (VAT incl.)"]),
]


@pytest.mark.parametrize(("language", "included", "expected"), HEADINGS)
def test_prices_that_contain_the_tax_say_so(paper, language, included, expected):
    words = WORDS[language]
    shown = columns(replace(paper, prices_include_tax=included), words, Formats(words.locale, paper.currency))

    assert [one.heading for one in (shown[1], shown[-1])] == expected


def test_a_tax_of_another_name_is_called_by_it(paper):
    words = WORDS["es"]
    island = replace(paper, prices_include_tax=True, tax_name="IGIC")

    assert columns(island, words, Formats(words.locale, "EUR"))[1].heading == "Precio (IGIC incl.)"

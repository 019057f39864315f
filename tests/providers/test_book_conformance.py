"""The cases for record books can fail, each for its own mistake."""

from dataclasses import replace
from itertools import count

import pytest

from ledgerkit.providers.conformance import ProviderConformance
from ledgerkit.providers.es import country
from ledgerkit.providers.es.books.issued import IssuedBook
from ledgerkit.texts import FixedText


class Restless(IssuedBook):
    """Book whose rows depend on when they are made."""

    _serial = count()

    def rows(self, ledger, profile):
        for row in super().rows(ledger, profile):
            yield (*row[:-1], str(next(self._serial)))


class Short(IssuedBook):
    """Book whose rows lack the last column."""

    def rows(self, ledger, profile):
        return (row[:-1] for row in super().rows(ledger, profile))


class Wordy(IssuedBook):
    """Book whose amounts are texts."""

    def rows(self, ledger, profile):
        return (tuple(cell and str(cell) for cell in row) for row in super().rows(ledger, profile))


class Crowded(IssuedBook):
    sheet = "A sheet whose name no workbook can hold"


class Nameless(IssuedBook):
    name = FixedText("", {"es": "Libro"})


class Elsewhere(IssuedBook):
    def file_name(self, owner, year):
        return f"../{super().file_name(owner, year)}"


def suite(*books):
    class Suite(ProviderConformance):
        provider = replace(country, books=books)
        module = "ledgerkit.providers.es"
        valid_tax_ids = ("12345678Z", "B12345674")
        invalid_tax_ids = ()

    return Suite()


@pytest.mark.whole
@pytest.mark.parametrize("book", [Restless, Short, Wordy])
def test_wrong_rows_fail(book):
    with pytest.raises((AssertionError, ValueError)):
        suite(book()).test_rows_have_the_columns_of_their_book_and_no_order_of_documents()


@pytest.mark.parametrize("books", [(Crowded(),), (Nameless(),), (Elsewhere(),), (IssuedBook(), IssuedBook())])
def test_wrong_names_fail(books):
    with pytest.raises(AssertionError):
        suite(*books).test_books_have_different_keys_sheets_and_names_in_every_language()

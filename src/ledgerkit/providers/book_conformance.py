"""Cases for record books, part of the tests that every country must pass (`conformance`).

Needs pytest and hypothesis, which the package itself does not depend on: only tests import this module.
"""
# ruff: noqa: S101 - this module is a test suite, asserting is its purpose

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import ClassVar

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledgerkit.providers.api import Cell, ColumnKind, CountryProvider, Ledger, Party, RecordBook, TaxPeriod
from ledgerkit.providers.form_conformance import random_ledgers
from ledgerkit.texts import ENGLISH

_TYPES: dict[ColumnKind, type] = {
    ColumnKind.TEXT: str,
    ColumnKind.INTEGER: int,
    ColumnKind.DECIMAL: Decimal,
    ColumnKind.DATE: date,
}
_LONGEST_SHEET = 31
_NO_SHEET = re.compile(r"[\[\]:*?/\\]")
_FILE_NAME = re.compile(r"[\w-]+")


class BookConformance(ABC):
    """Cases for `CountryProvider.books`: they pass where there are none."""

    provider: ClassVar[CountryProvider]
    today: ClassVar[date]

    @abstractmethod
    def _issuer(self) -> Party:
        """Return an issuer of the country."""

    def test_books_have_different_keys_sheets_and_names_in_every_language(self) -> None:
        books = self.provider.books

        assert len({book.key for book in books}) == len({book.sheet for book in books}) == len(books)
        for book in books:
            assert {*self.provider.languages, ENGLISH} <= set(book.name.languages), book.key
            assert len(book.sheet) <= _LONGEST_SHEET
            assert not _NO_SHEET.search(book.sheet)
            assert _FILE_NAME.fullmatch(book.file_name(self._issuer(), self.today.year))

    def test_a_book_has_columns_that_state_their_form(self) -> None:
        for book in self.provider.books:
            columns = book.columns(self.today.year)
            assert columns
            for column in columns:
                assert all(line.strip() for line in column.heading)
                assert column.width > column.decimals >= 0
                assert not column.decimals or column.kind is ColumnKind.DECIMAL

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
    @given(data=st.data())
    def test_rows_have_the_columns_of_their_book_and_no_order_of_documents(self, data: st.DataObject) -> None:
        period = TaxPeriod(self.today.year, "Y")
        owner, currency = self._issuer(), self.provider.currency
        empty = Ledger(span=period.span, currency=currency, owner=owner, sales=(), purchases=())
        ledger = data.draw(random_ledgers(self.provider, empty, period))
        turned = replace(ledger, sales=ledger.sales[::-1], purchases=ledger.purchases[::-1])
        for book in self.provider.books:
            rows = self._rows(book, ledger)
            assert sorted(map(repr, rows)) == sorted(map(repr, self._rows(book, turned)))
            for row in rows:
                for cell, column in zip(row, book.columns(period.year), strict=True):
                    assert cell is None or isinstance(cell, _TYPES[column.kind]), (book.key, column.heading)

    def _rows(self, book: RecordBook, ledger: Ledger) -> Sequence[tuple[Cell, ...]]:
        return list(book.rows(ledger, self.provider.tax_profile()))

"""Cases for tax forms and record books, part of the tests that every country must pass (`conformance`).

Needs pytest and hypothesis, which the package itself does not depend on: only tests import this module.
"""

# ruff: noqa: S101 - this module is a test suite, asserting is its purpose

import re
from abc import ABC, abstractmethod

# ruff: noqa: S101 - this module is a test suite, asserting is its purpose
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import ClassVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ledgerkit.money import percent_of
from ledgerkit.providers.api import (
    Assessment,
    Box,
    Cell,
    ColumnKind,
    Computation,
    CountryProvider,
    DocumentKind,
    Evidence,
    FileInput,
    FormInput,
    Ledger,
    Party,
    Purchase,
    PurchaseKind,
    PurchaseOrigin,
    PurchaseTax,
    RecordBook,
    Sale,
    TaxCategory,
    TaxForm,
    TaxLine,
    TaxPeriod,
    TaxProfile,
    UnreadableFileError,
)
from ledgerkit.texts import ENGLISH

_CENTS = st.integers(min_value=-50_000, max_value=500_000).map(lambda cents: Decimal(cents).scaleb(-2))
_NO_FILES = (b"", b"\x00\xff", b"<html><body>Service unavailable</body></html>", b"{}")
_ZERO = Decimal("0.00")
_FEW = settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.large_base_example],
)
"""Few books for each form and period, since a country has many; what fails is shown as it was drawn."""


class FormConformance(ABC):
    """Cases for `CountryProvider.declarations`: they pass where there are none."""

    provider: ClassVar[CountryProvider]
    today: ClassVar[date]
    filing_profile: ClassVar[TaxProfile | None] = None
    """A profile with which every form can be filed; None where its defaults do."""
    filing_iban: ClassVar[str | None] = None
    filing_address: ClassVar[Mapping[str, str]] = {}
    """More of parties than name, tax number and country, where a file demands it: `address`, `city`, `province`."""

    @abstractmethod
    def _issuer(self) -> Party:
        """Return an issuer of the country."""

    def test_forms_have_different_codes_and_names_in_every_language(self) -> None:
        codes = [form.code for form in self.provider.declarations]

        assert len(codes) == len(set(codes))
        assert all(set(form.reads) <= set(codes) for form in self.provider.declarations)
        for form, period in self._periods():
            for names in (form.name, *(box.name for box in form.boxes(period).values())):
                assert {*self.provider.languages, ENGLISH} <= set(names.languages), (form.code, names)
                assert all(names.in_language(language).strip() for language in names.languages)

    def test_fields_of_records_have_names_in_every_language(self) -> None:
        for form in self.provider.declarations:
            for field in form.record_fields.values():
                for names in (field.name, *field.values.values()):
                    assert {*self.provider.languages, ENGLISH} <= set(names.languages), (form.code, names)

    def test_a_form_has_no_period_in_a_year_that_it_does_not_know(self) -> None:
        for form in self.provider.declarations:
            assert form.periods(self.today.year)
            for year in (2000, self.today.year, 2100):
                codes = form.periods(year)
                assert len(codes) == len(set(codes))
                assert all(TaxPeriod(year, code).span.first.year == year for code in codes)

    def test_a_period_has_boxes_a_design_and_days(self) -> None:
        profile = self.provider.tax_profile()
        for form, period in self._periods():
            boxes, due, debit = form.boxes(period), form.due_date(period), form.direct_debit_date(period)
            assert form.layout(period).strip()
            assert boxes
            assert [box.key for box in boxes.values()] == list(boxes)
            assert {box.decimals for box in boxes.values()} <= {0, 1, 2}
            assert due is not None
            assert due > period.span.last
            assert debit is None or period.span.last < debit <= due
            assert form.ledger_span(period).last >= period.span.first
            assert isinstance(form.is_due(profile, period), bool)

    @_FEW
    @given(data=st.data())
    def test_the_order_of_the_ledger_changes_nothing(self, data: st.DataObject) -> None:
        for form, period in self._periods():
            given_books = self._input(period, data.draw(self._ledgers(form, period)))
            ledger = given_books.ledger
            turned = replace(ledger, sales=ledger.sales[::-1], purchases=ledger.purchases[::-1])
            computed = form.compute(given_books)
            assert computed == form.compute(given_books), form.code
            assert _sorted(computed) == _sorted(form.compute(replace(given_books, ledger=turned))), form.code

    @_FEW
    @given(data=st.data())
    def test_evidence_adds_up_to_its_box_and_names_documents_of_the_ledger(self, data: st.DataObject) -> None:
        for form, period in self._periods():
            boxes, ledger = form.boxes(period), data.draw(self._ledgers(form, period))
            computed = form.compute(self._input(period, ledger))
            ids = {sale.document_id for sale in ledger.sales} | {bought.document_id for bought in ledger.purchases}
            assert set(computed.computed) == set(computed.effective) == set(boxes), form.code
            assert computed.counted <= ids
            assert all(record.fields.keys() <= form.record_fields.keys() for record in computed.records), form.code
            for key, box in boxes.items():
                parts = computed.evidence.get(key, ())
                assert {part.document_id for part in parts} <= ids
                assert not box.summed or _sum(box, parts) == computed.computed[key], (form.code, key)

    def test_an_override_of_an_unknown_box_is_refused(self) -> None:
        for form, period in self._periods():
            empty = self._empty(form, period)
            try:
                form.compute(replace(self._input(period, empty), overrides={"no such box": _ZERO}))
            except ValueError:
                continue
            raise AssertionError(form.code)

    def test_an_override_replaces_the_effective_value_only(self) -> None:
        for form, period in self._periods():
            given_books = self._input(period, self._empty(form, period))
            plain = form.compute(given_books)
            for key, box in form.boxes(period).items():
                value = Decimal(1).quantize(Decimal(1).scaleb(-box.decimals))
                overridden = form.compute(replace(given_books, overrides={key: value}))
                assert overridden.computed == plain.computed, (form.code, key)
                assert overridden.effective[key] == value, (form.code, key)

    @_FEW
    @given(data=st.data())
    def test_a_file_is_read_back_as_it_was_written(self, data: st.DataObject) -> None:
        for form, period in self._periods():
            computed = form.compute(self._input(period, data.draw(self._ledgers(form, period))))
            content = self._filing(period, computed)
            file = form.render_file(content)
            read_back = form.read_file(file.content)
            assert file == form.render_file(content)
            assert file.name.strip()
            assert read_back.period == period
            assert read_back.declaration_type in {content.declaration_type, None}
            assert all(content.boxes.get(key, _ZERO) == value for key, value in read_back.boxes.items()), form.code
            assert len(read_back.records) == len(content.records)

    def test_what_is_no_file_of_the_form_is_not_read(self) -> None:
        for form in self.provider.declarations:
            for content in _NO_FILES:
                try:
                    form.read_file(content)
                except UnreadableFileError:
                    continue
                raise AssertionError(form.code)

    def _periods(self) -> Iterator[tuple[TaxForm, TaxPeriod]]:
        """Every form with the first and the last of its periods in the year before today."""
        year = self.today.year - 1
        for form in self.provider.declarations:
            codes = form.periods(year)
            for code in dict.fromkeys((*codes[:1], *codes[-1:])):
                yield form, TaxPeriod(year, code)

    def _input(self, period: TaxPeriod, ledger: Ledger) -> FormInput:
        return FormInput(period=period, ledger=ledger, previous=(), profile=self._profile())

    def _profile(self) -> TaxProfile:
        return self.filing_profile or self.provider.tax_profile()

    def _filing(self, period: TaxPeriod, computed: Computation) -> FileInput:
        return FileInput(
            period=period,
            owner=self._owner(),
            boxes=computed.effective,
            records=[record.fields for record in computed.records],
            declaration_type=next(iter(computed.declaration_types), None),
            iban=self.filing_iban,
            profile=self._profile(),
        )

    def _empty(self, form: TaxForm, period: TaxPeriod) -> Ledger:
        span = form.ledger_span(period)
        return Ledger(span=span, currency=self.provider.currency, owner=self._owner(), sales=(), purchases=())

    def _owner(self) -> Party:
        return replace(self._issuer(), **self.filing_address)

    def _ledgers(self, form: TaxForm, period: TaxPeriod) -> st.SearchStrategy[Ledger]:
        """Ledgers with a few documents at the rates of the period."""
        return random_ledgers(self.provider, self._empty(form, period), period)


def _sum(box: Box, parts: tuple[Evidence, ...]) -> Decimal:
    total = sum((part.amount for part in parts), Decimal(0))
    return total.quantize(Decimal(1).scaleb(-box.decimals), ROUND_HALF_UP)


def _sorted(computed: Computation) -> tuple[object, ...]:
    """Return a result without the order of its evidence, warnings and records."""
    evidence = {
        key: sorted((part.document_id, part.amount) for part in parts) for key, parts in computed.evidence.items()
    }
    warnings = sorted((warning.code, sorted(warning.document_ids)) for warning in computed.warnings)
    records = sorted((str(sorted(record.fields.items())), sorted(record.document_ids)) for record in computed.records)
    return computed.computed, computed.effective, evidence, computed.counted, warnings, records, computed.result_kind


@st.composite
def random_ledgers(draw: st.DrawFn, provider: CountryProvider, empty: Ledger, period: TaxPeriod) -> Ledger:
    """Return `empty` with a few documents of the period, at the rates in force at its beginning."""
    rates = [rate.percent for rate in provider.tax.rates(period.span.first)]
    span, party = period.span, empty.owner
    days = st.integers(0, (span.last - span.first).days).map(lambda number: span.first + timedelta(days=number))
    sales = [_sale(number, draw(days), draw(_CENTS), draw(st.sampled_from(rates)), party) for number in range(3)]
    purchases = [
        _purchase(number, draw(days), draw(_CENTS), draw(st.sampled_from(rates)), party) for number in range(3)
    ]
    ordered = sorted(sales, key=lambda document: (document.issue_date, document.document_id))
    received = sorted(purchases, key=lambda document: (document.issue_date, document.document_id))
    return replace(empty, sales=tuple(ordered), purchases=tuple(received))


def _sale(number: int, day: date, base: Decimal, rate: Decimal, owner: Party) -> Sale:
    tax = percent_of(base, rate)
    return Sale(
        document_id=f"sale-{number}",
        kind=DocumentKind.INVOICE if base >= 0 else DocumentKind.CREDIT_NOTE,
        number=f"F-{number}",
        issue_date=day,
        operation_date=None,
        client=replace(owner, name=f"Client {number % 2}"),
        taxes=(TaxLine(category=TaxCategory.STANDARD, rate=rate, base=base, amount=tax),),
        retention=_ZERO,
        gross_total=base + tax,
    )


def _purchase(number: int, day: date, base: Decimal, rate: Decimal, owner: Party) -> Purchase:
    tax = percent_of(base, rate)
    return Purchase(
        document_id=f"purchase-{number}",
        origin=PurchaseOrigin.EXPENSE,
        kind=PurchaseKind.INVOICE if base >= 0 else PurchaseKind.CREDIT_NOTE,
        number=f"P-{number}",
        issue_date=day,
        operation_date=None,
        reception_date=day,
        deduction_date=day,
        vendor=replace(owner, name=f"Vendor {number % 2}"),
        assessment=Assessment.VENDOR,
        taxes=(PurchaseTax(rate=rate, base=base, tax=tax, deductible_base=base, deductible_tax=tax),),
        cost=base,
        income_tax_percent=Decimal(100),
        retention=_ZERO,
        retention_base=_ZERO,
        gross_total=base + tax,
        category="other",
    )


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

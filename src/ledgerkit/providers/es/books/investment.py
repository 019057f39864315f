"""Book of investment goods: a row for each purchase and rate that holds one, in the years of its use."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from types import MappingProxyType

from ledgerkit.money import HUNDRED, ZERO, percent_of, round_cents
from ledgerkit.providers.api import (
    BookColumn,
    Cell,
    DateSpan,
    Ledger,
    Party,
    Purchase,
    PurchaseTax,
    RecordBook,
    TaxProfile,
)
from ledgerkit.providers.es.books import cells, columns
from ledgerkit.providers.es.books.cells import Values
from ledgerkit.providers.es.books.concepts import good_type
from ledgerkit.providers.es.books.text_files import TEXT_FILE
from ledgerkit.providers.es.tax_forms.income.depreciation import cost_of, depreciation
from ledgerkit.providers.es.tax_forms.profile import Prorrata, SpanishTaxProfile

_ALL = Decimal("100.00")
_DESCRIPTION_LENGTH = 160


class InvestmentBook(RecordBook):
    """Book of investment goods: those received within the span, and earlier ones that the ledger still holds.

    Depreciation is that of the year up to the end of the span; empty for a good without a useful life.
    """

    key = "investment"
    name: Mapping[str, str] = MappingProxyType(
        {"es": "Libro registro de bienes de inversión", "en": "Record book of investment goods"}
    )
    sheet = "BIENES-INVERSIÓN"
    text_file = TEXT_FILE

    def columns(self, year: int) -> Sequence[BookColumn]:
        return tuple(columns.investment(year).values())

    def rows(self, ledger: Ledger, profile: TaxProfile) -> Iterator[tuple[Cell, ...]]:
        known, design = cells.spanish(profile), columns.investment(ledger.span.last.year)
        received = (one for one in ledger.purchases if one.reception_date in ledger.span)
        goods = {one.document_id: one for one in (*ledger.earlier_investments, *received)}
        for purchase in goods.values():
            for tax in purchase.taxes:
                if tax.investment_good:
                    yield cells.row(_values(purchase, tax, ledger.span, known), design)

    def file_name(self, owner: Party, year: int) -> str:
        return cells.file_name(owner, year)


def _values(purchase: Purchase, tax: PurchaseTax, span: DateSpan, profile: SpanishTaxProfile) -> Values:
    first_use = purchase.operation_date or purchase.reception_date
    return {
        **cells.beginning(max(purchase.reception_date, span.first), profile),
        "good_type": good_type(purchase),
        "good": purchase.document_id,
        "description": purchase.description[:_DESCRIPTION_LENGTH] or None,
        "use_date": first_use,
        "value": cost_of(tax),
        **(_depreciated(purchase, tax, span) if cells.keeps_income_books(profile) else {}),
        "issue_date": purchase.issue_date,
        "number": purchase.number,
        **cells.party(purchase.vendor),
        "base": tax.base,
        "rate": tax.rate,
        "prorrata": _ALL if profile.on(first_use).prorrata is Prorrata.NONE else None,
        "deductible": tax.deductible_tax,
        "estate_reference": purchase.leased_property,
    }


def _depreciated(purchase: Purchase, tax: PurchaseTax, span: DateSpan) -> Values:
    """Return the columns of depreciation: linear, at most the depreciable value."""
    depreciable = percent_of(cost_of(tax), purchase.income_tax_percent)
    if not tax.useful_life_years:
        return {"depreciable": depreciable}
    year = span.last.year
    before = sum((_of_year(purchase, tax, one) for one in range(purchase.reception_date.year, year)), ZERO)
    amount = depreciation(purchase, tax, DateSpan(first=date(year, 1, 1), last=span.last))
    return {
        "depreciable": depreciable,
        "depreciation_percent": round_cents(HUNDRED / tax.useful_life_years),
        "depreciated_before": before,
        "depreciation": amount,
        "depreciated_after": before + amount,
        "depreciation_left": depreciable - before - amount,
    }


def _of_year(purchase: Purchase, tax: PurchaseTax, year: int) -> Decimal:
    return depreciation(purchase, tax, DateSpan(first=date(year, 1, 1), last=date(year, 12, 31)))

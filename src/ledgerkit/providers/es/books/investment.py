"""Book of investment goods: a row for each purchase and rate that holds an asset, in the years of its use."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from ledgerkit.money import HUNDRED, ZERO, percent_of, round_cents
from ledgerkit.providers.api import BookColumn, Cell, DateSpan, Ledger, TaxProfile
from ledgerkit.providers.es.books import cells, columns
from ledgerkit.providers.es.books.cells import SpanishBook, Values
from ledgerkit.providers.es.books.concepts import good_type
from ledgerkit.providers.es.messages import BooksMsg
from ledgerkit.providers.es.tax_forms.income.deductible_costs import cost_by, depreciation
from ledgerkit.providers.es.tax_forms.profile import Prorrata, SpanishTaxProfile, spanish
from ledgerkit.providers.es.tax_forms.records import ReceivedRow, cash_accounting, received_rows
from ledgerkit.texts import text

_ALL = Decimal("100.00")
_DESCRIPTION_LENGTH = 160


class InvestmentBook(SpanishBook):
    """Book of investment goods: those received within the span, and earlier ones that the ledger still holds.

    Depreciation is that of the year up to the end of the span; empty for a good without a useful life.
    """

    key = "investment"
    name = text(BooksMsg.INVESTMENT)
    sheet = "BIENES-INVERSIÓN"

    def columns(self, year: int) -> Sequence[BookColumn]:
        return tuple(columns.investment(year).values())

    def rows(self, ledger: Ledger, profile: TaxProfile) -> Iterator[tuple[Cell, ...]]:
        spanish_profile, design = spanish(profile), columns.investment(ledger.span.last.year)
        cash_on, cost_of = cash_accounting(spanish_profile), cost_by(spanish_profile)
        received = (purchase for purchase in ledger.purchases if purchase.reception_date in ledger.span)
        goods = {purchase.document_id: purchase for purchase in (*ledger.earlier_investments, *received)}
        for purchase in goods.values():
            for row in received_rows(purchase, cash_on):
                if row.is_asset:
                    yield cells.row(_values(row, cost_of(row), ledger.span, spanish_profile), design)


def _values(row: ReceivedRow, cost: Decimal, span: DateSpan, profile: SpanishTaxProfile) -> Values:
    purchase = row.purchase
    first_use = purchase.operation_date or purchase.reception_date
    return {
        **cells.beginning(max(purchase.reception_date, span.first), profile),
        "good_type": good_type(purchase),
        "good": purchase.document_id,
        "description": purchase.description[:_DESCRIPTION_LENGTH] or None,
        "use_date": first_use,
        "value": cost,
        **(_depreciated(row, cost, span) if cells.keeps_income_books(profile) else {}),
        "issue_date": purchase.issue_date,
        "number": purchase.number,
        **cells.party(purchase.vendor),
        "base": row.amounts.base,
        "rate": row.rate,
        "prorrata": _ALL if profile.on(first_use).prorrata is Prorrata.NONE else None,
        "deductible": sum(row.amounts, ZERO) - cost,
        "estate_reference": purchase.leased_property,
    }


def _depreciated(row: ReceivedRow, cost: Decimal, span: DateSpan) -> Values:
    """Return the columns of depreciation: linear, at most the depreciable value."""
    depreciable = percent_of(cost, row.purchase.income_tax_percent)
    if not row.useful_life_years:
        return {"depreciable": depreciable}
    year = span.last.year
    before = sum((_of_year(row, cost, past_year) for past_year in range(row.purchase.reception_date.year, year)), ZERO)
    amount = depreciation(row, cost, DateSpan(first=date(year, 1, 1), last=span.last))
    return {
        "depreciable": depreciable,
        "depreciation_percent": round_cents(HUNDRED / row.useful_life_years),
        "depreciated_before": before,
        "depreciation": amount,
        "depreciated_after": before + amount,
        "depreciation_left": depreciable - before - amount,
    }


def _of_year(row: ReceivedRow, cost: Decimal, year: int) -> Decimal:
    return depreciation(row, cost, DateSpan(first=date(year, 1, 1), last=date(year, 12, 31)))

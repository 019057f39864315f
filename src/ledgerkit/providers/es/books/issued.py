"""Book of issued invoices and income: a row for each document, operation and rate."""

from collections.abc import Iterator, Sequence
from datetime import date

from ledgerkit.money import ZERO
from ledgerkit.providers.api import BookColumn, Cell, Ledger, Sale, TaxProfile
from ledgerkit.providers.es.books import cells, columns
from ledgerkit.providers.es.books.cells import Settled, SpanishBook, Values, payment_rows
from ledgerkit.providers.es.messages import BooksMsg
from ledgerkit.providers.es.operations import GENERAL, IGIC, IPSI
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile, spanish
from ledgerkit.providers.es.tax_forms.records import CashOn, IssuedRow, cash_accounting, issued_rows, recovers_vat_only
from ledgerkit.texts import text

_OPERATING_INCOME = "I01"
"""Concept of what a business sells; the other concepts are no invoices, or of what documents do not say."""

_KEYS = frozenset({f"{number:02d}" for number in range(1, 16)} | {"17"})
"""Keys of the format; what records name otherwise is of the general regime in the books."""

_LETTING, _LETTING_WITHOUT_RETENTION, _OTHER_TERRITORY = "11", "12", "08"
_NUMBER_LENGTH = 20


class IssuedBook(SpanishBook):
    """Book of issued invoices and income. It lists what belongs to the span by its operation, or issue for corrections.

    Under cash accounting, a row for each payment of the span follows those of its invoice, or stands alone.
    """

    key = "issued"
    name = text(BooksMsg.ISSUED)
    sheet = "EXPEDIDAS_INGRESOS"

    def columns(self, year: int) -> Sequence[BookColumn]:  # noqa: ARG002 - the same in every year so far
        return tuple(columns.ISSUED.values())

    def rows(self, ledger: Ledger, profile: TaxProfile) -> Iterator[tuple[Cell, ...]]:
        spanish_profile = spanish(profile)
        cash_on = cash_accounting(spanish_profile)
        for sale in ledger.sales:
            for values in _of_sale(sale, ledger, spanish_profile, cash_on):
                yield cells.row(values, columns.ISSUED)


def _of_sale(sale: Sale, ledger: Ledger, profile: SpanishTaxProfile, cash_on: CashOn) -> Iterator[Values]:
    rows = list(issued_rows(sale, cash_on))
    if not rows:
        return
    document = _document(sale, rows[0])
    if (day := rows[0].vat_date) in ledger.span:
        amounts = _amounts(sale, rows, with_income=cells.keeps_income_books(profile))
        for codes_and_amounts in amounts:
            yield {**cells.beginning(day, profile), **document, **codes_and_amounts}
    by_cash = next((row for row in rows if row.by_cash), None)
    if by_cash is not None:
        settled = Settled(sale.gross_total, sale.gross_total - sale.retention, sale.payments, by_cash.vat_date)
        codes = _codes(by_cash)
        for paid_on, payment in payment_rows(settled, ledger.span):
            yield {**cells.beginning(paid_on, profile), **document, **codes, **payment}


def _document(sale: Sale, row: IssuedRow) -> Values:
    """Return the columns that all rows of a document share."""
    return {
        "invoice_type": row.invoice_type,
        "issue_date": sale.issue_date,
        "operation_date": _other_day(sale.operation_date, sale.issue_date),
        "series": sale.number[:-_NUMBER_LENGTH] or None,
        "number": sale.number[-_NUMBER_LENGTH:],
        **cells.party(sale.client),
        "agreement": _text(sale.details.get("invoicingAgreement")),
        "reference": sale.document_id,
    }


def _other_day(operation: date | None, issue: date) -> date | None:
    return None if operation == issue else operation


def _text(detail: str | bool | None) -> str | None:
    return detail if isinstance(detail, str) else None


def _amounts(sale: Sale, rows: Sequence[IssuedRow], *, with_income: bool) -> Iterator[Values]:
    """Yield codes and amounts of each row; total and retention are shared out among them."""
    bases = [row.amounts.base for row in rows]
    totals = [sum(row.amounts, ZERO) for row in rows]
    totals[0] += sale.gross_total - sum(totals, ZERO)
    retentions = cells.shares(sale.retention, bases)
    for row, total, retention in zip(rows, totals, retentions, strict=True):
        values: Values = {**_codes(row), "total": total, "base": row.amounts.base}
        if row.qualification == "S1" and values["key"] != _OTHER_TERRITORY:
            values |= {"rate": row.rate, "quota": row.amounts.quota}
        if row.surcharge_rate:
            values |= {"surcharge_rate": row.surcharge_rate, "surcharge": row.amounts.surcharge}
        if sale.retention:
            values |= {"retention_rate": sale.retention_rate, "retention": retention}
        if with_income:
            income = ZERO if recovers_vat_only(sale) else row.amounts.base
            values |= {"concept": _OPERATING_INCOME, "income": income}
        yield values


def _codes(row: IssuedRow) -> Values:
    """Return key, qualification and exemption of a row."""
    if row.tax in {IGIC, IPSI}:
        return {"key": _OTHER_TERRITORY, "qualification": "N2"}
    key = row.key if row.key in _KEYS else GENERAL
    if key == _LETTING and not row.sale.retention:
        key = _LETTING_WITHOUT_RETENTION
    return {"key": key, "qualification": row.qualification, "exemption": row.exemption}

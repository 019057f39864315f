"""Book of received invoices and expenses: a row for each document and rate."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from ledgerkit.money import ZERO, percent_of
from ledgerkit.providers.api import Assessment, BookColumn, Cell, Ledger, Purchase, TaxProfile
from ledgerkit.providers.es.books import cells, columns
from ledgerkit.providers.es.books.cells import Settled, SpanishBook, Values, payment_rows
from ledgerkit.providers.es.books.concepts import expense_concept
from ledgerkit.providers.es.messages import BooksMsg
from ledgerkit.providers.es.operations import GENERAL
from ledgerkit.providers.es.tax_forms.income.deductible_costs import CostOf, cost_by
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile, spanish
from ledgerkit.providers.es.tax_forms.records import (
    IMPORT,
    WITHOUT_INVOICE,
    CashOn,
    ReceivedRow,
    cash_accounting,
    received_rows,
)
from ledgerkit.texts import text

_KEYS = frozenset({f"{number:02d}" for number in range(1, 10)} | {"12", "13"})
"""Keys of the format; what records name otherwise is of the general regime in the books."""

_LETTING, _LETTING_RECEIVED = "11", "12"
_WITH_REFERENCE = "1"
"""Situation of a leased property that has a cadastral reference, in the common territory."""


class ReceivedBook(SpanishBook):
    """Book of received invoices and expenses. It lists what is received within the span.

    What is deducted in another return than that of its reception says in which. Under cash accounting, a row for each
    payment of the span follows those of its invoice, or stands alone.
    """

    key = "received"
    name = text(BooksMsg.RECEIVED)
    sheet = "RECIBIDAS_GASTOS"

    def columns(self, year: int) -> Sequence[BookColumn]:  # noqa: ARG002 - the same in every year so far
        return tuple(columns.RECEIVED.values())

    def rows(self, ledger: Ledger, profile: TaxProfile) -> Iterator[tuple[Cell, ...]]:
        spanish_profile = spanish(profile)
        cash_on, cost_of = cash_accounting(spanish_profile), cost_by(spanish_profile)
        for purchase in ledger.purchases:
            for values in _of_purchase(purchase, ledger, spanish_profile, cash_on, cost_of):
                yield cells.row(values, columns.RECEIVED)


def _of_purchase(
    purchase: Purchase, ledger: Ledger, profile: SpanishTaxProfile, cash_on: CashOn, cost_of: CostOf
) -> Iterator[Values]:
    rows = list(received_rows(purchase, cash_on))
    if not rows:
        return
    document = _document(purchase, rows[0])
    if (day := purchase.reception_date) in ledger.span:
        beginning = {**cells.beginning(day, profile), **document, **_deducted(purchase, profile)}
        for codes_and_amounts in _amounts(rows, cost_of, with_costs=cells.keeps_income_books(profile)):
            yield {**beginning, **codes_and_amounts}
    by_cash = next((row for row in rows if row.by_cash), None)
    if by_cash is not None:
        payable = purchase.gross_total - purchase.retention
        accrual = purchase.operation_date or purchase.issue_date
        settled = Settled(purchase.gross_total, payable, purchase.payments, accrual)
        for paid_on, payment in payment_rows(settled, ledger.span):
            yield {**cells.beginning(paid_on, profile), **document, "key": by_cash.key, **payment}


def _document(purchase: Purchase, row: ReceivedRow) -> Values:
    """Return the columns that all rows of a document share."""
    operation = purchase.operation_date
    return {
        "invoice_type": row.invoice_type,
        "issue_date": purchase.issue_date,
        "operation_date": None if operation == purchase.issue_date else operation,
        "number": _number(purchase, row),
        "reception_date": purchase.reception_date,
        **cells.party(purchase.vendor),
        "reverse_charge": _yes_or_no(answer=purchase.assessment is Assessment.REVERSE_CHARGE),
        "estate_situation": _WITH_REFERENCE if purchase.leased_property else None,
        "estate_reference": purchase.leased_property,
        "reference": purchase.document_id,
    }


def _number(purchase: Purchase, row: ReceivedRow) -> str | None:
    """Return the number of the document that lets deduct: of an import, the one of customs (DUA).

    Source: AEAT, questions on the SII, 4.6 (version of 12/09/2019): invoice type F5.
    """
    of_customs = purchase.import_document if row.invoice_type == IMPORT else None
    return of_customs or purchase.number


def _deducted(purchase: Purchase, profile: SpanishTaxProfile) -> Values:
    """Return the columns that say in which return the tax is deducted, where that is a later one."""
    deduction_period = cells.period(purchase.deduction_date, profile)
    if deduction_period == cells.period(purchase.reception_date, profile):
        return {"deducted_later": "N"}
    year, code = deduction_period
    return {"deducted_later": "S", "deduction_year": year, "deduction_period": code}


def _amounts(rows: Sequence[ReceivedRow], cost_of: CostOf, *, with_costs: bool) -> Iterator[Values]:
    """Yield codes and amounts of each row; the retention is shared out among them."""
    purchase = rows[0].purchase
    retentions = cells.shares(purchase.retention, [row.amounts.base for row in rows])
    for row, retention in zip(rows, retentions, strict=True):
        cost = cost_of(row)
        values: Values = {**_codes(row), "total": _charged(row), "base": row.amounts.base}
        if row.invoice_type != WITHOUT_INVOICE or row.amounts.quota:
            values |= {"rate": row.rate, "quota": row.amounts.quota, "deductible": sum(row.amounts, ZERO) - cost}
        if row.amounts.surcharge:
            values |= {"surcharge_rate": _surcharge_rate(row), "surcharge": row.amounts.surcharge}
        if purchase.retention:
            values |= {"retention_rate": purchase.retention_rate, "retention": retention}
        if with_costs and not row.is_asset:
            share = percent_of(cost, purchase.income_tax_percent)
            values |= {"concept": expense_concept(purchase), "cost": share}
        yield values


def _charged(row: ReceivedRow) -> Decimal:
    """Return what the vendor charges: without the tax that the buyer assesses."""
    return row.amounts.base if row.self_assessed else sum(row.amounts, ZERO)


def _surcharge_rate(row: ReceivedRow) -> Decimal | None:
    rates = (tax.surcharge_rate for tax in row.purchase.taxes if tax.rate == row.rate)
    return next((rate for rate in rates if rate), None)


def _codes(row: ReceivedRow) -> Values:
    key = _LETTING_RECEIVED if row.key == _LETTING else row.key
    return {
        "key": key if key in _KEYS else GENERAL,
        "investment_good": _yes_or_no(answer=row.investment_good),
    }


def _yes_or_no(*, answer: bool) -> str:
    return "S" if answer else "N"

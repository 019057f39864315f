"""Expenses of the ledger: their statement, and the conversion of rows to purchases. Amounts in the account's currency.

All expenses count, since each holds its exchange rate. The day of payment is one payment of the whole.
"""

import datetime as dt
from decimal import Decimal
from uuid import UUID

from sqlalchemy import func, or_, select

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.purchases.expenses.table import expense
from ledgerkit.core.purchases.received_documents.input import assessment
from ledgerkit.core.purchases.supplier_invoices.table import supplier_invoice
from ledgerkit.core.purchases.vendors.table import vendor
from ledgerkit.core.reports.ledger.selection import (
    CASH,
    PAID_IN_SPAN,
    first_payment,
    ids_in_span,
    retention_base,
    retention_kind,
)
from ledgerkit.core.reports.sources import purchases
from ledgerkit.core.reports.sources.sales import FIRST, LAST
from ledgerkit.providers.api import (
    DocumentRef,
    LedgerPayment,
    Party,
    Purchase,
    PurchaseKind,
    PurchaseOrigin,
    PurchaseTax,
)


class LedgerExpenseRow(Row):
    """Expense with the amounts that follow from its columns."""

    id: UUID
    description: str
    doc_type: str
    invoice_number: str | None
    date: dt.date
    operation_date: dt.date | None
    reception_date: dt.date
    deduction_date: dt.date
    paid_at: dt.date | None
    payment_method: str | None
    vendor: str | None
    vendor_tax_id: str | None
    vendor_country: str | None
    vendor_province: str | None
    vendor_postal_code: str | None
    reverse_charge: bool
    intra_eu: str
    tax_rate: Decimal
    base_total: Decimal
    base_amount: Decimal
    base_tax_amount: Decimal
    base_retention_amount: Decimal
    retention_rate: Decimal
    deductible_tax_amount: Decimal
    income_tax_percent: Decimal
    investment_good: bool
    category: str
    regime_key: str | None
    retention_kind: str | None
    leased_property: str | None
    import_dua: str | None
    useful_life_years: int | None
    triangular: bool
    corrected_number: str | None
    corrected_date: dt.date | None
    corrected_paid_on: dt.date | None
    cost: Decimal
    cash: Decimal
    deductible_base: Decimal


def purchase(row: LedgerExpenseRow, country: str) -> Purchase:
    """Return the purchase of a row; a vendor without a country is of `country`."""
    tax = PurchaseTax(
        rate=row.tax_rate,
        base=row.base_amount,
        tax=row.base_tax_amount,
        deductible_base=row.deductible_base,
        deductible_tax=row.deductible_tax_amount,
        investment_good=row.investment_good,
        useful_life_years=row.useful_life_years,
    )
    return Purchase(
        document_id=str(row.id),
        origin=PurchaseOrigin.EXPENSE,
        kind=PurchaseKind(row.doc_type),
        number=row.invoice_number,
        issue_date=row.date,
        operation_date=row.operation_date,
        reception_date=row.reception_date,
        deduction_date=row.deduction_date,
        vendor=Party(
            name=row.vendor or "",
            tax_id=row.vendor_tax_id,
            country=row.vendor_country or country,
            province=row.vendor_province,
            postal_code=row.vendor_postal_code,
        ),
        assessment=assessment(reverse_charge=row.reverse_charge, intra_eu=row.intra_eu),
        taxes=(tax,),
        cost=row.cost,
        income_tax_percent=row.income_tax_percent,
        retention=row.base_retention_amount,
        retention_base=retention_base(row.base_amount, row.base_retention_amount, row.retention_kind),
        gross_total=row.base_total,
        category=row.category,
        regime_key=row.regime_key,
        retention_kind=retention_kind(row.retention_kind),
        leased_property=row.leased_property,
        triangular=row.triangular,
        corrects=_corrects(row),
        corrected_paid_on=row.corrected_paid_on,
        payments=_payments(row),
        retention_rate=row.retention_rate if row.base_retention_amount else None,
        description=row.description,
        import_document=row.import_dua,
    )


def _corrects(row: LedgerExpenseRow) -> tuple[DocumentRef, ...]:
    if row.corrected_date is None:
        return ()
    return (DocumentRef(number=row.corrected_number or "", issue_date=row.corrected_date),)


def _payments(row: LedgerExpenseRow) -> tuple[LedgerPayment, ...]:
    if row.paid_at is None:
        return ()
    return (LedgerPayment(day=row.paid_at, amount=row.cash, in_cash=row.payment_method == CASH),)


# ---------------------------------------------------------------- statements

_of = expense.c
_SHOWN = _of.deleted_at.is_(None)
_DAYS = (_of.date, _of.operation_date, _of.reception_date, _of.deduction_date, _of.paid_at)
_expense, _invoice = expense.alias("corrected_expense"), supplier_invoice.alias("corrected_invoice")
_JOINED = (
    expense.outerjoin(_expense, _expense.c.id == _of.rectifies)
    .outerjoin(_invoice, _invoice.c.id == _of.rectifies)
    .outerjoin(vendor, vendor.c.id == _of.vendor_id)
)
_note, _paid = expense.alias("note"), expense.alias("paid")
_OF_PAID = select(_note.c.id).where(
    or_(
        _note.c.rectifies.in_(select(_paid.c.id).where(_paid.c.paid_at.between(FIRST, LAST))),
        _note.c.rectifies.in_(PAID_IN_SPAN),
    )
)
_DERIVED = {
    "vendor_province": vendor.c.province,
    "vendor_postal_code": vendor.c.postal_code,
    "corrected_number": func.coalesce(_expense.c.invoice_number, _invoice.c.invoice_number),
    "corrected_date": func.coalesce(_expense.c.date, _invoice.c.invoice_date),
    "corrected_paid_on": func.coalesce(_expense.c.paid_at, first_payment(_of.rectifies)),
    "cost": purchases.expense_cost(),
    "cash": purchases.expense_cash(),
    "deductible_base": purchases.expense_deductible_base(),
    "income_tax_percent": purchases.expense_income_tax_percent(),
}

_COLUMNS = (
    *(_of[name] for name in LedgerExpenseRow.__annotations__ if name not in _DERIVED),
    *(amount.label(name) for name, amount in _DERIVED.items()),
)

COUNTED = Prepared(
    select(*_COLUMNS)
    .select_from(_JOINED)
    .where(_SHOWN, _of.id.in_(select(ids_in_span(_SHOWN, _of.id, _DAYS, _OF_PAID).c.id))),
    LedgerExpenseRow,
)
EARLIER_INVESTMENTS = Prepared(
    select(*_COLUMNS)
    .select_from(_JOINED)
    .where(_SHOWN, or_(_of.investment_good, _of.useful_life_years.is_not(None)), _of.reception_date < FIRST),
    LedgerExpenseRow,
)

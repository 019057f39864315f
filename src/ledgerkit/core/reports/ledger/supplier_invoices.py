"""Supplier invoices of the ledger: their statements, and the conversion of rows to purchases."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Numeric, Subquery, and_, cast, func, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by

from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.reports import purchases
from ledgerkit.core.reports.ledger.selection import (
    OmittedRow,
    PaymentsRow,
    assessment,
    ids_in_span,
    ledger_payments,
    payments,
)
from ledgerkit.core.reports.sales import CURRENCY, FIRST, LAST
from ledgerkit.core.supplier_invoices.models import NOT_CANCELLED, supplier_invoice, supplier_payment
from ledgerkit.money import ZERO
from ledgerkit.providers.api import Assessment, Party, Purchase, PurchaseKind, PurchaseOrigin, PurchaseTax

_NOTHING = Decimal("0.00")


class SupplierInvoiceRow(PaymentsRow):
    """Supplier invoice with its rates, the largest tax first, and its payments; the rates' columns one for one."""

    id: UUID
    invoice_number: str | None
    invoice_date: date
    operation_date: date | None
    reception_date: date
    deduction_date: date
    vendor_name: str
    vendor_tax_id: str | None
    vendor_country: str
    reverse_charge: bool
    intra_eu: str
    subtotal: Decimal
    retention_amount: Decimal
    retention_rate: Decimal | None
    total: Decimal
    income_tax_percent: Decimal
    investment_good: bool
    regime_key: str | None
    category: str
    cost: Decimal
    description: str
    rates: Sequence[Decimal]
    bases: Sequence[Decimal]
    taxes: Sequence[Decimal]
    surcharges: Sequence[Decimal]
    surcharge_rates: Sequence[Decimal]
    deductible_bases: Sequence[Decimal]
    deductible_taxes: Sequence[Decimal]


def purchase(row: SupplierInvoiceRow) -> Purchase:
    """Return the purchase of a row."""
    assessed = assessment(reverse_charge=row.reverse_charge, intra_eu=row.intra_eu)
    return Purchase(
        document_id=str(row.id),
        origin=PurchaseOrigin.SUPPLIER_INVOICE,
        kind=PurchaseKind.INVOICE,
        number=row.invoice_number,
        issue_date=row.invoice_date,
        operation_date=row.operation_date,
        reception_date=row.reception_date,
        deduction_date=row.deduction_date,
        vendor=Party(name=row.vendor_name, tax_id=row.vendor_tax_id, country=row.vendor_country),
        assessment=assessed,
        taxes=tuple(_taxes(row, assessed)),
        cost=row.cost,
        income_tax_percent=row.income_tax_percent,
        retention=row.retention_amount,
        retention_base=row.subtotal if row.retention_amount else _NOTHING,
        gross_total=row.total + row.retention_amount,
        category=row.category,
        regime_key=row.regime_key,
        payments=ledger_payments(row),
        retention_rate=row.retention_rate if row.retention_amount else None,
        description=row.description,
    )


def _taxes(row: SupplierInvoiceRow, assessed: Assessment) -> Iterator[PurchaseTax]:
    """Yield the tax of each rate. Only a vendor that charges the tax charges a surcharge."""
    charged = assessed is Assessment.VENDOR
    amounts = (row.rates, row.bases, row.taxes, row.deductible_bases, row.deductible_taxes)
    surcharges = zip(row.surcharge_rates, row.surcharges, strict=True)
    for line, (surcharge_rate, surcharge) in zip(zip(*amounts, strict=True), surcharges, strict=True):
        rate, base, tax, deductible_base, deductible_tax = line
        yield PurchaseTax(
            rate=rate,
            base=base,
            tax=tax,
            deductible_base=deductible_base,
            deductible_tax=deductible_tax,
            surcharge_rate=surcharge_rate if charged and surcharge_rate else None,
            surcharge_amount=surcharge if charged else _NOTHING,
            investment_good=row.investment_good,
        )


# ---------------------------------------------------------------- statements

_MONEY, _RATE = Numeric(15, 2), Numeric(6, 3)

_of, _payment = supplier_invoice.c, supplier_payment.c

_IN_SPAN = ids_in_span(
    NOT_CANCELLED,
    _of.id,
    (_of.invoice_date, _of.operation_date, _of.reception_date, _of.deduction_date),
    select(_payment.supplier_invoice_id).where(_payment.payment_date.between(FIRST, LAST)),
)
_LISTED = _of.id.in_(select(_IN_SPAN.c.id))


def _statement(wanted: ColumnElement[bool]) -> Prepared[SupplierInvoiceRow]:
    paid = payments(
        _payment.payment_date, _payment.amount, _payment.payment_method, _payment.supplier_invoice_id == _of.id
    )
    rates = _rates(wanted)
    joined = [*list(rates.c)[1:], *paid.c]
    computed: dict[str, ColumnElement[Any]] = {
        "category": purchases.supplier_category(),
        "cost": purchases.supplier_cost(),
        "description": func.coalesce(_of["items"][0]["description"].astext, ""),
    }
    derived = {*computed, *(column.name for column in joined)}
    columns = [
        *(_of[name] for name in SupplierInvoiceRow.__annotations__ if name not in derived),
        *(value.label(name) for name, value in computed.items()),
        *joined,
    ]
    statement = (
        select(*columns)
        .select_from(supplier_invoice.join(rates, rates.c.id == _of.id).outerjoin(paid, true()))
        .where(NOT_CANCELLED, _of.currency == CURRENCY, wanted)
    )
    return Prepared(statement, SupplierInvoiceRow)


def _rates(wanted: ColumnElement[bool]) -> Subquery:
    """Return the rates of each document as arrays, by the document's id."""
    row = purchases.supplier_rates(wanted).subquery("rate").c
    amounts = {
        "rates": cast(row.rate, _RATE),
        "bases": cast(row.base, _MONEY),
        "taxes": cast(row.tax, _MONEY),
        "surcharges": cast(row.surcharge, _MONEY),
        "surcharge_rates": cast(func.coalesce(row.surcharge_rate, ZERO), _RATE),
        "deductible_bases": cast(row.deductible_base, _MONEY),
        "deductible_taxes": cast(row.deductible_tax, _MONEY),
    }
    arrays = [func.array_agg(aggregate_order_by(value, row.place)).label(name) for name, value in amounts.items()]
    return select(row.id, *arrays).group_by(row.id).subquery("rates")


COUNTED = _statement(_LISTED)
EARLIER_INVESTMENTS = _statement(and_(_of.investment_good, _of.reception_date < FIRST))
OMITTED = Prepared(
    select(_of.id, _of.invoice_number.label("number"), _of.invoice_date.label("issue_date"))
    .where(NOT_CANCELLED, _of.currency != CURRENCY, _LISTED)
    .order_by(_of.invoice_date, _of.id),
    OmittedRow,
)

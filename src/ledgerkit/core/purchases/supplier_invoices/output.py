"""Supplier invoices as callers see them: single ones built from a row, lists rendered by the database."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Date,
    Numeric,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
)

from ledgerkit.core.platform.database.statements import constant
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.platform.documents.exchange_rates import Convertible
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.records.listing import Listing
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.received_documents import queries as purchases
from ledgerkit.core.purchases.received_documents.input import assessment
from ledgerkit.core.purchases.supplier_invoices.api import Status, SupplierInvoice, SupplierPayment
from ledgerkit.core.purchases.supplier_invoices.table import (
    DEDUCTIONS,
    StoredDeduction,
    SupplierInvoiceRow,
    SupplierPaymentRow,
    supplier_invoice,
    supplier_payment,
)
from ledgerkit.providers.api import Party, PurchaseFacts, PurchaseKind, PurchaseTax, RetentionKind

OPEN, PAID, CANCELLED = (f"supplier_invoice.{state}" for state in ("open", "paid", "cancelled"))
ALL_PAYMENTS = "supplier_payment"
"""Kinds of the counters."""

TODAY = bindparam("today", type_=Date)

_ZERO: ColumnElement[Any] = literal_column("0")
"""Literal zero: the planner does not match a partial index's predicate with a parameter."""

_balance, _cancelled_at = supplier_invoice.c.balance, supplier_invoice.c.cancelled_at
_not_yet_due = supplier_invoice.c.due_date >= TODAY
_partly_paid = supplier_invoice.c.paid_amount != _ZERO

unpaid = and_(_balance != _ZERO, _cancelled_at.is_(None))
"""Condition of open invoices and credit notes, as in the predicate of their partial indexes."""

overdue = and_(unpaid, supplier_invoice.c.due_date < TODAY)
not_overdue = or_(_balance == _ZERO, _cancelled_at.is_not(None), _not_yet_due)

WITH_STATUS: dict[Status, ColumnElement[bool]] = {
    "cancelled": _cancelled_at.is_not(None),
    "paid": and_(_balance == _ZERO, _cancelled_at.is_(None)),
    "overdue": overdue,
    "partial": and_(unpaid, _not_yet_due, _partly_paid),
    "pending": and_(unpaid, _not_yet_due, ~_partly_paid),
}
"""Condition of each status; every invoice meets exactly one."""

status = case(
    (_cancelled_at.is_not(None), constant("cancelled")),
    (_balance == _ZERO, constant("paid")),
    (supplier_invoice.c.due_date < TODAY, constant("overdue")),
    (_partly_paid, constant("partial")),
    else_=constant("pending"),
)
"""Status derived on every read, in this order (decisions K3): an overdue invoice stays so after a part payment."""


def status_of(row: SupplierInvoiceRow, today: date) -> Status:
    """Return the status of a row on the day `today`, by the rules of `status`."""
    if row.cancelled_at is not None:
        return "cancelled"
    if row.balance == 0:
        return "paid"
    if row.due_date < today:
        return "overdue"
    return "partial" if row.paid_amount else "pending"


INVOICES = Listing(
    supplier_invoice,
    SupplierInvoice,
    order=[supplier_invoice.c.due_date, supplier_invoice.c.id],
    computed={"status": status, "warnings": func.json_build_array()},
)
"""Needs the parameter `today`."""

FILTERS: dict[str, ColumnElement[bool]] = {
    **purchases.conditions(supplier_invoice, supplier_invoice.c.invoice_date),
    "due_from": supplier_invoice.c.due_date >= bindparam("due_from", type_=Date),
    "due_to": supplier_invoice.c.due_date <= bindparam("due_to", type_=Date),
    "amount_min": supplier_invoice.c.total >= bindparam("amount_min", type_=Numeric),
    "amount_max": supplier_invoice.c.total <= bindparam("amount_max", type_=Numeric),
    **search.filters(supplier_invoice),
}
"""Conditions of a list of invoices by the names of their parameters."""

_VENDOR_OF_INVOICE = (
    select(supplier_invoice.c.vendor_id)
    .where(supplier_invoice.c.id == supplier_payment.c.supplier_invoice_id)
    .correlate(supplier_payment)
    .scalar_subquery()
)

_INVOICES_OF_VENDOR = select(supplier_invoice.c.id).where(
    supplier_invoice.c.vendor_id == bindparam("vendor_id", type_=Uuid)
)

PAYMENTS = Listing(
    supplier_payment,
    SupplierPayment,
    computed={"vendor_id": _VENDOR_OF_INVOICE},
    order=[supplier_payment.c.payment_date.desc(), supplier_payment.c.id.desc()],
    filters={
        **purchases.conditions(supplier_payment, supplier_payment.c.payment_date),
        "vendor_id": supplier_payment.c.supplier_invoice_id.in_(_INVOICES_OF_VENDOR),
        "payment_method": supplier_payment.c.payment_method == bindparam("payment_method", type_=Text),
    },
    totals={frozenset(): counters.total([ALL_PAYMENTS])},
)
"""A payment never changes, but merging vendors changes its invoice: the vendor shown is the invoice's."""

_of = supplier_invoice.c
account_balance = exchange_rates.account_balance(
    Convertible(_of.total, _of.exchange_rate, _of.converted), _of.paid_amount
)
"""SQL expression of the balance in the account's currency, where the invoice counts."""

account_payment = func.coalesce(supplier_payment.c.base_amount, supplier_payment.c.amount)
"""SQL expression of a payment in the account's currency, where its invoice counts."""


def as_invoice(ctx: Context, row: SupplierInvoiceRow, warnings: Sequence[str]) -> SupplierInvoice:
    return INVOICES.shape(row, status=status_of(row, ctx.account.today()), warnings=list(warnings))


def facts(ctx: Context, row: SupplierInvoiceRow) -> PurchaseFacts | None:
    """Return what an invoice is judged by, in its currency; None for one that does not count: it is cancelled."""
    if row.cancelled_at is not None:
        return None
    return PurchaseFacts(
        buyer=ctx.account.party(),
        vendor=Party(name=row.vendor_name, tax_id=row.vendor_tax_id, country=row.vendor_country),
        kind=kind(row.rectifies, row.import_dua),
        assessment=assessment(reverse_charge=row.reverse_charge, intra_eu=row.intra_eu),
        taxes=taxes(row.deductions),
        issue_date=row.invoice_date,
        operation_date=row.operation_date,
        reception_date=row.reception_date,
        deduction_date=row.deduction_date,
        retention=row.retention_amount,
        income_tax_percent=row.income_tax_percent,
        category=row.category or "",
        regime_key=row.regime_key,
        retention_kind=None if row.retention_kind is None else RetentionKind(row.retention_kind),
    )


def kind(rectifies: UUID | None, import_dua: str | None) -> PurchaseKind:
    """Return what an invoice is for taxes, by the invoice that it corrects and by its customs document."""
    if rectifies is not None:
        return PurchaseKind.CREDIT_NOTE
    return PurchaseKind.INVOICE if import_dua is None else PurchaseKind.IMPORT


def taxes(deductions: StoredJson[tuple[StoredDeduction, ...]]) -> tuple[PurchaseTax, ...]:
    """Return the taxes of an invoice, with what is deducted of each."""
    return tuple(
        PurchaseTax(
            rate=stored.rate,
            base=stored.base,
            tax=stored.tax,
            deductible_base=stored.deductible_base,
            deductible_tax=stored.deductible_tax,
            surcharge_rate=stored.surcharge_rate,
            surcharge_amount=stored.surcharge,
            investment_good=stored.investment_good,
            useful_life_years=stored.useful_life_years,
        )
        for stored in DEDUCTIONS.decode(deductions)
    )


def as_payment(payment: SupplierPaymentRow, invoice: SupplierInvoiceRow) -> SupplierPayment:
    """Return a payment of `invoice` as callers see it."""
    return PAYMENTS.shape(payment, vendor_id=str(invoice.vendor_id))


def label(row: SupplierInvoiceRow) -> str:
    """Return the invoice's number and vendor, by which people recognise it."""
    return " ".join(part for part in (row.invoice_number, row.vendor_name) if part)

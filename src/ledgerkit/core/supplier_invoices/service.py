"""Supplier invoices: record, read and cancel them."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from uuid import UUID

from sqlalchemy import Text, Uuid, bindparam, select

from ledgerkit import clock
from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.attachments import service as attachments
from ledgerkit.core.attachments.documents import DocumentKind, declare
from ledgerkit.core.attachments.schemas import DocumentType
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.row_types import Row
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.documents.purchase_details import StatedPurchase, check_details
from ledgerkit.core.records import counters, search
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.core.supplier_invoices import amounts, payables, shapes
from ledgerkit.core.supplier_invoices.lists import CANCELLED, OPEN, PAID
from ledgerkit.core.supplier_invoices.messages import SupplierInvoicesMsg
from ledgerkit.core.supplier_invoices.models import (
    SupplierInvoiceRow,
    SupplierPaymentRow,
    supplier_invoice,
    supplier_payment,
)
from ledgerkit.core.supplier_invoices.schemas import (
    Cancellation,
    SupplierInvoice,
    SupplierInvoiceInput,
    SupplierInvoiceWithPayments,
)
from ledgerkit.core.vendors import service as vendors
from ledgerkit.core.vendors.models import VendorRow
from ledgerkit.money import HUNDRED, ZERO, RoundingPolicy
from ledgerkit.problems import Code, Conflict, Invalid, NotFound

TERM_DAYS = 30
"""Days until an invoice is due when neither it nor its vendor gives a term (decisions K1)."""

MAX_KEY = 200
"""Characters of an invoice number that are compared: an index entry holds no more."""

_COPIED_FIELDS = (
    "invoice_date",
    "operation_date",
    "retention_rate",
    "notes",
    "attachment_url",
    "reverse_charge",
    "intra_eu",
    "investment_good",
    "regime_key",
    "retention_kind",
    "leased_property",
    "import_dua",
    "useful_life_years",
)


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def get(ctx: Context, invoice_id: str) -> SupplierInvoiceWithPayments:
    """Return one supplier invoice with all its payments, in the order in which they were recorded."""
    row = await records.fetch(ctx, supplier_invoice, invoice_id, "supplier invoice")
    payments = [shapes.PAYMENTS.shape(payment) for payment in await _PAYMENTS.rows(ctx.db, supplier_invoice_id=row.id)]
    return SupplierInvoiceWithPayments.model_validate({**dict(shapes.as_invoice(ctx, row)), "payments": payments})


@operation(
    Permission.SUPPLIER_INVOICES_WRITE,
    errors=[(Conflict, {Code.DUPLICATE_SUPPLIER_INVOICE}), (NotFound, {Code.NOT_FOUND})],
)
async def create(ctx: Context, data: SupplierInvoiceInput) -> SupplierInvoice:
    """Record an invoice of a stored vendor, with a copy of the vendor's present name and tax id.

    Raises NotFound for an unknown vendor, Conflict DUPLICATE_SUPPLIER_INVOICE for a number of that vendor which is
    recorded and not cancelled, Invalid naming each wrong field.
    """
    vendor = await vendors.locked(ctx, data.vendor_id)
    values = _values(ctx, data, vendor)
    await counters.add(ctx.db, {OPEN if values["total"] else PAID: 1})
    row = await _insert(ctx, values)
    await payables.add(ctx, row)
    await attachments.adopt(ctx, data.attachment_url, ATTACHED, row.id)
    await activity.record(ctx, "created", ("supplier_invoice", row.id), shapes.label(row))
    return shapes.as_invoice(ctx, row)


@operation(
    Permission.SUPPLIER_INVOICES_PAY,
    errors=[(Invalid, {Code.NOT_CANCELLABLE})],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
)
async def cancel(ctx: Context, invoice_id: str, data: Cancellation) -> SupplierInvoice:
    """Cancel an invoice for good: it is no longer owed, and its number may be recorded again.

    Raises Invalid NOT_CANCELLABLE when it is cancelled already, or any part of it is paid.
    """
    old = await records.fetch_locked(ctx, supplier_invoice, invoice_id, "supplier invoice")
    _check_cancellable(old)
    await counters.add(ctx.db, {OPEN: -1, CANCELLED: 1})
    values = {"cancelled_at": clock.now(), "cancel_reason": data.reason}
    row = await records.change(ctx, supplier_invoice, old.id, values)
    await payables.change(ctx, row, count=-1, invoiced=-row.total, paid=ZERO)
    changes = activity.changed({}, {"cancel_reason": data.reason})
    await activity.record(ctx, "cancelled", ("supplier_invoice", row.id), shapes.label(row), changes)
    return shapes.as_invoice(ctx, row)


def number_key(number: str) -> str:
    """Return the form in which two spellings of an invoice number are equal, as `F-2026/001` and `f 2026 001`.

    Case, accents and separators do not count, except for a separator between two digits: `1/11` is not `11/1`.
    """
    folded = search.fold(number)
    with_separators = re.sub(r"(?<=\d)[\W_]+(?=\d)", "-", folded)
    return (re.sub(r"[^\w-]|_|(?<!\d)-|-(?!\d)", "", with_separators) or folded)[:MAX_KEY]


# ---------------------------------------------------------------- columns of a new row


def _values(ctx: Context, data: SupplierInvoiceInput, vendor: VendorRow) -> dict[str, object]:
    """Return the new row's columns, with defaults from the vendor."""
    rate = _tax_rate(ctx, data, vendor)
    sums = amounts.compute(data, rate, ctx.country.tax.rounding if ctx.country else RoundingPolicy())
    check_details(
        StatedPurchase(
            retention_kind=data.retention_kind,
            useful_life_years=data.useful_life_years,
            triangular=bool(data.triangular),
            intra_eu=data.intra_eu,
            investment_good=data.investment_good,
            retention=sums.retention,
        )
    )
    term = TERM_DAYS if vendor.payment_term_days is None else vendor.payment_term_days
    number = data.invoice_number or None
    category = data.category or vendor.default_category
    texts = (item.description for item in data.items or ())
    return {
        **{name: getattr(data, name) for name in _COPIED_FIELDS},
        **sums.columns(),
        **_dates(data, term),
        "id": new_id(),
        "vendor_id": vendor.id,
        "vendor_name": vendor.name,
        "vendor_tax_id": vendor.tax_id,
        "vendor_country": vendor.country,
        "invoice_number": number,
        "number_key": None if number is None else number_key(number),
        "tax_rate": rate,
        "triangular": bool(data.triangular),
        "deductible_percent": amounts.default_use(data).deductible_percent,
        "income_tax_percent": HUNDRED if data.income_tax_percent is None else data.income_tax_percent,
        "currency": data.currency or ctx.account.currency,
        "category": category,
        "created_by": ctx.actor.user_id,
        "channel": ctx.actor.channel.value,
        "search_text": search.searchable(number, vendor.name, vendor.tax_id, *texts, category, data.notes),
    }


def _tax_rate(ctx: Context, data: SupplierInvoiceInput, vendor: VendorRow) -> Decimal:
    """Return the rate sent, else the vendor's, else zero; where the buyer assesses the tax, the general rate."""
    if data.tax_rate is not None:
        return data.tax_rate
    if vendor.default_tax_rate is not None:
        return vendor.default_tax_rate
    if amounts.is_tax_charged(data) or ctx.country is None:
        return ZERO
    return ctx.country.tax.rates(data.operation_date or data.invoice_date)[0].percent


def _dates(data: SupplierInvoiceInput, term: int) -> dict[str, date]:
    """Return the days of payment, reception and deduction.

    Raises Invalid for a day before the invoice, and for a deduction before the reception.
    """
    due_date = data.due_date or data.invoice_date + timedelta(days=term)
    reception_date = data.reception_date or data.invoice_date
    deduction_date = data.deduction_date or reception_date
    for field, day, earliest_day, earliest in (
        ("dueDate", due_date, data.invoice_date, "invoiceDate"),
        ("receptionDate", reception_date, data.invoice_date, "invoiceDate"),
        ("deductionDate", deduction_date, reception_date, "receptionDate"),
    ):
        if day < earliest_day:
            raise Invalid.field(field, SupplierInvoicesMsg.DAY_TOO_EARLY, earliest=earliest)
    return {"due_date": due_date, "reception_date": reception_date, "deduction_date": deduction_date}


def _check_cancellable(row: SupplierInvoiceRow) -> None:
    label = shapes.label(row)
    if row.cancelled_at is not None:
        raise Invalid(SupplierInvoicesMsg.ALREADY_CANCELLED, code=Code.NOT_CANCELLABLE, label=label)
    if row.paid_amount > 0 or row.balance <= 0:
        raise Invalid(SupplierInvoicesMsg.ALREADY_PAID, code=Code.NOT_CANCELLABLE, label=label)


async def _insert(ctx: Context, values: Mapping[str, object]) -> SupplierInvoiceRow:
    """Insert the row. Waits for a writer of the same number, and raises Conflict naming the invoice that has it."""
    row = await records.add_unless_there(ctx, supplier_invoice, values)
    if row is not None:
        return row
    recorded = await SAME_NUMBER.row(ctx.db, vendor_id=values["vendor_id"], number_key=values["number_key"])
    number, vendor = values["invoice_number"], values["vendor_name"]
    remedy = SupplierInvoicesMsg.CORRECT_OR_CANCEL
    if recorded is None:
        raise Conflict(
            SupplierInvoicesMsg.NUMBER_RECORDED,
            code=Code.DUPLICATE_SUPPLIER_INVOICE,
            remedy=remedy,
            number=number,
            vendor=vendor,
        )
    raise Conflict(
        SupplierInvoicesMsg.NUMBER_RECORDED_AS,
        code=Code.DUPLICATE_SUPPLIER_INVOICE,
        remedy=remedy,
        number=number,
        vendor=vendor,
        invoice_id=recorded.id,
    )


ATTACHED = declare(
    DocumentKind(
        type=DocumentType.SUPPLIER_INVOICE,
        table=supplier_invoice,
        what="supplier invoice",
        read=Permission.SUPPLIER_INVOICES_READ,
        write=Permission.SUPPLIER_INVOICES_WRITE,
        link="attachment_url",
        last_day=lambda row: max(row.invoice_date, row.due_date, row.reception_date, row.deduction_date),
    )
)
"""The invoice as it came, with its path in `attachmentUrl`."""


class _IdRow(Row):
    id: UUID


SAME_NUMBER = Prepared(
    select(supplier_invoice.c.id).where(
        supplier_invoice.c.vendor_id == bindparam("vendor_id", type_=Uuid),
        supplier_invoice.c.number_key == bindparam("number_key", type_=Text),
        supplier_invoice.c.cancelled_at.is_(None),
    ),
    _IdRow,
)
_PAYMENTS = Prepared(
    select(supplier_payment)
    .where(supplier_payment.c.supplier_invoice_id == bindparam("supplier_invoice_id", type_=Uuid))
    .order_by(supplier_payment.c.id),
    SupplierPaymentRow,
)

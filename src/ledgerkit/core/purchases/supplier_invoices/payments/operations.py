"""Payments to suppliers, and money that they give back: each brings its invoice's balance nearer to zero."""

from datetime import date, datetime, timedelta
from decimal import Decimal

from sqlalchemy import DateTime, Uuid, bindparam, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.attachments import operations as attachments
from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.attachments.documents.kinds import DocumentKind, declare
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.supplier_invoices import acts
from ledgerkit.core.purchases.supplier_invoices import output as supplier_invoice_output
from ledgerkit.core.purchases.supplier_invoices.amounts import conversion
from ledgerkit.core.purchases.supplier_invoices.api import SupplierPayment, SupplierPaymentInput
from ledgerkit.core.purchases.supplier_invoices.output import ALL_PAYMENTS, OPEN, PAID
from ledgerkit.core.purchases.supplier_invoices.payables import totals as payables
from ledgerkit.core.purchases.supplier_invoices.table import (
    SupplierInvoiceRow,
    SupplierPaymentRow,
    supplier_invoice,
    supplier_payment,
)
from ledgerkit.core.purchases.supplier_invoices.texts import SupplierInvoicesMsg
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid

AHEAD = timedelta(days=1)
"""Longest time by which a payment may lie ahead: a transfer of tomorrow is recorded today (decisions K4)."""

_SENT_COLUMNS = ("amount", "payment_method", "bank", "reference", "notes", "attachment_url")


@operation(
    Permission.SUPPLIER_INVOICES_PAY,
    errors=[(Invalid, {Code.PAYMENT_EXCEEDS_BALANCE, Code.SUPPLIER_INVOICE_CANCELLED})],
    act=acts.PAYMENT,
)
async def pay(ctx: Context, invoice_id: str, data: SupplierPaymentInput) -> SupplierPayment:
    """Record a payment in the invoice's currency, at most the balance; below zero on a credit note.

    The balance is checked and changed under the invoice's lock, so simultaneous payments add up to the cent.
    Raises Invalid PAYMENT_EXCEEDS_BALANCE, also when nothing is owed any more, and SUPPLIER_INVOICE_CANCELLED.
    """
    payment_date = _payment_date(ctx, data.payment_date)
    old = await records.fetch_locked(ctx, supplier_invoice, invoice_id, "supplier invoice")
    _check_payable(old, data.amount)
    status_changes = {OPEN: -1, PAID: 1} if data.amount == old.balance else {}
    await counters.add(ctx.db, {ALL_PAYMENTS: 1, **status_changes})
    row = await records.change(
        ctx, supplier_invoice, old.id, Values(SupplierInvoiceRow, paid_amount=old.paid_amount + data.amount)
    )
    base_amount = conversion.converted_payment(row, old.paid_amount, row.paid_amount)
    values = _values(ctx, row, data, payment_date) | Values(SupplierPaymentRow, base_amount=base_amount)
    payment = await records.add(ctx, supplier_payment, values)
    paid = data.amount if base_amount is None else base_amount
    await payables.change(ctx, row, count=0, invoiced=ZERO, paid=paid)
    await attachments.adopt(ctx, data.attachment_url, ATTACHED, payment.id)
    changes = activity.changed({"paid_amount": old.paid_amount}, {"paid_amount": row.paid_amount})
    await activity.record(
        ctx, "payment_added", ("supplier_invoice", row.id), supplier_invoice_output.label(row), changes
    )
    return supplier_invoice_output.as_payment(payment, row)


async def take_back(ctx: Context, invoice_id: str, recorded_at: datetime) -> list[date]:
    """Reverse the payments of an invoice that were recorded at one moment, and return their days.

    Payments are never altered: each gets an opposite one of the same day. Raises NotFound, Forbidden, Invalid
    SUPPLIER_INVOICE_CANCELLED.
    """
    ctx.require(Permission.SUPPLIER_INVOICES_PAY)
    row = await records.fetch_locked(ctx, supplier_invoice, invoice_id, "supplier invoice")
    if row.cancelled_at is not None:
        label = supplier_invoice_output.label(row)
        raise Invalid(SupplierInvoicesMsg.CANCELLED, code=Code.SUPPLIER_INVOICE_CANCELLED, label=label)
    payments = await _RECORDED.rows(ctx.db, supplier_invoice_id=row.id, recorded_at=recorded_at)
    for payment in payments:
        row = await _reverse(ctx, row, payment)
    return [payment.payment_date for payment in payments]


async def _reverse(ctx: Context, old: SupplierInvoiceRow, payment: SupplierPaymentRow) -> SupplierInvoiceRow:
    status_changes = {} if old.balance else {OPEN: 1, PAID: -1}
    await counters.add(ctx.db, {ALL_PAYMENTS: 1, **status_changes})
    row = await records.change(
        ctx, supplier_invoice, old.id, Values(SupplierInvoiceRow, paid_amount=old.paid_amount - payment.amount)
    )
    base_amount = None if payment.base_amount is None else -payment.base_amount
    origin = Values(
        SupplierPaymentRow,
        id=new_id(),
        amount=-payment.amount,
        base_amount=base_amount,
        balance_after=row.balance,
        created_by=ctx.actor.user_id,
        channel=ctx.actor.channel.value,
    )
    copied = Values.copied(SupplierPaymentRow, payment, _REVERSED_COLUMNS)
    await records.add(ctx, supplier_payment, copied | origin)
    paid = -payment.amount if base_amount is None else base_amount
    await payables.change(ctx, row, count=0, invoiced=ZERO, paid=paid)
    changes = activity.changed({"paid_amount": old.paid_amount}, {"paid_amount": row.paid_amount})
    label = supplier_invoice_output.label(row)
    await activity.record(ctx, "payment_removed", ("supplier_invoice", row.id), label, changes)
    return row


_REVERSED_COLUMNS = (
    *("supplier_invoice_id", "vendor_id", "vendor_name", "currency", "payment_date"),
    *("payment_method", "bank", "reference", "notes"),
)
_RECORDED = Prepared(
    select(supplier_payment)
    .where(
        supplier_payment.c.supplier_invoice_id == bindparam("supplier_invoice_id", type_=Uuid),
        supplier_payment.c.created_at == bindparam("recorded_at", type_=DateTime(timezone=True)),
    )
    .order_by(supplier_payment.c.id),
    SupplierPaymentRow,
)


def _payment_date(ctx: Context, sent: date | None) -> date:
    today = ctx.account.today()
    if sent is not None and sent > today + AHEAD:
        raise Invalid.field("paymentDate", SupplierInvoicesMsg.PAYMENT_TOO_FAR_AHEAD, today=today)
    return sent or today


def _check_payable(row: SupplierInvoiceRow, amount: Decimal) -> None:
    if row.cancelled_at is not None:
        raise Invalid(
            SupplierInvoicesMsg.CANCELLED,
            code=Code.SUPPLIER_INVOICE_CANCELLED,
            label=supplier_invoice_output.label(row),
        )
    if not amount or amount * row.balance < 0:
        negative = SupplierInvoicesMsg.REFUND_NOT_NEGATIVE
        raise Invalid.field("amount", negative if row.total < 0 else SupplierInvoicesMsg.PAYMENT_NOT_POSITIVE)
    if abs(amount) > abs(row.balance):
        raise Invalid.field(
            "amount",
            SupplierInvoicesMsg.MORE_THAN_REFUND if row.balance < 0 else SupplierInvoicesMsg.MORE_THAN_BALANCE,
            code=Code.PAYMENT_EXCEEDS_BALANCE,
            remedy=SupplierInvoicesMsg.PAY_BALANCE if row.balance else SupplierInvoicesMsg.PAID_IN_FULL,
            amount=amount,
            balance=f"{row.balance} {row.currency}",
            label=supplier_invoice_output.label(row),
        )


def _values(
    ctx: Context, row: SupplierInvoiceRow, data: SupplierPaymentInput, payment_date: date
) -> Values[SupplierPaymentRow]:
    return Values.copied(SupplierPaymentRow, data, _SENT_COLUMNS) | Values(
        SupplierPaymentRow,
        id=new_id(),
        supplier_invoice_id=row.id,
        vendor_id=row.vendor_id,
        vendor_name=row.vendor_name,
        currency=row.currency,
        payment_date=payment_date,
        balance_after=row.balance,
        created_by=ctx.actor.user_id,
        channel=ctx.actor.channel.value,
    )


ATTACHED = declare(
    DocumentKind(
        type=DocumentType.SUPPLIER_PAYMENT,
        table=supplier_payment,
        what="supplier payment",
        read=Permission.SUPPLIER_INVOICES_READ,
        write=Permission.SUPPLIER_INVOICES_PAY,
        link=None,
        last_day=lambda row: row.payment_date,
    )
)
"""Proofs of payment. A payment never changes, so its `attachmentUrl` is what it was recorded with."""

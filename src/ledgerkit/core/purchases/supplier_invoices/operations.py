"""Supplier invoices: record, read and cancel them."""

from datetime import date
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.attachments import operations as attachments
from ledgerkit.core.platform.attachments.api import DocumentType
from ledgerkit.core.platform.attachments.documents.kinds import DocumentKind, declare
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.received_documents.doubts import warnings as doubts
from ledgerkit.core.purchases.received_documents.texts import ReceivedDocumentsMsg
from ledgerkit.core.purchases.supplier_invoices import acts, output, queries
from ledgerkit.core.purchases.supplier_invoices import input as supplier_invoice_input
from ledgerkit.core.purchases.supplier_invoices.amounts import conversion
from ledgerkit.core.purchases.supplier_invoices.api import (
    Cancellation,
    SupplierInvoice,
    SupplierInvoiceInput,
    SupplierInvoiceWithPayments,
)
from ledgerkit.core.purchases.supplier_invoices.output import CANCELLED, OPEN, PAID
from ledgerkit.core.purchases.supplier_invoices.payables import totals as payables
from ledgerkit.core.purchases.supplier_invoices.table import (
    SupplierInvoiceRow,
    SupplierPaymentRow,
    supplier_invoice,
    supplier_payment,
)
from ledgerkit.core.purchases.supplier_invoices.texts import SupplierInvoicesMsg
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Conflict, Invalid, NotFound


@operation(Permission.SUPPLIER_INVOICES_READ, unit=Unit.READING)
async def get(ctx: Context, invoice_id: str) -> SupplierInvoiceWithPayments:
    """Return one supplier invoice with all its payments, in the order in which they were recorded."""
    row = await queries.fetch(ctx, invoice_id)
    payments = [output.as_payment(entry, row) for entry in await _PAYMENTS.rows(ctx.db, supplier_invoice_id=row.id)]
    facts = output.facts(ctx, row)
    warnings = [] if facts is None else await doubts.of_stored(ctx, facts, row.created_at)
    shown = dict(output.as_invoice(ctx, row, warnings))
    return SupplierInvoiceWithPayments.model_validate({**shown, "payments": payments})


@operation(
    Permission.SUPPLIER_INVOICES_WRITE,
    errors=[(Conflict, {Code.DUPLICATE_SUPPLIER_INVOICE}), (NotFound, {Code.NOT_FOUND})],
    act=acts.RECORDING,
)
async def create(ctx: Context, data: SupplierInvoiceInput) -> SupplierInvoice:
    """Record an invoice or credit note of a stored vendor, with a copy of the vendor's present name and tax id.

    Raises NotFound for an unknown vendor or corrected invoice, Conflict DUPLICATE_SUPPLIER_INVOICE for a number of that
    vendor which is recorded and not cancelled, Invalid naming each wrong field. `warnings` are doubts about its tax and
    its period.
    """
    vendor = await vendors.locked(ctx, data.vendor_id)
    original_id = await _rectified(ctx, data, vendor.id)
    values = supplier_invoice_input.values(ctx, data, vendor) | Values(SupplierInvoiceRow, rectifies=original_id)
    await counters.add(ctx.db, {OPEN if values.of(SupplierInvoiceRow.total) else PAID: 1})
    row = await _insert(ctx, values)
    await payables.add(ctx, row)
    await attachments.adopt(ctx, data.attachment_url, ATTACHED, row.id)
    await activity.record(ctx, "created", ("supplier_invoice", row.id), output.label(row))
    return output.as_invoice(ctx, row, await doubts.of_change(ctx, None, output.facts(ctx, row)))


@operation(
    Permission.SUPPLIER_INVOICES_PAY,
    errors=[(Invalid, {Code.NOT_CANCELLABLE})],
    effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT,
    act=acts.CANCELLATION,
)
async def cancel(ctx: Context, invoice_id: str, data: Cancellation) -> SupplierInvoice:
    """Cancel an invoice for good: it is no longer owed, and its number may be recorded again.

    Raises Invalid NOT_CANCELLABLE when it is cancelled already, or any part of it is paid.
    """
    old = await records.fetch_locked(ctx, supplier_invoice, invoice_id, "supplier invoice")
    _check_cancellable(old)
    await counters.add(ctx.db, {OPEN: -1, CANCELLED: 1})
    values = Values(SupplierInvoiceRow, cancelled_at=clock.now(), cancel_reason=data.reason)
    row = await records.change(ctx, supplier_invoice, old.id, values)
    await payables.change(ctx, row, count=-1, invoiced=-conversion.converted_total(row), paid=ZERO)
    changes = activity.changed({}, {"cancel_reason": data.reason})
    await activity.record(ctx, "cancelled", ("supplier_invoice", row.id), output.label(row), changes)
    return output.as_invoice(ctx, row, await doubts.of_change(ctx, output.facts(ctx, old), None))


async def move_deduction(ctx: Context, invoice_id: str, day: date) -> None:
    """Deduct an invoice's VAT on a day. Raises NotFound, Invalid SUPPLIER_INVOICE_CANCELLED, Forbidden."""
    ctx.require(Permission.SUPPLIER_INVOICES_WRITE)
    old = await records.fetch_locked(ctx, supplier_invoice, invoice_id, "supplier invoice")
    label = output.label(old)
    if old.cancelled_at is not None:
        raise Invalid(SupplierInvoicesMsg.CANCELLED, code=Code.SUPPLIER_INVOICE_CANCELLED, label=label)
    await records.change(ctx, supplier_invoice, old.id, Values(SupplierInvoiceRow, deduction_date=day))
    changes = activity.changed({"deduction_date": old.deduction_date}, {"deduction_date": day})
    await activity.record(ctx, "updated", ("supplier_invoice", old.id), label, changes)


async def _rectified(ctx: Context, data: SupplierInvoiceInput, vendor_id: UUID) -> UUID | None:
    """Return the id of the supplier invoice that a credit note corrects, None for an invoice.

    Raises NotFound for an unknown id, Invalid for an invoice of another vendor or in another currency, a cancelled one,
    and one that is a credit note itself.
    """
    if data.rectifies is None:
        return None
    corrected = await queries.fetch(ctx, data.rectifies)
    refusals = {
        SupplierInvoicesMsg.RECTIFIES_ANOTHER_VENDOR: corrected.vendor_id != vendor_id,
        ReceivedDocumentsMsg.RECTIFIES_CANCELLED: corrected.cancelled_at is not None,
        SupplierInvoicesMsg.RECTIFIES_CREDIT_NOTE: corrected.rectifies is not None,
        SupplierInvoicesMsg.RECTIFIES_ANOTHER_CURRENCY: corrected.currency != (data.currency or ctx.account.currency),
    }
    for message, is_refused in refusals.items():
        if is_refused:
            raise Invalid.field("rectifies", message)
    return corrected.id


def _check_cancellable(row: SupplierInvoiceRow) -> None:
    label = output.label(row)
    if row.cancelled_at is not None:
        raise Invalid(SupplierInvoicesMsg.ALREADY_CANCELLED, code=Code.NOT_CANCELLABLE, label=label)
    if row.paid_amount or not row.balance:
        raise Invalid(SupplierInvoicesMsg.ALREADY_PAID, code=Code.NOT_CANCELLABLE, label=label)


async def _insert(ctx: Context, values: Values[SupplierInvoiceRow]) -> SupplierInvoiceRow:
    """Insert the row. Waits for a writer of the same number, and raises Conflict naming the invoice that has it."""
    row = await records.add_unless_there(ctx, supplier_invoice, values)
    if row is not None:
        return row
    recorded = await queries.SAME_NUMBER.row(ctx.db, vendor_id=values["vendor_id"], number_key=values["number_key"])
    raise Conflict(
        SupplierInvoicesMsg.NUMBER_RECORDED if recorded is None else SupplierInvoicesMsg.NUMBER_RECORDED_AS,
        code=Code.DUPLICATE_SUPPLIER_INVOICE,
        remedy=SupplierInvoicesMsg.CORRECT_OR_CANCEL,
        number=values["invoice_number"],
        vendor=values["vendor_name"],
        invoice_id=None if recorded is None else recorded.id,
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


_PAYMENTS = Prepared(
    select(supplier_payment)
    .where(supplier_payment.c.supplier_invoice_id == bindparam("supplier_invoice_id", type_=Uuid))
    .order_by(supplier_payment.c.id),
    SupplierPaymentRow,
)

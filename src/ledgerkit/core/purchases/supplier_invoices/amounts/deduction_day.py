"""Day of the deduction of a supplier invoice, moved into the period in which its VAT is claimed."""

from datetime import date

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.supplier_invoices import output as supplier_invoice_output
from ledgerkit.core.purchases.supplier_invoices.table import SupplierInvoiceRow, supplier_invoice
from ledgerkit.core.purchases.supplier_invoices.texts import SupplierInvoicesMsg
from ledgerkit.problems import Code, Invalid


async def move(ctx: Context, invoice_id: str, day: date) -> None:
    """Deduct an invoice's VAT on a day. Raises NotFound, Invalid SUPPLIER_INVOICE_CANCELLED, Forbidden."""
    ctx.require(Permission.SUPPLIER_INVOICES_WRITE)
    old = await records.fetch_locked(ctx, supplier_invoice, invoice_id, "supplier invoice")
    if old.cancelled_at is not None:
        raise Invalid(
            SupplierInvoicesMsg.CANCELLED,
            code=Code.SUPPLIER_INVOICE_CANCELLED,
            label=supplier_invoice_output.label(old),
        )
    row = await records.change(ctx, supplier_invoice, old.id, Values(SupplierInvoiceRow, deduction_date=day))
    changes = activity.changed({"deduction_date": old.deduction_date}, {"deduction_date": day})
    await activity.record(ctx, "updated", ("supplier_invoice", row.id), supplier_invoice_output.label(row), changes)

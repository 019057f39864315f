"""Pay an invoice: a draft is issued first, and what is issued gets its fiscal record."""

from ledgerkit.core.einvoice.issuance import numbering
from ledgerkit.core.invoices import lifecycle, payments, representation
from ledgerkit.core.invoices.schemas import Invoice, Payment
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import operation
from ledgerkit.core.request.permissions import Permission


@operation(Permission.INVOICES_ISSUE)
async def pay(ctx: Context, invoice_id: str, data: Payment) -> Invoice:
    """Note a payment of `amount` (default: all that is owed) on `paidAt` (default today); a draft is issued first.

    The invoice is paid when nothing is owed. Paid once more without an amount, its last payment's date is updated.
    No authority is waited for. Raises Invalid PAYMENT_EXCEEDS_BALANCE or INVOICE_ANNULLED, and what issuing raises.
    """
    row = await lifecycle.fetch_locked(ctx, invoice_id)
    payment = payments.requested(ctx, row, data)
    if row.status != "draft":
        return await representation.as_invoice(ctx, await payments.record_payment(ctx, row, payment))
    issued = await numbering.issue(ctx, row, lambda owed: payment.settle(row, owed))
    await payments.note(ctx, issued.row, issued.row.amount_paid, payment)
    return representation.shape(ctx, issued.row, [])

"""Record a payment of an invoice; a draft is issued and sealed first."""

from ledgerkit.core.einvoice.issuance import numbers
from ledgerkit.core.einvoice.issuance.numbers import NUMBERING_ERRORS
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.api import Invoice, Payment
from ledgerkit.core.sales.invoices.dates import warnings as date_warnings
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.payments import operations as payments
from ledgerkit.problems import Code, Invalid


@operation(
    Permission.INVOICES_ISSUE,
    errors=[*NUMBERING_ERRORS, (Invalid, {Code.PAYMENT_EXCEEDS_BALANCE})],
    effects=Effect.DESTRUCTIVE,
)
async def pay(ctx: Context, invoice_id: str, data: Payment) -> Invoice:
    """Record a payment of `amount` (default: the balance) on `paidAt` (default today); a draft is issued first.

    The invoice is paid when nothing is owed. Paying a paid invoice again without an amount updates the date of its last
    payment. This does not wait for the authority. Raises Invalid PAYMENT_EXCEEDS_BALANCE or INVOICE_ANNULLED, and what
    issuing raises.
    """
    row = await lifecycle.fetch_locked(ctx, invoice_id)
    payment = payments.requested(ctx, row, data)
    if row.status != "draft":
        return await invoice_output.as_invoice(ctx, await payments.record_payment(ctx, row, payment))
    warnings = await date_warnings.of_invoice(ctx, row)
    issued = await numbers.issue(ctx, row, lambda owed: payment.settle(row, owed))
    await payments.insert(ctx, issued.row, issued.row.amount_paid, payment)
    return invoice_output.with_corrections(ctx, issued.row, [], warnings)

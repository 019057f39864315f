"""Restore a deleted invoice, of any status: deleting removes nothing (interface decisions B10)."""

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.documents.origin import EXTERNAL
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.api import Invoice
from ledgerkit.core.sales.invoices.imports import numbers
from ledgerkit.core.sales.invoices.json_columns.codecs import CLIENT
from ledgerkit.core.sales.invoices.posting import effects
from ledgerkit.core.sales.invoices.table import CHANGES, InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import Code, Invalid


@operation(Permission.INVOICES_DELETE, errors=[(Invalid, {Code.INVOICE_EXTERNAL})], effects=Effect.IDEMPOTENT)
async def restore(ctx: Context, invoice_id: str) -> Invoice:
    """Show a deleted invoice again; one that is not deleted stays as it is.

    A draft and an emitted invoice were only hidden. An issued invoice that was not emitted is posted again with its
    number and its payments. A paid one becomes open if a set-off that had settled it no longer exists. An imported one
    stays deleted while its number is another document's: Invalid INVOICE_EXTERNAL.
    """
    old = await records.fetch_locked(ctx, invoice, invoice_id, "invoice", hidden=True)
    if old.deleted_at is None:
        return await invoice_output.as_invoice(ctx, old)
    await _check_number_free(ctx, old)
    columns, figures = await effects.reinstate(ctx, old) if effects.is_voided(old) else (Values(InvoiceRow), {})
    row = await records.change(ctx, invoice, old.id, Values(InvoiceRow, deleted_at=None) | columns)
    await counters.add(ctx.db, {f"invoice.{row.status}": 1, "invoice.deleted": -1, CHANGES: 1, **figures})
    await activity.record(ctx, "restored", ("invoice", row.id), row.number or CLIENT.decode(row.client).name)
    return await invoice_output.as_invoice(ctx, row)


async def _check_number_free(ctx: Context, row: InvoiceRow) -> None:
    """Raise Invalid when the number of an imported document has been imported again since it was deleted."""
    if row.origin != EXTERNAL or row.number is None:
        return
    await accounts.with_locked_profile(ctx, exclusive=True)
    if await numbers.existing(ctx, [row.number]):
        raise Invalid(InvoicesMsg.EXTERNAL_IMPORTED_AGAIN, code=Code.INVOICE_EXTERNAL, number=row.number)

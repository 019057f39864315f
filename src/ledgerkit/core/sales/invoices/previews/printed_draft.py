"""PDF of a draft that is only proposed: the invoice is drafted in a dry run, and printed as it would be."""

from dataclasses import replace

from ledgerkit.core.platform import records
from ledgerkit.core.platform.request import dry_run
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import InvoiceInput
from ledgerkit.core.sales.invoices.pdf import PdfPrinter, PrintedDocument, Reader
from ledgerkit.core.sales.invoices.pdf.printed_invoice import PRINTING_ERRORS, file_name, printed_document
from ledgerkit.core.sales.invoices.table import invoice


@operation(Permission.INVOICES_READ, unit=Unit.OWN, errors=PRINTING_ERRORS, effects=Effect.READ_ONLY)
async def proposed_pdf(ctx: Context, data: InvoiceInput) -> tuple[str, bytes]:
    """Return file name and PDF, with its watermark, of the draft that `data` would make; nothing is stored.

    Raises what drafting raises, also for a role that may not draft, and what `pdf` raises.
    """
    drafting = replace(ctx, who=ctx.actor.unscoped)

    async def draft(inner: Context) -> PrintedDocument:
        drafted = await invoices.create(inner, data)
        return await printed_document(inner, await records.fetch(inner, invoice, drafted.id, "invoice"))

    preview = await dry_run.rehearse(drafting, draft, in_one_transaction=True)
    assert preview.answer is not None  # noqa: S101 - ours: nothing of it is left out
    printed = await ctx.kernel.service(PdfPrinter).print(preview.answer, Reader(ctx.account.id))
    return file_name(preview.answer), printed

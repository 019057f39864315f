"""/api/invoices."""

from typing import Annotated, Any

from fastapi import Query, Request, Response

from ledgerkit.core.einvoice.issuance import operations as issuance
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.api_types.fields import Day, ShortText
from ledgerkit.core.platform.api_types.list_pages import DEFAULT_SIZE, MAX_SIZE
from ledgerkit.core.platform.documents.languages import LanguageCode
from ledgerkit.core.platform.imports.api import DocumentRows, DocumentsImported
from ledgerkit.core.reports import operations as reports
from ledgerkit.core.reports.api import BusinessSummary
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices import queries as invoice_queries
from ledgerkit.core.sales.invoices.api import (
    Deleted,
    Invoice,
    InvoiceChange,
    InvoiceCounts,
    InvoiceInput,
    InvoicePayment,
    InvoicePreview,
    Ok,
    Payment,
    SendInput,
    Sent,
    Shared,
    Status,
)
from ledgerkit.core.sales.invoices.imports import operations as imports
from ledgerkit.core.sales.invoices.payments import operations as payments
from ledgerkit.core.sales.invoices.pdf import Paper, printed_invoice
from ledgerkit.core.sales.invoices.pdf.printed_invoice import InvoiceQr
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.providers.api import DocumentKind
from ledgerkit.routers.deps import Ctx, DryRun, IsOpen, Limit, PageNumber, Search, attachment, listed, paged, tagged
from ledgerkit.routers.routing import CSV_ROWS, DOCUMENT, Router

router = Router(
    prefix="/api/invoices",
    tags=["Invoices"],
    about="Drafts, issued invoices and credit notes: totals, PDF, mail, payments, share links.",
)

ClientId = Annotated[ShortText | None, Query(alias="clientId", description="Invoices of this stored client")]
FirstDay = Annotated[Day | None, Query(alias="from", description="Issued on this day or later")]
LastDay = Annotated[Day | None, Query(alias="to", description="Issued on this day or before")]
FirstPaid = Annotated[Day | None, Query(alias="paidFrom", description="With a payment on this day or later")]
LastPaid = Annotated[Day | None, Query(alias="paidTo", description="With a payment on this day or before")]
DocType = Annotated[DocumentKind | None, Query(alias="docType")]
SeriesName = Annotated[ShortText | None, Query(description="Of exactly this series, as F")]
PaperChoice = Annotated[Paper, Query(description="`a4`, or `receipt`: 80 mm wide and as long as it needs")]
PDF: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/pdf": {"schema": {"type": "string", "format": "binary"}}}}
}


@router.get("", operation=invoice_queries.listing, operation_id="listInvoices", response_model=list[Invoice])
async def list_invoices(
    request: Request,
    ctx: Ctx,
    page: PageNumber = None,
    limit: Limit = None,
    status: Status | None = None,
    is_open: IsOpen = None,
    search: Search = None,
    client_id: ClientId = None,
    first: FirstDay = None,
    last: LastDay = None,
    paid_first: FirstPaid = None,
    paid_last: LastPaid = None,
    doc_type: DocType = None,
    series: SeriesName = None,
    include_deleted: Annotated[bool, Query(alias="includeDeleted")] = False,
) -> Response:
    """List invoices, the newest first, fifty a page. `overdue` is derived from the due date on every read."""
    conditions = invoice_queries.InvoiceFilter(
        status=status,
        is_open=is_open,
        client_id=client_id,
        first=first,
        last=last,
        paid_first=paid_first,
        paid_last=paid_last,
        doc_type=doc_type,
        series=series,
        text=search,
        include_deleted=include_deleted,
    )
    return listed(request, await invoice_queries.listing(ctx, paged(page, limit), conditions))


@router.post("", operation=invoices.create, operation_id="createInvoice", max_body_size=DOCUMENT, status_code=201)
async def create_invoice(ctx: Ctx, data: InvoiceInput) -> Invoice:
    """Create a draft: no number, nothing fiscal, nothing sent."""
    return tagged(ctx, await invoices.create(ctx, data))


@router.post(
    "/import",
    operation=imports.import_documents,
    operation_id="importInvoices",
    max_body_size=DOCUMENT,
    openapi_extra=CSV_ROWS,
)
async def import_invoices(ctx: Ctx, data: DocumentRows, dry_run: DryRun = False) -> DocumentsImported:
    """Import up to 5,000 rows of documents that other software issued, all or none: JSON or CSV text.

    They keep their numbers, dates and amounts, are locked and get no fiscal record. Rows of one number are one
    document. With `dryRun` the answer is the same and nothing is stored.
    """
    return await imports.import_documents(ctx, data.model_copy(update={"dry_run": data.dry_run or dry_run}))


@router.post("/preview", operation=invoices.preview, operation_id="previewInvoice", max_body_size=DOCUMENT)
async def preview_invoice(ctx: Ctx, data: InvoiceInput) -> InvoicePreview:
    """Compute the totals of the draft that this body would create; nothing is stored."""
    return await invoices.preview(ctx, data)


@router.get("/counts", operation=invoice_queries.counts, operation_id="getInvoiceCounts")
async def get_invoice_counts(ctx: Ctx) -> InvoiceCounts:
    """Count the invoices by status, at a cost that does not grow with their number."""
    return await invoice_queries.counts(ctx)


@router.get("/context", operation=reports.business_summary, operation_id="getInvoicesContext")
async def get_invoices_context(ctx: Ctx) -> BusinessSummary:
    """Return a financial summary for an AI agent."""
    return await reports.business_summary(ctx)


@router.get("/activity/feed", operation=activity.feed, operation_id="getActivityFeed", response_model=list[ActivityLog])
async def get_activity_feed(
    request: Request, ctx: Ctx, page: PageNumber = None, limit: Annotated[int, Query(ge=1, le=MAX_SIZE)] = DEFAULT_SIZE
) -> Response:
    """List the team's activity, the latest first, fifty entries a page. Needs a team."""
    return listed(request, await activity.feed(ctx, paged(page, limit)))


@router.get("/{id}", operation=invoices.get, operation_id="getInvoice")
async def get_invoice(ctx: Ctx, id: str) -> Invoice:
    """Return one invoice, with its version as ETag."""
    return tagged(ctx, await invoices.get(ctx, id))


@router.put("/{id}", operation=invoices.update, operation_id="updateInvoice", max_body_size=DOCUMENT)
async def update_invoice(ctx: Ctx, id: str, data: InvoiceChange) -> Invoice:
    """Change the fields given.

    An emitted invoice accepts notes and dueDate. One that the authority has rejected accepts what may have been wrong
    too, and is then emitted again: client, descriptions, operationDate, categories, exemptions, regimes and details,
    but no amount, rate, quantity, goods, currency or date of issue. One that the authority holds accepts
    operationDescription and fiscalDetails, and of its lines what is not printed.
    """
    return tagged(ctx, await invoices.update(ctx, id, data))


@router.delete("/{id}", operation=invoices.delete, operation_id="deleteInvoice")
async def delete_invoice(ctx: Ctx, id: str) -> Deleted:
    """Hide an invoice. An issued number is never used again, an emitted record keeps its effect."""
    return await invoices.delete(ctx, id)


@router.patch("/{id}/pay", operation=issuance.pay, operation_id="payInvoice")
async def pay_invoice(ctx: Ctx, id: str, data: Payment | None = None) -> Invoice:
    """Mark as paid, or record a partial payment with `amount`; a draft is issued first, with its fiscal record."""
    return tagged(ctx, await issuance.pay(ctx, id, data or Payment()))


@router.get(
    "/{id}/payments",
    operation=payments.payments,
    operation_id="listInvoicePayments",
    response_model=list[InvoicePayment],
)
async def list_invoice_payments(
    request: Request, ctx: Ctx, id: str, page: PageNumber = None, limit: Limit = None
) -> Response:
    """List the payments of an invoice, in the order in which they were recorded."""
    return listed(request, await payments.payments(ctx, id, paged(page, limit)))


@router.post("/{id}/restore", operation=invoices.restore, operation_id="restoreInvoice")
async def restore_invoice(ctx: Ctx, id: str) -> Invoice:
    """Restore a deleted invoice; one that is not deleted stays as it is."""
    return tagged(ctx, await invoices.restore(ctx, id))


@router.patch("/{id}/send", operation=issuance.send_invoice, operation_id="sendInvoice")
async def send_invoice(ctx: Ctx, id: str, data: SendInput | None = None) -> Sent:
    """Mail the invoice with its PDF and a `message` to the client; a draft is issued first, with its fiscal record."""
    return await issuance.send_invoice(ctx, id, data or SendInput())


@router.post("/{id}/duplicate", operation=invoices.duplicate, operation_id="duplicateInvoice", status_code=201)
async def duplicate_invoice(ctx: Ctx, id: str) -> Invoice:
    """Create a draft with the same client and lines, which is dated on the day of its issue."""
    return tagged(ctx, await invoices.duplicate(ctx, id))


@router.get(
    "/{id}/pdf", operation=printed_invoice.pdf, operation_id="getInvoicePdf", response_class=Response, responses=PDF
)
async def get_invoice_pdf(
    ctx: Ctx, id: str, lang: LanguageCode | None = None, paper: PaperChoice = Paper.A4
) -> Response:
    """Return the invoice as PDF, in the client's language unless `lang` names another. A draft has a watermark."""
    return attachment(*await printed_invoice.pdf(ctx, id, lang, paper), "application/pdf")


@router.get("/{id}/qr", operation=printed_invoice.qr, operation_id="getInvoiceQr")
async def get_invoice_qr(ctx: Ctx, id: str) -> InvoiceQr | None:
    """Return the fiscal QR of an emitted invoice with the words around it, for a receipt; null where there is none."""
    return await printed_invoice.qr(ctx, id)


@router.post("/{id}/share", operation=public_links.share, operation_id="shareInvoice")
async def share_invoice(ctx: Ctx, id: str) -> Shared:
    """Share the invoice by a public, unguessable link; every call returns the same one."""
    return await public_links.share(ctx, id)


@router.delete("/{id}/share", operation=public_links.unshare, operation_id="unshareInvoice")
async def unshare_invoice(ctx: Ctx, id: str) -> Ok:
    """Revoke the public link."""
    return await public_links.unshare(ctx, id)

"""/api/supplier-invoices."""

from typing import Annotated

from fastapi import Query, Request, Response

from ledgerkit.core.platform.api_types.fields import Day, ShortText
from ledgerkit.core.platform.api_types.list_pages import UNPAGED_SIZE
from ledgerkit.core.platform.imports.api import DocumentRows, DocumentsImported
from ledgerkit.core.purchases.supplier_invoices import operations as supplier_invoices
from ledgerkit.core.purchases.supplier_invoices import queries as supplier_invoice_queries
from ledgerkit.core.purchases.supplier_invoices.api import (
    Aging,
    Cancellation,
    Order,
    PayableAlerts,
    PayablesSummary,
    Sort,
    Status,
    SupplierInvoice,
    SupplierInvoiceInput,
    SupplierInvoiceWithPayments,
    SupplierPayment,
    SupplierPaymentInput,
    VendorPayable,
)
from ledgerkit.core.purchases.supplier_invoices.imports import operations as imports
from ledgerkit.core.purchases.supplier_invoices.payables import operations as payables
from ledgerkit.core.purchases.supplier_invoices.payments import operations as payments
from ledgerkit.core.purchases.supplier_invoices.queries import SupplierInvoiceFilter, SupplierPaymentFilter
from ledgerkit.money import AskedAmount
from ledgerkit.routers.deps import Ctx, DryRun, IsOpen, Limit, PageNumber, Search, listed, paged, tagged
from ledgerkit.routers.routing import CSV_ROWS, DOCUMENT, Router

router = Router(
    prefix="/api/supplier-invoices",
    tags=["Supplier invoices"],
    about="Accounts payable: what is owed, to whom, since when.",
)

Vendor = Annotated[ShortText | None, Query(alias="vendorId", description="Of this vendor")]
From = Annotated[Day | None, Query(alias="dateFrom", description="First day, inclusive")]
To = Annotated[Day | None, Query(alias="dateTo", description="Last day, inclusive")]
DueFrom = Annotated[Day | None, Query(alias="dueFrom", description="First day due, inclusive")]
DueTo = Annotated[Day | None, Query(alias="dueTo", description="Last day due, inclusive")]
Least = Annotated[AskedAmount | None, Query(alias="amountMin", description="Least total, inclusive")]
Most = Annotated[AskedAmount | None, Query(alias="amountMax", description="Largest total, inclusive")]
Method = Annotated[ShortText | None, Query(alias="paymentMethod", description="Paid in this way, to the letter")]


@router.get(
    "",
    operation=supplier_invoice_queries.listing,
    operation_id="listSupplierInvoices",
    response_model=list[SupplierInvoice],
)
async def list_supplier_invoices(
    request: Request,
    ctx: Ctx,
    vendor_id: Vendor = None,
    status: Status | None = None,
    overdue: bool | None = None,
    is_open: IsOpen = None,
    date_from: From = None,
    date_to: To = None,
    due_from: DueFrom = None,
    due_to: DueTo = None,
    amount_min: Least = None,
    amount_max: Most = None,
    search: Search = None,
    sort: Sort = "dueDate",
    order: Order = "asc",
    page: PageNumber = None,
    limit: Limit = None,
) -> Response:
    """List the supplier invoices that meet every filter given; days are the invoice's, amounts its total."""
    conditions = SupplierInvoiceFilter(
        vendor_id=vendor_id,
        status=status,
        overdue=overdue,
        is_open=is_open,
        date_from=date_from,
        date_to=date_to,
        due_from=due_from,
        due_to=due_to,
        amount_min=amount_min,
        amount_max=amount_max,
        query=search,
    )
    return listed(request, await supplier_invoice_queries.listing(ctx, paged(page, limit), conditions, sort, order))


@router.post(
    "",
    operation=supplier_invoices.create,
    operation_id="createSupplierInvoice",
    max_body_size=DOCUMENT,
    status_code=201,
)
async def create_supplier_invoice(ctx: Ctx, data: SupplierInvoiceInput) -> SupplierInvoice:
    """Record an invoice of a stored vendor, by its total or its items."""
    return tagged(ctx, await supplier_invoices.create(ctx, data))


@router.post(
    "/import",
    operation=imports.import_invoices,
    operation_id="importSupplierInvoices",
    max_body_size=DOCUMENT,
    openapi_extra=CSV_ROWS,
)
async def import_supplier_invoices(ctx: Ctx, data: DocumentRows, dry_run: DryRun = False) -> DocumentsImported:
    """Import up to 5,000 rows of received invoices that other software recorded, all or none: JSON or CSV text.

    Rows of one vendor and number are one invoice. Vendors that are not stored are. With `dryRun` the answer is the
    same and nothing is stored.
    """
    return await imports.import_invoices(ctx, data.model_copy(update={"dry_run": data.dry_run or dry_run}))


@router.get("/summary", operation=payables.summary, operation_id="getPayablesSummary")
async def get_payables_summary(ctx: Ctx) -> PayablesSummary:
    """Return the sums owed to vendors and paid this month, in the account's currency."""
    return await payables.summary(ctx)


@router.get("/aging", operation=payables.aging, operation_id="getPayablesAging", response_model=Aging)
async def get_payables_aging(ctx: Ctx) -> Response:
    """Return the open invoices in the account's currency by days past due, each bucket with its sum."""
    return Response(await payables.aging(ctx), media_type="application/json")


@router.get(
    "/accounts-payable",
    operation=payables.accounts_payable,
    operation_id="listAccountsPayable",
    response_model=list[VendorPayable],
)
async def list_accounts_payable(request: Request, ctx: Ctx, page: PageNumber = None, limit: Limit = None) -> Response:
    """List the vendors with their totals and balance in the account's currency, the largest balance first."""
    return listed(request, await payables.accounts_payable(ctx, paged(page, limit, unasked=UNPAGED_SIZE)))


@router.get("/alerts", operation=payables.alerts, operation_id="getPayableAlerts", response_model=PayableAlerts)
async def get_payable_alerts(ctx: Ctx) -> Response:
    """Return the open invoices that are due today, within a week, or overdue; each is in one list at most."""
    return Response(await payables.alerts(ctx), media_type="application/json")


@router.get(
    "/payments/all",
    operation=supplier_invoice_queries.all_payments,
    operation_id="listAllSupplierPayments",
    response_model=list[SupplierPayment],
)
async def list_all_supplier_payments(
    request: Request,
    ctx: Ctx,
    vendor_id: Vendor = None,
    payment_method: Method = None,
    date_from: From = None,
    date_to: To = None,
    page: PageNumber = None,
    limit: Limit = None,
) -> Response:
    """List the payments to all vendors, the latest first."""
    conditions = SupplierPaymentFilter(
        vendor_id=vendor_id, payment_method=payment_method, date_from=date_from, date_to=date_to
    )
    return listed(request, await supplier_invoice_queries.all_payments(ctx, paged(page, limit), conditions))


@router.get("/{id}", operation=supplier_invoices.get, operation_id="getSupplierInvoice")
async def get_supplier_invoice(ctx: Ctx, id: str) -> SupplierInvoiceWithPayments:
    """Return one supplier invoice with its payments, and its version as ETag."""
    return tagged(ctx, await supplier_invoices.get(ctx, id))


@router.get(
    "/{id}/payments",
    operation=supplier_invoice_queries.payments_of,
    operation_id="listSupplierPayments",
    response_model=list[SupplierPayment],
)
async def list_supplier_payments(
    request: Request, ctx: Ctx, id: str, page: PageNumber = None, limit: Limit = None
) -> Response:
    """List the payments of one supplier invoice in the order in which they were recorded."""
    return listed(
        request, await supplier_invoice_queries.payments_of(ctx, id, paged(page, limit, unasked=UNPAGED_SIZE))
    )


@router.post("/{id}/payments", operation=payments.pay, operation_id="paySupplierInvoice", status_code=201)
async def pay_supplier_invoice(ctx: Ctx, id: str, data: SupplierPaymentInput) -> SupplierPayment:
    """Record a payment, at most the balance; the balance and the status change with it."""
    return await payments.pay(ctx, id, data)


@router.put("/{id}/cancel", operation=supplier_invoices.cancel, operation_id="cancelSupplierInvoice")
async def cancel_supplier_invoice(ctx: Ctx, id: str, data: Cancellation | None = None) -> SupplierInvoice:
    """Cancel an invoice of which nothing is paid. It cannot be undone."""
    return tagged(ctx, await supplier_invoices.cancel(ctx, id, data or Cancellation()))

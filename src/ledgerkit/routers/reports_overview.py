"""/api/reports: the business at a glance, and what clients owe."""

from typing import Annotated

from fastapi import Query, Request, Response

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.reports.overview import operations as overviews
from ledgerkit.core.reports.overview.api import Overview
from ledgerkit.core.reports.receivables import operations as receivables
from ledgerkit.core.reports.receivables.api import ClientReceivable, OpenInvoice, Receivables
from ledgerkit.core.reports.receivables.operations import OpenInvoiceFilter
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, listed, paged
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/reports", tags=["Reports"], about="The business at a glance, and what clients owe.")

ClientId = Annotated[ShortText | None, Query(alias="clientId", description="Invoices of this stored client")]
OverdueDays = Annotated[
    int | None, Query(alias="overdueDays", ge=1, le=36_500, description="Overdue for at least so many days")
]


@router.get("/overview", operation=overviews.overview, operation_id="getOverview")
async def get_overview(ctx: Ctx) -> Overview:
    """Summarise today: amounts owed, the month, the VAT due next, open work; null for what the role may not read."""
    return await overviews.overview(ctx)


@router.get("/receivables", operation=receivables.summary, operation_id="getReceivables")
async def get_receivables(ctx: Ctx, client_id: ClientId = None, overdue_days: OverdueDays = None) -> Receivables:
    """Return what clients owe by currency: open, overdue, and by days since the due date."""
    return await receivables.summary(ctx, OpenInvoiceFilter(client_id=client_id, overdue_days=overdue_days))


@router.get(
    "/receivables/clients",
    operation=receivables.by_client,
    operation_id="listReceivablesByClient",
    response_model=list[ClientReceivable],
)
async def list_receivables_by_client(
    request: Request,
    ctx: Ctx,
    client_id: ClientId = None,
    overdue_days: OverdueDays = None,
    page: PageNumber = None,
    limit: Limit = None,
) -> Response:
    """List the clients who owe an amount, the largest first: in the account's currency, then in each other one."""
    conditions = OpenInvoiceFilter(client_id=client_id, overdue_days=overdue_days)
    return listed(request, await receivables.by_client(ctx, paged(page, limit), conditions))


@router.get(
    "/receivables/invoices",
    operation=receivables.open_invoices,
    operation_id="listOpenInvoices",
    response_model=list[OpenInvoice],
)
async def list_open_invoices(
    request: Request,
    ctx: Ctx,
    client_id: ClientId = None,
    overdue_days: OverdueDays = None,
    page: PageNumber = None,
    limit: Limit = None,
) -> Response:
    """List the issued invoices of which an amount is owed, the one that is due for the longest time first."""
    conditions = OpenInvoiceFilter(client_id=client_id, overdue_days=overdue_days)
    return listed(request, await receivables.open_invoices(ctx, paged(page, limit), conditions))

"""/api/vendors."""

from fastapi import Request, Response

from ledgerkit.core.merging import operations as merging
from ledgerkit.core.merging.api import Duplicate, MergedVendor
from ledgerkit.core.purchases.expenses.api import Expense
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.purchases.vendors.api import Vendor, VendorChange, VendorInput
from ledgerkit.core.reports.vendor_page import operations as pages
from ledgerkit.core.reports.vendor_page.operations import VendorPage
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, Search, listed, paged, tagged
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/vendors", tags=["Vendors"], about="Who is bought from.")


@router.get("", operation=vendors.listing, operation_id="listVendors", response_model=list[Vendor])
async def list_vendors(
    request: Request, ctx: Ctx, page: PageNumber = None, limit: Limit = None, search: Search = None
) -> Response:
    """List vendors by name, fifty a page; `search` is looked for in name, tax id and e-mail."""
    return listed(request, await vendors.listing(ctx, paged(page, limit), search))


@router.post("", operation=vendors.create, operation_id="createVendor", status_code=201)
async def create_vendor(ctx: Ctx, data: VendorInput) -> Vendor:
    """Create a vendor; the same tax id, or the same name without one, is a conflict."""
    return tagged(ctx, await vendors.create(ctx, data))


@router.get("/{id}", operation=pages.vendor_page, operation_id="getVendor")
async def get_vendor(ctx: Ctx, id: str) -> VendorPage:
    """Return one vendor with a summary of its expenses, and its version as ETag."""
    return tagged(ctx, await pages.vendor_page(ctx, id))


@router.put("/{id}", operation=vendors.update, operation_id="updateVendor")
async def update_vendor(ctx: Ctx, id: str, data: VendorChange) -> Vendor:
    """Change the fields given; absent ones keep their value."""
    return tagged(ctx, await vendors.update(ctx, id, data))


@router.post("/{id}/merge", operation=merging.merge_vendors, operation_id="mergeVendors")
async def merge_vendors(ctx: Ctx, id: str, data: Duplicate) -> MergedVendor:
    """Give the vendor the documents of `duplicateId`, and the fields that it lacks; delete the duplicate."""
    return await merging.merge_vendors(ctx, id, data)


@router.delete("/{id}", operation=vendors.delete, operation_id="deleteVendor")
async def delete_vendor(ctx: Ctx, id: str) -> Ok:
    """Delete a vendor to which no expense and no supplier invoice refers."""
    await vendors.delete(ctx, id)
    return Ok()


@router.get(
    "/{id}/expenses", operation=pages.vendor_expenses, operation_id="listVendorExpenses", response_model=list[Expense]
)
async def list_vendor_expenses(
    request: Request, ctx: Ctx, id: str, page: PageNumber = None, limit: Limit = None
) -> Response:
    """List the vendor's expenses, the newest first, fifty a page."""
    return listed(request, await pages.vendor_expenses(ctx, id, paged(page, limit)))

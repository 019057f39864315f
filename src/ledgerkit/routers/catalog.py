"""/api/catalog."""

from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response

from ledgerkit.core.catalog import operations as catalog
from ledgerkit.core.catalog.api import (
    BulkStock,
    BulkStockResult,
    CatalogItem,
    ImportResult,
    ImportRows,
    ItemChange,
    ItemInput,
    ItemType,
    StockChange,
    VariantStockChange,
)
from ledgerkit.core.catalog.files import exports, imports
from ledgerkit.core.catalog.stock import operations as stock
from ledgerkit.core.catalog.supplier_invoices.api import ConfirmImport, ConfirmResult, SupplierInvoiceAnalysis
from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.list_pages import UNPAGED_SIZE
from ledgerkit.core.purchases.reading.api import SupplierInvoiceImage
from ledgerkit.core.purchases.reading.supplier_invoices import confirmation
from ledgerkit.core.purchases.reading.supplier_invoices import operations as supplier_invoices
from ledgerkit.core.sales.invoices.api import Ok
from ledgerkit.routers.deps import Ctx, Limit, PageNumber, Search, attachment, listed, paged, tagged, whole
from ledgerkit.routers.routing import DOCUMENT, UPLOAD, Router

router = Router(
    prefix="/api/catalog",
    tags=["Catalog"],
    about="Products and services, their variants, and the ledger of their stock.",
)

Category = Annotated[ShortText | None, Query(description="As `GET /api/catalog/categories` writes it")]

CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}


@router.get("", operation=catalog.listing, operation_id="listCatalog", response_model=list[CatalogItem])
async def list_catalog(
    request: Request,
    ctx: Ctx,
    page: PageNumber = None,
    limit: Limit = None,
    search: Search = None,
    type: ItemType | None = None,
    category: Category = None,
    include_inactive: Annotated[bool, Query(alias="includeInactive")] = False,
) -> Response:
    """List active products and services by name, up to a thousand unless `page` or `limit` is given."""
    page_request = paged(page, limit, unasked=UNPAGED_SIZE)
    items = await catalog.listing(ctx, page_request, type, search, category=category, include_inactive=include_inactive)
    return listed(request, items)


@router.post("", operation=catalog.create, operation_id="createCatalogItem", max_body_size=DOCUMENT, status_code=201)
async def create_catalog_item(ctx: Ctx, data: ItemInput) -> CatalogItem:
    """Create a product or service. `stock` null is not tracked; a variant's index is its place in `variants`."""
    return tagged(ctx, await catalog.create(ctx, data))


@router.get("/categories", operation=catalog.categories, operation_id="listCatalogCategories")
async def list_catalog_categories(ctx: Ctx) -> list[str]:
    """List the categories of active items, each once, sorted."""
    return whole(ctx, await catalog.categories(ctx))


@router.get("/low-stock", operation=catalog.low_stock, operation_id="listLowStock", response_model=list[CatalogItem])
async def list_low_stock(request: Request, ctx: Ctx, page: PageNumber = None, limit: Limit = None) -> Response:
    """List by name the active items that are at or below their threshold, as a whole or in one variant."""
    return listed(request, await catalog.low_stock(ctx, paged(page, limit, unasked=UNPAGED_SIZE)))


@router.get("/export", operation=exports.as_csv, operation_id="exportCatalog", response_class=Response, responses=CSV)
async def export_catalog(ctx: Ctx, delimiter: Literal[",", ";"] = ",") -> Response:
    """Export all items as CSV for a spreadsheet, inactive ones too. With `;` numbers have a decimal comma."""
    content = await exports.as_csv(ctx, delimiter)
    return attachment("catalog.csv", content, "text/csv; charset=utf-8", inline=False)


@router.post("/import", operation=imports.import_rows, operation_id="importCatalog", max_body_size=DOCUMENT)
async def import_catalog(ctx: Ctx, data: ImportRows) -> ImportResult:
    """Create items from up to 500 rows; a row with a known sku changes that item. Invalid rows are only reported."""
    return await imports.import_rows(ctx, data)


@router.post("/bulk-stock", operation=stock.adjust_many, operation_id="adjustStocks")
async def adjust_stocks(ctx: Ctx, data: BulkStock) -> BulkStockResult:
    """Adjust the stock of up to 200 items, all or none."""
    return await stock.adjust_many(ctx, data)


@router.post(
    "/import-invoice",
    operation=supplier_invoices.analyse_invoice,
    operation_id="analyseSupplierInvoice",
    max_body_size=UPLOAD,
)
async def analyse_supplier_invoice(ctx: Ctx, data: SupplierInvoiceImage) -> SupplierInvoiceAnalysis:
    """Read a photo or PDF of a supplier invoice, and match its lines with the catalog: one AI action.

    It is charged with a result only, and nothing is recorded: `confirm-import` does that with the analysis, which may
    be corrected, and with answers to its questions.
    """
    return await supplier_invoices.analyse_invoice(ctx, data)


@router.post(
    "/confirm-import",
    operation=confirmation.confirm_import,
    operation_id="confirmCatalogImport",
    max_body_size=DOCUMENT,
)
async def confirm_catalog_import(ctx: Ctx, data: ConfirmImport) -> ConfirmResult:
    """Import the goods of an analysed supplier invoice into the catalog, link its vendor and record the invoice.

    Repeating the same analysis does nothing.
    """
    return await confirmation.confirm_import(ctx, data)


@router.get("/{id}", operation=catalog.get, operation_id="getCatalogItem")
async def get_catalog_item(ctx: Ctx, id: str) -> CatalogItem:
    """Return one item, also a deactivated one, with its version as ETag."""
    return tagged(ctx, await catalog.get(ctx, id))


@router.put("/{id}", operation=catalog.update, operation_id="updateCatalogItem", max_body_size=DOCUMENT)
async def update_catalog_item(ctx: Ctx, id: str, data: ItemChange) -> CatalogItem:
    """Change the fields given; absent ones keep their value."""
    return tagged(ctx, await catalog.update(ctx, id, data))


@router.delete("/{id}", operation=catalog.deactivate, operation_id="deactivateCatalogItem")
async def deactivate_catalog_item(ctx: Ctx, id: str) -> Ok:
    """Deactivate an item: it leaves the lists, stays readable by `includeInactive`, comes back by `isActive`."""
    await catalog.deactivate(ctx, id)
    return Ok()


@router.patch("/{id}/stock", operation=stock.adjust, operation_id="adjustStock")
async def adjust_stock(ctx: Ctx, id: str, data: StockChange) -> CatalogItem:
    """Change the stock by `delta`, or set it to `stock`."""
    return tagged(ctx, await stock.adjust(ctx, id, data))


@router.patch("/{id}/variant-stock", operation=stock.adjust_variant, operation_id="adjustVariantStock")
async def adjust_variant_stock(ctx: Ctx, id: str, data: VariantStockChange) -> CatalogItem:
    """Change the stock of one variant by `adjustment`."""
    return tagged(ctx, await stock.adjust_variant(ctx, id, data))

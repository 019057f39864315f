"""Tools about products, services and their stock."""

from enum import StrEnum
from functools import partial
from typing import Annotated

from pydantic import Field

from ledgerkit.core.catalog import operations as catalog
from ledgerkit.core.catalog.api import (
    MAX_ADJUSTMENTS,
    Adjustment,
    BulkStock,
    ImportRows,
    ItemChange,
    ItemInput,
    ItemType,
    Stock,
    StockChange,
    VariantStockChange,
)
from ledgerkit.core.catalog.files import imports
from ledgerkit.core.catalog.stock import operations as stock_operations
from ledgerkit.core.catalog.supplier_invoices.api import ConfirmImport
from ledgerkit.core.platform.api_types.fields import ShortText, VariantIndex
from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.purchases.reading.api import SupplierInvoiceImage
from ledgerkit.core.purchases.reading.supplier_invoices import confirmation
from ledgerkit.core.purchases.reading.supplier_invoices import operations as supplier_invoices
from ledgerkit.mcp_server.answers import paged
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import Keyed, OptionalId, PageQuery, body_of, require_filters_of
from ledgerkit.mcp_server.tool import Tool, saving
from ledgerkit.problems import Invalid

BRIEF = ("id", "name", "sku", "type", "category", "unitPrice", "taxRate", "stock", "lowStockThreshold", "isActive")


class StockAdjustment(Keyed):
    """Stock of one item or variant, changed by `delta` or set to `stock`; or of many items, by `adjustments`."""

    item_id: ShortText | None = None
    variant_index: VariantIndex | None = None
    delta: Stock | None = None
    stock: Stock | None = None
    adjustments: Annotated[list[Adjustment] | None, Field(max_length=MAX_ADJUSTMENTS)] = None


class AnalysisToConfirm(Keyed, ConfirmImport):
    """An analysis, and answers to its questions."""


class RowsToImport(Keyed, ImportRows):
    """Rows of items."""


class ItemView(StrEnum):
    ITEMS = "items"
    LOW_STOCK = "low_stock"
    CATEGORIES = "categories"


class ItemQuery(PageQuery):
    view: ItemView = ItemView.ITEMS
    search: ShortText | None = None
    type: ItemType | None = None
    include_inactive: bool = False


class SupplierInvoicePicture(Keyed, SupplierInvoiceImage):
    """Picture of a supplier's invoice."""


class SavedItem(Keyed, OptionalId, ItemChange):
    """An item to create or, with its id, to change."""


async def _adjust(ctx: Context, arguments: StockAdjustment) -> Json:
    of_one_item = (arguments.item_id, arguments.variant_index, arguments.delta, arguments.stock)
    if arguments.adjustments is not None and all(value is None for value in of_one_item):
        return as_json(await stock_operations.adjust_many(ctx, BulkStock(adjustments=arguments.adjustments)))
    if arguments.adjustments is not None or arguments.item_id is None:
        raise Invalid.field("adjustments", McpMsg.STOCK_OF_WHAT)
    if arguments.variant_index is None:
        return as_json(await stock_operations.adjust(ctx, arguments.item_id, body_of(StockChange, arguments)))
    change = VariantStockChange(
        variant_index=arguments.variant_index, adjustment=arguments.delta, stock=arguments.stock
    )
    return as_json(await stock_operations.adjust_variant(ctx, arguments.item_id, change))


async def _items(ctx: Context, arguments: ItemQuery) -> Json:
    if arguments.view is not ItemView.ITEMS:
        require_filters_of(arguments, arguments.view)
    match arguments.view:
        case ItemView.CATEGORIES:
            return as_json(await catalog.categories(ctx))
        case ItemView.LOW_STOCK:
            return await paged(partial(catalog.low_stock, ctx), arguments, BRIEF)
        case ItemView.ITEMS:
            return await paged(
                lambda page: catalog.listing(
                    ctx, page, arguments.type, arguments.search, include_inactive=arguments.include_inactive
                ),
                arguments,
                BRIEF,
            )


TOOLS = (
    Tool(
        name="adjust_stock",
        title="Adjust stock (existencias, inventario)",
        description=(
            "Change the stock of an item or variant: delta adds what came in or takes away what is broken or lost; "
            "stock sets what was counted (roto descuento contado queda pon botellas caja súmalos saca almacén "
            "recuento; counted off two got bottles dropped set say box shelf inventory found only real rest show). "
            "adjustments: up to 200, all or none."
        ),
        scope=Scope.WRITE,
        operations=(stock_operations.adjust, stock_operations.adjust_many, stock_operations.adjust_variant),
        arguments=StockAdjustment,
        run=_adjust,
    ),
    Tool(
        name="confirm_catalog_import",
        title="Confirm what was read from a picture",
        description=(
            "Apply the analysis of read_supplier_invoice_image: goods enter the catalogue, vendor and supplier "
            "invoice are recorded (acepta los productos leídos). Correct it first if wrong; answers answer its "
            "questions."
        ),
        scope=Scope.WRITE,
        operations=(confirmation.confirm_import,),
        arguments=AnalysisToConfirm,
        run=lambda ctx, arguments: confirmation.confirm_import(ctx, body_of(ConfirmImport, arguments)),
    ),
    Tool(
        name="import_catalog",
        title="Import catalogue items (Excel, CSV)",
        description=(
            "Import up to 500 rows of products or services (todo mete carga sube hoja programa golpe archivo adjunto "
            "fichero vuelca; csv list file load price spreadsheet attached upload prices sheet xlsx sent new). A "
            "known sku changes its item; wrong rows stay out. One: save_catalog_item."
        ),
        scope=Scope.WRITE,
        operations=(imports.import_rows,),
        arguments=RowsToImport,
        hints={"rows": "Fields as of save_catalog_item"},
        run=lambda ctx, arguments: imports.import_rows(ctx, body_of(ImportRows, arguments)),
    ),
    Tool(
        name="list_catalog_items",
        title="Find catalogue items (artículos, precios, tarifas)",
        description=(
            "Find products and services with price and stock, by name, sku or type; view low_stock lists what runs "
            "out, view categories the categories (queda tengo cobrar vendemos almacén dime servicio vale botes "
            "cuantas; many left charge got rate sell prices price menu much costs)."
        ),
        scope=Scope.READ,
        operations=(catalog.listing, catalog.low_stock, catalog.categories),
        arguments=ItemQuery,
        run=_items,
    ),
    Tool(
        name="read_supplier_invoice_image",
        title="Read a supplier's invoice (albarán)",
        description=(
            "Read a photo or PDF of a supplier invoice or delivery note and match its products with the catalogue "
            "(pdf adjunto). Costs one AI action. Stores nothing: check, then confirm_catalog_import. No goods: "
            "scan_receipt."
        ),
        scope=Scope.WRITE,
        operations=(supplier_invoices.analyse_invoice,),
        arguments=SupplierInvoicePicture,
        hints={"image": "data:image/jpeg;base64,... (JPEG, PNG, GIF, WebP, PDF)"},
        run=lambda ctx, arguments: supplier_invoices.analyse_invoice(ctx, body_of(SupplierInvoiceImage, arguments)),
    ),
    Tool(
        name="save_catalog_item",
        title="Create or change an item (artículo)",
        description=(
            "Create a product or service with price, IVA, stock and variants, or change one by id (euros iva sube "
            "nuevo servicio añade pon mete alta; now new add sell rate start put hourly change menu rename should "
            "exempt set). To count: adjust_stock."
        ),
        scope=Scope.WRITE,
        operations=(catalog.create, catalog.update),
        arguments=SavedItem,
        creates=ItemInput,
        described=("id", "name", "type", "sku", "category", "unitPrice", "cost", "taxRate", "stock", "variants"),
        hints={"id": "Only to change"},
        run=saving(catalog.create, ItemInput, catalog.update, ItemChange),
    ),
)

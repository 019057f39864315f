"""Schemas of catalog items and of changes of their stock (interface decisions E)."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, JsonValue

from ledgerkit.core.catalog.table import CatalogItemRow, StoredVariant
from ledgerkit.core.platform.api_types.fields import CurrencyCode, Flag, LongText, Name, ShortText, VariantIndex, few
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.money import ZERO, Number, Quantity, Rate, UnitPrice

MAX_VARIANTS = 200
MAX_ROWS = 500
MAX_ADJUSTMENTS = 200

MAX_STOCK = Decimal("99999999999.9999")
"""Largest stock, positive or negative: fifteen digits, which a JSON number represents exactly."""

Stock = Annotated[
    Decimal, Number(low=-MAX_STOCK, high=MAX_STOCK, places=4, description="Units in stock, up to four decimals")
]
ItemType = Literal["product", "service"]
Attributes = Annotated[dict[ShortText, ShortText], few(50), Field(max_length=50)]

ITEM_EXAMPLE: dict[str, JsonValue] = {
    "type": "product",
    "name": "Camiseta",
    "sku": "CAM-01",
    "category": "ropa",
    "unitPrice": 12.5,
    "cost": 4.2,
    "taxRate": 21,
    "lowStockThreshold": 5,
    "variants": [{"name": "S", "stock": 10}, {"name": "M", "stock": 8, "attributes": {"talla": "M"}}],
}


class VariantInput(Wire, row=StoredVariant):
    """A variant. Absent fields of one that exists already keep their value."""

    name: Name
    sku: ShortText | None = None
    attributes: Attributes = Field(default_factory=dict)
    unit_price: UnitPrice | None = None
    stock: Stock | None = None
    is_active: Flag = True


class ItemFields(Wire, row=CatalogItemRow):
    type: ItemType = "product"
    sku: ShortText | None = None
    barcode: ShortText | None = None
    description: LongText | None = None
    category: ShortText | None = None
    unit: ShortText | None = None
    unit_price: UnitPrice = Field(default=ZERO, json_schema_extra={"default": 0})
    cost: UnitPrice | None = None
    tax_rate: Rate | None = None
    currency: CurrencyCode | None = None
    stock: Annotated[
        Stock | None,
        Field(
            description="Units in stock; null: not tracked, as always with a service; with variants their sum, "
            "whatever is sent"
        ),
    ] = None
    low_stock_threshold: Quantity | None = None
    variants: Annotated[
        list[VariantInput] | None,
        Field(
            max_length=MAX_VARIANTS,
            description="Its variants, each with its index for ever: known ones are found by sku or name, new ones are "
            "added at the end, and those left out stay, inactive",
        ),
    ] = None
    is_active: Flag = True


class ItemInput(ItemFields):
    model_config = ConfigDict(json_schema_extra={"examples": [ITEM_EXAMPLE]})

    name: Name


class ItemChange(ItemFields):
    """Fields that are absent keep their value."""

    name: Name = ""


class Variant(Wire, row=StoredVariant):
    """A variant of an item; its place in the array is its index."""

    name: str
    sku: str | None
    attributes: dict[str, str]
    unit_price: UnitPrice | None
    stock: Stock | None
    is_active: bool


class CatalogItem(Wire, row=CatalogItemRow):
    id: str
    type: ItemType
    name: str
    sku: str | None
    barcode: str | None
    description: str | None
    category: str | None
    unit: str | None
    unit_price: UnitPrice
    cost: UnitPrice | None
    tax_rate: Rate | None
    currency: str
    stock: Stock | None
    low_stock_threshold: Quantity | None
    variants: list[Variant]
    is_active: bool
    created_by: str | None
    channel: str
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


class StockChange(Wire):
    """A change of stock by `delta`, or to `stock`: exactly one of both."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"delta": -2}]})

    delta: Stock | None = None
    """Units that come in (above zero) or go out (below zero)."""
    stock: Stock | None = None
    """Units in stock from now on."""


class VariantStockChange(Wire):
    """A change of a variant's stock by `adjustment`, or to `stock`: exactly one of both."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"variantIndex": 0, "adjustment": -2}]})

    variant_index: VariantIndex
    """Place of the variant in the item's list, from 0."""
    adjustment: Stock | None = None
    """Units that come in (above zero) or go out (below zero)."""
    stock: Stock | None = None
    """Units in stock from now on."""


class Adjustment(Wire):
    """A change of an item's stock by `adjustment`, or to the counted `stock`: exactly one of both."""

    item_id: ShortText
    """Id of the catalog item."""
    adjustment: Stock | None = None
    """Units that come in (above zero) or go out (below zero)."""
    stock: Stock | None = None
    """Units that were counted, and are in stock from now on."""


class BulkStock(Wire):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"adjustments": [{"itemId": "019aa6a4-7c1e-7d2b-8f3a-5b1c2d3e4f50", "adjustment": 5}]}]
        }
    )

    adjustments: Annotated[list[Adjustment], Field(max_length=MAX_ADJUSTMENTS)]
    """Changes of stock, at most 200; several of one item add up, but a count stands alone."""


class StockLevel(Wire):
    """Stock of an item after its adjustments."""

    item_id: str
    """Id of the catalog item."""
    name: str
    """Name of the item."""
    stock: Stock
    """Units in stock now."""


class BulkStockResult(Wire):
    updated: Annotated[int, Field(description="How many adjustments were made")]
    items: Annotated[list[StockLevel], Field(description="The items that were adjusted, each once")]


class ImportRows(Wire):
    """Rows of catalog items that a program has read from a file."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"rows": [{"name": "Tornillo M4", "sku": "T-4", "unitPrice": "0,12"}]}]}
    )

    rows: Annotated[
        list[Any],
        Field(
            max_length=MAX_ROWS,
            json_schema_extra={"items": {"type": "object"}},
            description="Items as in POST /api/catalog; numbers and booleans may be text, as `12,50`; empty text is "
            "an absent field",
        ),
    ]


class ImportResult(Wire):
    imported: Annotated[int, Field(description="Rows that made an item or changed one")]
    errors: Annotated[list[str], Field(description="`row 3: name is required`, rows counted from 1")]
    warnings: Annotated[list[str], Field(description="Columns that nobody knows, and that were not read")]

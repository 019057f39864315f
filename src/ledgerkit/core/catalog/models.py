"""Tables of the catalog: items for sale with their stock, the ledger of stock movements, and imports."""

from collections.abc import Mapping
from decimal import Decimal
from uuid import UUID

from sqlalchemy import Boolean, CheckConstraint, Column, Index, Integer, Numeric, PrimaryKeyConstraint, Text, Uuid, text

from ledgerkit.core.platform.database.row_types import AccountRow, AppendOnlyRow, VersionedRow
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table

_PRICE = Numeric(12, 4)
_STOCK = Numeric(15, 4)
_ACTIVE = text("is_active")


class StoredVariant(StoredObject):
    """Variant of an item; its place in the array is its index."""

    name: str
    sku: str | None
    attributes: Mapping[str, str]
    unit_price: Decimal | None
    stock: Decimal | None
    is_active: bool


class CatalogItemRow(AccountRow):
    type: str
    name: str
    sku: str | None
    barcode: str | None
    description: str | None
    category: str | None
    unit: str | None
    unit_price: Decimal
    cost: Decimal | None
    tax_rate: Decimal | None
    currency: str
    stock: Decimal | None
    low_stock_threshold: Decimal | None
    variants: StoredJson[tuple[StoredVariant, ...]]
    is_active: bool
    is_low: bool
    created_by: UUID | None
    channel: str
    name_key: str
    sku_key: str | None
    search_text: str


catalog_item = account_table(
    "catalog_item",
    CatalogItemRow,
    Column("type", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("sku", Text),
    Column("barcode", Text),
    Column("description", Text),
    Column("category", Text),
    Column("unit", Text),
    Column("unit_price", _PRICE, nullable=False),
    Column("cost", _PRICE),
    Column("tax_rate", Numeric(6, 3)),
    Column("currency", Text, nullable=False),
    Column("stock", _STOCK),
    Column("low_stock_threshold", Numeric(11, 4)),
    Column("variants", JSON, nullable=False),
    Column("is_active", Boolean, nullable=False, server_default=text("true")),
    Column("is_low", Boolean, nullable=False, server_default=text("false")),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    Column("name_key", Text, nullable=False),
    Column("sku_key", Text),
    Column("search_text", Text, nullable=False),
    CheckConstraint("type in ('product', 'service')", name="type"),
    CheckConstraint("type = 'product' or stock is null", name="services_have_no_stock"),
    Index("ix_catalog_item_listed", "account_id", "name_key", "id", postgresql_where=_ACTIVE),
    Index("ix_catalog_item_type", "account_id", "type", "name_key", "id", postgresql_where=_ACTIVE),
    Index("ix_catalog_item_all", "account_id", "name_key", "id"),
    Index("ix_catalog_item_low", "account_id", "name_key", "id", postgresql_where=text("is_active and is_low")),
    Index("ix_catalog_item_category", "account_id", "category", postgresql_where=_ACTIVE),
    Index("ix_catalog_item_sku", "account_id", "sku_key", postgresql_where=text("sku_key is not null")),
)
"""`is_low` is derived from stock, variants and threshold with every write, so that the low ones have an index."""

VARIANTS = JsonCodec(tuple[StoredVariant, ...])


class StockMovementRow(AppendOnlyRow):
    item_id: UUID
    variant_index: int | None
    quantity: Decimal
    stock_after: Decimal
    kind: str
    entity_type: str
    entity_id: UUID
    label: str | None
    created_by: UUID | None
    channel: str


stock_movement = account_table(
    "stock_movement",
    StockMovementRow,
    Column("item_id", Uuid, nullable=False),
    Column("variant_index", Integer),
    Column("quantity", _STOCK, nullable=False),
    Column("stock_after", _STOCK, nullable=False),
    Column("kind", Text, nullable=False),
    Column("entity_type", Text, nullable=False),
    Column("entity_id", Uuid, nullable=False),
    Column("label", Text),
    Column("created_by", Uuid),
    Column("channel", Text, nullable=False),
    account_key("item_id", "catalog_item"),
    Index("ix_stock_movement_item", "account_id", "item_id", "id"),
    Index("ix_stock_movement_cause", "account_id", "entity_id", "item_id"),
    append_only=True,
    erasable=True,
)
"""Ledger of every change of a stock, signed, with its cause. An item's stock is the sum of its movements."""


class CatalogImportRow(VersionedRow):
    hash: str
    supplier_invoice_id: UUID | None


catalog_import = account_table(
    "catalog_import",
    CatalogImportRow,
    Column("hash", Text, nullable=False),
    Column("supplier_invoice_id", Uuid),
    PrimaryKeyConstraint("account_id", "hash"),
    account_key("supplier_invoice_id", "supplier_invoice"),
    keyed=False,
)
"""Analysed supplier invoices that were imported, by the hash of the analysis, each with the invoice that was recorded
from it; and the row that row imports lock."""

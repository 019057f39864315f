"""Tables of the catalog: items for sale with their stock, the ledger of stock movements, and imports."""

from collections.abc import Mapping
from decimal import Decimal
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, Numeric, PrimaryKeyConstraint, text

from ledgerkit.core.platform.database.row_types import AccountRow, AppendOnlyRow, AuthoredRow, VersionedRow, column
from ledgerkit.core.platform.database.stored_json import JsonCodec, StoredJson, StoredObject
from ledgerkit.core.platform.database.tables import JSON, account_key, account_table

_PRICE = Numeric(12, 4)
_STOCK = Numeric(15, 4)
_ACTIVE = text("is_active")


class StoredVariant(StoredObject):
    """Variant of an item; its place in the array is its index."""

    name: str
    """Name of the variant, as a size or a colour, up to 120 characters."""
    sku: str | None
    """Stock-keeping code of the variant; null for none."""
    attributes: Mapping[str, str]
    """Features of the variant, as `{"talla": "M"}`, at most 50 names with their values."""
    unit_price: Decimal | None
    """Price of one unit, in the item's currency, up to four decimals; null for the item's."""
    stock: Decimal | None
    """Units in stock; may fall below zero by sales; null where it is not tracked."""
    is_active: bool
    """False for a variant that is not offered any more; its index stays taken."""


class CatalogItemRow(AccountRow, AuthoredRow):
    """One product or service that the account sells, with its price and its stock."""

    type: str = column("Kind of item: product or service; a service has no stock.")
    name: str = column("Name of the item, up to 120 characters.")
    sku: str | None = column("Stock-keeping code of the account's own; null for none.")
    barcode: str | None = column("Barcode as text; null for none.")
    description: str | None = column("Longer description, up to 5000 characters; null for none.")
    category: str | None = column("Category as text; null for none.")
    unit: str | None = column("Unit in which it is sold, as h or kg; null for none.")
    unit_price: Decimal = column("Price of one unit, in the item's currency, up to four decimals.", _PRICE)
    cost: Decimal | None = column(
        "What one unit costs the account, in the item's currency, up to four decimals; null where not known.",
        _PRICE,
    )
    tax_rate: Decimal | None = column("Percent of VAT, 0 to 100; null where not stated.", Numeric(6, 3))
    currency: str = column("ISO 4217 code of the currency of price and cost, by default the account's.")
    stock: Decimal | None = column(
        "Units in stock, the sum over its variants where it has any; may fall below zero by sales; null where it is "
        "not tracked.",
        _STOCK,
    )
    low_stock_threshold: Decimal | None = column(
        "Units at or below which the stock is low; null where nobody is told.",
        Numeric(11, 4),
    )
    variants: StoredJson[tuple[StoredVariant, ...]] = column(
        "List of its variants, each at its place for ever: name, sku, attributes, price, stock, whether it is active.",
        JSON,
    )
    is_active: bool = column(
        "False for an item that is not offered any more; it stays stored.",
        server_default=text("true"),
    )
    is_low: bool = column(
        "True where the stock, or that of an active variant, is at or below the threshold; derived at every write.",
        server_default=text("false"),
    )
    name_key: str = column("Name in lower case without accents, by which items are sorted.")
    sku_key: str | None = column("Sku without regard to case, by which imports find items; null without a sku.")
    search_text: str = column(
        "Text that searches look in, lower case without accents: name, sku, barcode, description and variants.",
    )


catalog_item = account_table(
    "catalog_item",
    CatalogItemRow,
    CheckConstraint("type in ('product', 'service')", name="type"),
    CheckConstraint("type = 'product' or stock is null", name="services_have_no_stock"),
    Index("ix_catalog_item_listed", "account_id", "name_key", "id", postgresql_where=_ACTIVE),
    Index("ix_catalog_item_type", "account_id", "type", "name_key", "id", postgresql_where=_ACTIVE),
    Index("ix_catalog_item_all", "account_id", "name_key", "id"),
    Index("ix_catalog_item_low", "account_id", "name_key", "id", postgresql_where=text("is_active and is_low")),
    Index("ix_catalog_item_category", "account_id", "category", postgresql_where=_ACTIVE),
    Index("ix_catalog_item_sku", "account_id", "sku_key", postgresql_where=text("sku_key is not null")),
)

VARIANTS = JsonCodec(tuple[StoredVariant, ...])


class StockMovementRow(AppendOnlyRow, AuthoredRow):
    """One change of a stock with its cause; an item's stock is the sum of its movements."""

    item_id: UUID = column("Id of the catalog item whose stock changed.")
    variant_index: int | None = column(
        "Place of the variant in the item's list, from 0; null for an item without variants.",
    )
    quantity: Decimal = column("Units that came in (above zero) or went out (below zero), up to four decimals.", _STOCK)
    stock_after: Decimal = column("Units in stock of the item or variant after the movement.", _STOCK)
    kind: str = column(
        "Why it moved, as created, adjusted, imported, invoice, simplified, credit_note, voided, annulled, "
        "withdrawn, sale or refund.",
    )
    entity_type: str = column("Kind of the record behind it: catalog_item, catalog_import, invoice or cash_movement.")
    entity_id: UUID = column("Id of the record behind it; of an import an id that its movements share.")
    label: str | None = column("Number or name of the record behind it, as it was then; null for none.")


stock_movement = account_table(
    "stock_movement",
    StockMovementRow,
    account_key("item_id", "catalog_item"),
    Index("ix_stock_movement_item", "account_id", "item_id", "id"),
    Index("ix_stock_movement_cause", "account_id", "entity_id", "item_id"),
    erasable=True,
)


class CatalogImportRow(VersionedRow):
    """One analysed supplier invoice whose goods were imported into the catalog; the row of the empty hash is a lock."""

    hash: str = column(
        "SHA-256 of the analysis in hexadecimal digits, so that it is imported once; empty in the row that imports "
        "of rows lock.",
    )
    supplier_invoice_id: UUID | None = column(
        "Id of the supplier invoice that was recorded from the analysis; null where none was.",
    )


catalog_import = account_table(
    "catalog_import",
    CatalogImportRow,
    PrimaryKeyConstraint("account_id", "hash"),
    account_key("supplier_invoice_id", "supplier_invoice"),
)

"""Items as callers see them: single ones built from a row, lists rendered by the database."""

from ledgerkit.core.catalog.api import CatalogItem
from ledgerkit.core.catalog.table import catalog_item
from ledgerkit.core.platform.records.listing import Listing

ITEMS = Listing(catalog_item, CatalogItem, order=(catalog_item.c.name_key, catalog_item.c.id))

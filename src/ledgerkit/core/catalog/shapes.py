"""Items as callers see them: single ones built from a row, lists rendered by the database."""

from ledgerkit.core.catalog.models import catalog_item
from ledgerkit.core.catalog.schemas import CatalogItem
from ledgerkit.core.platform.records.listing import Listing

ITEMS = Listing(catalog_item, CatalogItem, order=(catalog_item.c.name_key, catalog_item.c.id))

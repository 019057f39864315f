"""Items as callers see them: single ones built from a row, lists rendered by the database."""

from typing import Any

from sqlalchemy import Label

from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.catalog.models import CatalogItemRow, catalog_item
from ledgerkit.core.catalog.schemas import CatalogItem

_HIDDEN_COLUMNS = {"account_id", "version", "is_low", "name_key", "sku_key", "search_text"}
_TIME_COLUMNS = ("created_at", "updated_at")
_PLAIN_COLUMNS = [column for column in catalog_item.c if column.name not in _HIDDEN_COLUMNS | set(_TIME_COLUMNS)]


def wire_columns() -> list[Label[Any]]:
    """Return the columns of a list rendered by the database: the same fields as `shape`."""
    times = [wire_column(name, wire_time(catalog_item.c[name])) for name in _TIME_COLUMNS]
    return [*(wire_column(column.name, column) for column in _PLAIN_COLUMNS), *times]


def shape(row: CatalogItemRow) -> CatalogItem:
    values = {name: getattr(row, name) for name in (*(column.name for column in _PLAIN_COLUMNS), *_TIME_COLUMNS)}
    created_by = None if row.created_by is None else str(row.created_by)
    return CatalogItem.model_validate({**values, "id": str(row.id), "created_by": created_by, "version": row.version})

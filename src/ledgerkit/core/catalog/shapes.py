"""An item's row in the shape callers see: one at a time here, lists by the database."""

from typing import Any

from sqlalchemy import Label

from ledgerkit.core.api_types.wire import wire_column, wire_time
from ledgerkit.core.catalog.models import catalog_item
from ledgerkit.core.catalog.schemas import CatalogItem

_HIDDEN = {"account_id", "version", "is_low", "name_key", "sku_key", "search_text"}
_TIMES = ("created_at", "updated_at")
_PLAIN = [column for column in catalog_item.c if column.name not in _HIDDEN | set(_TIMES)]


def wire_columns() -> list[Label[Any]]:
    """What a list shows of each item: the same fields as `shape`."""
    times = [wire_column(name, wire_time(catalog_item.c[name])) for name in _TIMES]
    return [*(wire_column(column.name, column) for column in _PLAIN), *times]


def shape(row: Any) -> CatalogItem:
    plain = {column.name: row[column.name] for column in (*_PLAIN, *(catalog_item.c[name] for name in _TIMES))}
    created_by = None if row.created_by is None else str(row.created_by)
    return CatalogItem.model_validate({**plain, "id": str(row.id), "created_by": created_by, "version": row.version})

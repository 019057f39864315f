"""Catalog: list, create, change and deactivate items."""

from collections.abc import Iterable
from functools import cache

from sqlalchemy import ColumnElement, Text, bindparam, func, literal_column, select

from ledgerkit.core.catalog import acts, output
from ledgerkit.core.catalog import input as catalog_input
from ledgerkit.core.catalog.api import CatalogItem, ItemChange, ItemInput, ItemType
from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.catalog.stock.ledger import Cause
from ledgerkit.core.catalog.table import CatalogItemRow, catalog_item
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest, PageRow, PageStatement, fetch_page
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.records import counters, search
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import Code, Invalid

_TYPES: tuple[ItemType, ...] = ("product", "service")


@operation(Permission.CATALOG_READ, unit=Unit.READING)
async def listing(
    ctx: Context,
    page: PageRequest,
    kind: ItemType | None = None,
    query: str | None = None,
    *,
    category: str | None = None,
    include_inactive: bool = False,
) -> Page:
    """List items by name. `query` is looked for in name, sku, barcode, description, and variants' names and skus."""
    searching = bool(query and query.strip())
    categorised = category is not None
    statement = _list_statement(kind, searching=searching, categorised=categorised, include_inactive=include_inactive)
    sought = search.sought(query or "") if searching else {}
    category_value = {"category": category} if categorised else {}
    return await fetch_page(ctx.db, statement, page, **sought, **category_value)


@operation(Permission.CATALOG_READ, unit=Unit.READING)
async def get(ctx: Context, item_id: str) -> CatalogItem:
    """Return one item, also a deactivated one. Raises NotFound."""
    row = await records.fetch(ctx, catalog_item, item_id, "catalog item")
    return output.ITEMS.shape(row)


@operation(Permission.CATALOG_READ, unit=Unit.READING)
async def low_stock(ctx: Context, page: PageRequest) -> Page:
    """List by name the active items whose stock, or that of one variant, is at or below their threshold."""
    return await fetch_page(ctx.db, _LOW_STOCK, page)


@operation(Permission.CATALOG_READ, unit=Unit.READING)
async def categories(ctx: Context) -> list[str]:
    """Return the categories of active items, each once, in alphabetical order."""
    names = [row.category for row in await _CATEGORIES.rows(ctx.db)]
    return sorted(names, key=lambda name: (search.fold(name), name))


@operation(Permission.CATALOG_WRITE, errors=[(Invalid, {Code.INSUFFICIENT_STOCK})], act=acts.CREATION)
async def create(ctx: Context, data: ItemInput) -> CatalogItem:
    """Create an item. Raises Invalid INSUFFICIENT_STOCK for a stock below zero."""
    draft = catalog_input.new(ctx, data)
    origin = Values(CatalogItemRow, created_by=ctx.actor.user_id, channel=ctx.actor.channel.value)
    row = await records.add(ctx, catalog_item, Values(CatalogItemRow, id=new_id()) | draft.columns | origin)
    await _record_movements(ctx, row, draft, "created")
    await counters.add(ctx.db, counter_changes(added=[draft.kind]))
    await activity.record(ctx, "created", ("catalog_item", row.id), row.name)
    return output.ITEMS.shape(row)


@operation(
    Permission.CATALOG_WRITE, errors=[(Invalid, {Code.INSUFFICIENT_STOCK})], effects=Effect.IDEMPOTENT, act=acts.CHANGE
)
async def update(ctx: Context, item_id: str, data: ItemChange) -> CatalogItem:
    """Change the given fields; a given stock is set, not added. Invoices keep the item as it was.

    Raises Invalid INSUFFICIENT_STOCK for a stock that would become negative.
    """
    old = await records.fetch_locked(ctx, catalog_item, item_id, "catalog item")
    draft = catalog_input.changed(old, data)
    row = await records.change(ctx, catalog_item, old.id, draft.columns)
    await _record_movements(ctx, row, draft, "adjusted")
    await counters.add(ctx.db, counter_changes(added=[draft.kind], removed=[(old.type, old.is_active)]))
    await activity.record(ctx, "updated", ("catalog_item", row.id), row.name, catalog_input.difference(old, draft))
    return output.ITEMS.shape(row)


@operation(Permission.CATALOG_WRITE, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT, act=acts.DEACTIVATION)
async def deactivate(ctx: Context, item_id: str) -> None:
    """Deactivate an item: it leaves the lists, and stays readable, as do the documents that name it."""
    old = await records.fetch_locked(ctx, catalog_item, item_id, "catalog item")
    if not old.is_active:
        return
    row = await records.change(ctx, catalog_item, old.id, Values(CatalogItemRow, is_active=False))
    await counters.add(ctx.db, counter_changes(added=[(row.type, False)], removed=[(old.type, True)]))
    await activity.record(ctx, "deleted", ("catalog_item", row.id), row.name)


def counter_changes(added: Iterable[tuple[str, bool]] = (), removed: Iterable[tuple[str, bool]] = ()) -> dict[str, int]:
    """Return the changes of the counters for items, each given by its type and whether it is active."""
    changes: dict[str, int] = {}
    for sign, items in ((1, added), (-1, removed)):
        for item_type, active in items:
            kind = _kind(item_type, active=active)
            changes[kind] = changes.get(kind, 0) + sign
    return changes


def _kind(item_type: str, *, active: bool) -> str:
    return f"catalog.{item_type}" if active else f"catalog.{item_type}.inactive"


async def _record_movements(ctx: Context, row: CatalogItemRow, draft: catalog_input.Draft, kind: str) -> None:
    cause = Cause(kind, "catalog_item", row.id, row.name)
    await stock.record_movements(ctx, [(row.id, movement, cause) for movement in draft.movements])


@cache
def _list_statement(
    kind: ItemType | None, *, searching: bool, categorised: bool, include_inactive: bool
) -> PageStatement[PageRow]:
    conditions: list[ColumnElement[bool]] = [] if include_inactive else [catalog_item.c.is_active]
    if kind is not None:
        conditions.append(catalog_item.c.type == constant(kind))
    if categorised:
        conditions.append(catalog_item.c.category == bindparam("category", type_=Text))
    if searching:
        conditions.append(search.contains(catalog_item))
    if searching or categorised:
        return output.ITEMS.statement(*conditions)
    states = (True, False) if include_inactive else (True,)
    kinds = [_kind(item_type, active=active) for item_type in _TYPES for active in states if kind in {None, item_type}]
    return output.ITEMS.statement(*conditions, total=counters.total(kinds))


class _CategoryRow(Row):
    category: str


def _categories_statement() -> Prepared[_CategoryRow]:
    """Return a statement that steps from each category to the next in the index, whatever the number of items."""
    lowest = select(func.min(catalog_item.c.category).label("category")).where(catalog_item.c.is_active)
    steps = lowest.cte("steps", recursive=True)
    following = (
        select(func.min(catalog_item.c.category, type_=Text))
        .where(catalog_item.c.is_active, catalog_item.c.category > steps.c.category)
        .scalar_subquery()
    )
    steps = steps.union_all(select(following).where(steps.c.category.is_not(None)))
    return Prepared(select(steps.c.category).where(literal_column("category").is_not(None)), _CategoryRow)


_LOW_STOCK = output.ITEMS.statement(catalog_item.c.is_active, catalog_item.c.is_low)
_CATEGORIES = _categories_statement()

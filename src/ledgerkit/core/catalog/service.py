"""Catalog: find, keep, change, deactivate."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Text, func, literal_column, select

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.api_types.paging import Page, PageRequest, PageRow, fetch_page, page_statement
from ledgerkit.core.catalog import drafting, shapes, stock
from ledgerkit.core.catalog.models import catalog_item
from ledgerkit.core.catalog.schemas import CatalogItem, ItemChange, ItemInput, ItemType
from ledgerkit.core.catalog.stock import Cause
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared, constant
from ledgerkit.core.records import counters, search
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import Code, Invalid

_BY_NAME = (catalog_item.c.name_key, catalog_item.c.id)
_TYPES: tuple[ItemType, ...] = ("product", "service")


@operation(Permission.CATALOG_READ, unit=Unit.READING)
async def listing(
    ctx: Context,
    page: PageRequest,
    kind: ItemType | None = None,
    query: str | None = None,
    *,
    include_inactive: bool = False,
) -> Page:
    """Items by name. `query` looks into name, sku, barcode, description, and variants' names and skus."""
    searching = bool(query and query.strip())
    statement = _list_statement(kind, searching=searching, include_inactive=include_inactive)
    sought = search.sought(query or "") if searching else {}
    return await fetch_page(ctx.db, statement, page, **sought)


@operation(Permission.CATALOG_READ, unit=Unit.READING)
async def low_stock(ctx: Context, page: PageRequest) -> Page:
    """Active items of which there is no more than their threshold, of all or of one variant; by name."""
    return await fetch_page(ctx.db, _LOW, page)


@operation(Permission.CATALOG_READ, unit=Unit.READING)
async def categories(ctx: Context) -> list[str]:
    """The categories of active items, each once, in the order of their letters."""
    found = [row.category for row in await _CATEGORIES.rows(ctx.db)]
    return sorted(found, key=lambda name: (search.fold(name), name))


@operation(Permission.CATALOG_WRITE, errors=[(Invalid, {Code.INSUFFICIENT_STOCK})])
async def create(ctx: Context, data: ItemInput) -> CatalogItem:
    """A new item. Raises Invalid INSUFFICIENT_STOCK for a stock below zero."""
    draft = drafting.new(ctx, data)
    who = {"created_by": ctx.actor.user_id, "channel": ctx.actor.channel.value}
    row = await records.add(ctx, catalog_item, {"id": new_id(), **draft.columns, **who})
    await _note(ctx, row, draft, "created")
    await counters.add(ctx.db, counted(come=[row]))
    await activity.record(ctx, "created", ("catalog_item", row.id), row.name)
    return shapes.shape(row)


@operation(Permission.CATALOG_WRITE, errors=[(Invalid, {Code.INSUFFICIENT_STOCK})], effects=Effect.IDEMPOTENT)
async def update(ctx: Context, item_id: str, data: ItemChange) -> CatalogItem:
    """Change the fields given; a stock among them is set. Invoices keep the item as it was.

    Raises Invalid INSUFFICIENT_STOCK for a stock that would become negative.
    """
    old = await records.fetch_locked(ctx, catalog_item, item_id, "catalog item")
    draft = drafting.changed(old, data)
    row = await records.change(ctx, catalog_item, old.id, draft.columns)
    await _note(ctx, row, draft, "adjusted")
    await counters.add(ctx.db, counted(come=[row], gone=[old]))
    await activity.record(ctx, "updated", ("catalog_item", row.id), row.name, drafting.difference(old, draft))
    return shapes.shape(row)


@operation(Permission.CATALOG_WRITE, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT)
async def deactivate(ctx: Context, item_id: str) -> None:
    """Take an item off the lists. It stays readable, and so do the documents that name it."""
    old = await records.fetch_locked(ctx, catalog_item, item_id, "catalog item")
    if not old.is_active:
        return
    row = await records.change(ctx, catalog_item, old.id, {"is_active": False})
    await counters.add(ctx.db, counted(come=[row], gone=[old]))
    await activity.record(ctx, "deleted", ("catalog_item", row.id), row.name)


def counted(come: Iterable[Any] = (), gone: Iterable[Any] = ()) -> dict[str, int]:
    """What rows that come and go change in the tally."""
    moved: dict[str, int] = {}
    for sign, rows in ((1, come), (-1, gone)):
        for row in rows:
            kind = _kind(row["type"], active=row["is_active"])
            moved[kind] = moved.get(kind, 0) + sign
    return moved


def _kind(item_type: str, *, active: bool) -> str:
    return f"catalog.{item_type}" if active else f"catalog.{item_type}.inactive"


async def _note(ctx: Context, row: Any, draft: drafting.Draft, kind: str) -> None:
    cause = Cause(kind, "catalog_item", row.id, row.name)
    await stock.note(ctx, [(row.id, moved, cause) for moved in draft.movements])


@cache
def _list_statement(kind: ItemType | None, *, searching: bool, include_inactive: bool) -> Prepared[PageRow]:
    wanted: list[ColumnElement[bool]] = [] if include_inactive else [catalog_item.c.is_active]
    if kind is not None:
        wanted.append(catalog_item.c.type == constant(kind))
    if searching:
        wanted.append(search.contains(catalog_item))
    rows = select(*shapes.wire_columns()).where(*wanted).order_by(*_BY_NAME)
    if searching:
        return page_statement(rows, select(func.count()).select_from(catalog_item).where(*wanted).scalar_subquery())
    states = (True, False) if include_inactive else (True,)
    kinds = [_kind(one, active=active) for one in _TYPES for active in states if kind in {None, one}]
    return page_statement(rows, counters.total(kinds))


def _low_statement() -> Prepared[PageRow]:
    wanted = (catalog_item.c.is_active, catalog_item.c.is_low)
    rows = select(*shapes.wire_columns()).where(*wanted).order_by(*_BY_NAME)
    return page_statement(rows, select(func.count()).select_from(catalog_item).where(*wanted).scalar_subquery())


def _categories_statement() -> Prepared[Any]:
    """From each category to the next one in the index, so that it costs as much as there are categories."""
    first = select(func.min(catalog_item.c.category).label("category")).where(catalog_item.c.is_active)
    found = first.cte("found", recursive=True)
    following = (
        select(func.min(catalog_item.c.category, type_=Text))
        .where(catalog_item.c.is_active, catalog_item.c.category > found.c.category)
        .scalar_subquery()
    )
    found = found.union_all(select(following).where(found.c.category.is_not(None)))
    return Prepared(select(found.c.category).where(literal_column("category").is_not(None)))


_LOW = _low_statement()
_CATEGORIES = _categories_statement()

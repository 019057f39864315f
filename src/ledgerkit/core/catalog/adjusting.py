"""Counting and correcting stock: one item, one variant, or many items at once."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.catalog import shapes, stock
from ledgerkit.core.catalog.messages import CatalogMsg
from ledgerkit.core.catalog.models import catalog_item
from ledgerkit.core.catalog.schemas import (
    Adjustment,
    BulkStock,
    BulkStockResult,
    CatalogItem,
    StockChange,
    VariantStockChange,
)
from ledgerkit.core.catalog.stock import Cause, Shelf
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, FieldError, Invalid, Words, bilingual, bilingual_error, bilingual_field

_KIND = "catalog item"
_LESS = (
    "Adjust by less, or set what you counted with PATCH /api/catalog/{id}/stock {stock}.",
    "Ajusta en menos, o fija lo contado con PATCH /api/catalog/{id}/stock {stock}.",
)
_LESS_OF_VARIANT = (
    "Adjust by less; if more were counted than are recorded, adjust by the difference first.",
    "Ajusta en menos; si se contaron más de las que constan, ajusta antes la diferencia.",
)


@operation(
    Permission.CATALOG_WRITE,
    name="catalog.adjusting.adjust",
    errors=[(Invalid, {Code.INSUFFICIENT_STOCK, Code.STOCK_NOT_ADJUSTABLE})],
)
async def adjust(ctx: Context, item_id: str, data: StockChange) -> CatalogItem:
    """Change an item's stock by `delta`, or set it to `stock`; what was not tracked is tracked from zero on.

    Raises Invalid INSUFFICIENT_STOCK below zero, STOCK_NOT_ADJUSTABLE for services and items with variants.
    """
    if (data.delta is None) == (data.stock is None):
        raise Invalid(CatalogMsg.DELTA_OR_STOCK, errors=_ONE_OF)
    shelf = Shelf(await records.fetch_locked(ctx, catalog_item, item_id, _KIND))
    reason = _not_adjustable(shelf.row)
    if reason:
        raise bilingual(Invalid, *_with_remedy(reason, _OTHERWISE), code=Code.STOCK_NOT_ADJUSTABLE)
    field, quantity = "delta", data.delta or ZERO
    if data.stock is not None:
        field, quantity = "stock", data.stock - (shelf.stock or ZERO)
    return await _adjusted(ctx, shelf, None, quantity, field)


@operation(
    Permission.CATALOG_WRITE,
    name="catalog.adjusting.adjust_variant",
    errors=[(Invalid, {Code.INSUFFICIENT_STOCK, Code.STOCK_NOT_ADJUSTABLE})],
)
async def adjust_variant(ctx: Context, item_id: str, data: VariantStockChange) -> CatalogItem:
    """Change the stock of one variant; the item's follows. Raises Invalid as `adjust`, and for an unknown index."""
    shelf = Shelf(await records.fetch_locked(ctx, catalog_item, item_id, _KIND))
    if shelf.row.type == "service":
        raise bilingual(Invalid, *_with_remedy(_SERVICE, _OTHERWISE), code=Code.STOCK_NOT_ADJUSTABLE)
    if data.variant_index >= len(shelf.variants):
        raise Invalid.field("variantIndex", CatalogMsg.VARIANT_UNKNOWN, variant_index=data.variant_index)
    return await _adjusted(ctx, shelf, data.variant_index, data.adjustment, "adjustment")


@operation(
    Permission.CATALOG_WRITE,
    name="catalog.adjusting.adjust_many",
    errors=[(Invalid, {Code.INSUFFICIENT_STOCK, Code.STOCK_NOT_ADJUSTABLE})],
)
async def adjust_many(ctx: Context, data: BulkStock) -> BulkStockResult:
    """Change the stock of many items, all of them or none. What one item is adjusted by several times adds up.

    Raises Invalid STOCK_NOT_ADJUSTABLE naming each item that does not exist, is a service or has variants, or
    INSUFFICIENT_STOCK naming each that would fall below zero.
    """
    known = [(one, _id(one)) for one in data.adjustments]
    rows = await stock.lock(ctx, {item_id for _, item_id in known if item_id is not None})
    _refuse([_unadjustable(one, None if item_id is None else rows.get(item_id)) for one, item_id in known])
    shelves = {item_id: Shelf(row) for item_id, row in rows.items()}
    sums = _summed(known)
    _refuse([_short(shelves[item_id], sums[item_id]) for _, item_id in known if item_id is not None])
    for item_id, quantity in sums.items():
        shelves[item_id].track(None)
        shelves[item_id].move(None, quantity)
    await _store_all(ctx, list(shelves.values()))
    return BulkStockResult(updated=len(data.adjustments))


# ---------------------------------------------------------------- steps


async def _adjusted(ctx: Context, shelf: Shelf, variant: int | None, quantity: Decimal, field: str) -> CatalogItem:
    before = shelf.level(variant)
    after = (before or ZERO) + quantity
    if after < 0 and (quantity < 0 or field == "stock"):
        remedy = _LESS if variant is None else _LESS_OF_VARIANT
        raise bilingual_field(field, *_with_remedy(_too_little(shelf, variant), remedy), code=Code.INSUFFICIENT_STOCK)
    if before == after:
        return shapes.shape(shelf.row)
    shelf.track(variant)
    shelf.move(variant, quantity)
    row = (await stock.write(ctx, [(shelf, _cause(shelf))]))[shelf.row.id]
    changes = {"stock": (before, after)}
    name = stock.name_of(shelf, variant)
    await activity.record(ctx, "stock_changed", ("catalog_item", row.id), name, changes)
    return shapes.shape(row)


async def _store_all(ctx: Context, shelves: Sequence[Shelf]) -> None:
    changed = [shelf for shelf in shelves if shelf.stock != shelf.row.stock]
    await stock.write(ctx, [(shelf, _cause(shelf)) for shelf in changed])
    await activity.record_each(ctx, [_logged(shelf) for shelf in changed])


def _logged(shelf: Shelf) -> activity.Line:
    changes = {"stock": (shelf.row.stock, shelf.stock)}
    return "stock_changed", ("catalog_item", shelf.row.id), str(shelf.row.name), changes


def _cause(shelf: Shelf) -> Cause:
    return Cause("adjusted", "catalog_item", shelf.row.id, shelf.row.name)


Bilingual = tuple[str, str]
"""The same in English and in Spanish."""


def _not_adjustable(row: Any) -> Bilingual | None:
    """Why this item's stock is not set directly."""
    if row.type == "service":
        return _SERVICE
    return _SUM_OF_VARIANTS if row.variants else None


_SERVICE = ("A service has no stock.", "Un servicio no tiene existencias.")
_SUM_OF_VARIANTS = (
    "The stock of an item with variants is the sum of theirs.",
    "Las existencias de un artículo con variantes son la suma de las de estas.",
)
_OTHERWISE = (
    "Adjust the stock of a product, or with PATCH /api/catalog/{id}/variant-stock that of one variant.",
    "Ajusta las existencias de un producto, o las de una variante con PATCH /api/catalog/{id}/variant-stock.",
)
_ONE_OF = [FieldError.of(name, "one_of", CatalogMsg.DELTA_OR_STOCK_FIELD) for name in ("delta", "stock")]


def _with_remedy(reason: Bilingual, remedy: Bilingual) -> tuple[Words, Words]:
    return (reason[0], remedy[0]), (reason[1], remedy[1])


def _too_little(shelf: Shelf, variant: int | None) -> Bilingual:
    there, name = f"{(shelf.level(variant) or ZERO).normalize():f}", stock.name_of(shelf, variant)
    return (
        f"there are {there} of {name}; the stock may not fall below zero",
        f"hay {there} de {name}; las existencias no pueden bajar de cero",
    )


def _id(one: Adjustment) -> UUID | None:
    """None for what is no id: a record that does not exist."""
    try:
        return UUID(one.item_id)
    except ValueError:
        return None


def _summed(known: Sequence[tuple[Adjustment, UUID | None]]) -> Mapping[UUID, Decimal]:
    sums: dict[UUID, Decimal] = {}
    for one, item_id in known:
        if item_id is not None:
            sums[item_id] = sums.get(item_id, ZERO) + one.adjustment
    return sums


Refusal = tuple[Code, str, tuple[Words, Words]] | None
"""Of one adjustment: the code, its field, and what is wrong, with its remedy."""


def _unadjustable(one: Adjustment, row: Any) -> Refusal:
    unknown = (f"No catalog item has id {one.item_id}.", f"Ningún artículo tiene el id {one.item_id}.")
    reason = unknown if row is None else _not_adjustable(row)
    return None if reason is None else (Code.STOCK_NOT_ADJUSTABLE, "itemId", _with_remedy(reason, _OTHERWISE))


def _short(shelf: Shelf, quantity: Decimal) -> Refusal:
    short = quantity < 0 and (shelf.stock or ZERO) + quantity < 0
    said = _with_remedy(_too_little(shelf, None), _LESS)
    return (Code.INSUFFICIENT_STOCK, "adjustment", said) if short else None


def _refuse(refusals: Sequence[Refusal]) -> None:
    """Raises Invalid naming every adjustment that is refused."""
    errors = [
        bilingual_error(f"adjustments[{number}].{one[1]}", one[0].value, *one[2])
        for number, one in enumerate(refusals)
        if one is not None
    ]
    if errors:
        raise Invalid(
            CatalogMsg.ADJUSTMENTS_REFUSED,
            code=Code(errors[0].code),
            errors=errors,
            count=len(errors),
            count_2=len(refusals),
        )

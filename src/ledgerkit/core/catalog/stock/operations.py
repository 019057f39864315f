"""Corrections of stock: of one item, of one variant, or of many items at once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from ledgerkit.core.catalog import acts
from ledgerkit.core.catalog import output as catalog_output
from ledgerkit.core.catalog.api import (
    Adjustment,
    BulkStock,
    BulkStockResult,
    CatalogItem,
    StockChange,
    StockLevel,
    VariantStockChange,
)
from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.catalog.stock.ledger import Cause
from ledgerkit.core.catalog.stock.levels import ItemStock
from ledgerkit.core.catalog.table import catalog_item
from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import id_sought
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, FieldError, Invalid

_RECORD = "catalog item"


@operation(
    Permission.CATALOG_WRITE,
    errors=[(Invalid, {Code.INSUFFICIENT_STOCK, Code.STOCK_NOT_ADJUSTABLE})],
    act=acts.ADJUSTMENT,
)
async def adjust(ctx: Context, item_id: str, data: StockChange) -> CatalogItem:
    """Change an item's stock by `delta`, or set it to `stock`; a stock that was not tracked begins at zero.

    Raises Invalid INSUFFICIENT_STOCK below zero, STOCK_NOT_ADJUSTABLE for services and items with variants.
    """
    _require_either(data.delta, data.stock, "delta")
    item = ItemStock(await records.fetch_locked(ctx, catalog_item, item_id, _RECORD))
    reason = _not_adjustable(item)
    if reason is not None:
        raise Invalid(reason, remedy=CatalogMsg.ADJUST_OTHERWISE, code=Code.STOCK_NOT_ADJUSTABLE)
    if data.stock is not None:
        return await _adjusted(ctx, item, None, data.stock - (item.total or ZERO), "stock")
    return await _adjusted(ctx, item, None, data.delta or ZERO, "delta")


@operation(
    Permission.CATALOG_WRITE,
    errors=[(Invalid, {Code.INSUFFICIENT_STOCK, Code.STOCK_NOT_ADJUSTABLE})],
    act=acts.ADJUSTMENT_OF_VARIANT,
)
async def adjust_variant(ctx: Context, item_id: str, data: VariantStockChange) -> CatalogItem:
    """Change the stock of one variant by `adjustment`, or set it to `stock`; the item's changes with it.

    Raises Invalid INSUFFICIENT_STOCK below zero, STOCK_NOT_ADJUSTABLE for services, and for an unknown index.
    """
    _require_either(data.adjustment, data.stock, "adjustment")
    item = ItemStock(await records.fetch_locked(ctx, catalog_item, item_id, _RECORD))
    if item.row.type == "service":
        raise Invalid(
            CatalogMsg.SERVICE_WITHOUT_STOCK, remedy=CatalogMsg.ADJUST_OTHERWISE, code=Code.STOCK_NOT_ADJUSTABLE
        )
    if data.variant_index >= len(item.variants):
        raise Invalid.field("variantIndex", CatalogMsg.VARIANT_UNKNOWN, variant_index=data.variant_index)
    if data.stock is not None:
        quantity = data.stock - (item.level(data.variant_index) or ZERO)
        return await _adjusted(ctx, item, data.variant_index, quantity, "stock")
    return await _adjusted(ctx, item, data.variant_index, data.adjustment or ZERO, "adjustment")


@operation(
    Permission.CATALOG_WRITE,
    errors=[(Invalid, {Code.INSUFFICIENT_STOCK, Code.STOCK_NOT_ADJUSTABLE})],
    act=acts.ADJUSTMENTS,
)
async def adjust_many(ctx: Context, data: BulkStock) -> BulkStockResult:
    """Change the stock of many items by `adjustment`, or set it to the `stock` that was counted; all or none.

    Several adjustments of one item add up; an item that is counted has no other adjustment beside the count.
    Raises Invalid for an adjustment with both or none, STOCK_NOT_ADJUSTABLE naming each item that does not exist, is a
    service or has variants, or INSUFFICIENT_STOCK naming each that would fall below zero.
    """
    _require_one_way(data.adjustments)
    ids = [id_sought(adjustment.item_id) for adjustment in data.adjustments]
    items = {item_id: ItemStock(row) for item_id, row in (await stock.lock(ctx, ids)).items()}
    adjusted_items = [items.get(item_id) for item_id in ids]
    _refuse(
        [_unadjustable(adjustment, item) for adjustment, item in zip(data.adjustments, adjusted_items, strict=True)],
        Code.STOCK_NOT_ADJUSTABLE,
    )
    _require_lone_counts(data.adjustments, ids)
    sums = _summed(data.adjustments, items, ids)
    _refuse(
        [
            None if item is None else _insufficient(adjustment, item, sums[item.row.id])
            for adjustment, item in zip(data.adjustments, adjusted_items, strict=True)
        ],
        Code.INSUFFICIENT_STOCK,
    )
    for item_id, quantity in sums.items():
        items[item_id].track(None)
        items[item_id].move(None, quantity)
    await _store_all(ctx, list(items.values()))
    levels = [
        StockLevel(item_id=str(item_id), name=items[item_id].row.name, stock=items[item_id].total or ZERO)
        for item_id in sums
    ]
    return BulkStockResult(updated=len(data.adjustments), items=levels)


# ---------------------------------------------------------------- steps


async def _adjusted(ctx: Context, item: ItemStock, variant: int | None, quantity: Decimal, field: str) -> CatalogItem:
    before = item.level(variant)
    after = (before or ZERO) + quantity
    if after < 0 and (quantity < 0 or field == "stock"):
        raise Invalid.field(
            field,
            CatalogMsg.STOCK_INSUFFICIENT,
            remedy=CatalogMsg.ADJUST_BY_LESS,
            code=Code.INSUFFICIENT_STOCK,
            level=_shown(before),
            name=item.name(variant),
        )
    if before == after:
        return catalog_output.ITEMS.shape(item.row)
    item.track(variant)
    item.move(variant, quantity)
    row = (await stock.store(ctx, [(item, _cause(item))]))[item.row.id]
    await activity.record(
        ctx, "stock_changed", ("catalog_item", row.id), item.name(variant), {"stock": (before, after)}
    )
    return catalog_output.ITEMS.shape(row)


async def _store_all(ctx: Context, items: Sequence[ItemStock]) -> None:
    changed = [item for item in items if item.total != item.row.stock]
    await stock.store(ctx, [(item, _cause(item)) for item in changed])
    await activity.record_each(ctx, [_logged(item) for item in changed])


def _logged(item: ItemStock) -> activity.Line:
    return "stock_changed", ("catalog_item", item.row.id), item.row.name, {"stock": (item.row.stock, item.total)}


def _cause(item: ItemStock) -> Cause:
    return Cause("adjusted", "catalog_item", item.row.id, item.row.name)


def _not_adjustable(item: ItemStock) -> CatalogMsg | None:
    """Return the reason for which this item's stock cannot be set directly, or None."""
    if item.row.type == "service":
        return CatalogMsg.SERVICE_WITHOUT_STOCK
    return CatalogMsg.STOCK_IS_SUM_OF_VARIANTS if item.variants else None


def _require_either(change: Decimal | None, count: Decimal | None, name: str) -> None:
    """Raise Invalid unless exactly one is given of a change, whose field is `name`, and a counted stock."""
    if (change is None) == (count is None):
        errors = [
            FieldError.of(field, "one_of", CatalogMsg.ONE_OF, fields=f"{name}, stock") for field in (name, "stock")
        ]
        raise Invalid(CatalogMsg.DELTA_OR_STOCK, errors=errors, name=name)


def _require_one_way(adjustments: Sequence[Adjustment]) -> None:
    """Raise Invalid naming each adjustment with both a change and a count, or none."""
    errors = [
        FieldError.of(f"adjustments[{number}]", "one_of", CatalogMsg.ONE_OF, fields="adjustment, stock")
        for number, adjustment in enumerate(adjustments)
        if (adjustment.adjustment is None) == (adjustment.stock is None)
    ]
    if errors:
        raise Invalid(CatalogMsg.ADJUSTMENTS_REFUSED, errors=errors, refused=len(errors), count=len(adjustments))


def _require_lone_counts(adjustments: Sequence[Adjustment], ids: Sequence[UUID]) -> None:
    """Raise Invalid naming each count of an item that has another adjustment: nobody knows which comes first."""
    times = Counter(ids)
    errors = [
        FieldError.of(f"adjustments[{number}].stock", "counted_twice", CatalogMsg.COUNTED_TWICE)
        for number, (adjustment, item_id) in enumerate(zip(adjustments, ids, strict=True))
        if adjustment.stock is not None and times[item_id] > 1
    ]
    if errors:
        raise Invalid(CatalogMsg.ADJUSTMENTS_REFUSED, errors=errors, refused=len(errors), count=len(adjustments))


def _shown(level: Decimal | None) -> str:
    return f"{(level or ZERO).normalize():f}"


def _summed(
    adjustments: Sequence[Adjustment], items: Mapping[UUID, ItemStock], ids: Sequence[UUID]
) -> Mapping[UUID, Decimal]:
    """Return by how much the stock of each item changes."""
    sums: dict[UUID, Decimal] = {}
    for adjustment, item_id in zip(adjustments, ids, strict=True):
        change = adjustment.adjustment or ZERO
        if adjustment.stock is not None:
            change = adjustment.stock - (items[item_id].total or ZERO)
        sums[item_id] = sums.get(item_id, ZERO) + change
    return sums


@dataclass(frozen=True)
class _Refusal:
    """Reason for which one adjustment cannot be made, and the field of the adjustment that it is about."""

    field: str
    message: CatalogMsg
    remedy: CatalogMsg
    values: Mapping[str, object]


def _unadjustable(adjustment: Adjustment, item: ItemStock | None) -> _Refusal | None:
    reason = CatalogMsg.ITEM_DOES_NOT_EXIST if item is None else _not_adjustable(item)
    if reason is None:
        return None
    return _Refusal("itemId", reason, CatalogMsg.ADJUST_OTHERWISE, {"item_id": adjustment.item_id})


def _insufficient(adjustment: Adjustment, item: ItemStock, quantity: Decimal) -> _Refusal | None:
    field = "adjustment" if adjustment.stock is None else "stock"
    if (quantity >= 0 and field == "adjustment") or (item.total or ZERO) + quantity >= 0:
        return None
    values = {"level": _shown(item.total), "name": item.row.name}
    return _Refusal(field, CatalogMsg.STOCK_INSUFFICIENT, CatalogMsg.ADJUST_BY_LESS, values)


def _refuse(refusals: Sequence[_Refusal | None], code: Code) -> None:
    """Raise Invalid naming every adjustment that is refused; nothing when none is."""
    errors = [
        FieldError.of(
            f"adjustments[{number}].{refusal.field}",
            code.value,
            refusal.message,
            remedy=refusal.remedy,
            **refusal.values,
        )
        for number, refusal in enumerate(refusals)
        if refusal is not None
    ]
    if errors:
        raise Invalid(
            CatalogMsg.ADJUSTMENTS_REFUSED, code=code, errors=errors, refused=len(errors), count=len(refusals)
        )

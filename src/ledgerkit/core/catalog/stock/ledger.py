"""The stock ledger: sales, returns, counts and receipts of goods change stock through these functions."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from sqlalchemy import ARRAY, Integer, Text, Uuid, any_, bindparam, func, select

from ledgerkit.core.catalog.stock.levels import ItemStock, StockMovement
from ledgerkit.core.catalog.table import CatalogItemRow, StockMovementRow, catalog_item, stock_movement
from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import id_sought, new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, FieldError, Invalid, NotFound
from ledgerkit.texts import text

Place = tuple[UUID, int | None]
"""Key of a stock level: an item's id and, for an item with variants, the index of a variant."""


@dataclass(frozen=True)
class Move:
    """A wanted change of the stock of an item, or of one of its variants. Negative quantities leave the stock."""

    item_id: UUID
    variant_index: int | None
    quantity: Decimal


@dataclass(frozen=True)
class Cause:
    """Reason of a stock movement: its kind, the record behind it, and that record's number or name.

    Kinds are `adjusted`, `invoice`, `credit_note`, `voided`, `sale`, `refund`, `imported` and the like.
    """

    kind: str
    entity_type: str
    entity_id: UUID
    label: str | None


async def move(ctx: Context, moves: Sequence[Move], cause: Cause) -> list[str]:
    """Change stocks within the caller's transaction, and return warnings for levels that fall below zero.

    Items are locked in the order of their ids. Left unchanged are items that are unknown, deactivated or not tracked,
    services, and an item with variants of which the move names none that is active. Several moves of one item or
    variant become one movement; those that cancel out become none.
    """
    return await _move(ctx, _summed(moves), cause, moved_before=set())


async def settle(ctx: Context, moves: Sequence[Move], cause: Cause, before: Sequence[Move] = ()) -> list[str]:
    """Bring the sum of all movements of the entity of `cause` to `moves`, whatever part of it is recorded already.

    So the same sale never moves stock twice, and a sale that is undone, by no moves, gives back exactly what it took,
    also to items deactivated since. A place of the `before` moves that was left unchanged then stays unchanged.
    Locks and warns as `move` does.
    """
    recorded_rows = await _RECORDED.rows(ctx.db, entity=cause.entity_id)
    recorded = {(row.item_id, row.variant_index): row.quantity for row in recorded_rows}
    target = _summed(moves)
    unchanged = _summed(before).keys() - recorded.keys()
    places = (target.keys() | recorded.keys()) - unchanged
    due = {place: target.get(place, ZERO) - recorded.get(place, ZERO) for place in places}
    return await _move(ctx, due, cause, moved_before=set(recorded))


async def take_back(ctx: Context, entity_types: Sequence[str], cause: Cause) -> None:
    """Undo all movements that records of these types have caused, by one movement of `cause` for each level."""
    recorded = await _CAUSED.rows(ctx.db, entity_types=list(entity_types))
    due = {(row.item_id, row.variant_index): -row.quantity for row in recorded}
    await _move(ctx, due, cause, moved_before=due.keys())


async def lock(ctx: Context, item_ids: Iterable[UUID]) -> dict[UUID, CatalogItemRow]:
    """Return the rows of the items that exist, locked in the order of their ids until the transaction ends."""
    unique_ids = list(set(item_ids))
    return {row.id: row for row in await _LOCKED.rows(ctx.db, ids=unique_ids)} if unique_ids else {}


async def store(ctx: Context, changed: Sequence[tuple[ItemStock, Cause]]) -> dict[UUID, CatalogItemRow]:
    """Store changed stocks and their movements, and return the items' rows as they are now."""
    if not changed:
        return {}
    rows = await records.change_many(ctx, catalog_item, [item.columns() for item, _ in changed])
    await record_movements(
        ctx, [(item.row.id, movement, cause) for item, cause in changed for movement in item.movements]
    )
    return rows


async def record_movements(ctx: Context, movements: Sequence[tuple[UUID, StockMovement, Cause]]) -> None:
    """Write movements of items into the ledger."""
    origin = Values(StockMovementRow, created_by=ctx.actor.user_id, channel=ctx.actor.channel.value)
    rows = [
        Values(StockMovementRow, id=new_id(), item_id=item_id)
        | Values.copied(StockMovementRow, movement)
        | Values.copied(StockMovementRow, cause)
        | origin
        for item_id, movement, cause in movements
    ]
    if rows:
        await records.add_many(ctx, stock_movement, rows)


async def require_items(
    ctx: Context, references: Sequence[tuple[str | None, int | None]], place: str = "items"
) -> None:
    """Check the `catalogItemId` and `variantIndex` of a body's lines, which stand in its list `place`.

    A line without item may name no variant; a deactivated item exists. Raises NotFound naming the field of an item
    that does not exist, be it malformed or of another account, and Invalid for a variant that its item does not have.
    """
    ids = {id_sought(named_id) for named_id, _ in references if named_id is not None}
    rows = await _VARIANT_COUNTS.rows(ctx.db, ids=list(ids)) if ids else []
    counts = {row.id: row.variant_count for row in rows}
    for number, (named_id, variant) in enumerate(references):
        line = f"{place}[{number}]"
        if named_id is not None and id_sought(named_id) not in counts:
            raise _no_item(f"{line}.catalogItemId", named_id)
        if variant is not None and variant >= (0 if named_id is None else counts[id_sought(named_id)]):
            raise Invalid.field(f"{line}.variantIndex", CatalogMsg.VARIANT_OF_LINE_UNKNOWN, variant=variant)


def below_zero_warning(ctx: Context, name: str, level: Decimal) -> str:
    """Return the warning that a level is below zero, in the language of the request."""
    warning = text(CatalogMsg.STOCK_BELOW_ZERO, name=name, level=f"{level.normalize():f}")
    return warning.in_language(ctx.request_metadata.language)


# ---------------------------------------------------------------- steps


async def _move(
    ctx: Context, due: Mapping[Place, Decimal], cause: Cause, *, moved_before: AbstractSet[Place]
) -> list[str]:
    """Move the quantities that are due; places of `moved_before` may be inactive."""
    quantities = {place: quantity for place, quantity in due.items() if quantity}
    rows = await lock(ctx, {item_id for item_id, _ in quantities})
    items = {item_id: ItemStock(row) for item_id, row in rows.items()}
    for (item_id, variant), quantity in quantities.items():
        item = items.get(item_id)
        if item is None or not item.is_tracked(variant):
            continue
        if (item_id, variant) in moved_before or item.is_sold(variant):
            item.move(variant, quantity)
    changed = [item for item in items.values() if item.movements]
    await store(ctx, [(item, cause) for item in changed])
    return await _warned(ctx, changed, cause)


def _summed(moves: Sequence[Move]) -> dict[Place, Decimal]:
    sums: dict[Place, Decimal] = {}
    for requested in moves:
        place = (requested.item_id, requested.variant_index)
        sums[place] = sums.get(place, ZERO) + requested.quantity
    return sums


async def _warned(ctx: Context, items: Sequence[ItemStock], cause: Cause) -> list[str]:
    """Return the warnings for levels that fell below zero, and log each of them."""
    warnings = []
    for item in items:
        for movement in item.movements:
            if movement.quantity > 0 or movement.stock_after >= 0:
                continue
            name = item.name(movement.variant_index)
            warnings.append(below_zero_warning(ctx, name, movement.stock_after))
            before = movement.stock_after - movement.quantity
            changes = {"stock": (before, movement.stock_after), "cause": (None, cause.label or cause.kind)}
            await activity.record(ctx, "stock_below_zero", ("catalog_item", item.row.id), name, changes)
    return warnings


def _no_item(field: str, item_id: str) -> NotFound:
    remedy = CatalogMsg.LIST_ITEMS
    error = FieldError.of(field, Code.NOT_FOUND.value, CatalogMsg.NO_SUCH_ITEM, remedy=remedy)
    return NotFound(CatalogMsg.FIELD_NAMES_NO_ITEM, errors=[error], remedy=remedy, field=field, item_id=item_id)


class _VariantCountRow(Row):
    id: UUID
    variant_count: int


class _RecordedRow(Row):
    item_id: UUID
    variant_index: int | None
    quantity: Decimal


_IDS = any_(bindparam("ids", type_=ARRAY(Uuid)))
_LOCKED = Prepared(
    select(catalog_item).where(catalog_item.c.id == _IDS).order_by(catalog_item.c.id).with_for_update(), CatalogItemRow
)
_VARIANT_COUNTS = Prepared(
    select(
        catalog_item.c.id, func.json_array_length(catalog_item.c.variants, type_=Integer).label("variant_count")
    ).where(catalog_item.c.id == _IDS),
    _VariantCountRow,
)
_SUMS = select(
    stock_movement.c.item_id, stock_movement.c.variant_index, func.sum(stock_movement.c.quantity).label("quantity")
).group_by(stock_movement.c.item_id, stock_movement.c.variant_index)
_RECORDED = Prepared(_SUMS.where(stock_movement.c.entity_id == bindparam("entity", type_=Uuid)), _RecordedRow)
_CAUSED = Prepared(
    _SUMS.where(stock_movement.c.entity_type == any_(bindparam("entity_types", type_=ARRAY(Text)))), _RecordedRow
)

"""The ledger of the stock: whoever sells, returns, counts or receives goods moves them here."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, bindparam, func, select

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.catalog.messages import CatalogMsg
from ledgerkit.core.catalog.models import catalog_item, stock_movement
from ledgerkit.core.catalog.schemas import MOST
from ledgerkit.core.database.ids import new_id
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid, NotFound, bilingual, bilingual_error

Place = tuple[UUID, int | None]
"""Where stock lies: an item, and of one with variants the index of a variant."""


@dataclass(frozen=True)
class Move:
    """A change of an item's stock, or of one of its variants'. Negative leaves the house."""

    item_id: UUID
    variant_index: int | None
    quantity: Decimal


@dataclass(frozen=True)
class Cause:
    """Why stock changes: what happened, to which record, under which number or name.

    Kinds are `adjusted`, `invoice`, `credit_note`, `voided`, `sale`, `refund`, `imported` and the like.
    """

    kind: str
    entity_type: str
    entity_id: UUID
    label: str | None


class Shelf:
    """The stock of one locked item while it changes."""

    def __init__(self, row: Any) -> None:
        self.row = row
        self.stock: Decimal | None = row.stock
        self.variants: list[dict[str, Any]] = [dict(one) for one in row.variants]
        self.moved: list[dict[str, Any]] = []

    def level(self, variant: int | None) -> Decimal | None:
        """The stock of the item or of one variant, None where it is not tracked."""
        if variant is None:
            return self.stock
        level = self.variants[variant]["stock"]
        return None if level is None else Decimal(level)

    def takes(self, variant: int | None) -> bool:
        """Whether there is a tracked stock under this index: of the item without variants, of a variant else."""
        there = not self.variants if variant is None else variant < len(self.variants)
        return there and self.level(variant) is not None

    def move(self, variant: int | None, quantity: Decimal) -> None:
        """Change a level, noting the movement; one that was not tracked begins with nothing.

        Raises Invalid when it would leave what can be kept.
        """
        if not quantity:
            return
        after = (self.level(variant) or ZERO) + quantity
        total = (self.stock or ZERO) + quantity
        if max(abs(after), abs(total)) > MOST:
            raise Invalid(CatalogMsg.STOCK_TOO_LARGE, name=self.row.name, most=MOST)
        self.stock = total
        if variant is not None:
            self.variants[variant]["stock"] = after
        self.moved.append({"variant_index": variant, "quantity": quantity, "stock_after": after})

    def track(self, variant: int | None) -> None:
        """Begin to count at zero what was not tracked."""
        self.stock = self.stock or ZERO
        if variant is not None:
            self.variants[variant]["stock"] = self.level(variant) or ZERO

    @property
    def is_low(self) -> bool:
        return is_low(self.row.low_stock_threshold, self.stock, self.variants)

    def columns(self) -> dict[str, Any]:
        """What of the item's row follows its stock."""
        return {"id": self.row.id, "stock": self.stock, "variants": self.variants, "is_low": self.is_low}


async def move(ctx: Context, moves: Sequence[Move], cause: Cause) -> list[str]:
    """Change stocks within the caller's transaction; the texts warn of those that fall below zero, which a sale may.

    Items are locked in the order of their ids. Left alone are items that are unknown, deactivated or not tracked,
    services, and an item with variants of which the move names none that is active. Several moves of one item or
    variant are one movement; those that cancel out are none.
    """
    return await _move(ctx, _summed(moves), cause, known=set())


async def settle(ctx: Context, moves: Sequence[Move], cause: Cause, before: Sequence[Move] = ()) -> list[str]:
    """Bring what the entity of `cause` has moved in all to `moves`, whatever of it has been done already.

    So the same sale never moves stock twice, and one that is undone, by no moves, gives back exactly what it took,
    also to items deactivated since. What the entity meant to move `before` and was left alone then stays alone.
    Locks and warns as `move` does.
    """
    done = {(row.item_id, row.variant_index): row.quantity for row in await _DONE.rows(ctx.db, entity=cause.entity_id)}
    wanted = _summed(moves)
    alone = _summed(before).keys() - done.keys()
    places = (wanted.keys() | done.keys()) - alone
    due = {place: wanted.get(place, ZERO) - done.get(place, ZERO) for place in places}
    return await _move(ctx, due, cause, known=set(done))


async def lock(ctx: Context, item_ids: Iterable[UUID]) -> dict[UUID, Any]:
    """The rows of those items that exist, locked in the order of their ids until the transaction ends."""
    wanted = list(set(item_ids))
    return {row.id: row for row in await _LOCKED.rows(ctx.db, ids=wanted)} if wanted else {}


async def write(ctx: Context, changed: Sequence[tuple[Shelf, Cause]]) -> dict[UUID, Any]:
    """Store changed stocks and their movements; the items' rows as they are now."""
    if not changed:
        return {}
    rows = await records.change_many(ctx, catalog_item, [shelf.columns() for shelf, _ in changed])
    await note(ctx, [(shelf.row.id, moved, cause) for shelf, cause in changed for moved in shelf.moved])
    return rows


async def note(ctx: Context, movements: Sequence[tuple[UUID, Mapping[str, Any], Cause]]) -> None:
    """Write movements of items into the ledger."""
    who = {"created_by": ctx.actor.user_id, "channel": ctx.actor.channel.value}
    rows = [
        {"id": new_id(), "item_id": item_id, **moved, **asdict(cause), **who} for item_id, moved, cause in movements
    ]
    if rows:
        await records.add_many(ctx, stock_movement, rows)


async def require_items(ctx: Context, wanted: Sequence[tuple[str | None, int | None]], place: str = "items") -> None:
    """Check the `catalogItemId` and `variantIndex` of a body's lines, which stand in its list `place`.

    A line without item may name no variant; a deactivated item exists. Raises NotFound naming the field of an item
    that does not exist, be it malformed or somebody else's, and Invalid for a variant that its item does not have.
    """
    ids = {known for named, _ in wanted if named is not None and (known := _as_id(named)) is not None}
    found = {row.id: row.variants for row in await _VARIANTS.rows(ctx.db, ids=list(ids))} if ids else {}
    for number, (named, variant) in enumerate(wanted):
        where = f"{place}[{number}]"
        variants = [] if named is None else found.get(_as_id(named))
        if variants is None:
            raise _no_item(f"{where}.catalogItemId", named)
        if variant is not None and variant >= len(variants):
            raise Invalid.field(f"{where}.variantIndex", CatalogMsg.VARIANT_OF_LINE_UNKNOWN, variant=variant)


def is_low(threshold: Decimal | None, stock: Decimal | None, variants: Iterable[Mapping[str, Any]]) -> bool:
    """At or below its threshold, the item or one of its active variants (interface decisions E8)."""
    if threshold is None or stock is None:
        return False
    levels = [one["stock"] for one in variants if one["isActive"] and one["stock"] is not None]
    return any(level <= threshold for level in (stock, *levels))


# ---------------------------------------------------------------- steps


async def _move(ctx: Context, due: Mapping[Place, Decimal], cause: Cause, *, known: AbstractSet[Place]) -> list[str]:
    """`known` are places that may be inactive, what is moved there having been moved before."""
    places = {place: quantity for place, quantity in due.items() if quantity}
    shelves = {item_id: Shelf(row) for item_id, row in (await lock(ctx, {one for one, _ in places})).items()}
    for (item_id, variant), quantity in places.items():
        shelf = shelves.get(item_id)
        if shelf is not None and shelf.takes(variant) and ((item_id, variant) in known or _sells(shelf, variant)):
            shelf.move(variant, quantity)
    changed = [shelf for shelf in shelves.values() if shelf.moved]
    await write(ctx, [(shelf, cause) for shelf in changed])
    return await _warned(ctx, changed, cause)


def _summed(moves: Sequence[Move]) -> dict[Place, Decimal]:
    sums: dict[Place, Decimal] = {}
    for one in moves:
        place = (one.item_id, one.variant_index)
        sums[place] = sums.get(place, ZERO) + one.quantity
    return sums


def _sells(shelf: Shelf, variant: int | None) -> bool:
    return bool(shelf.row.is_active) and (variant is None or bool(shelf.variants[variant]["isActive"]))


async def _warned(ctx: Context, shelves: Sequence[Shelf], cause: Cause) -> list[str]:
    """The texts for what fell below zero, each an entry of the activity log too."""
    texts = []
    for shelf in shelves:
        for moved in shelf.moved:
            before, after = moved["stock_after"] - moved["quantity"], moved["stock_after"]
            if moved["quantity"] > 0 or after >= 0:
                continue
            name = name_of(shelf, moved["variant_index"])
            texts.append(f"The stock of {name} fell to {after.normalize():f}.")
            changes = {"stock": (before, after), "cause": (None, cause.label or cause.kind)}
            await activity.record(ctx, "stock_below_zero", ("catalog_item", shelf.row.id), name, changes)
    return texts


def name_of(shelf: Shelf, variant: int | None) -> str:
    """The item's name, with its variant's."""
    name = str(shelf.row.name)
    return name if variant is None else f"{name} ({shelf.variants[variant]['name']})"


def _as_id(value: str | None) -> UUID | None:
    try:
        return UUID(value or "")
    except ValueError:
        return None


def _no_item(field: str, value: str | None) -> NotFound:
    remedy = "List the catalog's items with GET /api/catalog and use an id from there."
    remedio = "Pide los artículos con GET /api/catalog y usa un id de ahí."
    english, spanish = ("no such catalog item", remedy), ("no existe ese artículo", remedio)
    return bilingual(
        NotFound,
        (f"{field}: no catalog item has id {value}.", remedy),
        (f"{field}: ningún artículo tiene el id {value}.", remedio),
        errors=[bilingual_error(field, Code.NOT_FOUND.value, english, spanish)],
    )


_IDS = any_(bindparam("ids", type_=ARRAY(Uuid)))
_LOCKED = Prepared(select(catalog_item).where(catalog_item.c.id == _IDS).order_by(catalog_item.c.id).with_for_update())
_VARIANTS = Prepared(select(catalog_item.c.id, catalog_item.c.variants).where(catalog_item.c.id == _IDS))
_DONE = Prepared(
    select(
        stock_movement.c.item_id, stock_movement.c.variant_index, func.sum(stock_movement.c.quantity).label("quantity")
    )
    .where(stock_movement.c.entity_id == bindparam("entity", type_=Uuid))
    .group_by(stock_movement.c.item_id, stock_movement.c.variant_index)
)

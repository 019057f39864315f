"""The stock ledger: movements, places that are left unchanged, and sums that always add up."""

from decimal import Decimal
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select

from ledgerkit.core.catalog.api import MAX_STOCK
from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.catalog.stock.ledger import Cause, Move
from ledgerkit.core.catalog.stock.levels import StockMovement
from ledgerkit.core.catalog.table import VARIANTS, catalog_item, stock_movement
from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.problems import Invalid, NotFound


@pytest.fixture
async def ctx(kernel, ana):
    """A transaction in the name of ana's team."""
    outside = await accounts.system_context(kernel, UUID(ana.team["id"]))
    async with outside.transaction() as inner:
        yield inner


def variant(name: str, level: int | None, *, active: bool = True) -> dict[str, object]:
    return {"name": name, "sku": None, "attributes": {}, "unitPrice": None, "stock": level, "isActive": active}


async def stored(ctx, **fields) -> UUID:
    shown = {"type": "product", "name": "Tornillo", "unit_price": 1, "currency": "EUR", "variants": []}
    hidden = {"channel": "api", "name_key": "tornillo", "search_text": "tornillo"}
    row = await records.add(ctx, catalog_item, {"id": new_id(), **shown, **hidden, **fields})
    variants = VARIANTS.decode(row.variants)
    opening = [(index, variant.stock) for index, variant in enumerate(variants)] or [(None, row.stock)]
    created = cause("created")
    await stock.record_movements(
        ctx, [(row.id, StockMovement(index, level, level), created) for index, level in opening if level]
    )
    return row.id


def cause(kind: str = "sale") -> Cause:
    return Cause(kind, "test", uuid4(), None)


async def level(ctx, item_id: UUID) -> Decimal | None:
    return (await ctx.db.execute(select(catalog_item.c.stock).where(catalog_item.c.id == item_id))).scalar_one()


async def levels(ctx, item_id: UUID) -> list[Decimal | None]:
    row = (await ctx.db.execute(select(catalog_item.c.variants).where(catalog_item.c.id == item_id))).scalar_one()
    return [one["stock"] for one in row]


async def summed(ctx, item_id: UUID) -> Decimal:
    query = select(func.sum(stock_movement.c.quantity)).where(stock_movement.c.item_id == item_id)
    return (await ctx.db.execute(query)).scalar_one()


async def movements(ctx, item_id: UUID) -> list[tuple[int | None, Decimal, Decimal, str]]:
    query = select(stock_movement).where(stock_movement.c.item_id == item_id).order_by(stock_movement.c.id)
    return [(m.variant_index, m.quantity, m.stock_after, m.kind) for m in await ctx.db.execute(query)]


async def test_each_change_is_a_row_with_its_cause_and_the_stock_after(ctx):
    item = await stored(ctx, stock=10)

    await stock.move(ctx, [Move(item, None, Decimal("-2.5"))], cause("sale"))
    await stock.move(ctx, [Move(item, None, Decimal(1))], cause("refund"))

    assert await movements(ctx, item) == [
        (None, 10, 10, "created"),
        (None, Decimal("-2.5"), Decimal("7.5"), "sale"),
        (None, 1, Decimal("8.5"), "refund"),
    ]
    assert await level(ctx, item) == await summed(ctx, item) == Decimal("8.5")


async def test_moves_of_one_place_become_one_movement_or_none(ctx):
    item, other = await stored(ctx, stock=10), await stored(ctx, stock=10)
    twice = [Move(item, None, Decimal(-1)), Move(item, None, Decimal(-2))]
    nothing = [Move(other, None, Decimal(-1)), Move(other, None, Decimal(1))]

    await stock.move(ctx, twice + nothing, cause())

    assert (await movements(ctx, item))[1:] == [(None, -3, 7, "sale")]
    assert (await movements(ctx, other))[1:] == []


async def test_variants_have_stocks_of_their_own_and_the_item_their_sum(ctx):
    item = await stored(ctx, stock=8, variants=[variant("S", 5), variant("M", 3), variant("L", None)])

    await stock.move(ctx, [Move(item, 0, Decimal(-4)), Move(item, 1, Decimal(2)), Move(item, 2, Decimal(-9))], cause())

    assert await levels(ctx, item) == [1, 5, None]
    assert await level(ctx, item) == await summed(ctx, item) == 6


@pytest.mark.parametrize(
    ("fields", "index"),
    [
        ({"stock": None}, None),
        ({"type": "service"}, None),
        ({"stock": 5, "is_active": False}, None),
        ({"stock": 5, "variants": [variant("S", 5)]}, None),
        ({"stock": 5, "variants": [variant("S", 5)]}, 1),
        ({"stock": 5, "variants": [variant("S", 5, active=False)]}, 0),
        ({"stock": 5}, 0),
    ],
    ids=["untracked", "service", "deactivated", "no variant named", "no such variant", "variant gone", "no variants"],
)
async def test_places_without_a_stock_are_left_unchanged(ctx, fields, index):
    item = await stored(ctx, **fields)
    before = await movements(ctx, item)

    result = await stock.move(ctx, [Move(item, index, Decimal(-9)), Move(uuid4(), None, Decimal(-1))], cause())

    assert (result, await level(ctx, item), await movements(ctx, item)) == ([], fields.get("stock"), before)


async def test_a_sale_may_take_stock_below_zero_and_warns(ctx):
    item = await stored(ctx, stock=2, variants=[variant("S", 2)])

    enough = await stock.move(ctx, [Move(item, 0, Decimal(-2))], cause())
    short = await stock.move(ctx, [Move(item, 0, Decimal("-1.50"))], cause())
    back = await stock.move(ctx, [Move(item, 0, Decimal(1))], cause())

    assert (enough, short, back) == ([], ["The stock of Tornillo (S) fell to -1.5."], [])


async def test_settling_twice_moves_once_and_undoing_gives_back_what_was_taken(ctx):
    item, untracked = await stored(ctx, stock=10), await stored(ctx, stock=None)
    invoice = cause("invoice")
    lines = [Move(item, None, Decimal(-3)), Move(untracked, None, Decimal(-3))]

    await stock.settle(ctx, lines, invoice)
    await stock.settle(ctx, lines, invoice)
    assert await level(ctx, item) == 7

    await records.change(ctx, catalog_item, item, {"is_active": False})
    await records.change(ctx, catalog_item, untracked, {"stock": Decimal(1)})
    await stock.settle(ctx, [], invoice)
    await stock.settle(ctx, [], invoice)
    assert (await level(ctx, item), await level(ctx, untracked)) == (10, 1)


async def test_a_changed_sale_moves_the_difference(ctx):
    item, other, late = [await stored(ctx, stock=level) for level in (10, 10, None)]
    invoice = cause("invoice")
    first = [Move(item, None, Decimal(-3)), Move(late, None, Decimal(-3))]
    await stock.settle(ctx, first, invoice)
    await records.change(ctx, catalog_item, late, {"stock": Decimal(4)})

    changed = [Move(item, None, Decimal(-1)), Move(other, None, Decimal(-2)), Move(late, None, Decimal(-3))]
    await stock.settle(ctx, changed, invoice, before=first)

    assert [await level(ctx, one) for one in (item, other, late)] == [9, 8, 4]


async def test_a_stock_beyond_the_largest_is_refused(ctx):
    item = await stored(ctx, stock=MAX_STOCK - 1)

    with pytest.raises(Invalid):
        await stock.move(ctx, [Move(item, None, Decimal("1.0001"))], cause())

    assert await stock.move(ctx, [Move(item, None, Decimal(1))], cause()) == []


async def test_items_named_in_a_body_must_exist(ctx):
    item = str(await stored(ctx, variants=[variant("S", 5), variant("M", 5)]))

    await stock.require_items(ctx, [(None, None), (item, None), (item, 1), (item.upper(), 0)])

    for wrong in (str(uuid4()), "x", ""):
        with pytest.raises(NotFound) as missing:
            await stock.require_items(ctx, [(item, 0), (wrong, None)])
        assert [error.field for error in missing.value.errors] == ["items[1].catalogItemId"]
    for named, index in ((item, 2), (None, 0)):
        with pytest.raises(Invalid) as invalid:
            await stock.require_items(ctx, [(named, index)], "lineItems")
        assert [error.field for error in invalid.value.errors] == ["lineItems[0].variantIndex"]


async def test_low_stock_is_updated_with_every_move(ctx):
    item = await stored(ctx, stock=10, low_stock_threshold=3)

    async def low() -> bool:
        return (await ctx.db.execute(select(catalog_item.c.is_low).where(catalog_item.c.id == item))).scalar_one()

    results = []
    for change in (-6, -1, 1):
        await stock.move(ctx, [Move(item, None, Decimal(change))], cause())
        results.append(await low())

    assert results == [False, True, False]

"""Items for other domains: their prices, shortages of their stock, and items that the lines of an invoice may mean."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from sqlalchemy import ARRAY, Text, Uuid, any_, bindparam, func, or_, select

from ledgerkit.core.catalog.input import sku_key
from ledgerkit.core.catalog.stock.ledger import Place, below_zero_warning
from ledgerkit.core.catalog.stock.levels import ItemStock
from ledgerkit.core.catalog.table import CatalogItemRow, catalog_item
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.records.search import search_word
from ledgerkit.core.platform.request.context import Context

MAX_CANDIDATES = 1_000
"""Most items among which lines are matched: those that have the most of the words."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """Name and price of an item or variant. `tax_rate` in percent, None where the account's own applies."""

    name: str
    unit_price: Decimal
    tax_rate: Decimal | None
    currency: str


async def offers(ctx: Context, places: Iterable[Place]) -> dict[Place, Offer]:
    """Return the offer of each of these items and variants; those that do not exist are absent."""
    items = await _items(ctx, places)
    return {place: _offer(item, place[1]) for place, item in items.items()}


async def services(ctx: Context, ids: Iterable[UUID]) -> set[UUID]:
    """Return the items that are services, and so have no stock."""
    item_ids = list(dict.fromkeys(ids))
    return {row.id for row in await _ITEMS.rows(ctx.db, ids=item_ids) if row.type == "service"} if item_ids else set()


async def shortages(ctx: Context, places: Iterable[Place]) -> list[str]:
    """Return a warning for each item and variant whose stock is below zero now."""
    warnings = []
    for (_, variant), item in (await _items(ctx, places)).items():
        level = item.level(variant)
        if item.is_tracked(variant) and level is not None and level < 0:
            warnings.append(below_zero_warning(ctx, item.name(variant), level))
    return warnings


class CandidateRow(Row):
    id: UUID
    name: str
    sku: str | None
    barcode: str | None


async def candidates(ctx: Context, words: Sequence[str], skus: Sequence[str]) -> list[CandidateRow]:
    """Return the active items that have one of the folded `words`, or one of the `skus` whatever its case."""
    if not words and not skus:
        return []
    keys = sorted({key for sku in skus if (key := sku_key(sku))})
    return await _CANDIDATES.rows(ctx.db, words=list(words), skus=keys)


async def _items(ctx: Context, places: Iterable[Place]) -> dict[Place, ItemStock]:
    unique_places = dict.fromkeys(places)
    if not unique_places:
        return {}
    rows = {row.id: row for row in await _ITEMS.rows(ctx.db, ids=list({item_id for item_id, _ in unique_places}))}
    items = {place: ItemStock(rows[place[0]]) for place in unique_places if place[0] in rows}
    return {place: item for place, item in items.items() if place[1] is None or place[1] < len(item.variants)}


def _offer(item: ItemStock, variant: int | None) -> Offer:
    price = None if variant is None else item.variants[variant].unit_price
    return Offer(
        name=item.name(variant),
        unit_price=item.row.unit_price if price is None else price,
        tax_rate=item.row.tax_rate,
        currency=item.row.currency,
    )


_ITEMS = Prepared(
    select(catalog_item).where(catalog_item.c.id == any_(bindparam("ids", type_=ARRAY(Uuid)))), CatalogItemRow
)
_WITH_WORDS = (
    select(search_word.c.entity_id)
    .where(
        search_word.c.kind == constant("catalog_item"),
        search_word.c.word == any_(bindparam("words", type_=ARRAY(Text))),
    )
    .group_by(search_word.c.entity_id)
    .order_by(func.count().desc(), search_word.c.entity_id)
    .limit(MAX_CANDIDATES)
)
_CANDIDATES = Prepared(
    select(catalog_item.c.id, catalog_item.c.name, catalog_item.c.sku, catalog_item.c.barcode)
    .where(
        catalog_item.c.is_active,
        or_(
            catalog_item.c.id.in_(_WITH_WORDS),
            catalog_item.c.sku_key == any_(bindparam("skus", type_=ARRAY(Text))),
        ),
    )
    .order_by(catalog_item.c.id)
    .limit(2 * MAX_CANDIDATES),
    CandidateRow,
)

"""What the till asks of the catalog: what an item is sold as, and whether there was enough of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, bindparam, select

from ledgerkit.core.catalog.models import catalog_item
from ledgerkit.core.catalog.stock import Place, Shelf, name_of
from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.request.context import Context


@dataclass(frozen=True, kw_only=True)
class Offer:
    """An item, or one of its variants, as it is sold. `tax_rate` in percent, None where the account's own applies."""

    name: str
    unit_price: Decimal
    tax_rate: Decimal | None
    currency: str


async def offers(ctx: Context, places: Iterable[Place]) -> dict[Place, Offer]:
    """What each of these items and variants is sold as; those that do not exist are absent."""
    shelves = await _shelves(ctx, places)
    return {place: _offer(shelf, place[1]) for place, shelf in shelves.items()}


async def services(ctx: Context, ids: Iterable[UUID]) -> set[UUID]:
    """Which of these items are services, and so no goods."""
    wanted = list(dict.fromkeys(ids))
    return {row.id for row in await _ITEMS.rows(ctx.db, ids=wanted) if row.type == "service"} if wanted else set()


async def shortages(ctx: Context, places: Iterable[Place]) -> list[str]:
    """The texts that warn of those whose stock is below zero now."""
    texts = []
    for (_, variant), shelf in (await _shelves(ctx, places)).items():
        level = shelf.level(variant)
        if shelf.takes(variant) and level is not None and level < 0:
            texts.append(f"The stock of {name_of(shelf, variant)} fell to {level.normalize():f}.")
    return texts


async def _shelves(ctx: Context, places: Iterable[Place]) -> dict[Place, Shelf]:
    wanted = dict.fromkeys(places)
    if not wanted:
        return {}
    rows = {row.id: row for row in await _ITEMS.rows(ctx.db, ids=list({item_id for item_id, _ in wanted}))}
    known = {place: Shelf(rows[place[0]]) for place in wanted if place[0] in rows}
    return {place: shelf for place, shelf in known.items() if place[1] is None or place[1] < len(shelf.variants)}


def _offer(shelf: Shelf, variant: int | None) -> Offer:
    price = None if variant is None else shelf.variants[variant]["unitPrice"]
    return Offer(
        name=name_of(shelf, variant),
        unit_price=shelf.row.unit_price if price is None else Decimal(price),
        tax_rate=shelf.row.tax_rate,
        currency=shelf.row.currency,
    )


_ITEMS = Prepared(select(catalog_item).where(catalog_item.c.id == any_(bindparam("ids", type_=ARRAY(Uuid)))))

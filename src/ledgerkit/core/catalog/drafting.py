"""From what a caller says of an item to what its row holds, and to the movements of its stock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ledgerkit.core.activity import service as activity
from ledgerkit.core.catalog import variants
from ledgerkit.core.catalog.messages import CatalogMsg
from ledgerkit.core.catalog.schemas import MOST, ItemChange, ItemInput
from ledgerkit.core.catalog.stock import is_low
from ledgerkit.core.records import search
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid, bilingual_field

_TEXTS = ("sku", "barcode", "description", "category", "unit")
_OPTIONAL = (*_TEXTS, "cost", "tax_rate", "low_stock_threshold")
_REQUIRED = ("type", "name", "unit_price", "is_active")
_SHOWN = (*_REQUIRED, *_OPTIONAL, "currency", "stock", "variants")

Levels = Mapping[int | None, Decimal | None]
"""What there is of an item: under None of the item itself, under its index of each variant. None: not tracked."""


@dataclass(frozen=True)
class Draft:
    """Columns of an item, and what its stock has moved to come there."""

    columns: dict[str, Any]
    movements: list[dict[str, Any]]


def new(ctx: Context, data: ItemInput) -> Draft:
    """A new item. Raises Invalid INSUFFICIENT_STOCK for a stock below zero."""
    given = {name: getattr(data, name) for name in (*_REQUIRED, *_OPTIONAL)}
    given["currency"] = data.currency or ctx.account.currency
    return _drafted(given, variants.merged([], data.variants or []), data.stock, before={})


def changed(old: Any, data: ItemChange) -> Draft:
    """An item after a change: what is absent keeps its value. The row is locked by the caller.

    Raises Invalid INSUFFICIENT_STOCK for a stock that would become negative; one that is already may stay so.
    """
    said = data.model_fields_set
    given = {name: getattr(data if name in said else old, name) for name in (*_REQUIRED, *_OPTIONAL)}
    given["currency"] = data.currency or old.currency
    kept = variants.merged(old.variants, data.variants or []) if "variants" in said else old.variants
    stock = data.stock if "stock" in said else old.stock
    return _drafted(given, kept, stock, before=levels(old.stock, old.variants))


def difference(old: Any, draft: Draft) -> activity.Changes:
    """What of an item has changed, for the log."""
    return activity.changed({name: old[name] for name in _SHOWN}, {name: draft.columns[name] for name in _SHOWN})


def levels(stock: Decimal | None, of_variants: Sequence[Mapping[str, Any]]) -> Levels:
    if of_variants:
        return {number: one["stock"] for number, one in enumerate(of_variants)}
    return {None: stock}


def _drafted(
    given: Mapping[str, Any], kept: Sequence[Mapping[str, Any]], stock: Decimal | None, before: Levels
) -> Draft:
    plain = {**given, **{name: given[name] or None for name in _TEXTS}}
    if given["type"] == "service":
        stock, kept = None, [{**one, "stock": None} for one in kept]
    after = levels(stock, kept)
    _check(before, after)
    total = variants.total(kept) if kept else stock
    if abs(total or ZERO) > MOST:
        raise Invalid.field("variants", CatalogMsg.VARIANTS_STOCK_TOO_LARGE, most=MOST)
    derived = {
        "stock": total,
        "variants": list(kept),
        "is_low": is_low(given["low_stock_threshold"], total, kept),
        "name_key": search.fold(given["name"]),
        "sku_key": sku_key(plain["sku"]),
        "search_text": _search_text(plain, kept),
    }
    return Draft({**plain, **derived}, _movements(before, after))


def _check(before: Levels, after: Levels) -> None:
    for place, level in after.items():
        if level is not None and level < 0 and level != before.get(place):
            field = "stock" if place is None else f"variants[{place}].stock"
            english = ("may not be negative", "Send the stock that was counted, 0 or more.")
            spanish = ("no puede ser negativo", "Envía las existencias contadas, 0 o más.")
            raise bilingual_field(field, english, spanish, code=Code.INSUFFICIENT_STOCK)


def _movements(before: Levels, after: Levels) -> list[dict[str, Any]]:
    found = []
    for place in dict.fromkeys([*before, *after]):
        level = after.get(place) or ZERO
        quantity = level - (before.get(place) or ZERO)
        if quantity:
            found.append({"variant_index": place, "quantity": quantity, "stock_after": level})
    return found


def sku_key(sku: str | None) -> str | None:
    """By what an import finds an item: its sku whatever its case."""
    return sku.casefold() if sku else None


def _search_text(given: Mapping[str, Any], kept: Sequence[Mapping[str, Any]]) -> str:
    of_variants = [text for one in kept for text in (one["name"], one["sku"])]
    return search.searchable(given["name"], given["sku"], given["barcode"], given["description"], *of_variants)

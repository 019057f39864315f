"""Column values of an item and its variants, from a caller's input, and the stock movements that they imply."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.catalog.api import MAX_STOCK, ItemChange, ItemInput, VariantInput
from ledgerkit.core.catalog.stock.levels import StockMovement, is_low
from ledgerkit.core.catalog.table import VARIANTS, CatalogItemRow, StoredVariant
from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.records import search
from ledgerkit.core.platform.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid

_OPTIONAL = ("sku", "barcode", "description", "category", "unit", "cost", "tax_rate", "low_stock_threshold")
_REQUIRED = ("type", "name", "unit_price", "is_active")
_LOGGED = (*_REQUIRED, *_OPTIONAL, "currency", "stock")

MAX_STORED_VARIANTS = 1000
"""Most variants of an item, removed ones included."""

Levels = Mapping[int | None, Decimal | None]
"""Stock levels of an item by variant index, under None for an item without variants. None is not tracked."""

_Key = Callable[[str | None, str], str]
"""Function of a variant's sku and name, by whose result variants are matched."""


@dataclass(frozen=True)
class Draft:
    """Columns of an item, and the movements that bring its stock to them.

    `kind` are its type and whether it is active: the properties by which items are counted.
    """

    name: str
    kind: tuple[str, bool]
    columns: Values[CatalogItemRow]
    movements: list[StockMovement]


def new(ctx: Context, data: ItemInput) -> Draft:
    """Draft a new item. Raises Invalid INSUFFICIENT_STOCK for a stock below zero."""
    after = _merged((), data.variants or [])
    return _drafted(data, data.currency or ctx.account.currency, after, data.stock, before={})


def changed(old: CatalogItemRow, data: ItemChange) -> Draft:
    """Draft an item after a change: absent fields keep their value. The caller has locked the row.

    Raises Invalid INSUFFICIENT_STOCK for a stock that would become negative; one that is negative may stay so.
    """
    sent = data.model_fields_set
    values = {name: getattr(data if name in sent else old, name) for name in (*_REQUIRED, *_OPTIONAL)}
    stored = VARIANTS.decode(old.variants)
    after = _merged(stored, data.variants or []) if "variants" in sent else stored
    stock = data.stock if "stock" in sent else old.stock
    fields = ItemInput.model_construct(**values)
    return _drafted(fields, data.currency or old.currency, after, stock, before=_levels(old.stock, stored))


def difference(old: CatalogItemRow, draft: Draft) -> activity.Changes:
    """Return the fields of an item that the draft changes, for the activity log."""
    before = {name: getattr(old, name) for name in _LOGGED}
    after = {name: draft.columns[name] for name in _LOGGED}
    stored = VARIANTS.encode(VARIANTS.decode(old.variants))
    return activity.changed({**before, "variants": stored}, {**after, "variants": draft.columns["variants"]})


def sku_key(sku: str | None) -> str | None:
    """Return the form in which an import compares skus: without regard to case."""
    return sku.casefold() if sku else None


def _levels(stock: Decimal | None, stored: Sequence[StoredVariant]) -> Levels:
    if stored:
        return {index: variant.stock for index, variant in enumerate(stored)}
    return {None: stock}


def _drafted(
    fields: ItemInput, currency: str, after: tuple[StoredVariant, ...], stock: Decimal | None, before: Levels
) -> Draft:
    if fields.type == "service":
        stock, after = None, tuple(variant.model_copy(update={"stock": None}) for variant in after)
    levels = _levels(stock, after)
    _check(before, levels)
    total = _total(after) if after else stock
    if abs(total or ZERO) > MAX_STOCK:
        raise Invalid.field("variants", CatalogMsg.VARIANTS_STOCK_TOO_LARGE, most=MAX_STOCK)
    columns = Values.copied(CatalogItemRow, fields, (*_REQUIRED, *_OPTIONAL)) | Values(
        CatalogItemRow,
        sku=fields.sku or None,
        barcode=fields.barcode or None,
        description=fields.description or None,
        category=fields.category or None,
        unit=fields.unit or None,
        currency=currency,
        stock=total,
        variants=VARIANTS.encode(after),
        is_low=is_low(fields.low_stock_threshold, total, after),
        name_key=search.fold(fields.name),
        sku_key=sku_key(fields.sku),
        search_text=_search_text(fields, after),
    )
    return Draft(fields.name, (fields.type, fields.is_active), columns, _movements(before, levels))


def _check(before: Levels, after: Levels) -> None:
    """Raise Invalid INSUFFICIENT_STOCK for a level below zero, unless it was the same before."""
    for index, level in after.items():
        if level is not None and level < 0 and level != before.get(index):
            field = "stock" if index is None else f"variants[{index}].stock"
            raise Invalid.field(field, CatalogMsg.STOCK_NEGATIVE, code=Code.INSUFFICIENT_STOCK)


def _movements(before: Levels, after: Levels) -> list[StockMovement]:
    movements = []
    for index in dict.fromkeys([*before, *after]):
        level = after.get(index) or ZERO
        quantity = level - (before.get(index) or ZERO)
        if quantity:
            movements.append(StockMovement(index, quantity, level))
    return movements


def _search_text(fields: ItemInput, after: Sequence[StoredVariant]) -> str:
    of_variants = [word for variant in after for word in (variant.name, variant.sku)]
    return search.searchable(fields.name, fields.sku, fields.barcode, fields.description, *of_variants)


# ---------------------------------------------------------------- variants


def _merged(stored: Sequence[StoredVariant], sent: Sequence[VariantInput]) -> tuple[StoredVariant, ...]:
    """Return the variants after a change: matched ones at their index, new ones at the end, all others inactive."""
    matches = _matches(stored, sent)
    result = [variant.model_copy(update={"is_active": False}) for variant in stored]
    for number, variant in enumerate(sent):
        index = matches.get(number)
        values = {name: getattr(variant, name) for name in StoredVariant.model_fields}
        if index is None:
            result.append(StoredVariant.model_construct(**values))
        else:
            changed = {name: values[name] for name in variant.model_fields_set}
            result[index] = stored[index].model_copy(update={**changed, "is_active": variant.is_active})
    if len(result) > MAX_STORED_VARIANTS:
        raise Invalid.field("variants", CatalogMsg.TOO_MANY_VARIANTS, most=MAX_STORED_VARIANTS)
    return tuple(variant.model_copy(update={"sku": variant.sku or None}) for variant in result)


def _total(variants: Iterable[StoredVariant]) -> Decimal | None:
    """Return the stock of all variants, removed ones included since their goods are still there; None if untracked."""
    levels = [variant.stock for variant in variants if variant.stock is not None]
    return sum(levels, ZERO) if levels else None


def _matches(stored: Sequence[StoredVariant], sent: Sequence[VariantInput]) -> dict[int, int]:
    """Return the index of the stored variant for each variant sent that matches one.

    First the one at the same index if it has the same sku or name, then one elsewhere with the same sku, then one with
    the same name. What is left matches the variant at the same index under a new name, unless that one is matched.
    """
    matches = {number: number for number, variant in enumerate(sent[: len(stored)]) if _equal(variant, stored[number])}
    for key in (_sku_key, _name_key):
        matched = set(matches.values())
        free = _indexes_by(key, ((index, variant) for index, variant in enumerate(stored) if index not in matched))
        for number, variant in enumerate(sent):
            indexes = free.get(key(variant.sku, variant.name), [])
            if number not in matches and indexes:
                matches[number] = indexes.pop(0)
    matched = set(matches.values())
    for number, (variant, stored_variant) in enumerate(zip(sent, stored, strict=False)):
        if number not in matches and number not in matched and _may_be_renamed(stored_variant, variant):
            matches[number] = number
    return matches


def _may_be_renamed(stored: StoredVariant, sent: VariantInput) -> bool:
    """Return True when `sent` may be the stored variant under a new name: not a removed one, nor one of another sku."""
    return stored.is_active and not (sent.sku and stored.sku and sent.sku != stored.sku)


def _indexes_by(key: _Key, variants: Iterable[tuple[int, StoredVariant]]) -> dict[str, list[int]]:
    """Return the indexes of variants by their key; those with an empty key are left out."""
    indexes: dict[str, list[int]] = {}
    for index, variant in variants:
        value = key(variant.sku, variant.name)
        if value:
            indexes.setdefault(value, []).append(index)
    return indexes


def _equal(sent: VariantInput, stored: StoredVariant) -> bool:
    same_sku = bool(sent.sku) and sent.sku == stored.sku
    return same_sku or _name_key(None, sent.name) == _name_key(None, stored.name)


def _sku_key(sku: str | None, _: str) -> str:
    return sku or ""


def _name_key(_: str | None, name: str) -> str:
    return name.casefold()

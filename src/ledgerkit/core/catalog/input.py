"""Column values of an item, from a caller's input, and the stock movements that they imply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.catalog.api import MAX_STOCK, ItemChange, ItemInput
from ledgerkit.core.catalog.stock import variants
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

Levels = Mapping[int | None, Decimal | None]
"""Stock levels of an item by variant index, under None for an item without variants. None is not tracked."""


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
    after = variants.merged((), data.variants or [])
    return _drafted(data, data.currency or ctx.account.currency, after, data.stock, before={})


def changed(old: CatalogItemRow, data: ItemChange) -> Draft:
    """Draft an item after a change: absent fields keep their value. The caller has locked the row.

    Raises Invalid INSUFFICIENT_STOCK for a stock that would become negative; one that is negative may stay so.
    """
    sent = data.model_fields_set
    values = {name: getattr(data if name in sent else old, name) for name in (*_REQUIRED, *_OPTIONAL)}
    stored = VARIANTS.decode(old.variants)
    after = variants.merged(stored, data.variants or []) if "variants" in sent else stored
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
    total = variants.total(after) if after else stock
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

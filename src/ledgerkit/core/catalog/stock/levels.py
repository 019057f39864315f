"""Stock levels of one item, and of its variants, while they change."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from ledgerkit.core.catalog.api import MAX_STOCK
from ledgerkit.core.catalog.table import VARIANTS, CatalogItemRow, StoredVariant
from ledgerkit.core.catalog.texts import CatalogMsg
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.money import ZERO
from ledgerkit.problems import Invalid


@dataclass(frozen=True)
class StockMovement:
    """One signed change of a level; `variant_index` is None for an item without variants."""

    variant_index: int | None
    quantity: Decimal
    stock_after: Decimal


class ItemStock:
    """The stock of one locked item while it changes. None as a level means that it is not tracked."""

    def __init__(self, row: CatalogItemRow) -> None:
        self.row = row
        self.total = row.stock
        self.variants = list(VARIANTS.decode(row.variants))
        self.movements: list[StockMovement] = []

    def level(self, variant: int | None) -> Decimal | None:
        """Return the stock of the item or of one variant, None where it is not tracked."""
        return self.total if variant is None else self.variants[variant].stock

    def is_tracked(self, variant: int | None) -> bool:
        """Return True when stock is tracked at this index: of the item when it has no variants, else of a variant."""
        exists = not self.variants if variant is None else variant < len(self.variants)
        return exists and self.level(variant) is not None

    def is_sold(self, variant: int | None) -> bool:
        """Return True when the item, and the variant if one is named, is active."""
        return self.row.is_active and (variant is None or self.variants[variant].is_active)

    def move(self, variant: int | None, quantity: Decimal) -> None:
        """Change a level by `quantity` and note the movement; a level that was not tracked begins at zero.

        Raises Invalid when the level or the item's total would exceed MAX_STOCK.
        """
        if not quantity:
            return
        after = (self.level(variant) or ZERO) + quantity
        total = (self.total or ZERO) + quantity
        if max(abs(after), abs(total)) > MAX_STOCK:
            raise Invalid(CatalogMsg.STOCK_TOO_LARGE, name=self.row.name, most=MAX_STOCK)
        self.total = total
        self._set_variant(variant, after)
        self.movements.append(StockMovement(variant, quantity, after))

    def track(self, variant: int | None) -> None:
        """Begin to track a level at zero, if it is not tracked yet."""
        self.total = self.total or ZERO
        self._set_variant(variant, self.level(variant) or ZERO)

    def columns(self) -> Values[CatalogItemRow]:
        """Return the item's id and the columns that depend on its stock."""
        low = is_low(self.row.low_stock_threshold, self.total, self.variants)
        variants = VARIANTS.encode(tuple(self.variants))
        return Values(CatalogItemRow, id=self.row.id, stock=self.total, variants=variants, is_low=low)

    def name(self, variant: int | None) -> str:
        """Return the item's name, followed by its variant's."""
        return self.row.name if variant is None else f"{self.row.name} ({self.variants[variant].name})"

    def _set_variant(self, variant: int | None, level: Decimal) -> None:
        if variant is not None:
            self.variants[variant] = self.variants[variant].model_copy(update={"stock": level})


def is_low(threshold: Decimal | None, stock: Decimal | None, variants: Iterable[StoredVariant]) -> bool:
    """Return True when the item or one of its active variants is at or below the threshold (interface decisions E8)."""
    if threshold is None or stock is None:
        return False
    levels = [variant.stock for variant in variants if variant.is_active and variant.stock is not None]
    return any(level <= threshold for level in (stock, *levels))

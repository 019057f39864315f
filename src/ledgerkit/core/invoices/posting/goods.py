"""The goods that an invoice takes out of the stock, and those that a credit note brings back."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from ledgerkit.core.catalog import stock
from ledgerkit.core.catalog.stock import Cause, Move
from ledgerkit.core.invoices.schemas import InvoiceItemInput
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import DocumentKind


async def require(ctx: Context, items: Sequence[InvoiceItemInput] | None) -> None:
    """Raises NotFound or Invalid naming the line whose catalog item or variant does not exist."""
    named = [(item.catalog_item_id, item.variant_index) for item in items or ()]
    if any(item_id is not None or variant is not None for item_id, variant in named):
        await stock.require_items(ctx, named)


async def lock(ctx: Context, row: Any) -> None:
    """Lock the stock of what an invoice names, for a caller who takes other locks before moving it."""
    await stock.lock(ctx, {move.item_id for move in _moves(row)})


async def post_stock(ctx: Context, row: Any, before: Any = None) -> None:
    """Take out of the stock what an issued invoice sells, or give back what a credit note returns; once.

    `before` is the same invoice as it was issued earlier: then only what has changed since is moved.
    """
    wanted, earlier = _moves(row), [] if before is None else _moves(before)
    if wanted or earlier:
        await stock.settle(ctx, wanted, _cause(row, row.doc_type), before=earlier)


async def take_back(ctx: Context, row: Any, why: str) -> None:
    """Undo what an invoice has moved, since it leaves the books: `why` is `voided`, `annulled` or `withdrawn`."""
    if _moves(row):
        await stock.settle(ctx, [], _cause(row, why))


def signed(item: Mapping[str, Any]) -> Decimal:
    """How many a line sells: a negative price gives back, as a negative quantity does."""
    quantity = Decimal(item["quantity"])
    return -quantity if item["unitPrice"] < 0 else quantity


def _cause(row: Any, kind: str) -> Cause:
    return Cause(kind, "invoice", row.id, row.number or row.client["name"])


def _moves(row: Any) -> list[Move]:
    """What lines with a catalog item move. A negative price on a credit note gives goods back, as a quantity does.

    One by substitution gives back what it stands for. What was exchanged for simplified invoices has left with them.
    """
    if row.substitutes:
        return []
    credit = row.doc_type == DocumentKind.CREDIT_NOTE
    found = []
    for item in row.items:
        item_id = _as_id(item["catalogItemId"])
        if item_id is not None:
            quantity = Decimal(item["quantity"])
            gives_back = credit and item["unitPrice"] < 0
            found.append(Move(item_id, item["variantIndex"], quantity if gives_back else -quantity))
    back = row.replaced_goods or ()
    return found + [Move(UUID(one["catalogItemId"]), one["variantIndex"], Decimal(one["quantity"])) for one in back]


def _as_id(value: str | None) -> UUID | None:
    try:
        return UUID(value or "")
    except ValueError:
        return None

"""Stock movements of issued documents: goods that an invoice takes out, and goods that a credit note brings back."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from ledgerkit.core.catalog import stock
from ledgerkit.core.catalog.stock import Cause, Move
from ledgerkit.core.invoices.schemas import InvoiceItemInput
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import DocumentKind


async def require_items(ctx: Context, items: Sequence[InvoiceItemInput] | None) -> None:
    """Raise NotFound or Invalid naming the line whose catalog item or variant does not exist."""
    places = [(item.catalog_item_id, item.variant_index) for item in items or ()]
    if any(item_id is not None or variant is not None for item_id, variant in places):
        await stock.require_items(ctx, places)


async def lock(ctx: Context, row: Any) -> None:
    """Lock the catalog items of an invoice, for a caller who takes other locks before the stock moves."""
    await stock.lock(ctx, {move.item_id for move in _moves(row)})


async def post_stock(ctx: Context, row: Any, before: Any = None) -> None:
    """Take out of the stock what an issued invoice sells, or bring back what a credit note returns; once.

    `before` is the invoice as it was when the stock moved: then only the difference is moved.
    """
    moves, earlier_moves = _moves(row), [] if before is None else _moves(before)
    if moves or earlier_moves:
        await stock.settle(ctx, moves, _cause(row, row.doc_type), before=earlier_moves)


async def reverse(ctx: Context, row: Any, cause: str) -> None:
    """Undo the stock movements of a document; `cause` is `voided`, `annulled` or `withdrawn`."""
    if _moves(row):
        await stock.settle(ctx, [], _cause(row, cause))


def signed(item: Mapping[str, Any]) -> Decimal:
    """Quantity that a line sells: a negative price gives back, as a negative quantity does."""
    quantity = Decimal(item["quantity"])
    return -quantity if item["unitPrice"] < 0 else quantity


def _cause(row: Any, kind: str) -> Cause:
    return Cause(kind, "invoice", row.id, row.number or row.client["name"])


def _moves(row: Any) -> list[Move]:
    """Return the stock movements of the lines that have a catalog item.

    On a credit note a negative price brings goods back, as a negative quantity does; one by substitution also brings
    back what it replaces. The goods of a full invoice that was exchanged left with the simplified ones.
    """
    if row.substitutes:
        return []
    is_credit_note = row.doc_type == DocumentKind.CREDIT_NOTE
    moves = []
    for item in row.items:
        item_id = _as_id(item["catalogItemId"])
        if item_id is not None:
            quantity = Decimal(item["quantity"])
            gives_back = is_credit_note and item["unitPrice"] < 0
            moves.append(Move(item_id, item["variantIndex"], quantity if gives_back else -quantity))
    replaced = row.replaced_goods or ()
    return moves + [
        Move(UUID(goods["catalogItemId"]), goods["variantIndex"], Decimal(goods["quantity"])) for goods in replaced
    ]


def _as_id(value: str | None) -> UUID | None:
    try:
        return UUID(value or "")
    except ValueError:
        return None

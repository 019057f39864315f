"""Stock movements of issued documents: goods that an invoice takes out, and goods that a credit note brings back."""

from collections.abc import Sequence
from uuid import UUID

from ledgerkit.core.catalog.stock import ledger as stock
from ledgerkit.core.catalog.stock.ledger import Cause, Move
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.json_columns.codecs import CLIENT, GOODS, LINES, StoredLine
from ledgerkit.core.sales.invoices.table import InvoiceRow
from ledgerkit.providers.api import DocumentKind


async def lock(ctx: Context, row: InvoiceRow) -> None:
    """Lock the catalog items of an invoice, for a caller who takes other locks before the stock moves."""
    await stock.lock(ctx, {move.item_id for move in _moves(row)})


async def post_stock(ctx: Context, row: InvoiceRow) -> None:
    """Take out of the stock what an issued invoice sells, or bring back what a credit note returns; once."""
    moves = _moves(row)
    if moves:
        await stock.settle(ctx, moves, _cause(row, row.doc_type), before=[])


async def post_stock_again(ctx: Context, row: InvoiceRow, lines: Sequence[StoredLine] | None = None) -> None:
    """Move the difference between what `row` has moved and what it moves with its new `lines`, or with its own."""
    moves_before = _moves(row)
    moves = moves_before if lines is None else _moves(row, lines)
    if moves or moves_before:
        await stock.settle(ctx, moves, _cause(row, row.doc_type), before=moves_before)


async def reverse(ctx: Context, row: InvoiceRow, cause: str) -> None:
    """Undo the stock movements of a document; `cause` is `voided`, `annulled` or `withdrawn`."""
    if _moves(row):
        await stock.settle(ctx, [], _cause(row, cause))


def _cause(row: InvoiceRow, kind: str) -> Cause:
    return Cause(kind, "invoice", row.id, row.number or CLIENT.decode(row.client).name)


def _moves(row: InvoiceRow, lines: Sequence[StoredLine] | None = None) -> list[Move]:
    """Return the stock movements of the lines that have a catalog item; `lines` in place of the stored ones.

    On a credit note a negative price brings goods back, as a negative quantity does; one by substitution also brings
    back what it replaces. The goods of a full invoice that was exchanged left with the simplified ones.
    """
    if row.substitutes:
        return []
    is_credit_note = row.doc_type == DocumentKind.CREDIT_NOTE
    moves = []
    for line in LINES.decode(row.items) if lines is None else lines:
        item_id = _as_id(line.catalog_item_id)
        if item_id is not None:
            gives_back = is_credit_note and line.unit_price < 0
            moves.append(Move(item_id, line.variant_index, line.quantity if gives_back else -line.quantity))
    replaced = GOODS.decode(row.replaced_goods) or ()
    return moves + [Move(UUID(goods.catalog_item_id), goods.variant_index, goods.quantity) for goods in replaced]


def _as_id(value: str | None) -> UUID | None:
    try:
        return UUID(value or "")
    except ValueError:
        return None

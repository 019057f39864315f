"""Effects of an issued document: its client's figures, the set-off between invoice and credit notes, the stock.

A document counts with its own amounts; a credit note by substitution with these less the amounts that it replaces; a
full invoice that was exchanged for simplified ones with nothing, since the simplified ones count.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sqlalchemy import Select, select

from ledgerkit.core import records
from ledgerkit.core.clients import service as clients
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.models import CHANGES, invoice
from ledgerkit.core.invoices.posting import remaining, simplified_exchange, standing, stock_moves
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid


def figures(ctx: Context, row: Any, sign: int, values: Mapping[str, Any] | None = None) -> dict[str, int]:
    """Return what an issued document adds to (sign 1) or takes from (-1) its client's figures.

    `values` are columns that `row` is about to get. Documents in another currency than the account's add nothing.
    """
    if row.client_id is None or row.currency != ctx.account.currency:
        return {}
    new_values = values or {}
    settled = new_values.get("amount_paid", row.amount_paid) + new_values.get("credited", row.credited)
    invoiced = ZERO if row.substitutes else row.total - _replaced_total(row)
    return clients.figures(row.client_id, count=sign, invoiced=sign * invoiced, balance=sign * (row.total - settled))


def changed_figures(ctx: Context, old: Any, new: Any) -> dict[str, int]:
    """Return what a change of an issued document adds to its client's figures, or to those of its two clients."""
    before, after = figures(ctx, old, -1), figures(ctx, new, 1)
    return {kind: before.get(kind, 0) + after.get(kind, 0) for kind in before.keys() | after.keys()}


def is_voided(row: Any) -> bool:
    """Return True for a document that was issued, never reported, and deleted: its amounts do not count."""
    return row.deleted_at is not None and row.einvoice is None and row.status != "draft"


def _is_reversed(row: Any) -> bool:
    return is_voided(row) or standing.is_annulled(row)


async def reverse(ctx: Context, row: Any, cause: str = "voided") -> dict[str, int]:
    """Reverse the posting of an issued document: set-off, exchange, stock. Return what to add to its client's figures.

    `cause` is `voided` or `annulled`. Call `require_unreplaced` first.
    """
    await undo_set_off(ctx, row)
    await simplified_exchange.release(ctx, row)
    await stock_moves.reverse(ctx, row, cause)
    return figures(ctx, row, -1)


async def reinstate(ctx: Context, row: Any) -> tuple[dict[str, Any], dict[str, int]]:
    """Post again a document that was voided or annulled. Return its changed columns, and what to add to the figures.

    The set-off is computed anew: documents may have been issued, deleted or paid meanwhile.
    """
    if row.substitutes:
        columns = await simplified_exchange.exchange(ctx, row, await simplified_exchange.lock(ctx, row))
    else:
        credited = await _credited_by_notes(ctx, row) if row.rectifies is None else await set_off(ctx, row)
        columns = {"credited": credited}
        if row.status == "paid" and row.total != row.amount_paid + credited:
            columns |= {"status": "sent", "paid_at": None}
    await stock_moves.post_stock(ctx, row, before=row)
    return columns, figures(ctx, row, 1, columns)


async def locked_original(ctx: Context, note: Any) -> Any:
    """Return the invoice that a credit note corrects, deleted or not, locked until the transaction ends."""
    return (await ctx.db.execute(_original(note).with_for_update())).one()


async def original_of(ctx: Context, note: Any) -> Any:
    """Return the invoice that a credit note corrects, deleted or not."""
    return (await ctx.db.execute(_original(note))).one()


def _original(note: Any) -> Select[Any]:
    return select(invoice).where(invoice.c.id == note.rectifies)


async def set_off(ctx: Context, note: Any) -> Decimal:
    """Set a credit note off against the amount that is still owed on the invoice it corrects.

    Return the `credited` column of the note: the total that it replaces, less the amount that was set off.
    """
    original = await locked_original(ctx, note)
    owed = ZERO if _is_reversed(original) else original.total - original.amount_paid - original.credited
    amount: Decimal = max(ZERO, min(note.amount_paid + _replaced_total(note) - note.total, owed))
    await _credit(ctx, original, amount)
    return _replaced_total(note) - amount


async def undo_set_off(ctx: Context, note: Any) -> None:
    """Undo `set_off` for a credit note whose posting is reversed."""
    if note.rectifies is None or not _set_off_amount(note):
        return
    original = await locked_original(ctx, note)
    if not _is_reversed(original):
        await _credit(ctx, original, -_set_off_amount(note))


def _replaced_total(row: Any) -> Decimal:
    """Total of the amounts that a credit note by substitution replaces; zero for any other document."""
    return ZERO if row.replaced is None else Decimal(row.replaced["total"])


def _set_off_amount(note: Any) -> Decimal:
    """Amount of its invoice that a posted credit note has set off."""
    amount: Decimal = _replaced_total(note) - note.credited
    return amount


async def _credited_by_notes(ctx: Context, original: Any) -> Decimal:
    """Set the open, posted credit notes of an invoice off against it; return what all of them have set off."""
    query = select(invoice).where(invoice.c.rectifies == original.id, standing.is_posted())
    notes = (await ctx.db.execute(query.order_by(invoice.c.id).with_for_update())).all()
    settled = sum((_set_off_amount(note) for note in notes), ZERO)
    for note in notes:
        owed = original.total - original.amount_paid - settled
        amount = max(ZERO, min(note.amount_paid + note.credited - note.total, owed))
        await _credit(ctx, note, -amount)
        settled += amount
    return settled


async def _credit(ctx: Context, row: Any, amount: Decimal) -> None:
    """Add `amount` to what is set off on a document; a paid one on which something is owed again becomes open."""
    if not amount:
        return
    columns: dict[str, Any] = {"credited": row.credited + amount}
    if row.status == "paid" and row.total != row.amount_paid + columns["credited"]:
        columns |= {"status": "sent", "paid_at": None}
    changed = await records.change(ctx, invoice, row.id, columns)
    is_listed = changed.status != row.status and row.deleted_at is None
    by_status = {f"invoice.{row.status}": -1, f"invoice.{changed.status}": 1} if is_listed else {}
    await counters.add(ctx.db, {CHANGES: 1, **by_status, **changed_figures(ctx, row, changed)})


async def require_unreplaced(ctx: Context, note: Any) -> None:
    """Raise Invalid INVOICE_LOCKED when a later credit note by substitution replaces the amounts of this one too."""
    if note.rectifies is None:
        return
    original = await locked_original(ctx, note)
    notes = (await remaining.remainder(ctx, original)).corrections
    order = note.issued_at, note.id
    later = [other for other in notes if other.replaced is not None and (other.issued_at, other.id) > order]
    if later:
        last = later[-1].number
        raise Invalid(InvoicesMsg.REPLACED_LATER, code=Code.INVOICE_LOCKED, last=last, number=note.number)

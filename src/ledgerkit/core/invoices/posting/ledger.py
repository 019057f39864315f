"""What an issued document counts for: its client's figures, what is set off against others, its goods.

What a document changes in the books are its own amounts; of a credit note by substitution, these less what it stands
for; of a full invoice that was exchanged for simplified ones, nothing, since they count.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sqlalchemy import Select, select

from ledgerkit.core import records
from ledgerkit.core.clients import service as clients
from ledgerkit.core.invoices.models import CHANGES, invoice
from ledgerkit.core.invoices.posting import exchanges, goods, remaining, standing
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid, bilingual


def figures(ctx: Context, row: Any, sign: int, values: Mapping[str, Any] | None = None) -> dict[str, int]:
    """What an issued document adds (sign 1) to or takes (-1) from its client's figures, in the account's currency."""
    if row.client_id is None or row.currency != ctx.account.currency:
        return {}
    known = values or {}
    settled = known.get("amount_paid", row.amount_paid) + known.get("credited", row.credited)
    invoiced = ZERO if row.substitutes else row.total - _replaced(row)
    return clients.figures(row.client_id, count=sign, invoiced=sign * invoiced, balance=sign * (row.total - settled))


def moved_figures(ctx: Context, old: Any, new: Any) -> dict[str, int]:
    """What a change of an issued document changes in its client's figures, or in those of both its clients."""
    before, after = figures(ctx, old, -1), figures(ctx, new, 1)
    return {kind: before.get(kind, 0) + after.get(kind, 0) for kind in before.keys() | after.keys()}


def voided(row: Any) -> bool:
    """Issued, deleted and never reported: out of the books, its amounts count for nobody."""
    return row.deleted_at is not None and row.einvoice is None and row.status != "draft"


def out_of_books(row: Any) -> bool:
    """Voided or annulled."""
    return voided(row) or standing.annulled(row)


async def leave(ctx: Context, row: Any, why: str = "voided") -> dict[str, int]:
    """All that goes when an issued document leaves the books; what it changes in the figures of its client.

    Whether it may is asked before: `require_unreplaced`.
    """
    await undo_set_off(ctx, row)
    await exchanges.release(ctx, row)
    await goods.take_back(ctx, row, why)
    return figures(ctx, row, -1)


async def come_back(ctx: Context, row: Any) -> tuple[dict[str, Any], dict[str, int]]:
    """The reverse, for a document that was voided or annulled: its columns as they are now, and the figures.

    What is set off is reckoned anew: documents may have come, gone or been paid meanwhile.
    """
    if row.substitutes:
        columns = await exchanges.take(ctx, row, await exchanges.lock(ctx, row))
    else:
        credited = await _corrected(ctx, row) if row.rectifies is None else await set_off(ctx, row)
        columns = {"credited": credited}
        if row.status == "paid" and row.total != row.amount_paid + credited:
            columns |= {"status": "sent", "paid_at": None}
    await goods.post_stock(ctx, row, before=row)
    return columns, figures(ctx, row, 1, columns)


async def locked_original(ctx: Context, note: Any) -> Any:
    """`original`, locked until the transaction ends."""
    return (await ctx.db.execute(_corrected_by(note).with_for_update())).one()


async def original_of(ctx: Context, note: Any) -> Any:
    """The invoice that a credit note corrects, deleted or not."""
    return (await ctx.db.execute(_corrected_by(note))).one()


def _corrected_by(note: Any) -> Select[Any]:
    return select(invoice).where(invoice.c.id == note.rectifies)


async def set_off(ctx: Context, note: Any) -> Decimal:
    """Let a credit note settle what is still owed on the invoice it corrects.

    Gives what is settled of the note itself: by what it stands for, less what it has set off.
    """
    original = await locked_original(ctx, note)
    owed = ZERO if out_of_books(original) else original.total - original.amount_paid - original.credited
    amount: Decimal = max(ZERO, min(note.amount_paid + _replaced(note) - note.total, owed))
    await _credit(ctx, original, amount)
    return _replaced(note) - amount


async def undo_set_off(ctx: Context, note: Any) -> None:
    """The reverse, for a credit note that leaves the books."""
    if note.rectifies is None or not _set_off_by(note):
        return
    original = await locked_original(ctx, note)
    if not out_of_books(original):
        await _credit(ctx, original, -_set_off_by(note))


def _replaced(row: Any) -> Decimal:
    """The total of what a credit note by substitution stands for."""
    return ZERO if row.replaced is None else Decimal(row.replaced["total"])


def _set_off_by(note: Any) -> Decimal:
    """What a credit note in the books settles of its invoice."""
    amount: Decimal = _replaced(note) - note.credited
    return amount


async def _corrected(ctx: Context, original: Any) -> Decimal:
    """What its credit notes in the books settle of an invoice, once those that are open have settled what they can."""
    notes = select(invoice).where(invoice.c.rectifies == original.id, remaining.in_books())
    found = (await ctx.db.execute(notes.order_by(invoice.c.id).with_for_update())).all()
    settled = sum((_set_off_by(note) for note in found), ZERO)
    for note in found:
        owed = original.total - original.amount_paid - settled
        amount = max(ZERO, min(note.amount_paid + note.credited - note.total, owed))
        await _credit(ctx, note, -amount)
        settled += amount
    return settled


async def _credit(ctx: Context, row: Any, amount: Decimal) -> None:
    """Change what is set off on a document; a paid one of which something is owed again is open again."""
    if not amount:
        return
    columns: dict[str, Any] = {"credited": row.credited + amount}
    if row.status == "paid" and row.total != row.amount_paid + columns["credited"]:
        columns |= {"status": "sent", "paid_at": None}
    now = await records.change(ctx, invoice, row.id, columns)
    listed = now.status != row.status and row.deleted_at is None
    moved = {f"invoice.{row.status}": -1, f"invoice.{now.status}": 1} if listed else {}
    await counters.add(ctx.db, {CHANGES: 1, **moved, **moved_figures(ctx, row, now)})


async def require_unreplaced(ctx: Context, note: Any) -> None:
    """Raises Invalid when a later credit note by substitution stands for what this one has made of the invoice."""
    if note.rectifies is None:
        return
    original = await locked_original(ctx, note)
    notes = (await remaining.of(ctx, original)).corrections
    later = [one for one in notes if one.replaced is not None and (one.issued_at, one.id) > (note.issued_at, note.id)]
    if later:
        last = later[-1].number
        raise bilingual(
            Invalid,
            (f"{last} corrects the same invoice later, and stands for {note.number} too.", f"Take {last} out first."),
            (
                f"{last} rectifica después la misma factura, y sustituye también a {note.number}.",
                f"Quita antes {last}.",
            ),
            code=Code.INVOICE_LOCKED,
        )

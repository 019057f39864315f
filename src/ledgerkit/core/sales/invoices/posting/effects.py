"""Effects of an issued document: its client's figures, the set-off between invoice and credit notes, the stock.

A document counts with its own amounts. A credit note by substitution counts with its amounts less those that it
replaces. A full invoice that was exchanged for simplified ones does not count, because the simplified ones do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.documents import exchange_rates
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent, converted_replaced
from ledgerkit.core.sales.invoices.json_columns.codecs import CONVERTED, GOODS, REPLACED, StoredConverted
from ledgerkit.core.sales.invoices.posting import remainders, simplified_exchange, standing, stock_moves
from ledgerkit.core.sales.invoices.table import CHANGES, InvoiceRow, invoice
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import ZERO
from ledgerkit.problems import Code, Invalid


@dataclass(frozen=True, kw_only=True)
class CountedAmounts:
    """Amounts of a document as its client's figures count them, in `currency`.

    `settled` is what has been paid and set off; `invoiced` is zero for an invoice that simplified ones count for.
    `converted` are `total` and `invoiced` in the account's currency, of a document that has an exchange rate.
    """

    client_id: UUID | None
    currency: str
    total: Decimal
    invoiced: Decimal
    settled: Decimal
    converted: "ConvertedAmounts | None" = None

    @classmethod
    def of(cls, row: InvoiceRow) -> "CountedAmounts":
        """Return the counted amounts of a stored document."""
        return cls(
            client_id=row.client_id,
            currency=row.currency,
            total=row.total,
            invoiced=ZERO if row.substitutes else row.total - _replaced_total(row),
            settled=row.amount_paid + row.credited,
            converted=ConvertedAmounts.of(row, CONVERTED.decode(row.converted), row.exchange_rate),
        )

    @classmethod
    def of_change(cls, old: InvoiceRow, content: InvoiceContent) -> "CountedAmounts":
        """Return the counted amounts of `old` with another content."""
        return cls(
            client_id=content.client_id,
            currency=content.currency,
            total=content.total,
            invoiced=ZERO if old.substitutes else content.total - _replaced_total(old),
            settled=old.amount_paid + old.credited,
            converted=ConvertedAmounts.of(old, content.converted, content.exchange_rate),
        )


@dataclass(frozen=True, kw_only=True)
class ConvertedAmounts:
    """Total of a document and what of it is invoiced, in the account's currency; `rate` converted them."""

    total: Decimal
    invoiced: Decimal
    rate: Decimal

    @classmethod
    def of(cls, row: InvoiceRow, amounts: StoredConverted | None, rate: Decimal | None) -> "ConvertedAmounts | None":
        """Return them for the converted amounts of a document; None without any."""
        if amounts is None or rate is None:
            return None
        replaced = converted_replaced(REPLACED.decode(row.replaced), rate)
        invoiced = amounts.total - (ZERO if replaced is None else replaced.total)
        return cls(total=amounts.total, invoiced=ZERO if row.substitutes else invoiced, rate=rate)


def figures(ctx: Context, amounts: CountedAmounts, sign: int) -> dict[str, int]:
    """Return what an issued document adds to (sign 1) or takes from (-1) its client's figures.

    Documents without a stored client, or in another currency without an exchange rate, add nothing.
    """
    if amounts.client_id is None:
        return {}
    if amounts.converted is not None:
        converted, rate = amounts.converted, amounts.converted.rate
        settled = exchange_rates.converted_part(amounts.settled, amounts.total, converted.total, rate)
        invoiced, balance = converted.invoiced, converted.total - settled
    elif amounts.currency == ctx.account.currency:
        invoiced, balance = amounts.invoiced, amounts.total - amounts.settled
    else:
        return {}
    return clients.figures(amounts.client_id, count=sign, invoiced=sign * invoiced, balance=sign * balance)


def changed_figures(ctx: Context, old: CountedAmounts, new: CountedAmounts) -> dict[str, int]:
    """Return what a change of an issued document adds to its client's figures, or to those of its two clients."""
    before, after = figures(ctx, old, -1), figures(ctx, new, 1)
    return {kind: before.get(kind, 0) + after.get(kind, 0) for kind in before.keys() | after.keys()}


def is_voided(row: InvoiceRow) -> bool:
    """Return True for a document that was issued, never reported, and deleted: its amounts do not count."""
    return row.deleted_at is not None and row.einvoice is None and row.status != "draft"


def _is_reversed(row: InvoiceRow) -> bool:
    return is_voided(row) or standing.is_annulled(row)


async def reverse(ctx: Context, row: InvoiceRow, cause: str = "voided") -> dict[str, int]:
    """Reverse the posting of an issued document: set-off, exchange, stock. Return what to add to its client's figures.

    `cause` is `voided` or `annulled`. Call `require_unreplaced` first.
    """
    await undo_set_off(ctx, row)
    await simplified_exchange.release(ctx, row)
    await stock_moves.reverse(ctx, row, cause)
    return figures(ctx, CountedAmounts.of(row), -1)


async def reinstate(ctx: Context, row: InvoiceRow) -> tuple[Values[InvoiceRow], dict[str, int]]:
    """Post again a document that was voided or annulled. Return its changed columns, and what to add to the figures.

    The set-off is computed anew: documents may have been issued, deleted or paid meanwhile.
    """
    amounts = CountedAmounts.of(row)
    if row.substitutes:
        columns = await simplified_exchange.exchange(ctx, row, await simplified_exchange.lock(ctx, row))
        amounts = replace(amounts, settled=row.amount_paid + row.total)
    else:
        credited = await _credited_by_notes(ctx, row) if row.rectifies is None else await set_off(ctx, row)
        amounts = replace(amounts, settled=row.amount_paid + credited)
        columns = Values(InvoiceRow, credited=credited)
        if row.status == "paid" and row.total != row.amount_paid + credited:
            columns |= Values(InvoiceRow, status="sent", paid_at=None)
    await stock_moves.post_stock_again(ctx, row)
    return columns, figures(ctx, amounts, 1)


async def locked_original(ctx: Context, note: InvoiceRow) -> InvoiceRow:
    """Return the invoice that a credit note corrects, deleted or not, locked until the transaction ends."""
    return await _LOCKED.one(ctx.db, invoice_id=note.rectifies)


async def locked(ctx: Context, invoice_id: UUID) -> InvoiceRow:
    """Return the document of this id, deleted or not, locked until the transaction ends."""
    return await _LOCKED.one(ctx.db, invoice_id=invoice_id)


async def stored(ctx: Context, invoice_id: UUID) -> InvoiceRow:
    """Return the document of this id, deleted or not."""
    return await _BY_ID.one(ctx.db, invoice_id=invoice_id)


async def original_of(ctx: Context, note: InvoiceRow) -> InvoiceRow:
    """Return the invoice that a credit note corrects, deleted or not."""
    return await _BY_ID.one(ctx.db, invoice_id=note.rectifies)


async def set_off(ctx: Context, note: InvoiceRow) -> Decimal:
    """Set a credit note off against the amount that is still owed on the invoice it corrects.

    Return the `credited` column of the note: the total that it replaces, less the amount that was set off.
    """
    original = await locked_original(ctx, note)
    owed = ZERO if _is_reversed(original) else original.total - original.amount_paid - original.credited
    amount = max(ZERO, min(note.amount_paid + _replaced_total(note) - note.total, owed))
    await _credit(ctx, original, amount)
    return _replaced_total(note) - amount


async def undo_set_off(ctx: Context, note: InvoiceRow) -> None:
    """Undo `set_off` for a credit note whose posting is reversed."""
    if note.rectifies is None or not _set_off_amount(note):
        return
    original = await locked_original(ctx, note)
    if not _is_reversed(original):
        await _credit(ctx, original, -_set_off_amount(note))


async def with_replaced(ctx: Context, row: InvoiceRow, origins: Sequence[InvoiceRow]) -> InvoiceRow:
    """Return the row; a credit note by substitution gets the amounts and goods that it replaces, as they are now."""
    if row.rectifies is None or row.correction_method != "substitution":
        return row
    left = await remainders.remainder(ctx, origins[0])
    for note in left.corrections:
        standing.check_in_force(note)  # what is about to be annulled cannot be replaced
    replaced = left.replaced()
    columns = Values(
        InvoiceRow,
        replaced=REPLACED.encode(replaced),
        replaced_goods=GOODS.encode(left.goods()),
        converted_replaced=CONVERTED.encode(converted_replaced(replaced, row.exchange_rate)),
    )
    return await records.change(ctx, invoice, row.id, columns)


def _replaced_total(row: InvoiceRow) -> Decimal:
    """Return the total of the amounts that a credit note by substitution replaces; zero for any other document."""
    replaced = REPLACED.decode(row.replaced)
    return ZERO if replaced is None else replaced.total


def _set_off_amount(note: InvoiceRow) -> Decimal:
    """Return the amount of its invoice that a posted credit note has set off."""
    return _replaced_total(note) - note.credited


async def _credited_by_notes(ctx: Context, original: InvoiceRow) -> Decimal:
    """Set the open, posted credit notes of an invoice off against it; return what all of them have set off."""
    notes = await _POSTED_NOTES.rows(ctx.db, original=original.id)
    settled = sum((_set_off_amount(note) for note in notes), ZERO)
    for note in notes:
        owed = original.total - original.amount_paid - settled
        amount = max(ZERO, min(note.amount_paid + note.credited - note.total, owed))
        await _credit(ctx, note, -amount)
        settled += amount
    return settled


async def _credit(ctx: Context, row: InvoiceRow, amount: Decimal) -> None:
    """Add `amount` to what is set off on a document; a paid one on which something is owed again becomes open."""
    if not amount:
        return
    credited = row.credited + amount
    columns = Values(InvoiceRow, credited=credited)
    if row.status == "paid" and row.total != row.amount_paid + credited:
        columns |= Values(InvoiceRow, status="sent", paid_at=None)
    changed = await records.change(ctx, invoice, row.id, columns)
    await count_change(ctx, row, changed, changed_figures(ctx, CountedAmounts.of(row), CountedAmounts.of(changed)))


async def count_change(ctx: Context, old: InvoiceRow, new: InvoiceRow, figures: Mapping[str, int]) -> None:
    """Count the change of an invoice: its status, unless it is deleted, and the `figures` of its client."""
    is_moved = new.status != old.status and old.deleted_at is None
    by_status = {f"invoice.{old.status}": -1, f"invoice.{new.status}": 1} if is_moved else {}
    await counters.add(ctx.db, {CHANGES: 1, **by_status, **figures})


async def require_unreplaced(ctx: Context, note: InvoiceRow) -> None:
    """Raise Invalid INVOICE_LOCKED when a later credit note by substitution replaces the amounts of this one too."""
    if note.rectifies is None:
        return
    original = await locked_original(ctx, note)
    notes = (await remainders.remainder(ctx, original)).corrections
    order = _issue_order(note)
    later = [other for other in notes if other.replaced is not None and _issue_order(other) > order]
    if later:
        last = later[-1].number
        raise Invalid(InvoicesMsg.REPLACED_LATER, code=Code.INVOICE_LOCKED, last=last, number=note.number)


def _issue_order(note: InvoiceRow) -> tuple[datetime, UUID]:
    assert note.issued_at is not None  # noqa: S101 - posted documents are issued
    return note.issued_at, note.id


_SELECTED = select(invoice).where(invoice.c.id == bindparam("invoice_id", type_=Uuid))
_BY_ID, _LOCKED = Prepared(_SELECTED, InvoiceRow), Prepared(_SELECTED.with_for_update(), InvoiceRow)
_POSTED_NOTES = Prepared(
    select(invoice)
    .where(invoice.c.rectifies == bindparam("original", type_=Uuid), standing.is_posted())
    .order_by(invoice.c.id)
    .with_for_update(),
    InvoiceRow,
)

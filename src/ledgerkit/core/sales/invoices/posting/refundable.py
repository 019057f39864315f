"""Emitted invoices of which something can be paid back."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from sqlalchemy import ARRAY, Numeric, Text, Uuid, any_, bindparam, select

from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.posting import remainders as posting_remainders
from ledgerkit.core.sales.invoices.posting import standing
from ledgerkit.core.sales.invoices.posting.remainders import Remainder
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.money import ZERO


@dataclass(frozen=True, kw_only=True)
class Refundable:
    """An emitted invoice, and what remains of it after its corrections."""

    invoice: InvoiceRow
    left: Remainder

    @property
    def amount(self) -> Decimal:
        """Amount that can be paid back, in the invoice's currency: what remains, and no more than was paid."""
        return min(self.left.amounts.total, paid(self.invoice, self.left))


def paid(original: InvoiceRow, left: Remainder) -> Decimal:
    """Return what was paid of an invoice and not paid back with its credit notes."""
    return original.amount_paid + sum((note.amount_paid for note in left.corrections), ZERO)


async def refundable(ctx: Context, ids: Sequence[UUID], currency: str, least: Decimal) -> list[Refundable]:
    """Return the emitted, valid invoices of which at least `least` can be paid back, the latest first.

    Their rows are not locked.
    """
    rows = await _EMITTED.rows(ctx.db, ids=list(ids), currency=currency, least=least)
    originals = [row for row in rows if standing.is_in_force(row)]
    remainders = await posting_remainders.remainders(ctx, originals)
    emitted = [Refundable(invoice=row, left=left) for row, left in zip(originals, remainders, strict=True)]
    return [document for document in emitted if document.amount >= least]


_EMITTED = Prepared(
    select(invoice)
    .where(
        invoice.c.id == any_(bindparam("ids", type_=ARRAY(Uuid))),
        invoice.c.currency == bindparam("currency", type_=Text),
        invoice.c.total >= bindparam("least", type_=Numeric),
        invoice.c.einvoice.is_not(None),
        invoice.c.rectifies.is_(None),
        standing.is_posted(),
    )
    .order_by(invoice.c.issued_at.desc(), invoice.c.id.desc()),
    InvoiceRow,
)

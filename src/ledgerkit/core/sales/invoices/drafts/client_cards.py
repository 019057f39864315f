"""Drafts follow the stored data of their client (the card) until they are issued (ADR 0037)."""

from sqlalchemy import Uuid, bindparam, select

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.clients.table import ClientRow
from ledgerkit.core.sales.invoices import input as invoice_input
from ledgerkit.core.sales.invoices.api import InvoiceChange
from ledgerkit.core.sales.invoices.content.buyers import Buyer, of_stored
from ledgerkit.core.sales.invoices.json_columns.codecs import CLIENT
from ledgerkit.core.sales.invoices.table import CHANGES, InvoiceRow, invoice
from ledgerkit.problems import Invalid


async def take_over(ctx: Context, before: ClientRow, after: ClientRow) -> None:
    """Update the client's drafts whose copy equals the card before its change.

    A draft whose copy was edited keeps it. So does a draft that could not have the new data: a triangular sale to a
    client who has moved into the country.
    """
    old, new = of_stored(ctx, before), of_stored(ctx, after)
    if _taken_over(old) == _taken_over(new):
        return
    drafts = await _DRAFTS.rows(ctx.db, client_id=after.id)
    followed = [await _take(ctx, draft, new) for draft in drafts if CLIENT.decode(draft.client) == old.copy]
    if any(followed):
        await counters.add(ctx.db, {CHANGES: sum(followed)})


def _taken_over(card: Buyer) -> tuple[object, ...]:
    return card.copy, card.bears_surcharge, card.term_days


async def _take(ctx: Context, draft: InvoiceRow, client: Buyer) -> bool:
    """Compute the draft anew for its client; False where that cannot be."""
    try:
        computed = await invoice_input.changed_values(ctx, draft, InvoiceChange(), client=client)
    except Invalid:
        return False
    values = computed.columns()
    changes = activity.changed({name: getattr(draft, name) for name in values}, values)
    row = await records.change(ctx, invoice, draft.id, values)
    shown = {name: change for name, change in changes.items() if name in {"client", "total"}}
    await activity.record(ctx, "updated", ("invoice", row.id), client.copy.name, shown)
    return True


_DRAFTS = Prepared(
    select(invoice)
    .where(
        invoice.c.client_id == bindparam("client_id", type_=Uuid),
        invoice.c.status == "draft",
        invoice.c.deleted_at.is_(None),
    )
    .order_by(invoice.c.id)
    .with_for_update(),
    InvoiceRow,
)

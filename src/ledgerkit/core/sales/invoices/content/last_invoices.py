"""Last invoice of each of several clients, by which people tell namesakes apart."""

from collections.abc import Mapping, Sequence
from datetime import date
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, bindparam, func, select

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.table import invoice


async def days(ctx: Context, client_ids: Sequence[UUID]) -> Mapping[UUID, date]:
    """Return the issue date of each client's newest document with a number; clients without one are left out."""
    return {row.client_id: row.day for row in await _LAST_OF_CLIENTS.rows(ctx.db, client_ids=list(client_ids))}


class LastInvoiceRow(Row):
    """Client, and the issue date of its newest document."""

    client_id: UUID
    day: date


_LAST_OF_CLIENTS = Prepared(
    select(invoice.c.client_id, func.max(invoice.c.issue_date).label("day"))
    .where(
        invoice.c.client_id == any_(bindparam("client_ids", type_=ARRAY(Uuid))),
        invoice.c.deleted_at.is_(None),
        invoice.c.number.is_not(None),
    )
    .group_by(invoice.c.client_id),
    LastInvoiceRow,
)

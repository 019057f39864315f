"""Documents with a number, for checks that compare them with the fiscal records."""

from datetime import datetime
from typing import Any

from sqlalchemy import DateTime, Select, bindparam, func, select

from ledgerkit.core.database.row_types import Row
from ledgerkit.core.database.statements import Prepared, constant
from ledgerkit.core.documents.einvoicing_state import Off
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.request.context import Context


def issued_documents() -> Select[Any]:
    """Select every document that the account issued here, deleted or not, to be joined with its records."""
    document = invoice.c
    columns = (
        document.id,
        document.number,
        document.issue_date,
        document.issued_at,
        document.deleted_at,
        document.unrecorded,
    )
    return select(*columns).where(document.number.is_not(None), document.origin == constant("own"))


async def unrecorded_since(ctx: Context, moment: datetime) -> int:
    """Count the documents that were numbered at or after `moment` without the fiscal record that they owe."""
    return (await _UNRECORDED.one(ctx.db, moment=moment)).count


class UnrecordedCountRow(Row):
    count: int


_UNRECORDED = Prepared(
    select(func.count().label("count"))
    .select_from(invoice)
    .where(
        invoice.c.unrecorded.is_not(None),
        invoice.c.unrecorded != constant(Off.REGIME.value),
        invoice.c.issued_at >= bindparam("moment", type_=DateTime(timezone=True)),
    ),
    UnrecordedCountRow,
)

"""Documents with a number, as those look at them who know what records there are."""

from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select

from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.request.context import Context


def issued_documents() -> Select[Any]:
    """Every document of the account that has a number, deleted or not, to be joined with what else is known of it."""
    kept = invoice.c
    shown = (kept.id, kept.number, kept.issue_date, kept.issued_at, kept.deleted_at, kept.unrecorded)
    return select(*shown).where(kept.number.is_not(None))


async def unrecorded_since(ctx: Context, moment: datetime) -> int:
    """How many documents were numbered at or after `moment` without a fiscal record."""
    mine = invoice.c.unrecorded.is_not(None), invoice.c.issued_at >= moment
    return int((await ctx.db.execute(select(func.count()).select_from(invoice).where(*mine))).scalar_one())

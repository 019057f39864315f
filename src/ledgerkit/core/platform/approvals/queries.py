"""Proposals that were approved, by whoever proposed them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import DateTime, Text, Uuid, bindparam, select

from ledgerkit.core.platform.approvals.table import approval
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.request.context import Author, Context


class _IdRow(Row):
    id: UUID


async def approved_of(ctx: Context, author: Author, since: datetime) -> list[UUID]:
    """Return the proposals of an author that were approved after a moment."""
    return [row.id for row in await _APPROVED.rows(ctx.db, **author._asdict(), since=since)]


_APPROVED = Prepared(
    select(approval.c.id).where(
        approval.c.proposed_by.is_not_distinct_from(bindparam("user_id", type_=Uuid)),
        approval.c.proposed_with.is_not_distinct_from(bindparam("key_prefix", type_=Text)),
        approval.c.proposed_by_client.is_not_distinct_from(bindparam("client", type_=Text)),
        approval.c.status.in_([constant("done"), constant("approved")]),
        approval.c.decided_at >= bindparam("since", type_=DateTime(timezone=True)),
    ),
    _IdRow,
)

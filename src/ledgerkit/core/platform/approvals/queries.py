"""Proposals that were approved, by whoever proposed them."""

from datetime import datetime

from sqlalchemy import ColumnElement, DateTime, Text, Uuid, and_, bindparam, case, literal_column, or_, select

from ledgerkit import clock
from ledgerkit.core.platform.activity.writes.calls import ApprovedRow
from ledgerkit.core.platform.approvals.decisions.execution import LATEST
from ledgerkit.core.platform.approvals.table import approval
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.request.context import Author, Context


async def approved_of(ctx: Context, author: Author, since: datetime) -> list[ApprovedRow]:
    """Return the proposals of an author that were approved after a moment and done, or that may still be done.

    What has failed, and what is not taken up any more, is left out.
    """
    moments = {"since": since, "taken_up_since": clock.now() - LATEST}
    return await _APPROVED.rows(ctx.db, **author._asdict(), **moments)


_WRITES: ColumnElement[str] = literal_column(
    "(select coalesce(json_agg(json_build_object('entityType', w->'entityType', 'action', w->'action',"
    " 'entityLabel', w->'entityLabel')), '[]')::text from json_array_elements(approval.preview->'writes') as w)"
)
_IS_DONE = approval.c.status == constant("done")
_MAY_RUN = and_(
    approval.c.status == constant("approved"),
    approval.c.decided_at >= bindparam("taken_up_since", type_=DateTime(timezone=True)),
)
_APPROVED = Prepared(
    select(
        approval.c.id,
        case((_IS_DONE, approval.c.updated_at), else_=None).label("ended_at"),
        approval.c.result_id,
        _WRITES.label("writes"),
    ).where(
        approval.c.proposed_by.is_not_distinct_from(bindparam("user_id", type_=Uuid)),
        approval.c.proposed_with.is_not_distinct_from(bindparam("key_prefix", type_=Text)),
        approval.c.proposed_by_client.is_not_distinct_from(bindparam("client", type_=Text)),
        or_(_IS_DONE, _MAY_RUN),
        approval.c.decided_at >= bindparam("since", type_=DateTime(timezone=True)),
    ),
    ApprovedRow,
)

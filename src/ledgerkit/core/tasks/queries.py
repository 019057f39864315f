"""Tasks that other records are named by."""

from uuid import UUID

from sqlalchemy import Uuid, bindparam, exists, select

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.tasks.table import task


async def name_client(ctx: Context, client_id: UUID) -> bool:
    """Return True where a task that is not deleted names the client."""
    return (await _CLIENT_NAMED.one(ctx.db, of_client=client_id)).is_named


class _NamedRow(Row):
    is_named: bool


_CLIENT_NAMED = Prepared(
    select(
        exists()
        .where(task.c.client_id == bindparam("of_client", type_=Uuid), task.c.deleted_at.is_(None))
        .label("is_named")
    ),
    _NamedRow,
)

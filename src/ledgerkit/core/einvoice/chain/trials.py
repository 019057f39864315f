"""Chains of a trial: closed, and moved to the archive together with their records."""

from uuid import UUID

from sqlalchemy import delete, func, literal, select, update

from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.outbox.table import fiscal_sender
from ledgerkit.core.einvoice.table import ChainHeadRow, fiscal_installation
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.tables import metadata
from ledgerkit.core.platform.database.tenancy import is_shared, scope_of
from ledgerkit.core.platform.request.context import Context

SET_ASIDE = "The account went live: this chain is its trial's."
"""Reason for which the chain is closed."""

_UNSCHEDULED = {
    "due_at": None,
    "allowed_at": None,
    "lease_until": None,
    "lease_holder": None,
    "waiting": 0,
    "waiting_since": None,
    "watch_at": None,
}
"""Columns of a sender that sends nothing more, and that nobody waits for."""

_OPEN = Prepared(
    select(fiscal_installation)
    .where(fiscal_installation.c.closed_at.is_(None))
    .order_by(fiscal_installation.c.id)
    .with_for_update(),
    ChainHeadRow,
)


class _LeaseRow(Row):
    is_sending: bool


async def close_all(ctx: Context) -> bool:
    """Close every chain of the account; return False, and close none, while a message of one is under way."""
    is_sending = func.coalesce(fiscal_sender.c.lease_until > func.now(), literal(False))  # noqa: FBT003 - SQL
    of_account = select(is_sending.label("is_sending")).where(fiscal_sender.c.account_id == ctx.account.id)
    leases = await Prepared(of_account.with_for_update(), _LeaseRow).rows(ctx.db)
    if any(lease.is_sending for lease in leases):
        return False
    for head in await _OPEN.rows(ctx.db):
        await heads.close(ctx, head, heads.ON_REQUEST, SET_ASIDE)
    return True


async def hand_over(ctx: Context, archive_id: UUID) -> None:
    """Give the schedules of the account's chains to its archive, where nothing is sent or summed up any more."""
    handed_over = {"account_id": archive_id, **_UNSCHEDULED}
    of_account = fiscal_sender.c.account_id == ctx.account.id
    await ctx.db.execute(update(fiscal_sender).where(of_account).values(handed_over))
    for table in metadata.sorted_tables:
        if table is not fiscal_sender and is_shared(scope_of(table)) and "installation_id" in table.c:
            await ctx.db.execute(delete(table).where(table.c.account_id == ctx.account.id))

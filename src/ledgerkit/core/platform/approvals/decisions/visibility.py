"""Visibility of a proposal: to whoever holds all permissions that it needs, and to its proposer."""

from ledgerkit.core.platform import records
from ledgerkit.core.platform.approvals.proposals import storage
from ledgerkit.core.platform.approvals.table import ApprovalRow, approval
from ledgerkit.core.platform.database.ids import missing
from ledgerkit.core.platform.request.context import Context


async def fetch(ctx: Context, approval_id: str) -> ApprovalRow:
    """Return a proposal that the caller may see. Raises NotFound."""
    row = await records.fetch(ctx, approval, approval_id, "approval")
    check(ctx, row)
    return row


def check(ctx: Context, row: ApprovalRow) -> None:
    """Raise NotFound for a proposal that the caller may not see."""
    if not storage.is_of(row, ctx.actor.user_id) and not ctx.actor.granted.issuperset(row.permissions):
        raise missing("approval", str(row.id))

"""Records that tasks are about."""

from uuid import UUID

from ledgerkit.core.platform import records
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.tasks.table import task


async def name_client(ctx: Context, client_id: UUID) -> bool:
    """Return True where a task that is not deleted names the client."""
    return await records.is_named(ctx, task, "client_id", client_id)

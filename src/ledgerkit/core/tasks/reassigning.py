"""Tasks of a client that turns out to be another one's duplicate."""

from uuid import UUID

from ledgerkit.core import records
from ledgerkit.core.request.context import Context
from ledgerkit.core.tasks.models import task


async def move(ctx: Context, old: UUID, new: UUID) -> int:
    """Count the tasks of the client `old` as the client `new`'s, and return how many they are."""
    return await records.repoint(ctx, task, "client_id", old=old, new=new)

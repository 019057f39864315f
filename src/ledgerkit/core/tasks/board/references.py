"""Tasks whose client turns out to be another one's duplicate, or whose invoice is set aside."""

from uuid import UUID

from sqlalchemy import func, update

from ledgerkit.core.platform import records
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.tasks.table import task


async def move(ctx: Context, old: UUID, new: UUID) -> int:
    """Count the tasks of the client `old` as the client `new`'s, and return how many they are."""
    return await records.repoint(ctx, task, "client_id", old=old, new=new)


async def forget_invoices(ctx: Context) -> None:
    """Let no task of the account name an invoice any more."""
    named = task.c.invoice_id.is_not(None)
    changed = {"invoice_id": None, "version": task.c.version + 1, "updated_at": func.now()}
    await ctx.db.execute(update(task).where(named).values(changed))

"""Merging two records of one client."""

from ledgerkit.core.merging.api import Duplicate, MergedClient, MovedOfClient
from ledgerkit.core.merging.parties import pairs
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.duplicates import pairs as duplicates
from ledgerkit.core.sales.invoices.changes import by_others as invoices
from ledgerkit.core.tasks.board import references as tasks
from ledgerkit.problems import Code, Conflict, Invalid


@operation(
    Permission.CLIENTS_DELETE,
    errors=[(Conflict, {Code.NOT_DUPLICATES}), (Invalid, {Code.TAX_ID_INVALID})],
    effects=Effect.DESTRUCTIVE,
)
async def merge_clients(ctx: Context, client_id: str, data: Duplicate) -> MergedClient:
    """Give a client the invoices and tasks of its duplicate, and delete the duplicate.

    The client that stays keeps what it has, and takes from the other one what it lacks: a tax id, an address, a mail
    address... Invoices keep the copy of the buyer with which they were made, issued ones as well as drafts. Raises
    NotFound, Invalid at `duplicateId` when both are one, Conflict NOT_DUPLICATES when their tax ids differ.
    """
    remaining, duplicate = await duplicates.lock_pair(ctx, client_id, data.duplicate_id)
    pairs.check(remaining, duplicate)
    moved = MovedOfClient(
        invoices=await invoices.move(ctx, duplicate.id, remaining.id),
        tasks=await tasks.move(ctx, duplicate.id, remaining.id),
    )
    await clients.delete(ctx, str(duplicate.id))
    await activity.record(ctx, "merged", ("client", remaining.id), remaining.name, {"merged": (None, duplicate.name)})
    client = await clients.update(ctx, client_id, duplicates.lacking(remaining, duplicate))
    return MergedClient(client=client, moved=moved)

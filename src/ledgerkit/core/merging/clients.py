"""Merging two records of one client."""

from ledgerkit.core.activity import service as activity
from ledgerkit.core.clients import service as clients
from ledgerkit.core.clients.models import DIR3, client
from ledgerkit.core.clients.schemas import ClientChange
from ledgerkit.core.invoices import reassigning as invoices
from ledgerkit.core.merging import pairs
from ledgerkit.core.merging.schemas import Duplicate, MergedClient, MovedOfClient
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.core.tasks import reassigning as tasks
from ledgerkit.problems import Code, Conflict, Invalid

_GROUPS = (
    ("tax_id", "tax_id_kind", "country"),
    ("email",),
    ("phone",),
    ("address", "city", "province", "postal_code"),
    ("language",),
    ("contact_name",),
    ("first_name", "surnames"),
    ("dir3",),
    ("default_tax_rate",),
    ("default_retention_rate",),
    ("payment_term_days",),
    ("notes",),
)


@operation(
    Permission.CLIENTS_DELETE,
    errors=[(Conflict, {Code.NOT_DUPLICATES}), (Invalid, {Code.VALIDATION_ERROR, Code.TAX_ID_INVALID})],
    effects=Effect.DESTRUCTIVE,
)
async def merge_clients(ctx: Context, client_id: str, data: Duplicate) -> MergedClient:
    """Give a client the invoices and tasks of its duplicate, and delete that one.

    The client that stays keeps what it has, and takes from the other one what it lacks: a tax id, an address, a mail
    address... Invoices keep the copy of the buyer with which they were made, issued ones as well as drafts. Raises
    NotFound, Invalid at `duplicateId` when both are one, Conflict NOT_DUPLICATES when their tax ids differ.
    """
    kept, duplicate = await pairs.locked_pair(ctx, client, client_id, data.duplicate_id, "client")
    pairs.check_tax_ids(kept.tax_id, duplicate.tax_id, kept.name, duplicate.name)
    moved = MovedOfClient(
        invoices=await invoices.move(ctx, duplicate.id, kept.id), tasks=await tasks.move(ctx, duplicate.id, kept.id)
    )
    await clients.delete(ctx, str(duplicate.id))
    await activity.record(ctx, "merged", ("client", kept.id), kept.name, {"merged": (None, duplicate.name)})
    taken = pairs.lacking(kept, duplicate, _GROUPS)
    if "dir3" in taken:
        taken["dir3"] = DIR3.decode(duplicate.dir3)
    return MergedClient(client=await clients.update(ctx, str(kept.id), ClientChange.model_validate(taken)), moved=moved)

"""Two records of one client: locked together, and what the one that stays takes from the other."""

from uuid import UUID

from ledgerkit.core.platform import records
from ledgerkit.core.platform.records import duplicates
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.clients.api import ClientChange
from ledgerkit.core.sales.clients.operations import COUNTERS
from ledgerkit.core.sales.clients.table import DIR3, ClientRow, client

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


async def lock_pair(ctx: Context, remaining_id: str, duplicate_id: UUID) -> tuple[ClientRow, ClientRow]:
    """Return the client that stays and its duplicate, locked in the order of their ids. Raises NotFound."""
    return await records.fetch_pair_locked(ctx, client, remaining_id, duplicate_id, "client")


async def move_figures(ctx: Context, old: UUID, new: UUID) -> None:
    """Add the counters of the client `old` to those of the client `new`, after its invoices were moved."""
    await duplicates.move_counts(ctx, {f"{kind}:{old}": f"{kind}:{new}" for kind in COUNTERS})


def lacking(remaining: ClientRow, duplicate: ClientRow) -> ClientChange:
    """Return the change by which the client that stays takes what it lacks."""
    values = duplicates.lacking(remaining, duplicate, _GROUPS)
    if "dir3" in values:
        values["dir3"] = DIR3.decode(duplicate.dir3)
    return ClientChange.model_validate(values)

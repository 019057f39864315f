"""Two records of one vendor: locked together, and the data that the remaining one takes from the other."""

from uuid import UUID

from ledgerkit.core.platform import records
from ledgerkit.core.platform.records import duplicates
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.vendors.api import VendorChange
from ledgerkit.core.purchases.vendors.table import VendorRow, vendor

_GROUPS = (
    ("tax_id", "country"),
    ("email",),
    ("phone",),
    ("address", "city", "province", "postal_code"),
    ("contact_name",),
    ("iban",),
    ("payment_term_days",),
    ("default_category",),
    ("default_tax_rate",),
    ("notes",),
)


async def lock_pair(ctx: Context, remaining_id: str, duplicate_id: UUID) -> tuple[VendorRow, VendorRow]:
    """Return the vendor that stays and its duplicate, locked in the order of their ids. Raises NotFound."""
    return await records.fetch_pair_locked(ctx, vendor, remaining_id, duplicate_id, "vendor")


def lacking(remaining: VendorRow, duplicate: VendorRow) -> VendorChange:
    """Return the change by which the vendor that stays takes what it lacks."""
    return VendorChange.model_validate(duplicates.lacking(remaining, duplicate, _GROUPS))

"""Merging two records of one vendor."""

from ledgerkit.core.activity import service as activity
from ledgerkit.core.expenses import reassigning as expenses
from ledgerkit.core.merging import pairs
from ledgerkit.core.merging.schemas import Duplicate, MergedVendor, MovedOfVendor
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.core.supplier_invoices import reassigning as supplier_invoices
from ledgerkit.core.vendors import service as vendors
from ledgerkit.core.vendors.models import vendor
from ledgerkit.core.vendors.schemas import VendorChange
from ledgerkit.problems import Code, Conflict, Invalid

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


@operation(
    Permission.VENDORS_DELETE,
    errors=[
        (Conflict, {Code.NOT_DUPLICATES, Code.DUPLICATE_SUPPLIER_INVOICE}),
        (Invalid, {Code.VALIDATION_ERROR, Code.TAX_ID_INVALID, Code.VENDOR_EXISTS}),
    ],
    effects=Effect.DESTRUCTIVE,
)
async def merge_vendors(ctx: Context, vendor_id: str, data: Duplicate) -> MergedVendor:
    """Give a vendor the expenses, supplier invoices and payments of its duplicate, and delete that one.

    The vendor that stays keeps what it has, and takes from the other one what it lacks. Documents keep the name and tax
    id with which they were recorded. Raises NotFound, Invalid at `duplicateId` when both are one, Conflict
    NOT_DUPLICATES when their tax ids differ, DUPLICATE_SUPPLIER_INVOICE when both have an invoice of one number.
    """
    kept, duplicate = await pairs.locked_pair(ctx, vendor, vendor_id, data.duplicate_id, "vendor")
    pairs.check_tax_ids(kept.tax_id, duplicate.tax_id, kept.name, duplicate.name)
    moved = MovedOfVendor(
        supplier_invoices=await supplier_invoices.move(ctx, duplicate.id, kept.id),
        expenses=await expenses.move(ctx, duplicate.id, kept.id),
    )
    await vendors.delete(ctx, str(duplicate.id))
    await activity.record(ctx, "merged", ("vendor", kept.id), kept.name, {"merged": (None, duplicate.name)})
    taken = VendorChange.model_validate(pairs.lacking(kept, duplicate, _GROUPS))
    return MergedVendor(vendor=await vendors.update(ctx, str(kept.id), taken), moved=moved)

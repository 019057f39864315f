"""Merging two records of one vendor."""

from ledgerkit.core.merging.api import Duplicate, MergedVendor, MovedOfVendor
from ledgerkit.core.merging.parties import pairs
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.expenses.totals import reassignment as expenses
from ledgerkit.core.purchases.supplier_invoices.payables import reassignment as supplier_invoices
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.purchases.vendors.duplicates import pairs as duplicates
from ledgerkit.problems import Code, Conflict, Invalid


@operation(
    Permission.VENDORS_DELETE,
    errors=[
        (Conflict, {Code.NOT_DUPLICATES, Code.DUPLICATE_SUPPLIER_INVOICE}),
        (Invalid, {Code.TAX_ID_INVALID, Code.VENDOR_EXISTS}),
    ],
    effects=Effect.DESTRUCTIVE,
)
async def merge_vendors(ctx: Context, vendor_id: str, data: Duplicate) -> MergedVendor:
    """Give a vendor the expenses, supplier invoices and payments of its duplicate, and delete the duplicate.

    The vendor that stays keeps what it has, and takes from the other one what it lacks. Documents keep the name and tax
    id with which they were recorded. Raises NotFound, Invalid at `duplicateId` when both are one, Conflict
    NOT_DUPLICATES when their tax ids differ, DUPLICATE_SUPPLIER_INVOICE when both have an invoice of one number.
    """
    remaining, duplicate = await duplicates.lock_pair(ctx, vendor_id, data.duplicate_id)
    pairs.check(remaining, duplicate)
    moved = MovedOfVendor(
        supplier_invoices=await supplier_invoices.move(ctx, duplicate.id, remaining.id),
        expenses=await expenses.move(ctx, duplicate.id, remaining.id),
    )
    await vendors.delete(ctx, str(duplicate.id))
    await activity.record(ctx, "merged", ("vendor", remaining.id), remaining.name, {"merged": (None, duplicate.name)})
    vendor = await vendors.update(ctx, vendor_id, duplicates.lacking(remaining, duplicate))
    return MergedVendor(vendor=vendor, moved=moved)

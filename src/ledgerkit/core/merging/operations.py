"""Merging two records of one client, or of one vendor."""

from typing import Protocol
from uuid import UUID

from ledgerkit.core.merging import acts
from ledgerkit.core.merging.api import Duplicate, MergedClient, MergedVendor, MovedOfClient, MovedOfVendor
from ledgerkit.core.merging.texts import MergingMsg
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import as_id
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.expenses.totals import counts as expenses
from ledgerkit.core.purchases.supplier_invoices.payables import totals as supplier_invoices
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.duplicates import pairs as client_pairs
from ledgerkit.core.sales.invoices.changes import by_others as invoices
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.problems import Code, Conflict, Invalid


@operation(
    Permission.CLIENTS_DELETE,
    errors=[(Conflict, {Code.NOT_DUPLICATES}), (Invalid, {Code.TAX_ID_INVALID})],
    effects=Effect.DESTRUCTIVE,
    act=acts.CLIENTS,
)
async def merge_clients(ctx: Context, client_id: str, data: Duplicate) -> MergedClient:
    """Give a client the invoices and tasks of its duplicate, and delete the duplicate.

    The client that stays keeps what it has, and takes from the other one what it lacks: a tax id, an address, a mail
    address... Invoices keep the copy of the buyer with which they were made, issued ones as well as drafts. Raises
    NotFound, Invalid at `duplicateId` when both are one, Conflict NOT_DUPLICATES when their tax ids differ.
    """
    remaining, duplicate = await client_pairs.lock_pair(ctx, client_id, as_id(data.duplicate_id, "client"))
    _check(remaining, duplicate)
    moved = MovedOfClient(
        invoices=await invoices.move(ctx, duplicate.id, remaining.id),
        tasks=await tasks.move_client(ctx, duplicate.id, remaining.id),
    )
    await clients.delete(ctx, str(duplicate.id))
    await activity.record(ctx, "merged", ("client", remaining.id), remaining.name, {"merged": (None, duplicate.name)})
    client = await clients.update(ctx, client_id, client_pairs.lacking(remaining, duplicate))
    return MergedClient(client=client, moved=moved)


@operation(
    Permission.VENDORS_DELETE,
    errors=[
        (Conflict, {Code.NOT_DUPLICATES, Code.DUPLICATE_SUPPLIER_INVOICE}),
        (Invalid, {Code.TAX_ID_INVALID, Code.VENDOR_EXISTS}),
    ],
    effects=Effect.DESTRUCTIVE,
    act=acts.VENDORS,
)
async def merge_vendors(ctx: Context, vendor_id: str, data: Duplicate) -> MergedVendor:
    """Give a vendor the expenses, supplier invoices and payments of its duplicate, and delete the duplicate.

    The vendor that stays keeps what it has, and takes from the other one what it lacks. Documents keep the name and tax
    id with which they were recorded. Raises NotFound, Invalid at `duplicateId` when both are one, Conflict
    NOT_DUPLICATES when their tax ids differ, DUPLICATE_SUPPLIER_INVOICE when both have an invoice of one number.
    """
    remaining, duplicate = await vendors.lock_pair(ctx, vendor_id, as_id(data.duplicate_id, "vendor"))
    _check(remaining, duplicate)
    moved = MovedOfVendor(
        supplier_invoices=await supplier_invoices.move(ctx, duplicate.id, remaining.id),
        expenses=await expenses.move(ctx, duplicate.id, remaining.id),
    )
    await vendors.delete(ctx, str(duplicate.id))
    await activity.record(ctx, "merged", ("vendor", remaining.id), remaining.name, {"merged": (None, duplicate.name)})
    vendor = await vendors.update(ctx, vendor_id, vendors.lacking(remaining, duplicate))
    return MergedVendor(vendor=vendor, moved=moved)


class _Party(Protocol):
    """Row of a client or a vendor."""

    id: UUID
    name: str
    tax_id: str | None


def _check(remaining: _Party, duplicate: _Party) -> None:
    """Check that two records can be one party.

    Raises Invalid at `duplicateId` when they are one record, Conflict NOT_DUPLICATES when both have a tax id and these
    differ in more than spelling.
    """
    if remaining.id == duplicate.id:
        raise Invalid.field("duplicateId", MergingMsg.ONE_RECORD)
    tax_ids = {_plain(row.tax_id) for row in (remaining, duplicate) if row.tax_id}
    if len(tax_ids) > 1:
        raise Conflict(
            MergingMsg.OTHER_TAX_ID,
            code=Code.NOT_DUPLICATES,
            remaining=_identified(remaining),
            duplicate=_identified(duplicate),
        )


def _identified(party: _Party) -> str:
    return f"{party.name} ({party.tax_id})"


def _plain(tax_id: str) -> str:
    return "".join(filter(str.isalnum, tax_id)).upper()

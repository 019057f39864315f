"""Expenses: list, read, create, change and delete them, and list the vendors they name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, true

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types.list_pages import (
    Page,
    PageRequest,
    PageRow,
    PageStatement,
    fetch_page,
    page_statement,
)
from ledgerkit.core.platform.api_types.wire import wire_column
from ledgerkit.core.platform.attachments import operations as attachments
from ledgerkit.core.platform.attachments.api import AttachmentPlace, DocumentType
from ledgerkit.core.platform.attachments.documents.kinds import DocumentKind, declare, link_of
from ledgerkit.core.platform.attachments.removal import contents as removal
from ledgerkit.core.platform.database.ids import as_id, new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.expenses import acts, output
from ledgerkit.core.purchases.expenses import input as expense_input
from ledgerkit.core.purchases.expenses.api import Expense, ExpenseChange, ExpenseInput
from ledgerkit.core.purchases.expenses.table import ExpenseRow, expense, expense_vendor
from ledgerkit.core.purchases.expenses.totals import counts
from ledgerkit.core.purchases.received_documents.doubts import warnings as doubts
from ledgerkit.core.purchases.received_documents.queries import PurchaseFilter
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.problems import Code, Conflict, Invalid, NotFound

_NOT_LOGGED = {"search_text", "vendor_key"}


@dataclass(frozen=True, kw_only=True)
class ExpenseFilter(PurchaseFilter):
    """Filter of a list of expenses."""

    category: str | None = None
    query: str | None = None


@operation(Permission.EXPENSES_READ, unit=Unit.READING)
async def listing(ctx: Context, page: PageRequest, criteria: ExpenseFilter) -> Page:
    """List expenses, the newest first. `query` is looked for in description, vendor, tax id, number and notes."""
    parameters = criteria.parameters()
    return await output.EXPENSES.page(ctx.db, page, **parameters, **_counter_kind(parameters))


@operation(Permission.EXPENSES_READ, unit=Unit.READING)
async def get(ctx: Context, expense_id: str) -> Expense:
    row = await records.fetch(ctx, expense, expense_id, "expense")
    return output.shape(row, await doubts.of_stored(ctx, output.facts(ctx, row), row.created_at))


@operation(
    Permission.EXPENSES_WRITE,
    errors=[
        (Invalid, {Code.TAX_ID_INVALID, Code.VENDOR_AMBIGUOUS}),
        (NotFound, {Code.NOT_FOUND}),
        (Conflict, {Code.ATTACHED_ALREADY}),
    ],
    act=acts.RECORDING,
)
async def create(ctx: Context, data: ExpenseInput) -> Expense:
    """Create an expense.

    Raises Invalid naming the wrong field, NotFound for an unknown vendorId or receiptId, Conflict ATTACHED_ALREADY for
    the receipt of another document. `warnings` are doubts about its tax and its period.
    """
    values = await expense_input.new_values(ctx, _with_receipt(data))
    origin = Values(ExpenseRow, id=new_id(), created_by=ctx.actor.user_id, channel=ctx.actor.channel.value)
    row = await records.add(ctx, expense, values | origin)
    await counts.record_change(ctx, added=row)
    if data.receipt_id:
        place = AttachmentPlace(document_type=DocumentType.EXPENSE, document_id=str(row.id))
        await attachments.attach(ctx, data.receipt_id, place)
    await attachments.adopt(ctx, data.receipt_url, ATTACHED, row.id)
    await activity.record(ctx, "created", ("expense", row.id), row.description)
    return output.shape(row, await doubts.of_change(ctx, None, output.facts(ctx, row)))


@operation(
    Permission.EXPENSES_WRITE,
    errors=[(Invalid, {Code.TAX_ID_INVALID, Code.VENDOR_AMBIGUOUS})],
    effects=Effect.IDEMPOTENT,
    act=acts.CHANGE,
)
async def update(ctx: Context, expense_id: str, data: ExpenseChange) -> Expense:
    """Change the given fields: members may change only their own expenses, operations and above any."""
    old = await records.fetch_locked(ctx, expense, expense_id, "expense")
    _require_right_to_change(ctx, old)
    values = await expense_input.changed_values(ctx, old, data)
    row = await records.change(ctx, expense, old.id, values)
    await counts.record_change(ctx, removed=old, added=row)
    if "receipt_url" in data.model_fields_set:
        await attachments.adopt(ctx, data.receipt_url, ATTACHED, row.id)
    changes = activity.changed({name: getattr(old, name) for name in values}, values)
    logged = {name: change for name, change in changes.items() if name not in _NOT_LOGGED}
    await activity.record(ctx, "updated", ("expense", row.id), row.description, logged)
    return output.shape(row, await doubts.of_change(ctx, output.facts(ctx, old), output.facts(ctx, row)))


@operation(Permission.EXPENSES_DELETE, effects=Effect.DESTRUCTIVE | Effect.IDEMPOTENT, act=acts.DELETION)
async def delete(ctx: Context, expense_id: str) -> None:
    """Delete an expense: it leaves every list and report, and no longer refers to its vendor."""
    row = await records.fetch_locked(ctx, expense, expense_id, "expense")
    await records.change(ctx, expense, row.id, Values(ExpenseRow, deleted_at=clock.now(), vendor_id=None))
    await counts.record_change(ctx, removed=row)
    files = await removal.release(ctx, ATTACHED, row)
    former = {} if row.vendor_id is None else {"vendor_id": (row.vendor_id, None)}
    await activity.record(ctx, "deleted", ("expense", row.id), row.description, {**former, **files})


async def restore(ctx: Context, expense_id: str, vendor_id: str | None) -> None:
    """Show a deleted expense again, as one of the vendor that it had. Raises NotFound, Forbidden."""
    ctx.require(Permission.EXPENSES_DELETE)
    row = await records.fetch_locked(ctx, expense, expense_id, "expense", hidden=True)
    if row.deleted_at is None:
        return
    vendor = None if vendor_id is None else (await vendors.locked(ctx, vendor_id)).id
    row = await records.change(ctx, expense, row.id, Values(ExpenseRow, deleted_at=None, vendor_id=vendor))
    await counts.record_change(ctx, added=row)
    await activity.record(ctx, "restored", ("expense", row.id), row.description)


@operation(Permission.EXPENSES_READ, unit=Unit.READING)
async def named_vendors(ctx: Context, page: PageRequest) -> Page:
    """List the vendors that expenses name, the most frequent first, each spelled as in its newest expense."""
    return await fetch_page(ctx.db, _NAMED_VENDORS, page)


def _with_receipt(data: ExpenseInput) -> ExpenseInput:
    """Return the input with the link of its scanned receipt; what the caller says of link and source stays."""
    if not data.receipt_id:
        return data
    link = link_of(as_id(data.receipt_id, "attachment"))
    return data.model_copy(update={"receipt_url": data.receipt_url or link, "source": data.source or "receipt_scan"})


def _require_right_to_change(ctx: Context, row: ExpenseRow) -> None:
    """Raise Forbidden for another user's expense, unless the caller may change any (interface decisions R)."""
    ctx.require_unless_own(row.created_by, Permission.EXPENSES_WRITE_ANY)


ATTACHED = declare(
    DocumentKind(
        type=DocumentType.EXPENSE,
        table=expense,
        what="expense",
        read=Permission.EXPENSES_READ,
        write=Permission.EXPENSES_WRITE,
        link="receipt_url",
        last_day=lambda row: max(row.date, row.reception_date, row.deduction_date, row.paid_at or row.date),
        check_change=_require_right_to_change,
    )
)
"""Receipts, with the path of the first one in `receiptUrl`."""


# ---------------------------------------------------------------- lists


def _counter_kind(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the parameter naming the counter that holds the list's total, or none where rows must be counted."""
    if frozenset(parameters) not in output.COUNTED_FILTERS:
        return {}
    if "category" in parameters:
        return {"kind": counts.category_kind(parameters["category"])}
    return {"kind": counts.vendor_count_kind(parameters["vendor_id"]) if parameters else counts.ALL}


def _named_vendors_statement() -> PageStatement[PageRow]:
    newest = (
        select(expense.c.vendor, expense.c.category)
        .where(expense.c.deleted_at.is_(None), expense.c.vendor_key == expense_vendor.c.vendor_key)
        .order_by(*output.NEWEST_FIRST)
        .limit(1)
        .lateral("newest")
    )
    count = expense_vendor.c["count"]
    rows = (
        select(
            wire_column("name", newest.c.vendor),
            wire_column("count", count),
            wire_column("last_category", newest.c.category),
        )
        .select_from(expense_vendor.join(newest, true()))
        .where(count > 0)
        .order_by(count.desc(), expense_vendor.c.vendor_key)
    )
    return page_statement(rows, counters.total([counts.VENDOR_NAMES]))


_NAMED_VENDORS = _named_vendors_statement()

"""The table of inverses: each kind of write with its way back, or the reason why there is none."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel, to_snake

from ledgerkit.core.business_context import operations as business_context
from ledgerkit.core.catalog import operations as catalog
from ledgerkit.core.catalog.api import ItemChange
from ledgerkit.core.platform.activity.table import ActivityRow
from ledgerkit.core.platform.activity.writes import calls
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.documents.filed_declarations import FiledDeclaration, all_filed_on, filed_on
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses import operations as expenses
from ledgerkit.core.purchases.expenses import queries as expense_queries
from ledgerkit.core.purchases.expenses.api import ExpenseChange
from ledgerkit.core.purchases.supplier_invoices import operations as supplier_invoices
from ledgerkit.core.purchases.supplier_invoices import queries as bill_queries
from ledgerkit.core.purchases.supplier_invoices.api import Cancellation
from ledgerkit.core.purchases.supplier_invoices.payments import operations as supplier_payments
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.purchases.vendors.api import VendorChange
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.clients.api import ClientChange
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices import queries as invoice_queries
from ledgerkit.core.sales.invoices.payments import operations as payments
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.core.tasks import queries as task_queries
from ledgerkit.core.tasks.api import TaskChange
from ledgerkit.core.teams import operations as teams
from ledgerkit.core.teams.api import RoleChange, TeamChange
from ledgerkit.core.teams.invitations import operations as invitations
from ledgerkit.core.teams.members import operations as members
from ledgerkit.core.undoing.texts import UndoingMsg
from ledgerkit.problems import Code, Invalid

Shape = TypeVar("Shape", bound=Wire)
Kind = tuple[str, str]
"""Type of a record, and action, of an entry of the activity log."""


@dataclass(frozen=True)
class Way:
    """Way back of a kind of write: ordinary functions of its domain, with their permissions and checks."""

    back: Callable[[Context, ActivityRow], Awaitable[object]]


@dataclass(frozen=True)
class Follows:
    """A write that another way back of the same call takes back with it; whether it did is checked afterwards."""


@dataclass(frozen=True)
class Stays:
    """A write that stays although the others of its call are taken back."""

    reason: UndoingMsg


@dataclass(frozen=True)
class NoWay:
    """A write that is not taken back, and so no other of its call; the message says what to do instead."""

    reason: UndoingMsg


AnyWay = Way | Follows | Stays | NoWay


def way_of(entry: ActivityRow, entries: Sequence[ActivityRow]) -> AnyWay:
    """Return the way back of an entry among all of its call."""
    kind = entry.entity_type, entry.action
    others = {(other.entity_type, other.action) for other in entries}
    if kind == ("invoice", "updated") and ("client", "updated") in others:
        return Follows()  # drafts follow their client
    if kind == ("vendor", "created") and any(other.entity_type == "supplier_invoice" for other in entries):
        return Stays(UndoingMsg.STAYS_USED)
    if entry.action == "deleted" and "files" in entry.changes:
        return NoWay(UndoingMsg.FILES_GONE)
    fiscal = entry.entity_type.startswith("fiscal")
    return NoWay(UndoingMsg.FISCAL) if fiscal else WAYS.get(kind, NoWay(UndoingMsg.UNKNOWN))


async def check_followed(ctx: Context, entry: ActivityRow) -> None:
    """Raise Invalid unless a record that follows another has its former values again."""
    again = await calls.rewritten(ctx, entry)
    if again is None or {name: change["to"] for name, change in again.changes.items()} != _former(entry):
        raise Invalid(UndoingMsg.DRAFT_DIFFERS)


# ---------------------------------------------------------------- ways back


def _id(entry: ActivityRow) -> str:
    return str(entry.entity_id)


def _former(entry: ActivityRow) -> dict[str, object]:
    """Return the values before the write, by the names of the fields on the wire."""
    return {name: change["from"] for name, change in entry.changes.items()}


def _read(shape: type[Shape], values: Mapping[str, object]) -> Shape:
    """Return values of the log as the body that an operation takes. Raises Invalid for what it takes no longer."""
    try:
        return shape.model_validate(values)
    except ValidationError:
        raise Invalid(UndoingMsg.VALUES_UNREADABLE) from None


def _require_all(values: Mapping[str, object], names: Collection[str]) -> None:
    """Raise Invalid unless the log has the former value of everything that was changed."""
    if not values or not values.keys() <= set(names):
        raise Invalid(UndoingMsg.SETTINGS)


async def _delete_client(ctx: Context, entry: ActivityRow) -> None:
    """Delete a client to which nothing refers: what the same call made for it is deleted before."""
    client_id = entry.entity_id
    if await invoice_queries.name_client(ctx, client_id) or await task_queries.name_client(ctx, client_id):
        raise Invalid(UndoingMsg.CLIENT_USED)
    await clients.delete(ctx, _id(entry))


async def _change_client(ctx: Context, entry: ActivityRow) -> None:
    await clients.update(ctx, _id(entry), _read(ClientChange, _former(entry)))


async def _restore_client(ctx: Context, entry: ActivityRow) -> None:
    await clients.restore(ctx, _id(entry))


async def _delete_vendor(ctx: Context, entry: ActivityRow) -> None:
    await vendors.delete(ctx, _id(entry))


async def _change_vendor(ctx: Context, entry: ActivityRow) -> None:
    await vendors.update(ctx, _id(entry), _read(VendorChange, _former(entry)))


_UNDECLARED = frozenset({"description", "notes", "paymentMethod", "receiptUrl", "source"})
"""Fields of an expense that no declaration counts by."""

_DAYS = ("date", "receptionDate", "deductionDate", "paidAt")


async def _delete_expense(ctx: Context, entry: ActivityRow) -> None:
    """Delete an expense again; one that is newer than the filing of its period is in no declaration."""
    created_at = entry.created_at if entry.action == "created" else None
    await _require_unfiled(ctx, await expense_queries.days_of(ctx, entry.entity_id), created_at=created_at)
    await expenses.delete(ctx, _id(entry))


async def _change_expense(ctx: Context, entry: ActivityRow) -> None:
    values = _former(entry)
    if not values.keys() <= _UNDECLARED:
        former_days = [_day(values[name]) for name in _DAYS if values.get(name) is not None]
        await _require_unfiled(ctx, [*await expense_queries.days_of(ctx, entry.entity_id), *former_days])
    if "paidAt" in values:
        values["status"] = "pending" if values["paidAt"] is None else "paid"
    await expenses.update(ctx, _id(entry), _read(ExpenseChange, values))


async def _restore_expense(ctx: Context, entry: ActivityRow) -> None:
    await _require_unfiled(ctx, await expense_queries.days_of(ctx, entry.entity_id))
    vendor_id = _former(entry).get("vendorId")
    await expenses.restore(ctx, _id(entry), None if vendor_id is None else str(vendor_id))


async def _delete_task(ctx: Context, entry: ActivityRow) -> None:
    await tasks.delete(ctx, _id(entry))


async def _change_task(ctx: Context, entry: ActivityRow) -> None:
    await tasks.update(ctx, _id(entry), _read(TaskChange, _former(entry)))


async def _restore_task(ctx: Context, entry: ActivityRow) -> None:
    await tasks.restore(ctx, _id(entry))


async def _delete_context_entry(ctx: Context, entry: ActivityRow) -> None:
    await business_context.delete_entry(ctx, entry.entity_label or "")


async def _deactivate_item(ctx: Context, entry: ActivityRow) -> None:
    await catalog.deactivate(ctx, _id(entry))


async def _activate_item(ctx: Context, entry: ActivityRow) -> None:
    await catalog.update(ctx, _id(entry), ItemChange(is_active=True))


def _number(value: object) -> Decimal | None:
    """Return a number of the log; None for none."""
    return None if value is None else Decimal(str(value))


async def _change_item(ctx: Context, entry: ActivityRow) -> None:
    """Give a catalogue item its former values. Its variants are compared by name, so they cannot go that way."""
    values = _former(entry)
    item = await catalog.get(ctx, _id(entry))
    if "variants" in values or ("stock" in values and item.variants):
        raise Invalid(UndoingMsg.VARIANTS)
    if "stock" in values and _number(entry.changes["stock"]["to"]) != item.stock:
        raise Invalid(UndoingMsg.STOCK_MOVED)
    await catalog.update(ctx, _id(entry), _read(ItemChange, values))


async def _delete_invoice(ctx: Context, entry: ActivityRow) -> None:
    await invoices.delete(ctx, _id(entry))


async def _delete_restored_draft(ctx: Context, entry: ActivityRow) -> None:
    """Delete a restored draft again; an issued invoice is not deleted that way."""
    if (await invoices.get(ctx, _id(entry))).status != "draft":
        raise Invalid(UndoingMsg.ISSUED)
    await invoices.delete(ctx, _id(entry))


async def _change_draft(ctx: Context, entry: ActivityRow) -> None:
    await invoices.take_back_change(ctx, _id(entry), {to_snake(name): value for name, value in _former(entry).items()})


async def _restore_invoice(ctx: Context, entry: ActivityRow) -> None:
    await invoices.restore(ctx, _id(entry))


async def _end_sharing(ctx: Context, entry: ActivityRow) -> None:
    await public_links.unshare(ctx, _id(entry))


async def _remove_payment(ctx: Context, entry: ActivityRow) -> None:
    days = await payments.take_back(ctx, _id(entry), entry.created_at)
    if not days and entry.action == "paid":
        raise Invalid(UndoingMsg.DAY_OF_PAYMENT)
    await _require_unfiled(ctx, days, filed=filed_on)


async def _cancel_bill(ctx: Context, entry: ActivityRow) -> None:
    await _require_unfiled(ctx, await bill_queries.days_of(ctx, entry.entity_id), created_at=entry.created_at)
    reason = entry.entity_label or ""
    await supplier_invoices.cancel(ctx, _id(entry), Cancellation(reason=reason))


async def _change_bill(ctx: Context, entry: ActivityRow) -> None:
    values = _former(entry)
    _require_all(values, {"deductionDate"})
    day = _day(values["deductionDate"])
    await _require_unfiled(ctx, [*await bill_queries.days_of(ctx, entry.entity_id), day])
    await supplier_invoices.move_deduction(ctx, _id(entry), day)


async def _reverse_payment(ctx: Context, entry: ActivityRow) -> None:
    """Reverse a payment by an opposite one; not where tax was withheld: it is declared by the first payment."""
    bill_id = entry.entity_id
    if await bill_queries.bears_withholding(ctx, bill_id) or await expense_queries.correct(ctx, bill_id):
        raise Invalid(UndoingMsg.WITHHELD)
    await _require_unfiled(ctx, await supplier_payments.take_back(ctx, _id(entry), entry.created_at))


async def _require_unfiled(
    ctx: Context,
    days: Sequence[date],
    filed: Callable[[Context, date], Awaitable[list[FiledDeclaration]]] = all_filed_on,
    created_at: datetime | None = None,
) -> None:
    """Raise Invalid for a day in a period for which any form was filed: what counts on it was declared.

    Not for a record that was created after the filing: that is not in the declaration.
    """
    for day in dict.fromkeys(days):
        for declaration in await filed(ctx, day):
            if created_at is None or declaration.submitted_at >= created_at:
                label = declaration.label
                raise Invalid(UndoingMsg.FILED_PERIOD, code=Code.DECLARATION_SUBMITTED, declaration=label, on=day)


def _day(value: object) -> date:
    """Return a day of the log."""
    return TypeAdapter(date).validate_python(value)


async def _withdraw_invitation(ctx: Context, entry: ActivityRow) -> None:
    await invitations.withdraw(ctx, entry.entity_id)


async def _give_former_role(ctx: Context, entry: ActivityRow) -> None:
    await members.change_role(ctx, _id(entry), _read(RoleChange, _former(entry)))


_PLAIN_OF_TEAM = (
    *("name", "company", "address", "postal_code", "city", "province", "email", "phone", "iban"),
    *("tax_id", "default_tax_rate", "default_retention_rate", "payment_term_days"),
)


async def _change_team(ctx: Context, entry: ActivityRow) -> None:
    values = _former(entry)
    _require_all(values, [to_camel(name) for name in _PLAIN_OF_TEAM])
    await teams.update_current(ctx, _read(TeamChange, values))


# ---------------------------------------------------------------- the table


WAYS: Mapping[Kind, AnyWay] = {
    ("api_key", "created"): NoWay(UndoingMsg.ACCESS),
    ("api_key", "revoked"): NoWay(UndoingMsg.ACCESS),
    ("messaging_link", "linked"): NoWay(UndoingMsg.ACCESS),
    ("messaging_link", "unlinked"): NoWay(UndoingMsg.ACCESS),
    ("approval_policy", "updated"): NoWay(UndoingMsg.ACCESS),
    ("cash_register", "cash_in"): NoWay(UndoingMsg.TILL),
    ("cash_register", "cash_out"): NoWay(UndoingMsg.TILL),
    ("cash_register", "closed"): NoWay(UndoingMsg.TILL),
    ("cash_register", "opened"): NoWay(UndoingMsg.TILL),
    ("cash_register", "refund"): NoWay(UndoingMsg.TILL),
    ("cash_register", "sale"): NoWay(UndoingMsg.TILL),
    ("catalog_item", "created"): Way(_deactivate_item),
    ("catalog_item", "deleted"): Way(_activate_item),
    ("catalog_item", "stock_changed"): Way(_change_item),
    ("catalog_item", "updated"): Way(_change_item),
    ("client", "created"): Way(_delete_client),
    ("client", "deleted"): Way(_restore_client),
    ("client", "merged"): NoWay(UndoingMsg.MERGED),
    ("client", "restored"): Way(_delete_client),
    ("client", "updated"): Way(_change_client),
    ("context", "updated"): NoWay(UndoingMsg.TEXTS),
    ("context_entry", "created"): Way(_delete_context_entry),
    ("context_entry", "deleted"): NoWay(UndoingMsg.TEXTS),
    ("context_entry", "updated"): NoWay(UndoingMsg.TEXTS),
    ("expense", "attachment_added"): NoWay(UndoingMsg.ATTACHED),
    ("expense", "attachment_deleted"): NoWay(UndoingMsg.DETACHED),
    ("expense", "created"): Way(_delete_expense),
    ("expense", "deleted"): Way(_restore_expense),
    ("expense", "restored"): Way(_delete_expense),
    ("expense", "updated"): Way(_change_expense),
    ("invitation", "invited"): Way(_withdraw_invitation),
    ("invitation", "withdrawn"): NoWay(UndoingMsg.LEFT),
    ("invoice", "attachment_added"): NoWay(UndoingMsg.ATTACHED),
    ("invoice", "attachment_deleted"): NoWay(UndoingMsg.DETACHED),
    ("invoice", "created"): Way(_delete_invoice),
    ("invoice", "deleted"): Way(_restore_invoice),
    ("invoice", "emitted"): NoWay(UndoingMsg.REPORTED),
    ("invoice", "corrected"): NoWay(UndoingMsg.REPORTED),
    ("invoice", "annulled"): NoWay(UndoingMsg.FISCAL),
    ("invoice", "annulment_requested"): NoWay(UndoingMsg.FISCAL),
    ("invoice", "accepted"): NoWay(UndoingMsg.FISCAL),
    ("invoice", "accepted_with_errors"): NoWay(UndoingMsg.FISCAL),
    ("invoice", "annulment_rejected"): NoWay(UndoingMsg.FISCAL),
    ("invoice", "correction_rejected"): NoWay(UndoingMsg.FISCAL),
    ("invoice", "kept"): NoWay(UndoingMsg.FISCAL),
    ("invoice", "imported"): NoWay(UndoingMsg.IMPORTED),
    ("invoice", "issued"): NoWay(UndoingMsg.ISSUED),
    ("invoice", "paid"): Way(_remove_payment),
    ("invoice", "payment_added"): Way(_remove_payment),
    ("invoice", "payment_removed"): NoWay(UndoingMsg.DAY_OF_PAYMENT),
    ("invoice", "renumbered"): NoWay(UndoingMsg.FISCAL),
    ("invoice", "replaced"): NoWay(UndoingMsg.FISCAL),
    ("invoice", "restored"): Way(_delete_restored_draft),
    ("invoice", "sent"): NoWay(UndoingMsg.MAILED),
    ("invoice", "shared"): Way(_end_sharing),
    ("invoice", "unshared"): NoWay(UndoingMsg.UNSHARED),
    ("invoice", "updated"): Way(_change_draft),
    ("invoice", "withdrawn"): NoWay(UndoingMsg.ISSUED),
    ("member", "joined"): NoWay(UndoingMsg.JOINED),
    ("member", "left"): NoWay(UndoingMsg.LEFT),
    ("member", "removed"): NoWay(UndoingMsg.LEFT),
    ("member", "role_changed"): Way(_give_former_role),
    ("oauth_grant", "granted"): NoWay(UndoingMsg.ACCESS),
    ("oauth_grant", "revoked"): NoWay(UndoingMsg.ACCESS),
    ("supplier_invoice", "attachment_added"): NoWay(UndoingMsg.ATTACHED),
    ("supplier_invoice", "attachment_deleted"): NoWay(UndoingMsg.DETACHED),
    ("supplier_invoice", "cancelled"): NoWay(UndoingMsg.CANCELLED_BILL),
    ("supplier_invoice", "created"): Way(_cancel_bill),
    ("supplier_invoice", "imported"): NoWay(UndoingMsg.IMPORTED_BILL),
    ("supplier_invoice", "payment_added"): Way(_reverse_payment),
    ("supplier_invoice", "payment_removed"): NoWay(UndoingMsg.DAY_OF_PAYMENT),
    ("supplier_invoice", "updated"): Way(_change_bill),
    ("supplier_payment", "attachment_added"): NoWay(UndoingMsg.ATTACHED),
    ("supplier_payment", "attachment_deleted"): NoWay(UndoingMsg.DETACHED),
    ("task", "assigned"): Way(_change_task),
    ("task", "attachment_added"): NoWay(UndoingMsg.ATTACHED),
    ("task", "attachment_deleted"): NoWay(UndoingMsg.DETACHED),
    ("task", "completed"): Way(_change_task),
    ("task", "created"): Way(_delete_task),
    ("task", "deleted"): Way(_restore_task),
    ("task", "restored"): Way(_delete_task),
    ("task", "status_changed"): Way(_change_task),
    ("task", "updated"): Way(_change_task),
    ("tax_declaration", "deleted"): NoWay(UndoingMsg.COMPUTED),
    ("tax_declaration", "generated"): NoWay(UndoingMsg.COMPUTED),
    ("tax_declaration", "recorded"): NoWay(UndoingMsg.COMPUTED),
    ("tax_declaration", "submitted"): NoWay(UndoingMsg.FILED),
    ("tax_declaration", "updated"): NoWay(UndoingMsg.COMPUTED),
    ("tax_profile", "updated"): NoWay(UndoingMsg.TAX_PROFILE),
    ("team", "created"): NoWay(UndoingMsg.FOREVER),
    ("team", "key_regenerated"): NoWay(UndoingMsg.ACCESS),
    ("team", "series_changed"): NoWay(UndoingMsg.SETTINGS),
    ("team", "updated"): Way(_change_team),
    ("team", "went_live"): NoWay(UndoingMsg.FOREVER),
    ("vendor", "created"): Way(_delete_vendor),
    ("vendor", "deleted"): NoWay(UndoingMsg.VENDOR_GONE),
    ("vendor", "merged"): NoWay(UndoingMsg.MERGED),
    ("vendor", "updated"): Way(_change_vendor),
}
"""Way back of each kind of write, by the type of the record and the action of the entry.

What is only noted (`activity.writes.calls.NOTES`) has none, and is no write. Records whose type begins with `fiscal`
are in the chains of the authority: FISCAL stands for all of their actions.
"""

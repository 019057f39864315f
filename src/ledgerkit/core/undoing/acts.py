"""Act of taking back writes, with the summary that a person agrees to: what each write was, and what changes back."""

from collections.abc import Mapping
from decimal import Decimal

from ledgerkit.core.platform.activity.queries import MOST as _MOST_READ
from ledgerkit.core.platform.request.acts import Act, Fact, Json, LogEntry, Money, Rehearsed, Risk, Summary, short
from ledgerkit.core.platform.request.field_facts import KINDS, LABELS, changes
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.texts import FieldMsg
from ledgerkit.core.undoing.texts import UndoMsg
from ledgerkit.texts import MessageId, text

READERS: Mapping[str, Permission] = {
    "api_key": Permission.TEAM_WRITE,
    "approval": Permission.TEAM_WRITE,
    "approval_policy": Permission.APPROVALS_READ,
    "cash_register": Permission.CASH_REGISTER_READ,
    "catalog_item": Permission.CATALOG_READ,
    "client": Permission.CLIENTS_READ,
    "context": Permission.CONTEXT_READ,
    "context_entry": Permission.CONTEXT_READ,
    "expense": Permission.EXPENSES_READ,
    "fiscal_certificate": Permission.EINVOICE_READ,
    "fiscal_demand": Permission.EINVOICE_READ,
    "fiscal_installation": Permission.EINVOICE_READ,
    "invitation": Permission.INVITATIONS_READ,
    "invoice": Permission.INVOICES_READ,
    "member": Permission.TEAM_READ,
    "messaging_link": Permission.TEAM_WRITE,
    "oauth_grant": Permission.TEAM_WRITE,
    "supplier_invoice": Permission.SUPPLIER_INVOICES_READ,
    "supplier_payment": Permission.SUPPLIER_INVOICES_READ,
    "task": Permission.TASKS_READ,
    "tax_declaration": Permission.DECLARATIONS_READ,
    "tax_profile": Permission.DECLARATIONS_READ,
    "team": Permission.TEAM_READ,
    "vendor": Permission.VENDORS_READ,
}
"""Rights to read the kinds of records that the log tells of."""

_ACTIONS: Mapping[str, MessageId] = {
    "assigned": UndoMsg.ASSIGNED,
    "created": UndoMsg.CREATED,
    "deleted": UndoMsg.DELETED,
    "invited": UndoMsg.INVITED,
    "paid": UndoMsg.PAID,
    "payment_added": UndoMsg.PAID,
    "restored": UndoMsg.CREATED,
    "shared": UndoMsg.SHARED,
}

_CONFIRMED = frozenset({"created", "invited", "paid", "payment_added", "restored", "role_changed", "shared"})
"""Actions whose ways back delete, withdraw a link, move money, end a bill, or change what somebody may do."""

_OF_PAYMENTS = frozenset({"paid", "payment_added"})
_DOCUMENTS = {"invoice": "invoices.get", "supplier_invoice": "supplier_invoices.get"}
"""Operation that reads a document of which a payment is removed."""

_WITH_ACCOUNT = frozenset({"team", "vendor"})
"""Kinds of records with a bank account."""

_BACK = frozenset({"assigned", "payment_removed", "role_changed", "status_changed", "stock_changed", "updated"})
"""Actions of ways back whose fields are shown."""


def _asks(rehearsed: Rehearsed) -> bool:
    """Ask by the answer, which is complete; the log is read to its first entries only."""
    undone = [write for write in rehearsed.answer.get("entries") or () if write["undone"]]
    if any(write["action"] in _CONFIRMED for write in undone):
        return True
    if any("iban" in entry.changes for entry in rehearsed.entries):
        return True
    is_cut = len(rehearsed.entries) >= _MOST_READ
    return is_cut and any(write["type"] in _WITH_ACCOUNT for write in undone)


async def _summary(rehearsed: Rehearsed) -> Summary:
    writes: list[Json] = rehearsed.answer.get("entries") or []
    undone = [write for write in writes if write["undone"]]
    removed = await _payments(rehearsed)
    all_facts: list[Fact] = []
    for write in undone:
        all_facts.append((_ACTIONS.get(write["action"], UndoMsg.UPDATED), _record(write)))
        if write["action"] in _OF_PAYMENTS and (amounts := removed.get((write["type"], write["id"]))):
            all_facts.append((FieldMsg.AMOUNT, amounts.pop(0)))
    all_facts += _values(rehearsed)
    all_facts += [(UndoMsg.STAYS, _record(write)) for write in writes if not write["undone"]]
    return Summary(text(UndoMsg.EFFECT, calls=rehearsed.answer["calls"]), all_facts, UndoMsg.FINAL)


async def _payments(rehearsed: Rehearsed) -> Mapping[tuple[str, str], list[Money]]:
    """Return the amounts of the payments that are removed, by type and id of the document, in the order of the log."""
    amounts: dict[tuple[str, str], list[Money]] = {}
    for entry in rehearsed.entries:
        paid = entry.changes.get("amountPaid") or entry.changes.get("paidAmount")
        if entry.action == "payment_removed" and paid:
            document = await rehearsed.read(_DOCUMENTS[entry.entity_type], str(entry.entity_id))
            amount = Decimal(str(paid["from"] or 0)) - Decimal(str(paid["to"] or 0))
            amounts.setdefault((entry.entity_type, str(entry.entity_id)), []).append(
                Money(amount, document.get("currency") or rehearsed.currency)
            )
    return amounts


def _values(rehearsed: Rehearsed) -> list[Fact]:
    return [fact for entry in rehearsed.entries if entry.action in _BACK for fact in _fields(entry, rehearsed.currency)]


def _fields(entry: LogEntry, currency: str) -> list[Fact]:
    """Return the fields that change back, with both values; those that a person cannot read are left out."""
    values = {
        name: change
        for name, change in entry.changes.items()
        if name in LABELS and not any(isinstance(value, list | dict) for value in change.values())
    }
    before = {name: change["from"] for name, change in values.items()}
    return changes(before, {name: change["to"] for name, change in values.items()}, currency) if values else []


def _record(write: Json) -> object:
    return text(UndoMsg.RECORD, **_words(write))


def _words(write: Json) -> dict[str, object]:
    return {"kind": KINDS.get(write["type"], write["type"].replace("_", " ")), "name": short(write["label"])}


def _idle(rehearsed: Rehearsed) -> MessageId | None:
    if rehearsed.answer.get("calls"):
        return None
    return UndoMsg.NOTHING if rehearsed.answer.get("entries") else UndoMsg.NOTHING_OWN


UNDO = Act(summary=_summary, risk=Risk.MONEY, asked_if=_asks, idle=_idle)

"""Acts that make one client or vendor of two, with the summaries that a person agrees to."""

from ledgerkit.core.platform.documents.document_facts import named
from ledgerkit.core.platform.request.acts import Act, Fact, Rehearsed, Stored, Summary
from ledgerkit.core.platform.request.field_facts import changes
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import MessageId, text

_MOVED = (
    (AskMsg.MOVED_INVOICES, "invoices"),
    (AskMsg.MOVED_TASKS, "tasks"),
    (AskMsg.MOVED_EXPENSES, "expenses"),
    (AskMsg.MOVED_BILLS, "supplierInvoices"),
)

_COUNTED = frozenset({"invoiceCount", "totalInvoiced", "balance"})
"""Fields that follow from the documents."""


def _merging(effect: MessageId, field: str, before: Stored) -> Act:
    async def summary(rehearsed: Rehearsed) -> Summary:
        remaining, moved = rehearsed.answer.get(field) or {}, rehearsed.answer.get("moved") or {}
        facts: list[Fact] = [(AskMsg.DUPLICATE, _duplicate(rehearsed))]
        facts += [(label, moved[key]) for label, key in _MOVED if key in moved]
        before = {name: value for name, value in rehearsed.before.items() if name not in _COUNTED}
        after = {name: remaining.get(name) for name in before}
        facts += [fact for fact in changes(before, after, rehearsed.currency) if fact[1] != AskMsg.NOTHING_CHANGES]
        return Summary(text(effect, name=named(rehearsed.before)), facts, AskMsg.FINAL_MERGE)

    return Act(summary=summary, before=before)


def _duplicate(rehearsed: Rehearsed) -> str | None:
    """Return the name of the record that disappears, as the log has it."""
    merged = next((entry for entry in rehearsed.entries if entry.action == "merged"), None)
    change = {} if merged is None else merged.changes.get("merged") or {}
    return change.get("to")


CLIENTS = _merging(AskMsg.MERGE_CLIENTS, "client", Stored("clients.get", "client_id"))
VENDORS = _merging(AskMsg.MERGE_VENDORS, "vendor", Stored("vendors.get", "vendor_id"))

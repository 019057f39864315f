"""Facts of a document for a summary: its party, what it is for, its amounts and days."""

from collections.abc import Mapping, Sequence

from ledgerkit.core.platform.request.acts import Changed, DocumentLine, Fact, Json, Several, as_day, as_money, short
from ledgerkit.core.platform.request.texts import AskMsg

_AMOUNTS = (
    (AskMsg.BASE, "subtotal"),
    (AskMsg.TAX, "taxAmount"),
    (AskMsg.SURCHARGE, "surchargeAmount"),
    (AskMsg.RETENTION, "retentionAmount"),
)

_MOST_LINES = 3
"""Lines of a document that a summary shows."""


def document_facts(document: Json, before: Json | None = None) -> list[Fact]:
    """Return the party of a document, its amounts, its days and its lines; values that it lacks are None or left out.

    With the document `before` the act, each value that differs is shown with both.
    """
    new = _facts(document)
    if not before:
        return new
    old = dict(_facts(before))
    return [(label, value if old[label] == value else Changed(old[label], value)) for label, value in new]


def _facts(document: Json) -> list[Fact]:
    currency, client = document.get("currency"), document.get("client")
    party: Fact = (AskMsg.VENDOR, document.get("vendorName"))
    if isinstance(client, Mapping):
        party = (AskMsg.CLIENT, named(client))
    amounts: list[Fact] = [
        (label, as_money(document, key) if document.get(key) and currency else None) for label, key in _AMOUNTS
    ]
    days: list[Fact] = [
        (AskMsg.ISSUE_DATE, as_day(document.get("issueDate") or document.get("invoiceDate"))),
        (AskMsg.DUE_DATE, as_day(document.get("dueDate"))),
    ]
    concept: Fact = (AskMsg.CONCEPT, _lines(document))
    return [party, *amounts, (AskMsg.TOTAL, as_money(document, "total")), *days, concept]


def _lines(document: Json) -> Several | None:
    """Return the first lines of a document, and how many there are; None where it has none."""
    items: Sequence[Json] = document.get("items") or []
    lines = [
        DocumentLine(item.get("description"), item["quantity"], item["unitPrice"], item.get("taxRate"))
        for item in items[:_MOST_LINES]
    ]
    return Several(lines, len(items)) if lines else None


def named(party: Json) -> str:
    """Return the name of a client or vendor with its tax identifier, if it has one."""
    name, tax_id = short(party.get("name")), party.get("taxId")
    return f"{name} ({tax_id})" if tax_id else name

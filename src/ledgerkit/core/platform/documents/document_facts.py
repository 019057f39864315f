"""Facts of a document for a summary: its party, amounts and days."""

from collections.abc import Mapping

from ledgerkit.core.platform.request.acts import Fact, Json, as_day, as_money
from ledgerkit.core.platform.request.texts import AskMsg

_AMOUNTS = ((AskMsg.BASE, "subtotal"), (AskMsg.TAX, "taxAmount"), (AskMsg.RETENTION, "retentionAmount"))


def document_facts(document: Json) -> list[Fact]:
    """Return the party of a document, its amounts and its days; values that it lacks are None or left out."""
    currency, client = document.get("currency"), document.get("client")
    party: Fact = (AskMsg.VENDOR, document.get("vendorName"))
    if isinstance(client, Mapping):
        party = (AskMsg.CLIENT, named(client))
    amounts: list[Fact] = [
        (label, as_money(document, key)) for label, key in _AMOUNTS if document.get(key) and currency
    ]
    days: list[Fact] = [
        (AskMsg.ISSUE_DATE, as_day(document.get("issueDate") or document.get("invoiceDate"))),
        (AskMsg.DUE_DATE, as_day(document.get("dueDate"))),
    ]
    return [party, *amounts, (AskMsg.TOTAL, as_money(document, "total")), *days]


def named(party: Json) -> str:
    """Return the name of a client or vendor with its tax identifier, if it has one."""
    name, tax_id = party.get("name") or "", party.get("taxId")
    return f"{name} ({tax_id})" if tax_id else str(name)

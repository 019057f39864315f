"""Facts of a document for a summary: its party, what it is for, its amounts and days."""

from collections.abc import Mapping, Sequence

from ledgerkit.core.platform.request.acts import (
    Changed,
    DocumentLine,
    Fact,
    Json,
    Label,
    LineTax,
    Several,
    as_day,
    as_money,
    short,
)
from ledgerkit.core.platform.request.texts import AskMsg

_AMOUNTS = (
    (AskMsg.BASE, "subtotal"),
    (AskMsg.TAX, "taxAmount"),
    (AskMsg.SURCHARGE, "surchargeAmount"),
    (AskMsg.RETENTION, "retentionAmount"),
)

_UNTAXED: Mapping[str, AskMsg] = {
    "exempt": AskMsg.UNTAXED_EXEMPT,
    "not_subject": AskMsg.UNTAXED_NOT_SUBJECT,
    "reverse_charge": AskMsg.UNTAXED_REVERSE_CHARGE,
    "export": AskMsg.UNTAXED_EXPORT,
    "intra_eu_goods": AskMsg.UNTAXED_INTRA_EU_GOODS,
    "intra_eu_services": AskMsg.UNTAXED_INTRA_EU_SERVICES,
}
"""Words for the tax categories of lines without tax."""

_NOT_SUBJECT: Mapping[str, AskMsg] = {
    "article_7": AskMsg.UNTAXED_ARTICLE_7,
    "article_14": AskMsg.UNTAXED_ARTICLE_14,
    "location_rules": AskMsg.UNTAXED_BY_PLACE,
}
"""Words for the reasons why a line is not subject to the tax."""

_USUAL_REGIME = "01"
_OTHER_TAXES = {"IGIC", "IPSI"}
_ROOM = 120
"""Letters of descriptions that several lines share, so that their amounts and taxes stay in sight."""

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
    return [fact for label, value in new for fact in _compared(label, old[label], value)]


def _compared(label: Label, old: object, new: object) -> list[Fact]:
    """Return a fact with both values where they differ: on a line each where there are several lines of a document."""
    if old == new:
        return [(label, new)]
    if any(isinstance(value, Several) and len(value.values) > 1 for value in (old, new)):
        return [(label, new), (AskMsg.CONCEPT_BEFORE, old)]
    return [(label, Changed(old, new))]


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
    shown = items[:_MOST_LINES]
    lines = [_line(item, _ROOM // len(shown)) for item in shown]
    return Several(lines, len(items)) if lines else None


def _line(item: Json, room: int) -> DocumentLine:
    description = short(item.get("description"), room)
    return DocumentLine(description, item["quantity"], item["unitPrice"], _tax(item), item.get("discount"))


def _tax(item: Json) -> LineTax | None:
    """Return the tax of a line; None where it states none."""
    if item.get("taxRate") is None:
        return None
    category, tax, regime = str(item.get("taxCategory")), item.get("tax"), item.get("regimeKey")
    return LineTax(
        item["taxRate"],
        surcharge=item.get("surchargeRate"),
        tax=tax if tax in _OTHER_TAXES else None,
        untaxed=_NOT_SUBJECT.get(str(item.get("notSubjectReason"))) or _UNTAXED.get(category),
        regime=None if regime == _USUAL_REGIME else regime,
    )


def exemption_codes(document: Json) -> list[str]:
    """Return the codes of the exemptions that lines of a document state, each once."""
    codes = [item.get("exemptionCode") for item in document.get("items") or []]
    return list(dict.fromkeys(str(code) for code in codes if code))


def is_exempt_without_reason(document: Json) -> bool:
    """Return True for a document with a line that is exempt and does not state why."""
    items = document.get("items") or []
    return any(item.get("taxCategory") == "exempt" and not item.get("exemptionCode") for item in items)


def named(party: Json) -> str:
    """Return the name of a client or vendor with its tax identifier, if it has one."""
    name, tax_id = short(party.get("name")), party.get("taxId")
    return f"{name} ({tax_id})" if tax_id else name

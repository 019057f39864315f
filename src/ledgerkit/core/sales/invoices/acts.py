"""Acts on an invoice, with the summaries that a person agrees to."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.core.platform.documents.document_facts import (
    document_facts,
    exemption_codes,
    is_exempt_without_reason,
)
from ledgerkit.core.platform.imports.acts import of_documents
from ledgerkit.core.platform.request.acts import (
    SEALING_ACTIONS,
    Act,
    Fact,
    Json,
    Rehearsed,
    Risk,
    Several,
    Stored,
    Summary,
    doubts,
    short,
)
from ledgerkit.core.platform.request.field_facts import changes
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.core.sales.invoices.content import known_clients
from ledgerkit.core.sales.invoices.content.known_clients import KnownClient
from ledgerkit.texts import Text, text

BY_ID = Stored("invoices.get", "invoice_id", "invoice")
_OTHER_FIELDS = (
    *(
        "currency",
        "exchangeRate",
        "retentionRate",
        "pricesIncludeTax",
        "operationDate",
        "paymentMethod",
        "placeOfSupply",
    ),
    *("purchaseOrder", "buyerReference", "operationDescription", "terms", "notes"),
)
"""Fields of a draft that are shown where they change."""


async def written(rehearsed: Rehearsed) -> Json:
    """Return the act's invoice as it would be afterwards: the one in the answer, else the last one sealed or written.

    The answer names it by `invoiceId`, or is the invoice.
    """
    answer = rehearsed.answer
    if "docType" in answer:
        return answer
    invoice_id = answer.get("invoiceId")
    entries = [entry for entry in rehearsed.entries if entry.entity_type == "invoice"]
    sealed = [entry for entry in entries if entry.action in SEALING_ACTIONS]
    invoice_id = invoice_id or next((entry.entity_id for entry in reversed(sealed or entries)), None)
    return {} if invoice_id is None else await rehearsed.read("invoices.get", str(invoice_id))


async def invoice_facts(rehearsed: Rehearsed, invoice: Json, before: Json | None = None) -> list[Fact]:
    """Return the facts of an invoice, with the reason of its exempt lines; those that differ with both values."""
    return [*document_facts(invoice, before), *await _exemption(rehearsed, invoice)]


async def _exemption(rehearsed: Rehearsed, invoice: Json) -> list[Fact]:
    """Return the reasons of exempt lines in the words of the country; the usual one is that of lines without any."""
    codes, assumed = exemption_codes(invoice), is_exempt_without_reason(invoice)
    if not codes and not assumed:
        return []
    team: Json = (await rehearsed.read("teams.current")).get("team") or {}
    country = await rehearsed.read("countries.get", str(team.get("country")))
    labels = {entry["code"]: f"{entry['code']}, {entry['label']}" for entry in country.get("exemptions") or ()}
    reasons: list[object] = [labels.get(code, code) for code in codes]
    if assumed and labels:
        reasons.append(text(AskMsg.EXEMPTION_ASSUMED, reason=next(iter(labels.values()))))
    return [(AskMsg.EXEMPTION, Several(reasons))] if reasons else []


_FREE_TEXT = (AskMsg.SUBJECT, AskMsg.MESSAGE, AskMsg.CONCEPT, AskMsg.CONCEPT_BEFORE, AskMsg.EXEMPTION)


def free_text_last(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts in their order, but those in free text after the amounts and warnings."""
    return sorted(facts, key=lambda fact: fact[0] in _FREE_TEXT)


async def payment_account(rehearsed: Rehearsed, invoice: Json) -> list[Fact]:
    """Return the account that an invoice of its own asks to pay into; a doubt where it is not the team's."""
    iban = invoice.get("iban")
    if not iban:
        return []
    team: Json = (await rehearsed.read("teams.current")).get("team") or {}
    if team.get("iban") == iban:
        return [(AskMsg.PAY_INTO, iban)]
    return [(AskMsg.ATTENTION, text(AskMsg.PAY_INTO_ANOTHER, iban=iban, team=short(team.get("name"))))]


async def known_client(db: AsyncConnection, invoice: Json) -> KnownClient | None:
    """Return what the client of an invoice has been until now; None if no invoice was issued to it here."""
    client_id = invoice.get("clientId")
    return await known_clients.find(db, UUID(str(client_id))) if client_id else None


def _known(rehearsed: Rehearsed) -> KnownClient | None:
    return rehearsed.earlier if isinstance(rehearsed.earlier, KnownClient) else None


def is_known(rehearsed: Rehearsed, invoice: Json, unusual: Sequence[Fact]) -> bool:
    """Return True for an invoice of a client that is still what it was, if no fact of `unusual` is a warning."""
    if any(label is AskMsg.ATTENTION and value for label, value in unusual):
        return False
    client = _known(rehearsed)
    return client is not None and client.is_named_by(invoice.get("client") or {})


async def address_doubt(rehearsed: Rehearsed, email: object) -> Text | None:
    """Return a warning about a mail address that the client has not had; of a new client, that its record lacks."""
    client = _known(rehearsed)
    usual = await _recorded_addresses(rehearsed) if client is None else client.emails
    if not email or str(email).casefold() in {each.casefold() for each in usual}:
        return None
    address = short(email)
    if not usual:
        return text(AskMsg.NEW_ADDRESS_OF_NOBODY, address=address)
    return text(AskMsg.NEW_ADDRESS, address=address, email=short(usual[0]))


async def _recorded_addresses(rehearsed: Rehearsed) -> list[str]:
    client_id = rehearsed.before.get("clientId")
    stored = await rehearsed.read("clients.get", str(client_id)) if client_id else {}
    email = (stored or rehearsed.before.get("client") or {}).get("email")
    return [str(email)] if email else []


async def unusual_facts(rehearsed: Rehearsed, invoice: Json) -> list[Fact]:
    """Return the bank account of an invoice, and a warning about a mail address that its known client has not had."""
    email = (invoice.get("client") or {}).get("email")
    doubt = await address_doubt(rehearsed, email) if _known(rehearsed) else None
    return [*await payment_account(rehearsed, invoice), (AskMsg.ATTENTION, doubt)]


async def _draft(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed)
    account = await payment_account(rehearsed, invoice)
    facts = [*free_text_last([*await invoice_facts(rehearsed, invoice), *account]), *doubts(invoice)]
    return Summary(text(AskMsg.DRAFT), facts, AskMsg.AFTER_DRAFT)


async def _change(rehearsed: Rehearsed) -> Summary:
    """Return the summary of a changed draft: its facts, those that differ with both values, and its other fields."""
    before, after = rehearsed.before, rehearsed.answer
    kinds = [{name: record.get(name) for name in _OTHER_FIELDS} for record in (before, after)]
    others = [] if kinds[0] == kinds[1] else changes(kinds[0], kinds[1], rehearsed.currency)
    account = await payment_account(rehearsed, after)
    facts = [*free_text_last([*await invoice_facts(rehearsed, after, before), *account]), *others, *doubts(after)]
    return Summary(text(AskMsg.CHANGE_DRAFT), facts, AskMsg.AFTER_DRAFT)


async def _restoration(rehearsed: Rehearsed) -> Summary:
    invoice = rehearsed.answer
    client = invoice.get("client") or {}
    effect = text(AskMsg.RESTORE, name=short(invoice.get("number") or client.get("name")))
    return Summary(effect, document_facts(invoice), AskMsg.AFTER_RESTORING)


async def _sharing(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed) or rehearsed.before
    effect = text(AskMsg.SHARE, number=rehearsed.label(invoice))
    account = await payment_account(rehearsed, invoice)
    facts = free_text_last([*document_facts(invoice), *account])
    return Summary(effect, facts, AskMsg.AFTER_SHARE, is_known(rehearsed, invoice, account))


async def _end_of_sharing(rehearsed: Rehearsed) -> Summary:
    invoice = await written(rehearsed) or rehearsed.before
    effect = text(AskMsg.UNSHARE, number=rehearsed.label(invoice))
    return Summary(effect, document_facts(invoice), AskMsg.AFTER_UNSHARE)


async def _deletion(rehearsed: Rehearsed) -> Summary:
    invoice = rehearsed.before
    name = rehearsed.label(invoice)
    effect = text(AskMsg.DELETE, kind=AskMsg.KIND_INVOICE, name=name)
    return Summary(effect, document_facts(invoice), AskMsg.AFTER_DELETING)


DRAFT = Act(summary=_draft, risk=None, asked_if=None)
CHANGE = Act(summary=_change, risk=None, asked_if=None, before=BY_ID)
DELETION = Act(summary=_deletion, risk=None, before=BY_ID)
SHARING = Act(summary=_sharing, risk=Risk.OUTWARD, before=BY_ID, earlier=known_client)
END_OF_SHARING = Act(summary=_end_of_sharing, before=BY_ID)
IMPORT = of_documents(AskMsg.IMPORT_INVOICES, AskMsg.AFTER_IMPORT)
RESTORATION = Act(summary=_restoration, risk=None, asked_if=None)

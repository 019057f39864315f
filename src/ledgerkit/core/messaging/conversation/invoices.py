"""Invoices in a conversation: a sentence becomes a draft, a draft is issued and sent, others are paid or corrected."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ledgerkit.core.messaging.conversation import books, cards
from ledgerkit.core.messaging.conversation.books import NamedClient
from ledgerkit.core.messaging.conversation.turn import Turn, button
from ledgerkit.core.messaging.language.references import ALL_KINDS, ISSUED, PAYABLE, InvoiceKind, KnownInvoice, meant
from ledgerkit.core.messaging.language.requests import (
    CreditNote,
    DraftInvoice,
    InvoiceRef,
    MarkPaid,
    RequestedLine,
    RequestLack,
    SendInvoice,
)
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.sales.invoices.api import Invoice
from ledgerkit.money import CENT
from ledgerkit.texts import MessageId

ISSUE = "e"
"""Verb of the button that makes a draft and then asks about issuing and sending it."""

METHODS: Mapping[str, MessageId] = {
    "transfer": ChatMsg.BY_TRANSFER,
    "cash": ChatMsg.BY_CASH,
    "card": ChatMsg.BY_CARD,
    "bizum": ChatMsg.BY_BIZUM,
}
_MOST_CHOICES = 8


async def draft(turn: Turn, request: DraftInvoice) -> None:
    """Propose a draft with its totals; its card may also lead on to issuing and sending it."""
    arguments = _draft(turn, request)
    question = await cards.ask(turn, "invoices.create", arguments)
    issue = button(turn.words(ChatMsg.ISSUE_AND_SEND), ISSUE, question.approval.id)
    cards.show(turn, question, ChatMsg.CREATE_DRAFT, issue)


def _draft(turn: Turn, request: DraftInvoice) -> dict[str, Any]:
    """Return the request of a draft. Rates that were not said are left to the client and the account."""
    account = turn.member.account
    client = request.client
    is_foreign = isinstance(client, NamedClient) and client.country != account.country
    rate = Decimal(0) if request.without_vat and is_foreign else request.vat_rate
    items = [_item(turn, line, rate) for line in request.lines]
    issued = request.issue_date or account.today()
    due = request.due_date
    if due is None and request.due_days is not None:
        due = issued + dt.timedelta(days=request.due_days)
    fields = {
        "clientId": client_id(client),
        "items": items,
        "pricesIncludeTax": True if request.vat_included else None,
        "retentionRate": request.retention_rate,
        "issueDate": _day(request.issue_date),
        "dueDate": _day(due),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _item(turn: Turn, line: RequestedLine, rate: Decimal | None) -> dict[str, Any]:
    description = line.description.strip() or turn.words(ChatMsg.SERVICES)
    item = {
        "description": description[:1].upper() + description[1:],
        "quantity": line.quantity,
        "unitPrice": line.unit_price,
        "taxRate": rate,
    }
    return {name: value for name, value in item.items() if value is not None}


async def mark_paid(turn: Turn, request: MarkPaid) -> None:
    invoice = await find(turn, request.invoice, PAYABLE)
    if invoice is None:
        return
    fields = {
        "id": invoice.id,
        "paidAt": _day(request.date),
        "amount": request.amount if request.amount not in {None, invoice.due} else None,
        "method": None if request.method is None else turn.words(METHODS[request.method]),
    }
    await _propose(turn, "einvoice.issuance.pay", fields, ChatMsg.MARK_PAID)


async def send(turn: Turn, request: SendInvoice) -> None:
    invoice = await find(turn, request.invoice, ALL_KINDS)
    if invoice is not None:
        await propose_sending(turn, invoice.id)


async def propose_sending(turn: Turn, invoice_id: str) -> None:
    """Propose to mail an invoice, which issues a draft; one whose client has no address is only issued."""
    invoice = await invoices.get(turn.reading, invoice_id)
    if invoice.client.email:
        yes = ChatMsg.ISSUE_AND_SEND if invoice.status == "draft" else ChatMsg.SEND
        await _propose(turn, "einvoice.issuance.send_invoice", {"id": invoice_id}, yes)
    elif invoice.status == "draft":
        turn.say(turn.words(ChatMsg.NO_ADDRESS, client=invoice.client.name or ""))
        await _propose(turn, "einvoice.emit", {"invoiceId": invoice_id}, ChatMsg.ISSUE)
    else:
        turn.say(turn.words(ChatMsg.NO_ADDRESS, client=invoice.client.name or ""))
        turn.say(title=label(turn, invoice), invoice_pdf=invoice_id)


async def credit(turn: Turn, request: CreditNote) -> None:
    candidate = await find(turn, request.invoice, ISSUED)
    if candidate is None:
        return
    invoice = await invoices.get(turn.reading, candidate.id)
    fiscal_id = (invoice.einvoice or {}).get("fiscalId")
    if fiscal_id is None:
        turn.say(turn.words(ChatMsg.NO_RECORD, number=invoice.number or ""))
        return
    fields: dict[str, Any] = {
        "invoiceId": invoice.id,
        "originalFiscalId": fiscal_id,
        "originalDate": invoice.issue_date.isoformat(),
    }
    if request.amount is not None and request.amount < invoice.total:
        part = _part(invoice, request.amount)
        if part is None:
            turn.say(turn.words(ChatMsg.PART_IN_APP), buttons=[])
            return
        fields["items"] = [part]
    await _propose(turn, "einvoice.issuance.credit_note", fields, ChatMsg.CORRECT)


def _part(invoice: Invoice, amount: Decimal) -> dict[str, Any] | None:
    """Return one line whose total is `amount`, at the invoice's only rate; None where it has several."""
    rates = {item.tax_rate for item in invoice.items}
    if len(rates) != 1 or invoice.retention_amount or invoice.surcharge_amount:
        return None
    rate = rates.pop()
    base = (amount * 100 / (100 + rate)).quantize(CENT)
    return {
        "description": invoice.items[0].description,
        "quantity": 1,
        "unitPrice": base,
        "taxRate": rate,
    }


async def _propose(turn: Turn, operation: str, fields: Mapping[str, Any], yes: MessageId) -> None:
    arguments = {name: value for name, value in fields.items() if value is not None}
    await cards.propose(turn, operation, arguments, yes)


async def find(turn: Turn, ref: InvoiceRef, kinds: Collection[InvoiceKind]) -> KnownInvoice | None:
    """Return the invoice that is meant; None where none or several can be, which is asked."""
    candidates = await matching(turn, ref, kinds)
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        turn.say(turn.words(ChatMsg.NO_SUCH_INVOICE))
        return None
    lines = [_listed(turn, invoice) for invoice in candidates[:_MOST_CHOICES]]
    turn.say(turn.words(ChatMsg.WHICH_INVOICE), lines)
    turn.ask(RequestLack.WHICH_INVOICE, turn.said)
    return None


async def matching(turn: Turn, ref: InvoiceRef, kinds: Collection[InvoiceKind]) -> Sequence[KnownInvoice]:
    """Return the invoices that can be meant, the newest first."""
    candidates = await books.known_invoices(turn.reading, None if ref.client is None else client_id(ref.client))
    return meant(ref, candidates, kinds, today=turn.member.account.today())


def _listed(turn: Turn, invoice: KnownInvoice) -> str:
    number = invoice.number or turn.words(ChatMsg.DRAFT)
    return f"{number} · {invoice.client_name} · {turn.money(invoice.due or invoice.total)}"


def label(turn: Turn, invoice: Invoice) -> str:
    """Return the number of an invoice with its client and its total."""
    number = invoice.number or turn.words(ChatMsg.DRAFT)
    return f"{number} · {invoice.client.name or ''} · {turn.money(invoice.total, invoice.currency)}"


def client_id(named: object) -> str:
    """Return the id of a client that was mentioned."""
    assert isinstance(named, NamedClient)  # noqa: S101 - ours: the speaker's names are clients
    return named.id


def _day(value: dt.date | None) -> str | None:
    return None if value is None else value.isoformat()

"""Outcome of a tap, as the chat says it: the card without buttons, and the document that it was about."""

import asyncio
from collections.abc import Mapping

from ledgerkit.core.messaging.conversation import answers
from ledgerkit.core.messaging.conversation.turn import Turn, button
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.approvals.api import Approval
from ledgerkit.core.sales.invoices import operations as sales
from ledgerkit.core.sales.invoices.api import Invoice

SEND = "s"
"""Verb of the button that asks about issuing and sending a draft, or about sending an invoice again."""

_LOOK_AGAIN_SECONDS = 0.2
_SENDING = "einvoice.issuance.send_invoice"
_UNSETTLED = frozenset({"pending", "unknown"})
_ISSUING = frozenset({"einvoice.emit", "einvoice.issuance.send_invoice", "einvoice.issuance.credit_note"})
_OUTCOMES: Mapping[str, ChatMsg] = {
    "invoices.create": ChatMsg.DRAFT_MADE,
    "einvoice.issuance.pay": ChatMsg.PAYMENT_NOTED,
    "einvoice.issuance.send_invoice": ChatMsg.INVOICE_SENT,
    "einvoice.emit": ChatMsg.INVOICE_ISSUED,
    "einvoice.issuance.credit_note": ChatMsg.INVOICE_ISSUED,
    "expenses.create": ChatMsg.EXPENSE_SAVED,
    "tasks.create": ChatMsg.TASK_NOTED,
    "tasks.set_status": ChatMsg.TASK_DONE,
    "cash_register.close": ChatMsg.TILL_IS_CLOSED,
    "undoing.undo": ChatMsg.UNDONE,
}


async def say(turn: Turn, approval: Approval, card: str) -> None:
    """Show in place of the card what was done, and after that the invoice that was made or issued."""
    outcome = _OUTCOMES.get(approval.operation, ChatMsg.DONE_NOW)
    if approval.operation == _SENDING and approval.evidence:
        outcome = _sending(approval, await sales.get(turn.reading, approval.evidence[0].id))
    lines = [turn.words(outcome)]
    if approval.problem is not None:
        lines = [str(approval.problem.get("detail", "")), str(approval.problem.get("remedy") or "")]
    turn.say(approval.title, [line for line in lines if line], replaces=card)
    if approval.result is None or approval.result.type != "invoice":
        return
    if approval.operation == "invoices.create":
        issue = button(turn.words(ChatMsg.ISSUE_AND_SEND), SEND, approval.result.id)
        turn.say(turn.words(ChatMsg.DRAFT), buttons=[[issue]], invoice_pdf=approval.result.id)
    elif approval.operation in _ISSUING:
        answers.say_state(turn, await _answered(turn, approval.result.id), with_pdf=True)


def _sending(approval: Approval, invoice: Invoice) -> ChatMsg:
    """Return what came of sending: whether a mail server took the invoice, and whether it was issued for that."""
    is_mailed = invoice.sent_at is not None and invoice.sent_at >= approval.created_at
    if invoice.issued_at is not None and invoice.issued_at >= approval.created_at:
        return ChatMsg.INVOICE_SENT if is_mailed else ChatMsg.NOT_MAILED
    return ChatMsg.SENT_NOW if is_mailed else ChatMsg.MAIL_WAITS


async def _answered(turn: Turn, invoice_id: str) -> Invoice:
    """Return an invoice once the authority has answered, or as it is after the usual wait for that."""
    waits_until = asyncio.get_running_loop().time() + turn.kernel.settings.einvoice_wait
    while True:
        invoice = await sales.get(turn.reading, invoice_id)
        is_settled = (invoice.einvoice or {}).get("status") not in _UNSETTLED
        if is_settled or asyncio.get_running_loop().time() > waits_until:
            return invoice
        await asyncio.sleep(_LOOK_AGAIN_SECONDS)

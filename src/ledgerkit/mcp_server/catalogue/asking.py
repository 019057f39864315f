"""Questions of the tools that need a confirmation: effect, recipient, amounts, and whether it can be undone."""

from collections.abc import Mapping
from typing import Any

from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.purchases.expenses import operations as expenses
from ledgerkit.core.purchases.supplier_invoices import operations as supplier_invoices
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices import operations as invoices
from ledgerkit.core.teams import operations as teams
from ledgerkit.mcp_server.answers import Json, as_json
from ledgerkit.mcp_server.messages import AskMsg
from ledgerkit.mcp_server.questions import Asked, Fact, Money, Question, Rehearsed, as_day, document_facts
from ledgerkit.texts import MessageId, text

_ROLES: Mapping[str, MessageId] = {
    "owner": AskMsg.ROLE_OWNER,
    "admin": MailMsg.ROLE_ADMIN,
    "finance": MailMsg.ROLE_FINANCE,
    "operations": MailMsg.ROLE_OPERATIONS,
    "member": MailMsg.ROLE_MEMBER,
    "viewer": MailMsg.ROLE_VIEWER,
}
_RESULTS: Mapping[str, MessageId] = {
    "pay": AskMsg.TO_PAY,
    "refund": AskMsg.TO_BE_REFUNDED,
    "compensate": AskMsg.TO_COMPENSATE,
    "none": AskMsg.RESULT,
}


# ---------------------------------------------------------------- invoices


def _emission(rehearsed: Rehearsed) -> Question:
    replaced = rehearsed.answer.get("replaces")
    if isinstance(replaced, Mapping):
        facts = [*document_facts(rehearsed.invoice), *_replaced_facts(replaced, rehearsed.invoice.get("currency"))]
        return Question(text(AskMsg.REPLACE, number=rehearsed.number), facts, AskMsg.FINAL_SEALED)
    is_correction = any(entry.action == "corrected" for entry in rehearsed.entries)
    effect = AskMsg.CORRECT if is_correction else AskMsg.EMIT
    facts = [(AskMsg.ISSUER, rehearsed.other_issuer), *document_facts(rehearsed.invoice), *_doubts(rehearsed)]
    return Question(text(effect, number=rehearsed.number), facts, AskMsg.FINAL_SEALED)


def _doubts(rehearsed: Rehearsed) -> list[Fact]:
    """Return the warnings about the draft before the act and about the document afterwards, each once."""
    before, after = rehearsed.before.get("warnings") or (), rehearsed.invoice.get("warnings") or ()
    return [(AskMsg.DOUBT, warning) for warning in dict.fromkeys([*before, *after])]


def _is_unrecorded(rehearsed: Rehearsed) -> bool:
    """Return True if the act numbers a document without a fiscal record, which no authority is told of."""
    return rehearsed.seals and bool(rehearsed.invoice.get("number")) and rehearsed.invoice.get("einvoice") is None


def _replaced_facts(replaced: Mapping[str, Any], currency: object) -> list[Fact]:
    """Return what the authority holds about the document that would be replaced."""
    total = Money(replaced["total"], currency) if replaced.get("total") is not None else None
    return [
        (AskMsg.REPLACED_RECIPIENT, replaced.get("recipient")),
        (AskMsg.REPLACED_TOTAL, total),
        (AskMsg.REPLACED_DATE, as_day(replaced.get("issueDate"))),
    ]


def _mailing(rehearsed: Rehearsed) -> Question:
    client = rehearsed.invoice.get("client") or rehearsed.before.get("client") or {}
    sent_to = rehearsed.arguments.email or rehearsed.answer.get("sentTo") or client.get("email")
    invoice = rehearsed.invoice or rehearsed.before
    is_reported = rehearsed.seals and not _is_unrecorded(rehearsed)
    effect = AskMsg.EMIT_AND_SEND if is_reported else AskMsg.NUMBER_AND_SEND if rehearsed.seals else AskMsg.SEND
    facts: list[Fact] = [(AskMsg.SENT_TO, sent_to), *document_facts(invoice), *_doubts(rehearsed)]
    return Question(
        text(effect, number=rehearsed.number), facts, AskMsg.FINAL_SEALED if is_reported else AskMsg.FINAL_MAIL
    )


def _sharing(rehearsed: Rehearsed) -> Question:
    invoice = rehearsed.invoice or rehearsed.before
    if rehearsed.arguments.revoke:
        return Question(text(AskMsg.UNSHARE, number=rehearsed.number), document_facts(invoice), AskMsg.AFTER_UNSHARE)
    return Question(text(AskMsg.SHARE, number=rehearsed.number), document_facts(invoice), AskMsg.AFTER_SHARE)


def _payment(rehearsed: Rehearsed) -> Question:
    invoice = rehearsed.invoice
    paid = Money(invoice["amountPaid"], invoice.get("currency")) if "amountPaid" in invoice else None
    facts: list[Fact] = [*document_facts(invoice), (AskMsg.PAID, paid), (AskMsg.PAID_AT, as_day(invoice.get("paidAt")))]
    facts += _doubts(rehearsed)
    if _is_unrecorded(rehearsed):
        return Question(text(AskMsg.NUMBER_AND_PAY, number=rehearsed.number), facts, AskMsg.AFTER_UNRECORDED)
    return Question(text(AskMsg.EMIT_AND_PAY, number=rehearsed.number), facts, AskMsg.FINAL_SEALED)


def _credit(rehearsed: Rehearsed) -> Question:
    original = rehearsed.before
    corrected = Money(original["total"], original.get("currency")) if "total" in original else None
    facts: list[Fact] = [
        (AskMsg.ISSUER, rehearsed.other_issuer),
        *document_facts(rehearsed.invoice),
        (AskMsg.CORRECTED_TOTAL, corrected),
        (AskMsg.REASON, rehearsed.arguments.reason),
        *((AskMsg.DOUBT, warning) for warning in rehearsed.answer.get("warnings") or ()),
    ]
    effect = text(AskMsg.CREDIT, number=rehearsed.number, original=original.get("number") or "")
    return Question(effect, facts)


def _annulment(rehearsed: Rehearsed) -> Question:
    facts: list[Fact] = [
        (AskMsg.ISSUER, rehearsed.other_issuer),
        *document_facts(rehearsed.invoice),
        (AskMsg.REASON, rehearsed.arguments.reason),
    ]
    return Question(text(AskMsg.ANNUL, number=rehearsed.number), facts)


def _movement(rehearsed: Rehearsed) -> Question:
    is_refund, unrecorded = rehearsed.arguments.type == "refund", _is_unrecorded(rehearsed)
    effect = AskMsg.REFUND if is_refund else AskMsg.SALE
    if unrecorded:
        effect = AskMsg.REFUND_UNRECORDED if is_refund else AskMsg.SALE_UNRECORDED
    facts: list[Fact] = [*document_facts(rehearsed.invoice), (AskMsg.METHOD, rehearsed.arguments.payment_method)]
    if rehearsed.corrected:
        currency = rehearsed.corrected.get("currency")
        facts.append((AskMsg.CORRECTED_NUMBER, rehearsed.corrected.get("number")))
        facts.append((AskMsg.CORRECTED_TOTAL, Money(rehearsed.corrected["total"], currency)))
    facts += _doubts(rehearsed)
    afterwards = AskMsg.AFTER_UNRECORDED if unrecorded else AskMsg.FINAL_SEALED
    return Question(text(effect, number=rehearsed.number), facts, afterwards)


async def _invoice(ctx: Context, arguments: Any) -> object:
    return await invoices.get(ctx, arguments.id)


async def _by_invoice_id(ctx: Context, arguments: Any) -> object:
    return await invoices.get(ctx, arguments.invoice_id) if arguments.invoice_id else {}


EMISSION, CREDIT = Asked(_emission, _by_invoice_id), Asked(_credit, _by_invoice_id)
MAILING, SHARING, PAYMENT = Asked(_mailing, _invoice), Asked(_sharing, _invoice), Asked(_payment, _invoice)
ANNULMENT, MOVEMENT = Asked(_annulment), Asked(_movement)


# ---------------------------------------------------------------- other records


def _register(rehearsed: Rehearsed) -> Question:
    currency = rehearsed.answer.get("currency")
    keys = ((AskMsg.COUNTED, "closingAmount"), (AskMsg.EXPECTED, "expectedAmount"), (AskMsg.DIFFERENCE, "difference"))
    facts: list[Fact] = [
        (label, Money(rehearsed.answer[key], currency)) for label, key in keys if key in rehearsed.answer
    ]
    return Question(text(AskMsg.CLOSE_REGISTER), [*facts, (AskMsg.OPENED, as_day(rehearsed.answer.get("openedAt")))])


def _cancellation(rehearsed: Rehearsed) -> Question:
    bill = rehearsed.before
    number = bill.get("invoiceNumber") or rehearsed.number
    return Question(text(AskMsg.CANCEL_BILL, number=number), document_facts(bill))


async def _bill(ctx: Context, arguments: Any) -> object:
    return await supplier_invoices.get(ctx, arguments.id)


def _declaration(rehearsed: Rehearsed) -> Question:
    declared = rehearsed.answer
    result = (declared.get("totals") or {}).get("result")
    label = _RESULTS.get(str(declared.get("resultKind")), AskMsg.RESULT)
    is_running = any(warning["code"] == "period_running" for warning in declared.get("warnings", ()))
    facts: list[Fact] = [
        (AskMsg.PERIOD_FROM, as_day(declared.get("periodStart"))),
        (AskMsg.PERIOD_TO, as_day(declared.get("periodEnd"))),
        (label, None if result is None else Money(abs(result), rehearsed.currency)),
        (AskMsg.DEADLINE, as_day(declared.get("dueDate"))),
        (AskMsg.ATTENTION, AskMsg.PERIOD_RUNNING if is_running else None),
    ]
    period = f"{declared.get('period', '')} {declared.get('year', '')}".strip()
    return Question(text(AskMsg.SUBMIT, form=declared.get("form", ""), period=period), facts)


_KINDS: Mapping[str, MessageId] = {
    "invoice": AskMsg.KIND_INVOICE,
    "client": AskMsg.KIND_CLIENT,
    "expense": AskMsg.KIND_EXPENSE,
    "catalog_item": AskMsg.KIND_CATALOG_ITEM,
    "task": AskMsg.KIND_TASK,
    "vendor": AskMsg.KIND_VENDOR,
    "tax_declaration": AskMsg.KIND_TAX_DECLARATION,
    "context_entry": AskMsg.KIND_CONTEXT_ENTRY,
}
_AFTER_DELETION: Mapping[str, MessageId] = {
    "invoice": AskMsg.AFTER_DELETING_INVOICE,
    "catalog_item": AskMsg.AFTER_DEACTIVATING,
}


def _deletion(rehearsed: Rehearsed) -> Question:
    kind, before = str(rehearsed.arguments.kind), rehearsed.before
    name = next((str(before[key]) for key in ("number", "name", "description") if before.get(key)), rehearsed.number)
    facts = document_facts(before) if kind == "invoice" else []
    if kind == "expense" and "amount" in before:
        spent = Money(before["amount"], before.get("currency") or rehearsed.currency)
        facts = [(AskMsg.VENDOR, before.get("vendor")), (AskMsg.TOTAL, spent), (AskMsg.DAY, as_day(before.get("date")))]
    if kind == "client":
        facts = [(AskMsg.TAX_ID, before.get("taxId"))]
    effect = AskMsg.DEACTIVATE if kind == "catalog_item" else AskMsg.DELETE
    return Question(text(effect, kind=_KINDS[kind], name=name), facts, _AFTER_DELETION.get(kind, AskMsg.FINAL))


async def _deleted(ctx: Context, arguments: Any) -> object:
    readers = {"invoice": invoices.get, "client": clients.get, "expense": expenses.get}
    reader = readers.get(str(arguments.kind))
    return {} if reader is None else await reader(ctx, arguments.id)


REGISTER, CANCELLATION, DECLARATION = Asked(_register), Asked(_cancellation, _bill), Asked(_declaration)
DELETION = Asked(_deletion, _deleted)


# ---------------------------------------------------------------- members


async def _team(ctx: Context, _arguments: Any) -> Json:
    return as_json(await teams.current(ctx))


def _of_member(rehearsed: Rehearsed) -> list[Fact]:
    """Return the member whom the question is about, and the member's present role."""
    members: list[Json] = rehearsed.before.get("members") or []
    member = next((member for member in members if member.get("id") == rehearsed.arguments.member_id), {})
    shown = f"{member.get('name', '')} <{member.get('email', '')}>" if member else None
    return [(AskMsg.MEMBER, shown), (AskMsg.OLD_ROLE, _ROLES.get(str(member.get("role"))))]


def _team_name(rehearsed: Rehearsed) -> str:
    return str((rehearsed.before.get("team") or {}).get("name") or "")


def _invitation(rehearsed: Rehearsed) -> Question:
    role = _ROLES[rehearsed.arguments.role]
    facts: list[Fact] = [(AskMsg.SENT_TO, rehearsed.arguments.email), (AskMsg.ROLE, role)]
    return Question(text(AskMsg.INVITE, team=_team_name(rehearsed)), facts, AskMsg.AFTER_MEMBER)


def _role(rehearsed: Rehearsed) -> Question:
    facts = [*_of_member(rehearsed), (AskMsg.ROLE, _ROLES[rehearsed.arguments.role])]
    return Question(text(AskMsg.CHANGE_ROLE, team=_team_name(rehearsed)), facts, AskMsg.AFTER_MEMBER)


def _removal(rehearsed: Rehearsed) -> Question:
    return Question(text(AskMsg.REMOVE_MEMBER, team=_team_name(rehearsed)), _of_member(rehearsed), AskMsg.AFTER_REMOVAL)


INVITATION, ROLE, REMOVAL = Asked(_invitation, _team), Asked(_role, _team), Asked(_removal, _team)

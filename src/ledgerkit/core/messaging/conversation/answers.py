"""Answers to questions about the books: reads only, and nothing to confirm."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from ledgerkit.core.cash_register import operations as registers
from ledgerkit.core.declarations.calendar import operations as calendar
from ledgerkit.core.messaging.conversation import books, digest, invoices, matters, paging
from ledgerkit.core.messaging.conversation.paging import FIRST, PagedAnswer, PageOf
from ledgerkit.core.messaging.conversation.turn import Turn, button
from ledgerkit.core.messaging.language.references import ALL_KINDS
from ledgerkit.core.messaging.language.requests import InvoiceRef, Question, Topic
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.api_types.list_pages import PageRequest
from ledgerkit.core.purchases.supplier_invoices.api import PayableAlerts, SupplierInvoice
from ledgerkit.core.purchases.supplier_invoices.payables import operations as payables
from ledgerkit.core.reports import operations as reports
from ledgerkit.core.reports.receivables import operations as receivables
from ledgerkit.core.reports.receivables.operations import OpenInvoiceFilter
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices import operations as sales
from ledgerkit.core.sales.invoices.api import Invoice

PDF = "p"
"""Verb of the button that shows the PDF of an invoice."""

_MANY = PageRequest(size=500)
_MOST_FORMS = 8


async def answer(turn: Turn, question: Question, page: PageOf = FIRST) -> None:
    """Answer a question. Raises Forbidden where the role does not read what it is about."""
    await _ANSWERS[question.topic](turn, question, page)


async def _receivables(turn: Turn, question: Question, page: PageOf) -> None:
    await _owed(turn, question, page, overdue=False)


async def _overdue(turn: Turn, question: Question, page: PageOf) -> None:
    await _owed(turn, question, page, overdue=True)


async def _owed(turn: Turn, question: Question, page: PageOf, *, overdue: bool) -> None:
    """List the invoices of which an amount is owed: all or the overdue ones, of everybody or of one client."""
    client_id = None if question.client is None else invoices.client_id(question.client)
    conditions = OpenInvoiceFilter(client_id=client_id, overdue_days=1 if overdue else None)
    open_page = await receivables.open_invoices(turn.reading, _MANY, conditions)
    rows = books.records(open_page)
    if not rows:
        turn.say(turn.words(ChatMsg.NOBODY_OVERDUE if overdue else ChatMsg.NOBODY_OWES))
        return
    sums: dict[str, Decimal] = {}
    for row in rows:
        sums[row["currency"]] = sums.get(row["currency"], Decimal(0)) + Decimal(str(row["balance"]))
    total = " + ".join(turn.money(amount, currency) for currency, amount in sums.items())
    heading = ChatMsg.OVERDUE_TOTAL if overdue else ChatMsg.OWED_TOTAL
    lines = [_owed_line(turn, row) for row in rows]
    title = turn.words(heading, total=total, count=open_page.total)
    paging.say(turn, PagedAnswer(title, lines, question.topic, client_id), page)


def _owed_line(turn: Turn, row: Mapping[str, Any]) -> str:
    amount = turn.money(Decimal(str(row["balance"])), row["currency"])
    late = row["daysOverdue"]
    due = turn.day(date.fromisoformat(row["dueDate"]))
    when = turn.words(ChatMsg.DAYS_LATE, count=late) if late else turn.words(ChatMsg.DUE_ON, day=due)
    return f"{row['number']} · {row['client'] or ''} · {amount} · {when}"


async def _payables(turn: Turn, _: Question, page: PageOf) -> None:
    summary = await payables.summary(turn.reading)
    alerts = PayableAlerts.model_validate_json(await payables.alerts(turn.reading))
    owed = turn.money(summary.total_pending + summary.total_overdue)
    bills = [*alerts.overdue30_plus, *alerts.overdue, *alerts.due_today, *alerts.due_in7_days]
    lines = [_bill_line(turn, bill) for bill in bills]
    paging.say(turn, PagedAnswer(turn.words(ChatMsg.PAYABLE_TOTAL, total=owed), lines, Topic.PAYABLES), page)


def _bill_line(turn: Turn, bill: SupplierInvoice) -> str:
    due = turn.words(ChatMsg.DUE_ON, day=turn.day(bill.due_date))
    amount = turn.money(bill.balance, bill.currency)
    return f"{bill.vendor_name or ''} · {bill.invoice_number or ''} · {amount} · {due}"


async def _vat(turn: Turn, question: Question, _page: PageOf) -> None:
    first = question.first
    year, quarter = (None, None) if first is None else (first.year, (first.month + 2) // 3)
    vat = await reports.vat_balance(turn.reading, year, quarter)
    lines = [
        turn.words(ChatMsg.VAT_OUTPUT, amount=turn.money(vat.output_vat)),
        turn.words(ChatMsg.VAT_INPUT, amount=turn.money(vat.deductible_input_vat)),
        turn.words(ChatMsg.VAT_BALANCE, amount=turn.money(vat.balance)),
    ]
    turn.say(turn.words(ChatMsg.VAT_TITLE, quarter=vat.quarter, year=vat.year), lines)


async def _filing(turn: Turn, _: Question, _page: PageOf) -> None:
    entries = await calendar.calendar(turn.reading)
    today = turn.member.account.today()
    waiting = [entry for entry in entries if entry.status != "submitted" and entry.due_date >= today]
    late = [entry for entry in entries if entry.status != "submitted" and entry.due_date < today]
    shown = sorted([*late, *waiting], key=lambda entry: entry.due_date)[:_MOST_FORMS]
    if not shown:
        turn.say(turn.words(ChatMsg.NOTHING_TO_FILE))
        return
    lines = [digest.filing(entry).in_language(turn.language) for entry in shown]
    turn.say(
        turn.words(ChatMsg.FILING_TITLE),
        [f"{line} · {entry.name}" if entry.name else line for line, entry in zip(lines, shown, strict=True)],
    )


async def _results(turn: Turn, question: Question, _page: PageOf) -> None:
    result = await reports.profit_loss(turn.reading, question.first, question.last)
    lines = [
        turn.words(ChatMsg.INCOME, amount=turn.money(result.income)),
        turn.words(ChatMsg.EXPENSES, amount=turn.money(result.expenses)),
        turn.words(ChatMsg.PROFIT, amount=turn.money(result.profit)),
    ]
    turn.say(turn.words(ChatMsg.RESULTS_TITLE, first=turn.day(result.first), last=turn.day(result.last)), lines)


async def _tasks(turn: Turn, _: Question, page: PageOf) -> None:
    rows = await books.open_tasks(turn.reading)
    if not rows:
        turn.say(turn.words(ChatMsg.NO_TASKS))
        return
    lines = []
    for row in rows:
        due = row["dueDate"]
        day = "" if due is None else f" · {turn.day(date.fromisoformat(due))}"
        lines.append(f"• {row['title']}{day}")
    paging.say(turn, PagedAnswer(turn.words(ChatMsg.TASKS_TITLE, count=len(rows)), lines, Topic.TASKS), page)


async def _till(turn: Turn, _: Question, _page: PageOf) -> None:
    register = await matters.open_till(turn)
    if register is None:
        turn.say(turn.words(ChatMsg.TILL_CLOSED))
        return
    turn.say(turn.words(ChatMsg.TILL_OPEN), _till_lines(turn, register))


def _till_lines(turn: Turn, register: Mapping[str, Any]) -> list[str]:
    currency, totals = register["currency"], register["totals"]
    facts = [
        (ChatMsg.TILL_SALES, totals["sales"]),
        (ChatMsg.TILL_CASH, totals["cash"]),
        (ChatMsg.TILL_CARD, totals["card"]),
        (ChatMsg.TILL_EXPECTED, register["expectedAmount"]),
    ]
    lines = [turn.words(label, amount=turn.money(Decimal(str(amount)), currency)) for label, amount in facts]
    if register.get("difference") is not None:
        difference = turn.money(Decimal(str(register["difference"])), currency)
        lines.append(turn.words(ChatMsg.TILL_DIFFERENCE, amount=difference))
    return lines


async def _z_report(turn: Turn, question: Question, _page: PageOf) -> None:
    """Show the Z of the tills that were closed on a day, today by default."""
    day = question.first or turn.member.account.today()
    history = await registers.history(turn.reading, PageRequest(size=50))
    closed = [row for row in books.records(history) if turn.day_of(row["closedAt"]) == day]
    if not closed:
        turn.say(turn.words(ChatMsg.NO_Z, day=turn.day(day)))
    for row in closed:
        turn.say(turn.words(ChatMsg.Z_TITLE, number=row["zNumber"], day=turn.day(day)), _till_lines(turn, row))


async def _client(turn: Turn, question: Question, _page: PageOf) -> None:
    if question.client is None:
        turn.say(turn.words(ChatMsg.WHICH_CLIENT))
        return
    client = await clients.get(turn.reading, invoices.client_id(question.client))
    place = " ".join(part for part in (client.postal_code, client.city) if part)
    facts = [client.tax_id, client.email, client.phone, client.address, place, client.contact_name]
    owed = turn.words(ChatMsg.CLIENT_OWES, amount=turn.money(client.balance))
    turn.say(client.name, [*(fact for fact in facts if fact), owed])


async def _digest(turn: Turn, _: Question, _page: PageOf) -> None:
    title, lines = await digest.of_day(turn.reading, turn.language)
    turn.say(title, lines)


async def _help(turn: Turn, _: Question, _page: PageOf) -> None:
    turn.say(turn.words(ChatMsg.HELP_TITLE), turn.words(ChatMsg.HELP).split("\n"))


async def _state(turn: Turn, question: Question, _page: PageOf) -> None:
    """Say whether an invoice was paid, seen and accepted; of a client's, the open ones and the last."""
    reference = question.invoice or InvoiceRef(client=question.client, is_last=question.client is None)
    candidates = await invoices.matching(turn, reference, ALL_KINDS)
    if not candidates:
        turn.say(turn.words(ChatMsg.NO_SUCH_INVOICE))
        return
    open_ones = [candidate for candidate in candidates if candidate.is_open]
    for candidate in (open_ones or candidates[:1])[:3]:
        say_state(turn, await sales.get(turn.reading, candidate.id))


def say_state(turn: Turn, invoice: Invoice, *, with_pdf: bool = False) -> None:
    """Say what became of an invoice, with a button for its PDF, or with the PDF itself."""
    lines = _payment(turn, invoice)
    if invoice.viewed_at is not None:
        lines.append(turn.words(ChatMsg.SEEN_ON, day=turn.day(turn.day_of(invoice.viewed_at))))
    elif invoice.sent_at is not None:
        lines.append(turn.words(ChatMsg.SENT_ON, day=turn.day(turn.day_of(invoice.sent_at))))
    fiscal = (invoice.einvoice or {}).get("status")
    if fiscal in _FISCAL:
        lines.append(turn.words(_FISCAL[fiscal]))
    pdf = invoice.id if with_pdf else None
    buttons = [] if with_pdf else [[button(turn.words(ChatMsg.SHOW_PDF), PDF, invoice.id)]]
    turn.say(invoices.label(turn, invoice), lines, buttons, invoice_pdf=pdf)


def _payment(turn: Turn, invoice: Invoice) -> list[str]:
    """Return what is owed or was paid; nothing of a credit note, of which the client owes nothing."""
    if invoice.status == "draft":
        return [turn.words(ChatMsg.IS_DRAFT)]
    if invoice.status == "paid":
        return [turn.words(ChatMsg.PAID_ON, day=turn.day(invoice.paid_at or invoice.issue_date))]
    if invoice.balance <= 0:
        return []
    owed = turn.money(invoice.balance, invoice.currency)
    standing = ChatMsg.IS_OVERDUE if invoice.status == "overdue" else ChatMsg.IS_OPEN
    return [turn.words(standing, amount=owed, day=turn.day(invoice.due_date))]


_FISCAL = {
    "pending": ChatMsg.FISCAL_PENDING,
    "accepted": ChatMsg.FISCAL_ACCEPTED,
    "accepted_with_errors": ChatMsg.FISCAL_ACCEPTED_WITH_ERRORS,
    "rejected": ChatMsg.FISCAL_REJECTED,
    "annulled": ChatMsg.FISCAL_ANNULLED,
    "unknown": ChatMsg.FISCAL_PENDING,
}


async def _pdf(turn: Turn, question: Question, _page: PageOf) -> None:
    if question.invoice is None:
        turn.say(turn.words(ChatMsg.WHICH_INVOICE))
        return
    candidate = await invoices.find(turn, question.invoice, ALL_KINDS)
    if candidate is not None:
        say_state(turn, await sales.get(turn.reading, candidate.id), with_pdf=True)


_ANSWERS: Mapping[Topic, Callable[[Turn, Question, PageOf], Awaitable[None]]] = {
    Topic.RECEIVABLES: _receivables,
    Topic.OVERDUE: _overdue,
    Topic.PAYABLES: _payables,
    Topic.VAT: _vat,
    Topic.FILING: _filing,
    Topic.RESULTS: _results,
    Topic.TASKS: _tasks,
    Topic.TILL: _till,
    Topic.Z_REPORT: _z_report,
    Topic.CLIENT: _client,
    Topic.DIGEST: _digest,
    Topic.HELP: _help,
    Topic.INVOICE_STATE: _state,
    Topic.INVOICE_PDF: _pdf,
}

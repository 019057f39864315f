"""Digest of a day: what is overdue, due or to be filed, tasks, and what keeps records from the authority."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from ledgerkit.core.declarations.calendar import operations as calendar
from ledgerkit.core.declarations.calendar.api import CalendarEntry
from ledgerkit.core.einvoice import operations as einvoice
from ledgerkit.core.messaging.conversation.books import records
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.api_types.list_pages import Page, PageRequest
from ledgerkit.core.platform.request.acts import Money
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.reports.overview import operations as overviews
from ledgerkit.core.reports.overview.api import Overview
from ledgerkit.core.tasks import operations as tasks
from ledgerkit.core.tasks.api import TaskStatus
from ledgerkit.core.tasks.operations import TaskFilter
from ledgerkit.texts import Day, MessageId, Text, text

_FILING_WITHIN = timedelta(days=14)
_CERTIFICATE_DAYS = 60
_MOST_OF_KIND = 5


async def of_day(ctx: Context, language: str) -> tuple[str, Sequence[str]]:
    """Return title and lines of the digest for its reader, of the parts that their role reads."""
    digest = _Digest(ctx, language)
    await digest.add_money()
    await digest.add_tasks()
    await digest.add_filings()
    await digest.add_certificate()
    title = digest.words(ChatMsg.DIGEST_TITLE, day=Day(ctx.account.today()))
    return title, digest.lines or [digest.words(ChatMsg.DIGEST_EMPTY)]


def filing(entry: CalendarEntry) -> Text:
    """Return which form is due, of which period and until when."""
    unit, number = entry.period[0], entry.period[1:]
    period: str | Text = str(entry.year)
    if unit == "Q":
        period = text(ChatMsg.QUARTER, quarter=number, year=period)
    elif unit == "M":
        period = f"{number}/{entry.year}"
    return text(ChatMsg.FORM_DUE, form=entry.form, period=period, day=Day(entry.due_date))


class _Digest:
    def __init__(self, ctx: Context, language: str) -> None:
        self._ctx = ctx
        self._language = language
        self.lines: list[str] = []

    def words(self, message: MessageId, **values: object) -> str:
        return text(message, **values).in_language(self._language)

    def _money(self, amount: Decimal, currency: str) -> str:
        return Money(amount, currency).in_language(self._language)

    def _add(self, message: MessageId, **values: object) -> None:
        self.lines.append(self.words(message, **values))

    async def add_money(self) -> None:
        """Add what clients and the account itself owe, and records that the authority has not taken."""
        overview: Overview = await overviews.overview(self._ctx)
        owed = overview.overdue_invoices
        if owed is not None and owed.count:
            self._add(ChatMsg.DIGEST_OVERDUE, count=owed.count)
            self.lines += [
                f"• {invoice.number} · {invoice.client or ''} · {self._money(invoice.balance, invoice.currency)}"
                for invoice in owed.invoices
            ]
        bills = overview.bills
        if bills is not None and bills.count + bills.overdue_count:
            self._add(ChatMsg.DIGEST_BILLS, count=bills.count + bills.overdue_count)
            self.lines += [
                f"• {bill.vendor or ''} · {self._money(bill.balance, bill.currency)}"
                f" · {Day(bill.due_date).in_language(self._language)}"
                for bill in bills.bills
            ]
        if overview.fiscal is not None and overview.fiscal.needs_action:
            self._add(ChatMsg.DIGEST_FISCAL, count=overview.fiscal.needs_action)

    async def add_tasks(self) -> None:
        """Add the tasks that are due today or before."""
        if not self._ctx.actor.may(Permission.TASKS_READ):
            return
        tomorrow = self._ctx.account.today() + timedelta(days=1)
        page: Page = await tasks.listing(self._ctx, PageRequest(size=50), TaskFilter(due_before=tomorrow))
        due = [row for row in records(page) if row["status"] != TaskStatus.DONE.value]
        if due:
            self._add(ChatMsg.DIGEST_TASKS, count=len(due))
            self.lines += [f"• {row['title']}" for row in due[:_MOST_OF_KIND]]

    async def add_filings(self) -> None:
        """Add the tax forms that are due within two weeks and not filed."""
        if not self._ctx.actor.may(Permission.DECLARATIONS_READ):
            return
        today = self._ctx.account.today()
        for entry in await calendar.calendar(self._ctx):
            if entry.status != "submitted" and today <= entry.due_date <= today + _FILING_WITHIN:
                self.lines.append(filing(entry).in_language(self._language))

    async def add_certificate(self) -> None:
        """Add a certificate that ends soon."""
        standing = (await einvoice.providers(self._ctx)).certificate
        if standing is not None and standing.of == "account" and standing.days_left <= _CERTIFICATE_DAYS:
            self._add(ChatMsg.DIGEST_CERTIFICATE, count=max(standing.days_left, 0))

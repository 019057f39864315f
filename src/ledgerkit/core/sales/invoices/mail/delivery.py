"""Mail of an invoice: composed, sent or put off to the next day, and recorded once the mail server has accepted it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ledgerkit import clock
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.jobs import operations as jobs
from ledgerkit.core.platform.mail import Attachment, Delivery, InvoiceNotice, Mail, MailKind, MailReceipt, invoice_mail
from ledgerkit.core.platform.mail import operations as mails
from ledgerkit.core.platform.mail.senders import rules
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Channel, Context
from ledgerkit.core.platform.request.readable import cut
from ledgerkit.core.sales.invoices import output as invoice_output
from ledgerkit.core.sales.invoices.api import Sent
from ledgerkit.core.sales.invoices.json_columns.codecs import CLIENT, EINVOICE
from ledgerkit.core.sales.invoices.pdf import PdfPrinter, PrintedDocument, Reader, printed_invoice
from ledgerkit.core.sales.invoices.table import CHANGES, InvoiceRow, invoice
from ledgerkit.providers.api import DocumentKind, Environment

_LOGGED = 80
"""Characters of a subject or message of the sender's own that the activity log keeps."""

MAIL_INVOICE = "mail-invoice"
"""Job that mails what exceeded a day's quota; its payload is made here, its handler is `einvoice.issuance.operations`.
"""


@dataclass(frozen=True, kw_only=True)
class Outgoing:
    """An issued invoice on its way to the address `to`.

    `link` opens its public page; it is None if nobody else could open it. `further` is attached in addition to the PDF.
    `subject` and `message` are words of the sender's own.
    """

    row: InvoiceRow
    document: PrintedDocument
    to: str
    link: str | None
    kind: MailKind = MailKind.INVOICE
    further: Sequence[Attachment] = ()
    subject: str | None = None
    message: str | None = None

    @property
    def own_words(self) -> dict[str, str]:
        """Subject and message by their names, as far as the sender has written them."""
        written = {"subject": self.subject, "message": self.message}
        return {name: words for name, words in written.items() if words is not None}


@dataclass(frozen=True)
class PutOff:
    """A mail beyond the day's quota: it leaves from `until` on."""

    until: datetime


async def deliver(ctx: Context, outgoing: Outgoing) -> MailReceipt | PutOff:
    """Mail an issued invoice, or queue its mail for the next day where the day's quota is used up.

    Raises BadGateway MAIL_FAILED, PDF_FAILED.
    """

    async def attempt() -> datetime | None:
        async with ctx.transaction() as inner:
            until = await rules.take_from_quota(inner)
            if until is not None:
                await _queue(inner, outgoing, until)
            return until

    until = await retry_on_conflict(attempt)
    if until is not None:
        return PutOff(until)
    pdf = await ctx.kernel.service(PdfPrinter).print(outgoing.document, Reader(ctx.account.id))
    mail = await _composed(ctx, outgoing, pdf)
    return await mails.send(ctx, mail, outgoing.kind, ("invoice", outgoing.row.id))


async def answer(ctx: Context, outgoing: Outgoing, outcome: MailReceipt | PutOff, warnings: Sequence[str] = ()) -> Sent:
    """Return the outcome of the mail; record, in a separate transaction, that a mail server has accepted it.

    `warnings` are about the invoice that was issued in order to be sent.
    """
    if isinstance(outcome, MailReceipt) and outcome.delivered_to is Delivery.SMTP:
        return await retry_on_conflict(lambda: _record_sent(ctx, outgoing, outcome, warnings))

    async def attempt() -> Sent:
        async with ctx.transaction() as inner:
            row = await records.fetch(inner, invoice, str(outgoing.row.id), "invoice")
            shown = await invoice_output.as_invoice(inner, row, warnings)
        until = outcome.until if isinstance(outcome, PutOff) else None
        return Sent(
            sent_to=None,
            sent_at=None,
            delivered_to="file" if until is None else "queue",
            queued_until=until,
            invoice=shown,
        )

    return await retry_on_conflict(attempt)


async def _record_sent(ctx: Context, outgoing: Outgoing, receipt: MailReceipt, warnings: Sequence[str]) -> Sent:
    row, to = outgoing.row, outgoing.to
    async with ctx.transaction() as inner:
        sent = await records.change(inner, invoice, row.id, Values(InvoiceRow, sent_at=receipt.accepted_at))
        await counters.add(inner.db, {CHANGES: 1})
        written = {name: (None, _beginning(words)) for name, words in outgoing.own_words.items()}
        logged = {"sentTo": (None, to), **written}
        await activity.record(inner, "sent", ("invoice", row.id), row.number, logged)
        shown = await invoice_output.as_invoice(inner, sent, warnings)
    return Sent(sent_to=to, sent_at=receipt.accepted_at, delivered_to="smtp", queued_until=None, invoice=shown)


def _beginning(words: str) -> str:
    """Return the beginning of a sender's words for the activity log, which does not keep all of them."""
    return cut(" ".join(words.split()), _LOGGED)


async def _queue(ctx: Context, outgoing: Outgoing, until: datetime) -> None:
    """Queue the mail with its subject and message, once for an invoice and an address, in the name of whoever asks.

    An invoice's own mail goes to the address that the client has then, so it is queued once for all addresses. A
    person's new request replaces the words of the mail that waits; a mail that is put off again does not.
    """
    payload = {
        "accountId": str(ctx.account.id),
        "userId": None if ctx.actor.user_id is None else str(ctx.actor.user_id),
        "invoiceId": str(outgoing.row.id),
        "to": outgoing.to,
        "kind": outgoing.kind.value,
        **outgoing.own_words,
    }
    dedupe_key = f"{outgoing.row.id}:{outgoing.kind}"
    if outgoing.kind is MailKind.EINVOICE:
        dedupe_key += f":{outgoing.to}"
    is_asked_for = ctx.actor.channel is not Channel.SYSTEM
    delay = until - clock.now()
    await jobs.enqueue(ctx, MAIL_INVOICE, payload, delay=delay, dedupe_key=dedupe_key, newest_wins=is_asked_for)


async def _composed(ctx: Context, outgoing: Outgoing, pdf: bytes) -> Mail:
    """Compose the mail, in the language of the printed document."""
    row, printed = outgoing.row, outgoing.document
    stamp = EINVOICE.decode(row.einvoice)
    return invoice_mail(
        InvoiceNotice(
            to=outgoing.to,
            words=printed.words,
            team_name=printed.sender.name,
            client_name=CLIENT.decode(row.client).name or "",
            reply_to=await rules.reply_address(ctx),
            number=row.number or "",
            is_credit_note=printed.kind is DocumentKind.CREDIT_NOTE,
            is_invoice=printed.is_invoice,
            total=row.total,
            outstanding=invoice_output.owed(row),
            currency=row.currency,
            due_date=printed.due_date,
            iban=printed.iban,
            link=outgoing.link,
            is_simulated=stamp is not None and stamp.environment == Environment.SANDBOX.value,
            pdf=pdf,
            file_name=printed_invoice.file_name(printed),
            further=outgoing.further,
            **outgoing.own_words,
        )
    )

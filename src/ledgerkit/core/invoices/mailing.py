"""Mail of an invoice: composed, sent, and recorded once the mail server has accepted it."""

from collections.abc import Sequence

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.invoices import representation
from ledgerkit.core.invoices.models import CHANGES, InvoiceRow, invoice
from ledgerkit.core.invoices.rendering import PdfPrinter, PrintedDocument, Reader, printed_invoice
from ledgerkit.core.invoices.schemas import Sent
from ledgerkit.core.invoices.stored import CLIENT
from ledgerkit.core.mail import Attachment, Delivery, InvoiceNotice, Mail, MailKind, MailReceipt, invoice_mail
from ledgerkit.core.mail import service as mails
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import DocumentKind


async def deliver(ctx: Context, row: InvoiceRow, printed: PrintedDocument, link: str) -> MailReceipt:
    """Print an issued invoice and mail it to its client, with the address of its public printed.

    Raises BadGateway MAIL_FAILED, PDF_FAILED.
    """
    pdf = await ctx.kernel.service(PdfPrinter).print(printed, Reader(ctx.account.id))
    mail = compose(ctx, row, printed, pdf, CLIENT.decode(row.client).email or "", link=link)
    return await mails.send(ctx, mail, MailKind.INVOICE, ("invoice", row.id))


def compose(
    ctx: Context,
    row: InvoiceRow,
    printed: PrintedDocument,
    pdf: bytes,
    to: str,
    *,
    link: str,
    further: Sequence[Attachment] = (),
) -> Mail:
    """Compose the mail of an issued invoice, in the language of its printed document; `link` is its public page."""
    return invoice_mail(
        InvoiceNotice(
            to=to,
            words=printed.words,
            team_name=printed.sender.name,
            client_name=CLIENT.decode(row.client).name or "",
            reply_to=ctx.account.email,
            number=row.number or "",
            is_credit_note=printed.kind is DocumentKind.CREDIT_NOTE,
            total=row.total,
            outstanding=representation.owed(row),
            currency=row.currency,
            due_date=printed.due_date,
            iban=printed.iban,
            link=link,
            pdf=pdf,
            file_name=printed_invoice.file_name(printed),
            further=further,
        )
    )


async def record_sent(ctx: Context, row: InvoiceRow, receipt: MailReceipt, to: str) -> Sent:
    """Record, in a transaction of its own, that a mail server accepted an invoice's mail; a file is no sending."""

    async def attempt() -> Sent:
        async with ctx.transaction() as inner:
            if receipt.delivered_to is Delivery.FILE:
                unsent_invoice = await representation.as_invoice(
                    inner, await records.fetch(inner, invoice, str(row.id), "invoice")
                )
                return Sent(sent_to=None, sent_at=None, delivered_to=receipt.delivered_to.value, invoice=unsent_invoice)
            sent = await records.change(inner, invoice, row.id, {"sent_at": receipt.accepted_at})
            await counters.add(inner.db, {CHANGES: 1})
            await activity.record(inner, "sent", ("invoice", row.id), row.number, {"sentTo": (None, to)})
            sent_invoice = await representation.as_invoice(inner, sent)
        return Sent(
            sent_to=to, sent_at=receipt.accepted_at, delivered_to=receipt.delivered_to.value, invoice=sent_invoice
        )

    return await retry_on_conflict(attempt)

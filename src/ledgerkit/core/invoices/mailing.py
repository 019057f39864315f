"""An invoice's mail: made, handed over, and noted once the mail server has accepted it."""

from collections.abc import Sequence
from typing import Any

from ledgerkit.core import records
from ledgerkit.core.activity import service as activity
from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.invoices import representation
from ledgerkit.core.invoices.models import CHANGES, invoice
from ledgerkit.core.invoices.rendering import PdfPrinter, PrintedDocument, Reader, printed_invoice
from ledgerkit.core.invoices.schemas import Sent
from ledgerkit.core.mail import Attachment, InvoiceNotice, Mail, MailKind, MailReceipt, invoice_mail
from ledgerkit.core.mail import service as mails
from ledgerkit.core.records import counters
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import DocumentKind


async def deliver(ctx: Context, row: Any, page: PrintedDocument, link: str) -> MailReceipt:
    """Print the paper of an issued invoice and mail it to its client, with the address of its public page.

    Raises BadGateway MAIL_FAILED, PDF_FAILED.
    """
    pdf = await ctx.kernel.service(PdfPrinter).print(page, Reader(ctx.account.id))
    mail = compose(ctx, row, page, pdf, row.client["email"], link=link)
    return await mails.send(ctx, mail, MailKind.INVOICE, ("invoice", row.id))


def compose(
    ctx: Context, row: Any, page: PrintedDocument, pdf: bytes, to: str, *, link: str, further: Sequence[Attachment] = ()
) -> Mail:
    """The mail that brings an issued invoice to an address, in the language of its paper; `link` is its public page."""
    return invoice_mail(
        InvoiceNotice(
            to=to,
            words=page.words,
            team_name=page.sender.name,
            client_name=row.client["name"] or "",
            reply_to=ctx.account.email,
            number=row.number,
            is_credit_note=page.kind is DocumentKind.CREDIT_NOTE,
            total=row.total,
            outstanding=representation.owed(row),
            currency=row.currency,
            due_date=page.due_date,
            iban=page.iban,
            link=link,
            pdf=pdf,
            file_name=printed_invoice.file_name(page),
            further=further,
        )
    )


async def note(ctx: Context, row: Any, receipt: MailReceipt, to: str) -> Sent:
    """Write down, in a transaction of its own, that an invoice's mail was accepted."""

    async def attempt() -> Sent:
        async with ctx.transaction() as inner:
            now = await records.change(inner, invoice, row.id, {"sent_at": receipt.accepted_at})
            await counters.add(inner.db, {CHANGES: 1})
            await activity.record(inner, "sent", ("invoice", row.id), row.number, {"sentTo": (None, to)})
            shown = await representation.as_invoice(inner, now)
        return Sent(sent_to=to, sent_at=receipt.accepted_at, delivered_to=receipt.delivered_to.value, invoice=shown)

    return await retry_on_conflict(attempt)
